package golden

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/creack/pty"
)

// become replaces the process by the program.
func become(program string, args []string) {
	err := syscall.Exec(program, append([]string{program}, args...), os.Environ())
	fmt.Fprintln(os.Stderr, err)
	os.Exit(127)
}

// terminal is a command for scripts: `terminal ANSWERS COMMAND...` runs the command on a terminal and types one of the
// answers, which | separates, each time the command waits at a prompt. It prints what the terminal showed.
func terminal() {
	answers := strings.Split(os.Args[1], "|")
	cmd := exec.Command(os.Args[2], os.Args[3:]...)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 100})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(127)
	}
	chunks := make(chan string)
	go func() {
		defer close(chunks)
		buf := make([]byte, 4096)
		for {
			n, err := tty.Read(buf)
			if n > 0 {
				chunks <- string(buf[:n])
			}
			if err != nil {
				return
			}
		}
	}()
	var shown strings.Builder
	tail := "" // shown since the last answer
	for text := range chunks {
		shown.WriteString(text)
		tail += text
		if at := strings.TrimRight(tail, " "); len(answers) > 0 && (strings.HasSuffix(at, "[y/N]") || strings.HasSuffix(at, "response:")) {
			io.WriteString(tty, answers[0]+"\n")
			answers, tail = answers[1:], ""
		}
	}
	err = cmd.Wait()
	fmt.Print(strings.ReplaceAll(shown.String(), "\r\n", "\n"))
	if err != nil {
		os.Exit(cmd.ProcessState.ExitCode())
	}
}

// reader is a command for scripts: `reader COMMAND...` reads one byte of the command's output and closes its end. It prints how
// the command ended.
func reader() {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(127)
	}
	out.Read(make([]byte, 1))
	out.Close()
	timer := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
	cmd.Wait()
	timer.Stop()
	fmt.Println("ended:", cmd.ProcessState)
}
