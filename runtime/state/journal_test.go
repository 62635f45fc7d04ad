package state

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// record is a record with a number.
func record(n int) value.Value { return value.Object(value.M("n", value.Int(int64(n)))) }

func TestJournal(t *testing.T) {
	s := newStore(t)
	if runs, err := s.Runs(""); runs != nil || err != nil {
		t.Error(runs, err)
	}
	j, err := s.NewRun(Header{Program: Program{"p", "h"}, Args: parse(t, `{"a":1}`)})
	if err != nil {
		t.Fatal(err)
	}
	id := j.Header.Run
	file := s.runFile(id)
	mustMode(t, file, 0o600)
	mustMode(t, s.runsDir(), 0o700)
	for i := range 3 {
		if err := j.Append(record(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Sync(); err != nil {
		t.Error(err)
	}
	var running *RunningError
	if _, _, err := s.OpenRun(id); !errors.As(err, &running) {
		t.Error("opened twice", err)
	}
	if err := s.RemoveRun(id); !errors.As(err, &running) {
		t.Error("removed while it runs", err)
	}
	if info, err := s.Run(id); err != nil || !info.Running || len(info.Records) != 3 || info.Header.Program != (Program{"p", "h"}) {
		t.Errorf("%+v, %v", info, err)
	}
	j.Close()
	want := `{"journal":1,"run":"` + id + `","program":{"name":"p","hash":"h"},"args":{"a":1},"startedAt":"` + j.Header.StartedAt + "\"}\n{\"n\":0}\n{\"n\":1}\n{\"n\":2}\n"
	if data, _ := os.ReadFile(file); string(data) != want {
		t.Errorf("%s", data)
	}
	j, records, err := s.OpenRun(id)
	if err != nil || len(records) != 3 || j.Header.StartedAt == "" || j.Header.Args.Get("a").Float() != 1 {
		t.Fatal(records, err)
	}
	if err := j.Append(record(3)); err != nil {
		t.Error(err)
	}
	if err := j.Remove(); err != nil {
		t.Error(err)
	}
	if _, _, err := s.OpenRun(id); err != ErrNoRun {
		t.Error(err)
	}
	onlyFiles(t, s, "runs")
	onlyFiles(t, Open(s.runsDir()))
	for _, bad := range []string{"", "x", "../../etc/passwd", "run_123", "run_XXXXXXXXXXXXXXXX"} {
		if _, _, err := s.OpenRun(bad); err != ErrNoRun {
			t.Error(bad, err)
		}
		if _, err := s.Run(bad); err != ErrNoRun {
			t.Error(bad, err)
		}
		if err := s.RemoveRun(bad); err != ErrNoRun {
			t.Error(bad, err)
		}
	}
}

const headerLine = `{"journal":1,"run":"run_0123456789abcdef","program":{"name":"p","hash":"h"},"args":{},"startedAt":"x"}` + "\n"

func TestJournalDamage(t *testing.T) {
	tests := []struct {
		name, text string
		records    int
		fail       string
	}{
		{"whole", headerLine + "{\"n\":0}\n{\"n\":1}\n", 2, ""},
		{"header only", headerLine, 0, ""},
		{"torn", headerLine + "{\"n\":0}\n{\"n\":", 1, ""},
		{"torn after an odd byte", headerLine + "{\"n\":0}\n{\"n\": \"\xc3", 1, ""},
		{"torn before the line end", headerLine + "{\"n\":0}\n{\"n\":1}", 2, ""},
		{"zeros after a loss of power", headerLine + "{\"n\":0}\n\x00\x00\x00", 1, ""},
		{"last line bad", headerLine + "{\"n\":0}\n{\"n\":\n", 1, ""},
		{"middle line bad", headerLine + "{\"n\":\n{\"n\":1}\n", 0, "line 2: "},
		{"middle line empty", headerLine + "\n{\"n\":1}\n", 0, "line 2: "},
		{"middle line no object", headerLine + "5\n{\"n\":1}\n", 0, "line 2: not an object"},
		{"empty", "", 0, "is corrupt: it is empty"},
		{"torn header", headerLine[:30], 0, "line 1: "},
		{"no header", "{\"n\":0}\n", 0, "not the header"},
		{"newer", strings.Replace(headerLine, ":1", ":2", 1), 0, "has version 2, which this program does not know"},
	}
	const id = "run_0123456789abcdef"
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := Open(t.TempDir())
			os.Mkdir(s.runsDir(), 0o700)
			os.WriteFile(s.runFile(id), []byte(tt.text), 0o600)
			j, records, err := s.OpenRun(id)
			info, infoErr := s.Run(id)
			if tt.fail != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fail) || infoErr != nil || info.Err == nil {
					t.Error(err, info.Err, infoErr)
				}
				if data, _ := os.ReadFile(s.runFile(id)); string(data) != tt.text {
					t.Error("a damaged journal was changed")
				}
				return
			}
			if err != nil || len(records) != tt.records || len(info.Records) != tt.records {
				t.Fatal(records, err, info)
			}
			if err := j.Append(record(9)); err != nil {
				t.Error(err)
			}
			j.Close()
			_, records, err = s.OpenRun(id)
			if err != nil || len(records) != tt.records+1 || records[tt.records].Get("n").Float() != 9 {
				t.Error(records, err)
			}
		})
	}
}

