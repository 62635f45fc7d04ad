package proc

const wnowait = 0x20
