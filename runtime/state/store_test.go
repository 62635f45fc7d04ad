package state

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// newStore is a store in a directory that does not exist yet.
func newStore(t *testing.T) *Store {
	t.Helper()
	return Open(filepath.Join(t.TempDir(), "a", "state"))
}

// onlyFiles fails unless the directory holds just these names.
func onlyFiles(t *testing.T, s *Store, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("files %q, want %q", got, want)
	}
}

func mustMode(t *testing.T, file string, want fs.FileMode) {
	t.Helper()
	st, err := os.Stat(file)
	if err != nil || st.Mode().Perm() != want {
		t.Errorf("%s: mode %v, %v", file, st.Mode(), err)
	}
}

func TestFileName(t *testing.T) {
	tests := map[string]string{
		"a b": "a_b", " A/b ": "a_b", "__x__": "x", "a__b": "a_b", "..": "..", ".": ".", "é": "", "K": "k", "İx": "i_x", "-a-": "-a-",
		"___": "", "": "", "a\x00b": "a_b", "aéäb": "a_b", "github.pr:o/r#1": "github.pr_o_r_1", "../../etc/passwd": ".._.._etc_passwd",
	}
	for key, want := range tests {
		got, err := FileName(key)
		if want == "" {
			if err == nil || err.Error() != "state key is empty/invalid" {
				t.Errorf("%q: %q, %v", key, got, err)
			}
		} else if err != nil || got != want+".json" {
			t.Errorf("%q: %q, %v", key, got, err)
		}
	}
}

func TestFindDir(t *testing.T) {
	wd, _ := os.Getwd()
	tests := []struct {
		flag string
		env  []string
		want string
	}{
		{"/x", []string{"LOBSTER_STATE_DIR=/y"}, "/x"},
		{"", []string{"HOME=/h", "LOBSTER_STATE_DIR= /y "}, "/y"},
		{"", []string{"HOME=/h", "LOBSTER_STATE_DIR=  "}, "/h/.lobster/state"},
		{"rel", nil, filepath.Join(wd, "rel")},
		{"", nil, ""},
	}
	for _, tt := range tests {
		got, err := FindDir(tt.flag, tt.env)
		if got != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("%+v: %q, %v", tt, got, err)
		}
	}
}

func TestReadWriteDelete(t *testing.T) {
	s := newStore(t)
	if _, found, err := s.Read("k"); found || err != nil {
		t.Error(found, err)
	}
	onlyFiles(t, s)
	v := value.Object(value.M("b", value.Int(1)), value.M("a", value.Array(value.String("x"), value.Null)))
	if err := s.Write("k", v); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(s.dir, "k.json")
	data, _ := os.ReadFile(file)
	if want := "{\n  \"b\": 1,\n  \"a\": [\n    \"x\",\n    null\n  ]\n}\n"; string(data) != want {
		t.Errorf("%q", data)
	}
	mustMode(t, file, 0o600)
	mustMode(t, s.dir, 0o700)
	mustMode(t, filepath.Dir(s.dir), 0o700)
	if got, found, err := s.Read("k"); !found || err != nil || !value.StrictEqual(got, v) {
		t.Error(got.JSON(), found, err)
	}
	os.Chmod(file, 0o644)
	if err := s.Write("K", value.Int(2)); err != nil {
		t.Fatal(err)
	}
	mustMode(t, file, 0o644)
	if got, ok := s.ReadCache("k"); !ok || got.Float() != 2 {
		t.Error(got.JSON(), ok)
	}
	onlyFiles(t, s, "k.json")
	for range 2 {
		if err := s.Delete("k"); err != nil {
			t.Error(err)
		}
	}
	onlyFiles(t, s)
}

func TestCorrupt(t *testing.T) {
	for _, text := range []string{"", "{bad", "{\"a\": 1", "{} x"} {
		s := Open(t.TempDir())
		file := filepath.Join(s.dir, "k.json")
		os.WriteFile(file, []byte(text), 0o600)
		_, _, err := s.Read("k")
		var corrupt *CorruptError
		if !errors.As(err, &corrupt) || !strings.Contains(err.Error(), file) {
			t.Error(err)
		}
		if _, ok := s.ReadCache("k"); ok {
			t.Error("cache read it")
		}
		set := func(value.Value, bool) (value.Value, error) { return value.Int(1), nil }
		if err := s.Update(t.Context(), "k", set); !errors.As(err, &corrupt) {
			t.Error(err)
		}
		if data, _ := os.ReadFile(file); string(data) != text {
			t.Errorf("overwritten: %q", data)
		}
		if err := s.UpdateCache(t.Context(), "k", set); err != nil {
			t.Error(err)
		}
		onlyFiles(t, s, "k.json")
	}
}

