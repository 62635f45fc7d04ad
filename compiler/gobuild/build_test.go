package gobuild

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lobsterc/lobsterc/runtime/blob"
)

// nonce makes the programs of each test run new to the toolchain's cache.
var nonce = fmt.Sprint(time.Now().UnixNano())

// testMain is a program that prints its IR and the marked text around it.
func testMain(word string) []byte {
	ir := fmt.Sprintf(`{"ir":1,"word":%q}`, word)
	prov := `{"lobsterc":"test","ir":"sha256:00","runtime":"","sources":[{"name":"a.lobster","sha256":"11"}]}`
	return fmt.Appendf(nil, `// Run `+nonce+`.
package main

import (
	"os"

	rt "github.com/lobsterc/lobsterc/runtime"
	"github.com/lobsterc/lobsterc/runtime/value"
)

func main() {
	p := rt.Program{Provenance: provenance, IR: programIR}
	v, _ := value.ParseString(p.IRJSON())
	os.Stdout.WriteString(v.Get("word").Text() + " " + p.ProvenanceJSON()[:2])
}

const provenance = %q + %q

const programIR = %q + %q
`, blob.Mark(blob.Provenance, len(prov)), prov, blob.Mark(blob.IR, len(ir)), ir)
}

// newBuilder gives a builder with a cache of its own. The toolchain's cache is shared, which keeps the tests fast.
func newBuilder(t *testing.T) *Builder {
	t.Helper()
	gocache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOCACHE", strings.TrimSpace(string(gocache)))
	t.Setenv("LOBSTERC_CACHE_DIR", t.TempDir())
	b, err := New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func mustBuild(t *testing.T, b *Builder, main []byte, target Target) *Result {
	t.Helper()
	res, err := b.Build(context.Background(), Source{Main: main, Hash: "sha256:abcd", IR: []byte("{}"), File: "a\n.lobster"}, target)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func output(t *testing.T, res *Result) string {
	t.Helper()
	out, err := exec.Command(res.Path).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestBuild(t *testing.T) {
	b := newBuilder(t)
	first := mustBuild(t, b, testMain(t.Name()+"1"), Host())
	if got, want := output(t, first), t.Name()+`1 {"`; got != want {
		t.Errorf("output %q, want %q", got, want)
	}
	if first.How != ByGo {
		t.Errorf("first build by %s", first.How)
	}
	if again := mustBuild(t, b, testMain(t.Name()+"1"), Host()); again.How != FromCache || !bytes.Equal(again.Data, first.Data) {
		t.Errorf("second build by %s", again.How)
	}

	// A changed program is compiled directly, and the go command makes the same of it.
	changed := testMain(t.Name() + "2")
	second := mustBuild(t, b, changed, Host())
	if second.How != Direct {
		t.Errorf("changed program built by %s", second.How)
	}
	rt, err := loadRuntime()
	if err != nil {
		t.Fatal(err)
	}
	byGo, _, err := b.goBuild(t.Context(), rt, Source{Main: changed}, Host())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(byGo, second.Data) {
		t.Error("direct build and go build differ")
	}
	if ir, file, ok := b.Cache.ProgramIR("sha256:abcd"); !ok || string(ir) != "{}" || file != "a\n.lobster" {
		t.Errorf("IR by hash: %q, %q, %v", ir, file, ok)
	}

	p, ir, err := ReadProvenance(second.Path)
	if err != nil {
		t.Fatal(err)
	}
	if p.Lobsterc != "test" || p.Sources[0].Name != "a.lobster" || p.Go != b.Toolchain.Version || p.Target != Host().String() || !bytes.Contains(ir, []byte(t.Name()+"2")) {
		t.Errorf("provenance %+v, ir %s", p, ir)
	}
}

// TestEmittedModule builds an emitted module by hand and compares.
func TestEmittedModule(t *testing.T) {
	b := newBuilder(t)
	main := testMain(t.Name())
	dir := t.TempDir()
	if err := WriteModule(dir, Source{Main: main}); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-tags=nethttpomithttp2", "-ldflags=-s -w -buildid=", "-o", "out", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0", "GOAMD64=v1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got, err := os.ReadFile(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, mustBuild(t, b, main, Host()).Data) {
		t.Error("the emitted module built by hand gives other bytes")
	}
}

// TestReproducible builds one program twice with nothing in common but the source and the toolchain: other folders, another home,
// locale, umask and time.
func TestReproducible(t *testing.T) {
	main := testMain(t.Name())
	first := mustBuild(t, newBuilder(t), main, Host())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("LANG", "tr_TR.UTF-8")
	t.Setenv("GOFLAGS", "-ldflags=-X=main.x=1")
	t.Setenv("GOAMD64", "v3")
	t.Setenv("CGO_ENABLED", "1")
	t.Setenv("SOURCE_DATE_EPOCH", "1")
	old := setUmask(0o077)
	defer setUmask(old)
	b := newBuilder(t)
	b.NoRecipe = true
	if second := mustBuild(t, b, main, Host()); !bytes.Equal(first.Data, second.Data) {
		t.Error("two builds of one program differ")
	}
}

func TestBuildAll(t *testing.T) {
	b := newBuilder(t)
	results, err := b.BuildAll(t.Context(), Source{Main: testMain(t.Name())}, []Target{Host(), {"windows", "amd64"}})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(results[1].Data, []byte("MZ")) || results[1].Target.FileName("x") != "x_windows_amd64.exe" {
		t.Errorf("second result is for %v", results[1].Target)
	}
	_, err = b.BuildAll(t.Context(), Source{Main: []byte("package main\n")}, []Target{Host(), {"windows", "amd64"}})
	var internal *InternalError
	if !errors.As(err, &internal) {
		t.Errorf("got %v", err)
	}
}

func TestDamagedEntry(t *testing.T) {
	b := newBuilder(t)
	first := mustBuild(t, b, testMain(t.Name()), Host())
	if err := os.WriteFile(first.Path, append([]byte("x"), first.Data[1:]...), 0o700); err != nil {
		t.Fatal(err)
	}
	if again := mustBuild(t, b, testMain(t.Name()), Host()); again.How == FromCache || !bytes.Equal(again.Data, first.Data) {
		t.Errorf("damaged entry: built by %s", again.How)
	}
}

func TestDamagedRecipe(t *testing.T) {
	b := newBuilder(t)
	mustBuild(t, b, testMain(t.Name()), Host())
	recipes, err := filepath.Glob(filepath.Join(b.Cache.Dir, "recipe", "*"))
	if err != nil || len(recipes) != 1 {
		t.Fatalf("recipes: %v, %v", recipes, err)
	}
	data, err := os.ReadFile(recipes[0])
	if err != nil {
		t.Fatal(err)
	}
	broken := bytes.ReplaceAll(data, []byte("-complete"), []byte("-no-such-flag"))
	if err := os.WriteFile(recipes[0], broken, 0o600); err != nil {
		t.Fatal(err)
	}
	if res := mustBuild(t, b, testMain(t.Name()+"2"), Host()); res.How != ByGo {
		t.Errorf("with a broken recipe built by %s", res.How)
	}
	if res := mustBuild(t, b, testMain(t.Name()+"3"), Host()); res.How != Direct {
		t.Errorf("after a broken recipe built by %s", res.How)
	}
}

func TestEviction(t *testing.T) {
	b := newBuilder(t)
	b.Cache.MaxBytes = 1
	first := mustBuild(t, b, testMain(t.Name()+"1"), Host())
	second := mustBuild(t, b, testMain(t.Name()+"2"), Host())
	if _, err := os.Stat(first.Path); err == nil {
		t.Error("the older program was not evicted")
	}
	if _, err := os.Stat(second.Path); err != nil {
		t.Error("the program just built was evicted")
	}
	if _, _, ok := b.Cache.ProgramIR("sha256:abcd"); !ok {
		t.Error("the IR was evicted")
	}
	if err := b.Cache.Clean(); err != nil {
		t.Fatal(err)
	}
	if info := b.Cache.Info(); info.Programs != 0 || info.Bytes != 0 {
		t.Errorf("after Clean: %+v", info)
	}
}

func TestConcurrentBuilds(t *testing.T) {
	b := newBuilder(t)
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			word := fmt.Sprint(t.Name(), i%3)
			own := &Builder{Cache: b.Cache, Toolchain: b.Toolchain}
			res, err := own.Build(context.Background(), Source{Main: testMain(word)}, Host())
			if err != nil {
				t.Error(err)
				return
			}
			if out, err := exec.Command(res.Path).Output(); err != nil || !strings.HasPrefix(string(out), word+" ") {
				t.Errorf("%s: %q, %v", word, out, err)
			}
		})
	}
	wg.Wait()
}

