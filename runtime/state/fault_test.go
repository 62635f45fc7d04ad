package state

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// randomMoment sleeps up to 2 ms, so that kills hit everywhere.
func randomMoment() { time.Sleep(time.Duration(rand.Int64N(int64(2 * time.Millisecond)))) }

const kills = 25

func TestKilledWhileWriting(t *testing.T) {
	for _, name := range []string{"write", "update"} {
		t.Run(name, func(t *testing.T) {
			s := Open(t.TempDir())
			for range kills {
				said, _ := strconv.Atoi(killAfter(t, helper(t, s, name, ""), 2, randomMoment))
				v, found, err := s.Read("k")
				if n := int(v.Get("n").Float()); err != nil || !found || n != said && n != said+1 {
					t.Fatalf("said %d, has %d, %v", said, n, err)
				}
			}
			s.Sweep()
			onlyFiles(t, s, "k.json")
		})
	}
}

func TestKilledWhileAppending(t *testing.T) {
	s := Open(t.TempDir())
	j, err := s.NewRun(Header{})
	if err != nil {
		t.Fatal(err)
	}
	id := j.Header.Run
	j.Close()
	total := 0
	for range kills {
		said, _ := strconv.Atoi(killAfter(t, helper(t, s, "journal", id), 2, randomMoment))
		j, records, err := s.OpenRun(id)
		if err != nil || len(records) != total+said && len(records) != total+said+1 {
			t.Fatalf("said %d after %d, has %d, %v", said, total, len(records), err)
		}
		total = len(records)
		j.Close()
	}
}

func TestKilledWhilePausing(t *testing.T) {
	s := Open(t.TempDir())
	for range kills {
		killAfter(t, helper(t, s, "pause", ""), 1, randomMoment)
		s.Sweep()
		entries, _ := os.ReadDir(s.dir)
		for _, e := range entries {
			// What may be left: a pause with or without its short id, or a mark that was not removed yet.
			key := strings.TrimSuffix(e.Name(), ".json")
			if id, ok := strings.CutPrefix(key, "approval_"); ok {
				if tok, err := s.Approval(id); err != nil {
					t.Error(err)
				} else if err := s.Remove(t.Context(), tok.Key); err != nil {
					t.Error(err)
				}
			} else if _, ok := KeyKind(key); !ok {
				t.Error("left:", e.Name())
			} else if _, err := s.Paused(key); err != nil && err != ErrGone {
				t.Error(err)
			} else if err := s.Remove(t.Context(), key); err != nil {
				t.Error(err)
			}
		}
		onlyFiles(t, s)
	}
}

func TestFiftyProcessesClaimOneToken(t *testing.T) {
	s := Open(t.TempDir())
	tok, _, err := s.Pause(WorkflowFile, numbered(1), false)
	if err != nil {
		t.Fatal(err)
	}
	won, gone := race(t, s, tok.Key, 50)
	if won != 1 || gone != 49 {
		t.Errorf("%d won, %d found it gone", won, gone)
	}
	onlyFiles(t, s, tok.Key+".json")
}

