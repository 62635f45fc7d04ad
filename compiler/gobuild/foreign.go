package gobuild

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Foreign are Go packages of the user that programs link beside the runtime: host stages, and what those import. Their sources go into
// the vendor folder of the generated module, so that a build reads nothing else and stays reproducible.
type Foreign struct {
	// Packages are the import paths that were asked for, without patterns or dots.
	Packages []string
	// Hash identifies all the sources.
	Hash string

	files   []File // vendor/IMPORTPATH/FILE
	modules []ModuleFiles
	imports []string // of all packages, without the packages themselves
}

// listed is what `go list` tells about a package.
type listed struct {
	ImportPath string
	Dir        string
	Standard   bool
	DepOnly    bool
	Module     *struct{ Path, Version, GoVersion string }
	GoFiles    []string
	SFiles     []string
	HFiles     []string
	EmbedFiles []string
	Imports    []string
	Error      *struct{ Err string }
}

// LoadForeign finds packages from the working directory, as the go command does there: in the module around it, its vendor folder, its
// workspace or the module cache. Nothing is downloaded. What the packages import of the runtime is not looked up; lobsterc has it.
func (b *Builder) LoadForeign(ctx context.Context, paths []string, targets ...Target) (*Foreign, error) {
	l := &foreignLoader{seen: map[string]bool{}, modules: map[string]*ModuleFiles{}, f: &Foreign{}}
	for _, t := range targets {
		packages, err := b.list(ctx, paths, t)
		if err != nil {
			return nil, err
		}
		for i := range packages {
			if err := l.add(&packages[i]); err != nil {
				return nil, err
			}
		}
	}
	return l.finish(), nil
}

// list runs `go list` with the user's own settings.
func (b *Builder) list(ctx context.Context, paths []string, t Target) ([]listed, error) {
	args := append([]string{"list", "-e", "-deps", "-json=ImportPath,Dir,Standard,DepOnly,Module,GoFiles,SFiles,HFiles,EmbedFiles,Imports,Error", "--"}, paths...)
	cmd := exec.CommandContext(ctx, b.Toolchain.Go, args...)
	cmd.Env = append(os.Environ(), "GOOS="+t.OS, "GOARCH="+t.Arch, "CGO_ENABLED=0", "GOTOOLCHAIN=local", "GOPROXY=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, &UsageError{fmt.Sprintf("cannot find the packages %s: %s", strings.Join(paths, ", "), lastLine(stderr.String()))}
	}
	var packages []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("cannot read what `go list` says: %w", err)
		}
		packages = append(packages, p)
	}
}

// foreignLoader collects packages.
type foreignLoader struct {
	f       *Foreign
	seen    map[string]bool // files and packages
	modules map[string]*ModuleFiles
}

func (l *foreignLoader) add(p *listed) error {
	switch {
	case p.Standard || p.ImportPath == modulePath || strings.HasPrefix(p.ImportPath, modulePath+"/"):
		return nil
	case p.Error != nil:
		return &UsageError{fmt.Sprintf("package %s: %s", p.ImportPath, strings.TrimSpace(p.Error.Err))}
	case p.Module == nil:
		return &UsageError{fmt.Sprintf("package %s is in no module: make one with `go mod init`", p.ImportPath)}
	}
	for _, m := range plain.modules() {
		if m.Path == p.Module.Path {
			return l.brought(p, &m)
		}
	}
	m := l.modules[p.Module.Path]
	if m == nil {
		m = &ModuleFiles{Path: p.Module.Path, Version: p.Module.Version, Go: p.Module.GoVersion}
		if m.Version == "" {
			m.Version = "v0.0.0"
		}
		if m.Go == "" {
			m.Go = moduleGo
		}
		l.modules[m.Path] = m
	}
	if !l.seen[p.ImportPath] {
		l.seen[p.ImportPath] = true
		m.Packages = append(m.Packages, p.ImportPath)
		if !p.DepOnly {
			l.f.Packages = append(l.f.Packages, p.ImportPath)
		}
	}
	l.f.imports = append(l.f.imports, p.Imports...)
	return l.copy(p)
}

// brought is for a package of a module that the runtime brings at a version of its own.
func (l *foreignLoader) brought(p *listed, m *ModuleFiles) error {
	if slices.Contains(m.Packages, p.ImportPath) {
		return nil
	}
	return &UsageError{fmt.Sprintf("package %s cannot be linked: lobsterc brings its module %s at %s, without it", p.ImportPath, m.Path, m.Version)}
}

// copy reads the files of a package.
func (l *foreignLoader) copy(p *listed) error {
	for _, name := range slices.Concat(p.GoFiles, p.SFiles, p.HFiles, p.EmbedFiles) {
		full := "vendor/" + p.ImportPath + "/" + filepath.ToSlash(name)
		if l.seen[full] {
			continue
		}
		l.seen[full] = true
		data, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return err
		}
		l.f.files = append(l.f.files, File{full, data})
	}
	return nil
}

func (l *foreignLoader) finish() *Foreign {
	f := l.f
	slices.SortFunc(f.files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	f.imports = slices.DeleteFunc(f.imports, func(p string) bool { return l.seen[p] })
	slices.Sort(f.imports)
	f.imports = slices.Compact(f.imports)
	for _, m := range l.modules {
		slices.Sort(m.Packages)
		f.modules = append(f.modules, *m)
	}
	slices.SortFunc(f.modules, func(a, b ModuleFiles) int { return strings.Compare(a.Path, b.Path) })
	sum := sha256.New()
	for _, file := range f.files {
		fmt.Fprintf(sum, "%s %d\n", file.Name, len(file.Data))
		sum.Write(file.Data)
	}
	f.Hash = hex.EncodeToString(sum.Sum(nil))
	return f
}

// hash is f.Hash, empty without foreign packages.
func (f *Foreign) hash() string {
	if f == nil {
		return ""
	}
	return f.Hash
}

// outside gives the imports of main and of the foreign packages that are not foreign themselves.
func (f *Foreign) outside(main []string) []string {
	if f == nil {
		return main
	}
	own := func(p string) bool {
		return slices.ContainsFunc(f.modules, func(m ModuleFiles) bool { return slices.Contains(m.Packages, p) })
	}
	return append(slices.DeleteFunc(slices.Clone(main), own), f.imports...)
}

// vendored adds the foreign packages to the files of a vendor folder, whose list of modules is the last file.
func (f *Foreign) vendored(files []File) []File {
	if f == nil {
		return files
	}
	list := &files[len(files)-1]
	text := bytes.NewBuffer(slices.Clone(list.Data))
	for _, m := range f.modules {
		fmt.Fprintf(text, "# %s %s\n## explicit; go %s\n%s\n", m.Path, m.Version, m.Go, strings.Join(m.Packages, "\n"))
	}
	list.Data = text.Bytes()
	return append(files, f.files...)
}

// required are the modules that go.mod names, with those of foreign packages.
func (f *Foreign) required(modules []ModuleFiles) []ModuleFiles {
	if f == nil {
		return modules
	}
	return append(slices.Clone(modules), f.modules...)
}