func TestJournalFromManyGoroutines(t *testing.T) {
	s := newStore(t)
	j, err := s.NewRun(Header{})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 50 {
				if err := j.Append(record(i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	j.Close()
	if info, err := s.Run(j.Header.Run); err != nil || len(info.Records) != 400 || info.Running {
		t.Error(len(info.Records), err)
	}
}

func TestRuns(t *testing.T) {
	s := newStore(t)
	add := func(program, started string) string {
		j, err := s.NewRun(Header{Program: Program{Name: program}, StartedAt: started})
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		return j.Header.Run
	}
	b, a, c := add("p", "2"), add("p", "1"), add("p", "3")
	open, other := add("p", "0"), add("q", "0")
	os.WriteFile(filepath.Join(s.runsDir(), "notes.txt"), nil, 0o600)
	ids := func(program string) string {
		runs, err := s.Runs(program)
		if err != nil {
			t.Error(err)
		}
		var list []string
		for _, r := range runs {
			list = append(list, r.Header.Run)
		}
		return strings.Join(list, " ")
	}
	if got, want := ids("p"), strings.Join([]string{c, b, a, open}, " "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if len(strings.Fields(ids(""))) != 5 {
		t.Error(ids(""))
	}
	if ids("q") != other {
		t.Error(ids("q"))
	}
}

func FuzzParseJournal(f *testing.F) {
	f.Add(headerLine + "{\"n\":0}\n{\"n\":")
	f.Add(headerLine + "{\"n\":\n{\"n\":1}\n")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		_, records, good, err := parseJournal([]byte(text))
		if err != nil {
			return
		}
		_, again, all, err := parseJournal([]byte(text[:good]))
		if err != nil || all != good || len(again) != len(records) {
			t.Errorf("%q: %d of %d, %v", text, all, good, err)
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	s := Open(b.TempDir())
	j, err := s.NewRun(Header{})
	if err != nil {
		b.Fatal(err)
	}
	defer j.Remove()
	v := value.Object(value.M("type", value.String("end")), value.M("step", value.String("fetch")), value.M("stdout", value.String(strings.Repeat("x", 200))))
	for b.Loop() {
		if err := j.Append(v); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRun is what a run's journal costs besides its records.
func BenchmarkRun(b *testing.B) {
	s := Open(b.TempDir())
	for b.Loop() {
		j, err := s.NewRun(Header{})
		if err != nil {
			b.Fatal(err)
		}
		if err := j.Remove(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLock is a lock that nobody else wants.
func BenchmarkLock(b *testing.B) {
	s := Open(b.TempDir())
	for b.Loop() {
		l, err := s.Lock(b.Context(), "k")
		if err != nil {
			b.Fatal(err)
		}
		if err := l.Unlock(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkWrite is dominated by the disk.
func BenchmarkWrite(b *testing.B) {
	s := Open(b.TempDir())
	for b.Loop() {
		if err := s.Write("k", record(1)); err != nil {
			b.Fatal(err)
		}
	}
}
