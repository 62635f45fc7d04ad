package proc

const wnowait = 0x1000000