// race starts n processes that consume a key and lets them go together.
func race(t *testing.T, s *Store, key string, n int) (won, gone int) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	outs := make([]strings.Builder, n)
	cmds := make([]*exec.Cmd, n)
	for i := range cmds {
		cmds[i] = helper(t, s, "consume", key)
		cmds[i].Stdin, cmds[i].Stdout = r, &outs[i]
		if err := cmds[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	r.Close()
	w.Close() // they all see the end of their input
	for i, cmd := range cmds {
		cmd.Wait()
		switch out := outs[i].String(); out {
		case "ready\nwon\n":
			won++
		case "ready\ngone\n":
			gone++
		default:
			t.Errorf("%q", out)
		}
	}
	return won, gone
}

// reference gives the reference implementation, or says that there is none and the test is only against ourselves.
func reference(t *testing.T) string {
	t.Helper()
	bin := os.Getenv("LOBSTER_REFERENCE")
	if bin == "" {
		t.Log("LOBSTER_REFERENCE is not set: this ran against ourselves only")
	}
	return bin
}

// askReference runs a pipeline in the reference. Its lock has a race of its own: when a lock goes away between two looks at it, it
// fails with ENOENT before it has done anything; then it is asked again.
func askReference(bin string, s *Store, pipeline string) ([]byte, error) {
	for {
		cmd := exec.Command(bin, "run", "--mode", "tool", pipeline)
		cmd.Env = append(os.Environ(), "LOBSTER_STATE_DIR="+s.dir)
		out, err := cmd.Output()
		if err == nil || !strings.Contains(string(out), "ENOENT: no such file or directory, lstat '") {
			return out, err
		}
	}
}

// TestOneKeyWithTheReference swaps values of one key from many processes of both kinds. Each gets the value before its own: if no
// update is lost, the values form one chain.
func TestOneKeyWithTheReference(t *testing.T) {
	s := Open(t.TempDir())
	bin := reference(t)
	ours, theirs := 20, 20
	if bin == "" {
		ours, theirs = 40, 0
	}
	before := make([]string, ours+theirs)
	var wg sync.WaitGroup
	slots := make(chan struct{}, 8)
	for i := range before {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			var out []byte
			var err error
			if i < ours {
				out, err = helper(t, s, "swap", strconv.Itoa(i)).Output()
			} else {
				out, err = askReference(bin, s, fmt.Sprintf("exec --json --shell 'echo %d' | diff.last --key k | pick before", i))
			}
			if err != nil {
				t.Errorf("%s: %v", out, err)
			}
			text := strings.TrimSpace(string(out))
			if i >= ours {
				b := parse(t, text).Path("output").At(0).Get("before")
				text = b.Text()
			}
			before[i] = text
		})
	}
	wg.Wait()
	next := map[string]string{}
	for i, b := range before {
		if other, ok := next[b]; ok {
			t.Errorf("%s and %d both replaced %q", other, i, b)
		}
		next[b] = strconv.Itoa(i)
	}
	length, last := 0, ""
	for n, ok := next[""]; ok && length <= len(before); n, ok = next[n] {
		length, last = length+1, n
	}
	if v, _, err := s.Read("k"); length != len(before) || v.Text() != last || err != nil {
		t.Errorf("a chain of %d that ends in %s; the file has %s, %v", length, last, v.Text(), err)
	}
	onlyFiles(t, s, "k.json")
}

// TestOneKeySetWithTheReference sets one key from both sides: it never breaks and no lock is left.
func TestOneKeySetWithTheReference(t *testing.T) {
	s := Open(t.TempDir())
	bin := reference(t)
	if bin == "" {
		return
	}
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			if i%2 == 0 {
				for range 20 {
					if err := s.Update(t.Context(), "k", swapTo(i)); err != nil {
						t.Error(err)
					}
				}
				return
			}
			if out, err := askReference(bin, s, fmt.Sprintf("exec --json --shell 'echo %d' | state.set k", i)); err != nil {
				t.Errorf("%s: %v", out, err)
			}
		})
	}
	wg.Wait()
	if v, _, err := s.Read("k"); err != nil || v.Float() < 0 || v.Float() >= 40 {
		t.Error(v.Text(), err)
	}
	onlyFiles(t, s, "k.json")
}

// TestClaimAgainstTheReference lets the reference pause a run, and both sides resume it at once.
func TestClaimAgainstTheReference(t *testing.T) {
	bin := reference(t)
	if bin == "" {
		return
	}
	for range 3 {
		s := Open(t.TempDir())
		work := t.TempDir()
		file := filepath.Join(work, "w.lobster")
		os.WriteFile(file, []byte("name: w\nsteps:\n  - {id: a, approval: 'go?'}\n  - {id: b, run: 'echo x >>log'}\n"), 0o600)
		run := func(args ...string) ([]byte, error) {
			cmd := exec.Command(bin, args...)
			cmd.Dir = work
			cmd.Env = append(os.Environ(), "LOBSTER_STATE_DIR="+s.dir)
			return cmd.Output()
		}
		out, err := run("run", "--mode", "tool", file)
		if err != nil {
			t.Fatal(err)
		}
		text := parse(t, string(out)).Path("requiresApproval", "resumeToken").Str()
		tok, err := ParseToken(text)
		if err != nil || tok.Encode() != text {
			t.Fatal(tok, err)
		}
		if p, err := s.Paused(tok.Key); err != nil {
			t.Fatal(err)
		} else if w, err := WorkflowOf(p.State); err != nil || w.Value().Indent() != p.State.Indent() {
			t.Error("state is read otherwise than it is written", err)
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() { run("resume", "--token", text, "--approve", "yes") })
		}
		time.Sleep(time.Duration(rand.Int64N(int64(200 * time.Millisecond))))
		won := 0
		for range 6 {
			switch _, err := s.Consume(t.Context(), tok.Key, NewClaimID()); err {
			case nil:
				won++
			case ErrGone:
			default:
				t.Error(err)
			}
		}
		wg.Wait()
		log, _ := os.ReadFile(filepath.Join(work, "log"))
		if won += len(log) / 2; won != 1 {
			t.Errorf("%d went on", won)
		}
	}
}

