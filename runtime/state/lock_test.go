package state

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lobsterc/lobsterc/runtime/proc"
)

// sleeper starts a process and gives its number and start time.
func sleeper(t *testing.T) (pid int, start string) {
	t.Helper()
	cmd := exec.Command("sleep", "300")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return cmd.Process.Pid, proc.StartTime(cmd.Process.Pid)
}

func TestVerdict(t *testing.T) {
	pid, start := sleeper(t)
	live := strconv.Itoa(pid)
	tests := []struct {
		name, owner string
		age         time.Duration // of the owner, or of the directory without one
		want        verdict
	}{
		{"live", live + ":" + start + ":n\n", time.Hour, held},
		{"number given out again", live + ":1:n\n", 0, stale},
		{"dead", "4194399:5:n\n", 0, stale},
		{"dead, start unknown", "4194399::n\n", 0, stale},
		{"live, start unknown", live + "::n\n", 0, held},
		{"live, start unknown, old", live + "::n\n", 31 * time.Second, doubtful},
		{"no owner", "", 0, held},
		{"no owner, old", "", 31 * time.Second, doubtful},
		{"unreadable owner, old", "what\n", 31 * time.Second, doubtful},
		{"clock set back", live + "::n\n", -time.Hour, held},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "k.json.lock")
			os.Mkdir(dir, 0o700)
			when := time.Now().Add(-tt.age)
			if tt.owner != "" {
				os.WriteFile(dir+"/owner", []byte(tt.owner), 0o600)
				os.Chtimes(dir+"/owner", when, when)
			}
			os.Chtimes(dir, when, when)
			if got := look(dir).verdict(); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
	if (look(filepath.Join(t.TempDir(), "none"))).verdict() != gone {
		t.Error("not gone")
	}
}

func TestReclaim(t *testing.T) {
	old := time.Now().Add(-time.Minute)
	pid, _ := sleeper(t)
	tests := []struct {
		name, owner string
		mark        bool
	}{
		{"dead owner", "4194399:5:n\n", false},
		{"no owner", "", false},
		{"old owner with unknown start", strconv.Itoa(pid) + "::n\n", false},
		{"reclaimer died", "4194399:5:n\n", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := Open(t.TempDir())
			dir := filepath.Join(s.dir, "k.json.lock")
			os.Mkdir(dir, 0o700)
			if tt.owner != "" {
				os.WriteFile(dir+"/owner", []byte(tt.owner), 0o600)
				os.Chtimes(dir+"/owner", old, old)
			}
			if tt.mark {
				os.Mkdir(dir+"/.reclaiming", 0o700)
				os.Chtimes(dir+"/.reclaiming", old, old)
			}
			os.Chtimes(dir, old, old)
			l, err := s.Lock(t.Context(), "k")
			if err != nil {
				t.Fatal(err)
			}
			if err := l.Unlock(); err != nil {
				t.Error(err)
			}
			onlyFiles(t, s)
		})
	}
}

func TestReclaimLeavesOthersAlone(t *testing.T) {
	s := Open(t.TempDir())
	dir := filepath.Join(s.dir, "k.json.lock")
	os.Mkdir(dir, 0o700)
	os.WriteFile(dir+"/owner", []byte("4194399:5:n\n"), 0o600)
	seen := look(dir)
	discard(dir)
	l, err := s.Lock(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	reclaim(dir, seen) // late: the lock is another one now
	if !l.Held() {
		t.Error("a live lock was removed")
	}
	if err := l.Unlock(); err != nil {
		t.Error(err)
	}
	onlyFiles(t, s)
}

func TestLostLock(t *testing.T) {
	s := Open(t.TempDir())
	l, err := s.Lock(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	discard(l.dir)
	other, err := s.Lock(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	var le *LockError
	if err := l.Unlock(); !errors.As(err, &le) || !le.Lost {
		t.Error(err)
	}
	if !other.Held() {
		t.Error("unlock took another's lock")
	}
	other.Unlock()
	onlyFiles(t, s)
}

func TestLockIsRefreshed(t *testing.T) {
	s := Open(t.TempDir())
	l, err := s.Lock(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	os.Chtimes(l.dir+"/owner", old, old)
	for range 500 {
		if st, err := os.Stat(l.dir + "/owner"); err != nil || st.ModTime().After(old.Add(time.Minute)) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if st, err := os.Stat(l.dir + "/owner"); err != nil || !st.ModTime().After(old.Add(time.Minute)) {
		t.Error("not refreshed", err)
	}
	l.Unlock()
	l.Unlock()
}

// TestReclaimRace lets many contenders find one dead lock after another: never may two hold it.
func TestReclaimRace(t *testing.T) {
	s := Open(t.TempDir())
	dir := filepath.Join(s.dir, "k.json.lock")
	var inside, took atomic.Int32
	for range 20 {
		os.Mkdir(dir, 0o700)
		os.WriteFile(dir+"/owner", []byte("4194399:5:n\n"), 0o600)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				l, err := s.Lock(t.Context(), "k")
				if err != nil {
					t.Error(err)
					return
				}
				if inside.Add(1) != 1 {
					t.Error("two hold the lock")
				}
				took.Add(1)
				inside.Add(-1)
				if err := l.Unlock(); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
	if took.Load() != 160 {
		t.Error(took.Load())
	}
	onlyFiles(t, s)
}

// TestTakeByMkdir is the way of file systems that cannot rename without replacing.
func TestTakeByMkdir(t *testing.T) {
	s := Open(t.TempDir())
	dir := filepath.Join(s.dir, "k.json.lock")
	var inside atomic.Int32
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 20 {
				l := &Lock{key: "k", dir: dir, owner: strconv.Itoa(os.Getpid()) + ":" + proc.StartTime(os.Getpid()) + ":" + strconv.Itoa(i*100+n) + "\n"}
				for {
					got, err := l.takeByMkdir(t.Context())
					if err != nil {
						t.Error(err)
						return
					}
					if got {
						break
					}
					time.Sleep(time.Millisecond)
				}
				if inside.Add(1) != 1 {
					t.Error("two hold the lock")
				}
				inside.Add(-1)
				if err := l.Unlock(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	onlyFiles(t, s)
}

// TestLateOwner: the owner is written while somebody reclaims the lock that has none.
func TestLateOwner(t *testing.T) {
	for _, letGo := range []bool{true, false} {
		s := Open(t.TempDir())
		l := &Lock{key: "k", dir: filepath.Join(s.dir, "k.json.lock"), owner: "1::x\n"}
		os.Mkdir(l.dir, 0o700)
		os.Mkdir(l.dir+"/.reclaiming", 0o700)
		time.AfterFunc(10*time.Millisecond, func() {
			if letGo {
				os.Remove(l.dir + "/.reclaiming")
			} else {
				discard(l.dir)
			}
		})
		if err := l.writeOwner(l.dir); err != nil {
			t.Fatal(err)
		}
		got, err := l.settle(t.Context())
		if err != nil || got != letGo {
			t.Error(got, err)
		}
	}
}
