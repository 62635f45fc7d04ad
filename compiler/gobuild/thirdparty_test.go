package gobuild

import (
	"archive/zip"
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
	have := map[*set][]string{}
	for _, s := range []*set{plain, serving} {
		for _, m := range s.modules() {
			have[s] = append(have[s], m.Packages...)
		}
	}
	graph := rt.graph(Targets()...)
	for dir, imports := range graph {
		reached, _ := graph.reach(imports)
		s := setFor(append(reached, dir))
		for _, p := range imports {
			first, _, _ := strings.Cut(p, "/")
			if strings.Contains(first, ".") && !strings.HasPrefix(p, modulePath+"/") && !slices.Contains(have[s], p) {
				t.Errorf("%s imports %s, which is not in runtime/%s: run `go run ./cmd/thirdparty -manifest`", dir, p, s.name)
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
	for _, s := range []*set{plain, serving} {
		files, err := s.fromArchive(one.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range s.modules() {
			for _, name := range m.Files {
				if len(files[m.Path+"/"+name]) == 0 {
					t.Errorf("%s/%s is not in the archive", m.Path, name)
				}
			}
			if !slices.ContainsFunc(m.Files, func(name string) bool { return strings.HasPrefix(strings.ToUpper(name), "LICENSE") }) {
				t.Errorf("%s has no licence in the archive", m.Path)
			}
		}
	}
	if files, err := serving.fromArchive(emptyArchive(t)); files != nil || err != nil {
		t.Errorf("an archive that lacks files gives %d, %v", len(files), err)
	}
}

func emptyArchive(t *testing.T) []byte {
	var b bytes.Buffer
	if err := zip.NewWriter(&b).Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestServingIsApart: what only a server needs is not among what other programs are built with.
func TestServingIsApart(t *testing.T) {
	for _, m := range plain.modules() {
		if strings.Contains(m.Path, "modelcontextprotocol") || strings.Contains(m.Path, "segmentio") {
			t.Errorf("%s is in runtime/%s", m.Path, plain.name)
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
	got, err := plain.needed([]string{"golang.org/x/term", "os"})
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
