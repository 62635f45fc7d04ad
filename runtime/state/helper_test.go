package state

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// The tests below run this test program again as a process that does one thing to a state directory until it is killed.

// helpers are those things. They get the store and a further argument, and print a line for each thing that is done.
var helpers = map[string]func(s *Store, arg string) error{
	"write": func(s *Store, arg string) error {
		for n := 1; ; n++ {
			if err := s.Write("k", numbered(n)); err != nil {
				return err
			}
			fmt.Println(n)
		}
	},
	"update": func(s *Store, arg string) error {
		for {
			n := 0
			err := s.Update(context.Background(), "k", func(old value.Value, _ bool) (value.Value, error) {
				n = int(old.Get("n").Float()) + 1
				return numbered(n), nil
			})
			if err != nil {
				return err
			}
			fmt.Println(n)
		}
	},
	"journal": func(s *Store, arg string) error {
		j, _, err := s.OpenRun(arg)
		if err != nil {
			return err
		}
		for n := 1; ; n++ {
			if err := j.Append(record(n)); err != nil {
				return err
			}
			fmt.Println(n)
		}
	},
	"consume": func(s *Store, arg string) error {
		fmt.Println("ready")
		bufio.NewReader(os.Stdin).ReadString('\n')
		_, err := s.Consume(context.Background(), arg, NewClaimID())
		if err == nil {
			fmt.Println("won")
		} else if err == ErrGone {
			fmt.Println("gone")
			err = nil
		}
		return err
	},
	"swap": func(s *Store, arg string) error {
		return s.UpdateCache(context.Background(), "k", func(old value.Value, _ bool) (value.Value, error) {
			fmt.Println(old.Text())
			n, err := strconv.Atoi(arg)
			return value.Int(int64(n)), err
		})
	},
	"pause": func(s *Store, arg string) error {
		for {
			tok, id, err := s.Pause(WorkflowFile, numbered(1), true)
			if err != nil {
				return err
			}
			c, err := s.Consume(context.Background(), tok.Key, NewClaimID())
			if err != nil {
				return err
			}
			if err := s.Remove(context.Background(), c.Key); err != nil {
				return err
			}
			fmt.Println(id)
		}
	},
}

// numbered is a value that is large enough to be torn.
func numbered(n int) value.Value {
	return value.Object(value.M("n", value.Int(int64(n))), value.M("pad", value.String(strings.Repeat("x", 20000))))
}

func TestMain(m *testing.M) {
	name := os.Getenv("STATE_TEST_HELPER")
	if name == "" {
		os.Exit(m.Run())
	}
	if err := helpers[name](Open(os.Getenv("STATE_TEST_DIR")), os.Getenv("STATE_TEST_ARG")); err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// helper prepares a helper process.
func helper(t *testing.T, s *Store, name, arg string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "STATE_TEST_HELPER="+name, "STATE_TEST_DIR="+s.dir, "STATE_TEST_ARG="+arg)
	return cmd
}

// killAfter starts a helper, kills it at some moment after it has done n things, and gives the last line that it printed.
func killAfter(t *testing.T, cmd *exec.Cmd, n int, moment func()) string {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	last := ""
	for range n {
		if !lines.Scan() {
			break
		}
		last = lines.Text()
	}
	moment()
	cmd.Process.Kill()
	for lines.Scan() {
		last = lines.Text()
	}
	cmd.Wait()
	if strings.HasPrefix(last, "error:") {
		t.Fatal(last)
	}
	return last
}