// smallDisk mounts a file system of the given size; it gives "" when that is not possible.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := mountTmpfs(dir, size); err != nil {
		t.Log("no small file system can be mounted, so nothing was tried:", err)
		return ""
	}
	t.Cleanup(func() { unmount(dir) })
	return dir
}

func TestFullDisk(t *testing.T) {
	dir := smallDisk(t, "128k")
	if dir == "" {
		return
	}
	s := Open(filepath.Join(dir, "state"))
	small := record(1)
	if err := s.Write("k", small); err != nil {
		t.Fatal(err)
	}
	tok, _, err := s.Pause(WorkflowFile, small, true)
	if err != nil {
		t.Fatal(err)
	}
	j, err := s.NewRun(Header{})
	if err != nil {
		t.Fatal(err)
	}
	fill := filepath.Join(dir, "fill")
	f, _ := os.Create(fill)
	for _, n := range []int{4096, 1} {
		for {
			if _, err := f.Write(make([]byte, n)); err != nil {
				break
			}
		}
	}
	f.Close()
	wrote := 0
	full := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "no space left on device") {
			t.Errorf("%s: %v", what, err)
		}
	}
	full("check", s.Check())
	full("write", s.Write("k", numbered(2)))
	full("write new", s.Write("new", numbered(2)))
	full("update", s.Update(t.Context(), "k", swapTo(2)))
	_, err = s.Consume(t.Context(), tok.Key, "c")
	full("consume", err)
	_, _, err = s.Pause(WorkflowFile, small, true)
	full("pause", err)
	for err = nil; err == nil; wrote++ { // what is left of its last block can still be written
		err = j.Append(numbered(wrote))
	}
	wrote--
	full("append", err)
	for _, name := range s.files(t) {
		if strings.Contains(name, ".tmp") || strings.Contains(name, ".lock") {
			t.Error("left:", name)
		}
	}
	os.Remove(fill)
	if v, _, err := s.Read("k"); v.JSON() != small.JSON() || err != nil {
		t.Error(v.JSON(), err)
	}
	if err := j.Append(record(7)); err != nil {
		t.Error(err)
	}
	j.Close()
	if _, records, err := s.OpenRun(j.Header.Run); err != nil || len(records) != wrote+1 {
		t.Error(len(records), wrote, err)
	}
	if _, err := s.Consume(t.Context(), tok.Key, "c"); err != nil {
		t.Error(err)
	}
}

func TestReadOnly(t *testing.T) {
	dir := smallDisk(t, "128k")
	if dir == "" {
		return
	}
	s := Open(filepath.Join(dir, "state"))
	if err := s.Write("k", record(1)); err != nil {
		t.Fatal(err)
	}
	if err := remountReadOnly(dir); err != nil {
		t.Fatal(err)
	}
	_, err := s.NewRun(Header{})
	_, lockErr := s.Lock(t.Context(), "k")
	for _, err := range []error{s.Check(), s.Write("k", record(2)), s.Delete("k"), err, lockErr, Open(filepath.Join(dir, "other")).Check()} {
		var fe *FileError
		if !errors.As(err, &fe) || !strings.Contains(err.Error(), "read-only file system") {
			t.Error(err)
		}
	}
	if v, _, err := s.Read("k"); err != nil || v.JSON() != `{"n":1}` {
		t.Error(v.JSON(), err)
	}
}
