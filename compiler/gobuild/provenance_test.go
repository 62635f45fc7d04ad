package gobuild

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lobsterc/lobsterc/runtime/blob"
)

// marked is a file with provenance and IR and bytes around them.
func marked(prov, ir string) []byte {
	return []byte("\x7fELF" + blob.Mark(blob.Provenance, len(prov)) + prov + "text" + blob.Mark(blob.IR, len(ir)) + ir + "rest")
}

func TestReadProvenance(t *testing.T) {
	p, err := NewProvenance("1.2", "sha256:ab", []File{{"a.lobster", []byte("steps: []")}})
	if err != nil {
		t.Fatal(err)
	}
	good := marked(string(p.JSON()), `{"ir":1}`)
	tests := []struct {
		name, want string
		data       []byte
	}{
		{"good", "", good},
		{"foreign", "not a program built by lobsterc", []byte("#!/bin/sh\n")},
		{"empty", "not a program built by lobsterc", nil},
		{"two", "several marked pieces", slices.Concat(good, good)},
		{"damaged", "provenance is damaged", marked("{", "{}")},
		{"cut", "not a program built by lobsterc", good[:len(good)-8]},
	}
	for _, tt := range tests {
		path := filepath.Join(t.TempDir(), "program")
		if err := os.WriteFile(path, tt.data, 0o600); err != nil {
			t.Fatal(err)
		}
		got, ir, err := ReadProvenance(path)
		if tt.want == "" {
			if err != nil || got.Lobsterc != "1.2" || got.IR != "sha256:ab" || len(got.Sources) != 1 || string(ir) != `{"ir":1}` {
				t.Errorf("%s: %+v, %s, %v", tt.name, got, ir, err)
			}
			continue
		}
		if !errors.Is(err, ErrNotOurs) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v", tt.name, err)
		}
	}
}

func TestDifferences(t *testing.T) {
	a := marked(`{"lobsterc":"1","ir":"x","runtime":"r","sources":[{"name":"a","sha256":"1"},{"name":"b","sha256":"2"}]}`, "{}")
	b := marked(`{"lobsterc":"2","ir":"x","runtime":"r","sources":[{"name":"a","sha256":"9"},{"name":"c","sha256":"2"}]}`, "[]")
	want := []string{
		"lobsterc version: 1 here, 2 in the rebuilt program",
		"IR: the embedded text differs although the hash is the same",
		"source a: sha256:1 here, sha256:9 in the rebuilt program",
		"source b: sha256:2 here, none in the rebuilt program",
		"source c: none here, sha256:2 in the rebuilt program",
	}
	got := Differences(a, b)
	if len(got) != len(want)+1 || !slices.Equal(got[:len(want)], want) || !strings.HasPrefix(got[len(want)], "bytes: the first difference is at offset ") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	if got := Differences(a, a); got != nil {
		t.Errorf("equal programs differ: %v", got)
	}
	if got := Differences(a, []byte("x")); len(got) != 1 || !strings.Contains(got[0], "not a program built by lobsterc") {
		t.Errorf("got %v", got)
	}
}