func TestInternalError(t *testing.T) {
	b := newBuilder(t)
	_, err := b.Build(t.Context(), Source{Main: []byte("package main\n\nfunc main() { undefined() }\n")}, Host())
	var internal *InternalError
	if !errors.As(err, &internal) || !strings.Contains(internal.Output, "undefined") {
		t.Fatalf("got %v", err)
	}
	for _, name := range []string{"main.go", "go.mod", "build.log"} {
		if _, err := os.Stat(filepath.Join(internal.Dir, name)); err != nil {
			t.Error(err)
		}
	}
	if rest, _ := os.ReadDir(filepath.Join(b.Cache.Dir, "tmp")); len(rest) != 0 {
		t.Errorf("work folders left behind: %v", rest)
	}
}

func TestToolchainErrors(t *testing.T) {
	tests := []struct {
		name  string
		setup func(t *testing.T, dir string)
		want  string
	}{
		{"absent", func(t *testing.T, dir string) { t.Setenv("PATH", dir) }, "no Go toolchain found"},
		{"wrong GOROOT", func(t *testing.T, dir string) { t.Setenv("GOROOT", dir) }, "but there is no Go toolchain in it"},
		{"too old", func(t *testing.T, dir string) { fakeGo(t, dir, "echo "+dir+"; echo go1.21.3") }, "which is too old"},
		{"broken", func(t *testing.T, dir string) { fakeGo(t, dir, "echo it hurts >&2; exit 3") }, "does not work (exit status 3: it hurts)"},
		{"silent", func(t *testing.T, dir string) { fakeGo(t, dir, "true") }, "does not work"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("GOROOT", "")
			tt.setup(t, t.TempDir())
			if _, err := FindToolchain(t.Context()); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want ...%s...", err, tt.want)
			}
		})
	}
}

