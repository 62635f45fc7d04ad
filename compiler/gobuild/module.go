package gobuild

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/lobsterc/lobsterc/runtime"
)

const (
	// modulePath is the module that holds the runtime, under which generated programs import it.
	modulePath = "github.com/lobsterc/lobsterc"
	// moduleGo is that module's language version.
	moduleGo = "1.26.0"
	// programPath is the module path of every generated program: it does not depend on the program, so that builds share work.
	programPath = "lobsterc.local/program"
)

// File is a file of a generated module, with a slash path.
type File struct {
	Name string
	Data []byte
}

// runtimeFiles are the sources that generated programs are built with.
type runtimeFiles struct {
	files []File // sorted; names are relative to the module root: runtime/value/value.go
	// byFile maps the name of each Go file to what it imports.
	byFile map[string][]string
	// hash identifies all of it, with the third-party packages.
	hash string
}

// loadRuntime reads the embedded sources once.
var loadRuntime = sync.OnceValues(func() (*runtimeFiles, error) {
	rt := &runtimeFiles{byFile: map[string][]string{}}
	sum := sha256.New()
	err := fs.WalkDir(runtime.Source, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name == "thirdparty" || path.Base(name) == "testdata" {
				return fs.SkipDir
			}
			return nil
		}
		if name == "source.go" || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		data, err := fs.ReadFile(runtime.Source, name)
		if err != nil {
			return err
		}
		name = "runtime/" + name
		rt.files = append(rt.files, File{name, data})
		fmt.Fprintf(sum, "%s %d\n", name, len(data))
		sum.Write(data)
		if path.Ext(name) == ".go" {
			rt.byFile[name] = importsOf(name, data)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("lobsterc bug: embedded runtime: %w", err)
	}
	sum.Write(plain.text())
	sum.Write(serving.text())
	rt.hash = hex.EncodeToString(sum.Sum(nil))
	return rt, nil
})

// importsOf lists the imports of a Go file; none when it does not parse, which the toolchain will say better.
func importsOf(name string, data []byte) []string {
	f, err := parser.ParseFile(token.NewFileSet(), name, data, parser.ImportsOnly)
	if err != nil {
		return nil
	}
	var list []string
	for _, spec := range f.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			list = append(list, p)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// graph maps the directory of each package (runtime/value) to what it imports.
type graph map[string][]string

// graph gives what the packages of the runtime import on some targets.
func (rt *runtimeFiles) graph(targets ...Target) graph {
	g := graph{}
	for _, f := range rt.files {
		if path.Ext(f.Name) == ".go" && slices.ContainsFunc(targets, func(t Target) bool { return matches(f, t) }) {
			dir := path.Dir(f.Name)
			g[dir] = append(g[dir], rt.byFile[f.Name]...)
		}
	}
	return g
}

// matches tells whether a Go file is part of its package on a target.
func matches(f File, t Target) bool {
	ctx := build.Default
	ctx.GOOS, ctx.GOARCH, ctx.CgoEnabled = t.OS, t.Arch, false
	ctx.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(f.Data)), nil }
	ok, err := ctx.MatchFile(path.Split(f.Name))
	return ok && err == nil
}

// reach gives the runtime packages (as directories, sorted) that a file with these imports reaches, and whether third-party
// packages are among what it reaches.
func (g graph) reach(imports []string) (dirs []string, thirdParty bool) {
	seen := map[string]bool{}
	queue := slices.Clone(imports)
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		dir, ours := strings.CutPrefix(p, modulePath+"/")
		first, _, _ := strings.Cut(p, "/")
		switch {
		case seen[p]:
		case ours:
			seen[p] = true
			dirs = append(dirs, dir)
			queue = append(queue, g[dir]...)
		case strings.Contains(first, "."):
			thirdParty = true
		}
	}
	slices.Sort(dirs)
	return dirs, thirdParty
}

// Module gives all files of the module that a program is built in: main.go, go.mod, and vendor with what it reaches of the
// runtime, of third-party and of foreign packages. It builds by hand with nothing but a Go toolchain.
func Module(src Source) ([]File, error) {
	rt, err := loadRuntime()
	if err != nil {
		return nil, err
	}
	return rt.module(src, Targets()...)
}

// module gives the files of a module that is built for some targets.
func (rt *runtimeFiles) module(src Source, targets ...Target) ([]File, error) {
	graph := rt.graph(targets...)
	imports := src.Foreign.outside(importsOf("main.go", src.Main))
	dirs, third := graph.reach(imports)
	var modules []ModuleFiles
	var err error
	if third {
		for _, dir := range dirs {
			imports = append(imports, graph[dir]...)
		}
		if modules, err = setFor(dirs).needed(imports); err != nil {
			return nil, err
		}
	}
	vendor, err := rt.vendor(dirs, setFor(dirs), modules)
	if err != nil {
		return nil, err
	}
	files := []File{{"main.go", src.Main}, {"go.mod", goMod(src.Foreign.required(modules))}}
	return append(files, src.Foreign.vendored(vendor)...), nil
}

// vendor gives the vendor folder with the runtime packages in dirs and third-party modules.
func (rt *runtimeFiles) vendor(dirs []string, third *set, modules []ModuleFiles) ([]File, error) {
	var out []File
	for _, f := range rt.files {
		if slices.Contains(dirs, path.Dir(f.Name)) {
			out = append(out, File{"vendor/" + modulePath + "/" + f.Name, f.Data})
		}
	}
	var list bytes.Buffer
	fmt.Fprintf(&list, "# %s v0.0.0\n## explicit; go %s\n", modulePath, moduleGo)
	for _, dir := range dirs {
		fmt.Fprintf(&list, "%s/%s\n", modulePath, dir)
	}
	if len(modules) > 0 {
		files, err := third.files()
		if err != nil {
			return nil, err
		}
		for _, m := range modules {
			for _, name := range m.Files {
				out = append(out, File{"vendor/" + m.Path + "/" + name, files[m.Path+"/"+name]})
			}
			fmt.Fprintf(&list, "# %s %s\n## explicit; go %s\n", m.Path, m.Version, m.Go)
			for _, p := range m.Packages {
				fmt.Fprintln(&list, p)
			}
		}
	}
	return append(out, File{"vendor/modules.txt", list.Bytes()}), nil
}

// goMod is the go.mod of a generated module.
func goMod(modules []ModuleFiles) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "module %s\n\ngo %s\n\nrequire %s v0.0.0\n", programPath, moduleGo, modulePath)
	if len(modules) > 0 {
		b.WriteString("\nrequire (\n")
		for _, m := range modules {
			fmt.Fprintf(&b, "\t%s %s // indirect\n", m.Path, m.Version)
		}
		b.WriteString(")\n")
	}
	return b.Bytes()
}
