package gobuild

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// TestManifest fails when the runtime imports a package that the manifest does not have: then no program could be built.
func TestManifest(t *testing.T) {
	rt, err := loadRuntime()
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, m := range manifest() {
		have = append(have, m.Packages...)
	}
	for dir, imports := range rt.graph(Targets()...) {
		for _, p := range imports {
			first, _, _ := strings.Cut(p, "/")
			if strings.Contains(first, ".") && !strings.HasPrefix(p, modulePath+"/") && !slices.Contains(have, p) {
				t.Errorf("%s imports %s, which is not in runtime/%s: run `go run ./cmd/thirdparty -manifest`", dir, p, ManifestName)
			}
		}
	}
}

// TestArchive writes the archive from the module cache and reads it back.
func TestArchive(t *testing.T) {
	var one, two bytes.Buffer
	if err := WriteArchive(&one); err != nil {
		t.Fatal(err)
	}
	if err := WriteArchive(&two); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Error("two archives differ")
	}
	files, err := readArchive(one.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
	}
	for _, m := range manifest() {
		for _, name := range m.Files {
			if !slices.Contains(names, m.Path+"/"+name) {
				t.Errorf("%s/%s is not in the archive", m.Path, name)
			}
		}
		if !slices.ContainsFunc(m.Files, func(name string) bool { return strings.HasPrefix(strings.ToUpper(name), "LICENSE") }) {
			t.Errorf("%s has no licence in the archive", m.Path)
		}
	}
}

func TestParseManifestErrors(t *testing.T) {
	for _, text := range []string{"package x", "module a b", "file", "what is this"} {
		if _, err := ParseManifest([]byte(text)); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

func TestNeeded(t *testing.T) {
	got, err := needed([]string{"golang.org/x/term", "os"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range got {
		names = append(names, m.Packages...)
		if !slices.Contains(m.Files, "LICENSE") {
			t.Errorf("%s comes without its licence", m.Path)
		}
	}
	if want := []string{"golang.org/x/sys/unix", "golang.org/x/sys/windows", "golang.org/x/term"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}