// fakeGo makes a shell script the only go command.
func fakeGo(t *testing.T, dir, script string) {
	t.Helper()
	t.Setenv("PATH", dir)
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestNewEnough(t *testing.T) {
	for v, want := range map[string]bool{
		"go1.26": true, "go1.26.8": true, "go1.27rc1": true, "go2.0": true, "go1.26.1-custom": true, "devel go1.27-abcdef": true,
		"go1.25.9": false, "go1.4": false, "": false, "gccgo": false,
	} {
		if got := newEnough(v); got != want {
			t.Errorf("%q: got %v", v, got)
		}
	}
}

// TestDamagedVendor loses the list that makes the shared vendor folder complete.
func TestDamagedVendor(t *testing.T) {
	b := newBuilder(t)
	b.NoRecipe = true
	mustBuild(t, b, testMain(t.Name()+"1"), Host())
	lists, err := filepath.Glob(filepath.Join(b.Cache.Dir, "src", "*", "vendor", "modules.txt"))
	if err != nil || len(lists) != 1 {
		t.Fatalf("vendor folders: %v, %v", lists, err)
	}
	if err := os.Remove(lists[0]); err != nil {
		t.Fatal(err)
	}
	mustBuild(t, b, testMain(t.Name()+"2"), Host())
	if _, err := os.Stat(lists[0]); err != nil {
		t.Error(err)
	}
}