func TestUpdate(t *testing.T) {
	s := newStore(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 10 {
				err := s.Update(t.Context(), "k", func(old value.Value, found bool) (value.Value, error) {
					return value.Number(old.Float() + 1), nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if v, _, err := s.Read("k"); v.Float() != 80 || err != nil {
		t.Error(v.JSON(), err)
	}
	mine := errors.New("mine")
	if err := s.Update(t.Context(), "k", func(value.Value, bool) (value.Value, error) { return value.Int(0), mine }); err != mine {
		t.Error(err)
	}
	if err := s.Update(t.Context(), "k", func(value.Value, bool) (value.Value, error) { return value.Value{}, nil }); err != nil {
		t.Error(err)
	}
	if v, _, _ := s.Read("k"); v.Float() != 80 {
		t.Error("changed")
	}
	onlyFiles(t, s, "k.json")
}

func TestUnusableDirectories(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	os.WriteFile(plain, nil, 0o600)
	for _, bad := range []string{plain, filepath.Join(plain, "state")} {
		s := Open(bad)
		for _, err := range []error{s.Check(), s.Write("k", value.Null), s.Update(t.Context(), "k", nil)} {
			var fe *FileError
			if !errors.As(err, &fe) || !errors.Is(err, syscall.ENOTDIR) {
				t.Error(err)
			}
		}
	}
	if runtime.GOOS == "linux" { // nobody can make a directory there, not even root
		if err := Open("/proc/lobster/state").Check(); err == nil || !strings.Contains(err.Error(), "cannot be made") {
			t.Error(err)
		}
	}
	link := filepath.Join(dir, "link")
	os.Mkdir(filepath.Join(dir, "real"), 0o700)
	os.Symlink("real", link)
	s := Open(link)
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	onlyFiles(t, s)
	if err := s.Write(strings.Repeat("a", 300), value.Null); !errors.Is(err, syscall.ENAMETOOLONG) {
		t.Error(err)
	}
	onlyFiles(t, s)
}

func TestSweep(t *testing.T) {
	s := Open(t.TempDir())
	at := func(name string) string { return filepath.Join(s.dir, name) }
	os.WriteFile(at(".k.json.4194399-5-abcd.tmp"), nil, 0o600)       // of a dead process
	os.WriteFile(at(".k.json."+self()+"-abcd.tmp"), nil, 0o600)      // of this one
	os.WriteFile(at(".k.json.ea35ddaecc79.tmp"), nil, 0o600)         // of the reference: may be alive
	os.MkdirAll(at("k.json.lock.release-4194399-abcd/owner"), 0o700) // half removed
	os.Mkdir(at("dead.json.lock"), 0o700)
	os.WriteFile(at("dead.json.lock/owner"), []byte("4194399:5:x\n"), 0o600)
	live, err := s.Lock(t.Context(), "live")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Write("k", value.Null); err != nil {
		t.Fatal(err)
	}
	onlyFiles(t, s, ".k.json."+self()+"-abcd.tmp", ".k.json.ea35ddaecc79.tmp", "k.json", "live.json.lock")
	if err := live.Unlock(); err != nil {
		t.Error(err)
	}
}

func TestWaitIsCancelled(t *testing.T) {
	s := newStore(t)
	l, err := s.Lock(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	time.AfterFunc(20*time.Millisecond, func() { cancel(stop) })
	if _, err := s.Lock(ctx, "k"); err != stop {
		t.Error(err)
	}
	s.LockWait = 10 * time.Millisecond
	var le *LockError
	if _, err := s.Lock(t.Context(), "k"); !errors.As(err, &le) || le.Lost {
		t.Error(err)
	}
	if err := l.Unlock(); err != nil {
		t.Error(err)
	}
	onlyFiles(t, s)
}

// swapTo is an update that sets a number.
func swapTo(n int) func(value.Value, bool) (value.Value, error) {
	return func(value.Value, bool) (value.Value, error) { return value.Int(int64(n)), nil }
}

// files lists the names in the directory.
func (s *Store) files(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
