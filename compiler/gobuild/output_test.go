package gobuild

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWriteReplacesOnlyPrograms(t *testing.T) {
	for _, c := range []struct {
		name, old string
		ok        bool
	}{
		{"workflow", "name: x\nsteps: []\n", false},
		{"short", "x", false},
		{"script", "#!/bin/sh\n", false},
		{"empty", "", true},
		{"elf", "\x7fELF\x02", true},
		{"macho", "\xcf\xfa\xed\xfe", true},
		{"pe", "MZ\x90\x00", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "out")
			if err := os.WriteFile(path, []byte(c.old), 0o666); err != nil {
				t.Fatal(err)
			}
			err := Write(path, []byte("new"))
			got, _ := os.ReadFile(path)
			want := c.old
			if c.ok {
				want = "new"
			}
			if (err == nil) != c.ok || string(got) != want {
				t.Errorf("error %v, the file is now %q", err, got)
			}
		})
	}
}
