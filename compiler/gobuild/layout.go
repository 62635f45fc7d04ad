package gobuild

import (
	"os"
	"path/filepath"
	"slices"
)

// layout writes the module that the go command builds. Its vendor folder is a link to one in the cache that all programs
// share, or a copy where links cannot be made. With foreign packages it is the program's own.
func (b *Builder) layout(rt *runtimeFiles, dir string, src Source, t Target) error {
	if src.Foreign != nil {
		files, err := rt.module(src, t)
		if err != nil {
			return err
		}
		return writeFiles(dir, files)
	}
	graph := rt.graph(t)
	dirs, third := graph.reach(importsOf("main.go", src.Main))
	var with *set // of third-party packages
	var modules []ModuleFiles
	if third {
		with = setFor(dirs)
		modules = with.modules()
	}
	vendor, err := b.sharedVendor(rt, graph, t, with)
	if err != nil {
		return err
	}
	if err := writeFiles(dir, []File{{"main.go", src.Main}, {"go.mod", goMod(modules)}}); err != nil {
		return err
	}
	if os.Symlink(vendor, filepath.Join(dir, "vendor")) == nil {
		return nil
	}
	return os.CopyFS(filepath.Join(dir, "vendor"), os.DirFS(vendor))
}

// sharedVendor gives the vendor folder with all of the runtime that builds with a set of third-party packages (nil = none), making
// it when it is not there.
func (b *Builder) sharedVendor(rt *runtimeFiles, graph graph, t Target, with *set) (string, error) {
	name := rt.hash[:32] + "-" + t.OS + "-" + t.Arch
	var modules []ModuleFiles
	if with != nil {
		name += with.suffix
		modules = with.modules()
	}
	src, err := b.Cache.mkdir("src")
	if err != nil {
		return "", err
	}
	final := filepath.Join(src, name)
	vendor := filepath.Join(final, "vendor")
	// The list is there only when all is: everything appears by one rename.
	complete := func() bool {
		_, err := os.Stat(filepath.Join(vendor, "modules.txt"))
		return err == nil
	}
	if complete() {
		return vendor, nil
	}
	defer b.Cache.lock("src")()
	if complete() {
		return vendor, nil
	}
	var dirs []string
	for dir, imports := range graph {
		reached, needs := graph.reach(imports)
		serves := dir == servingPackage || slices.Contains(reached, servingPackage)
		if with == serving || !serves && (with != nil || !needs) {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	files, err := rt.vendor(dirs, with, modules)
	if err != nil {
		return "", err
	}
	tmp, err := b.Cache.work()
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	if err := writeFiles(tmp, files); err != nil {
		return "", err
	}
	if err := os.Rename(tmp, final); err != nil && !complete() {
		// What stands there is damaged.
		if err := os.Rename(final, filepath.Join(tmp, "damaged")); err != nil {
			return "", err
		}
		// Its turn to be removed comes with tmp, so what is new needs another name on the way.
		fresh := filepath.Join(tmp, "fresh")
		if err := writeFiles(fresh, files); err != nil {
			return "", err
		}
		if err := os.Rename(fresh, final); err != nil && !complete() {
			return "", err
		}
	}
	return vendor, nil
}

// writeFiles writes files below dir.
func writeFiles(dir string, files []File) error {
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.Data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// WriteModule writes the module of a program into dir, to read or to build by hand (lobsterc emit).
func WriteModule(dir string, src Source) error {
	files, err := Module(src)
	if err != nil {
		return err
	}
	if err := checkModuleDir(dir); err != nil {
		return err
	}
	// What an earlier emission left in vendor would not fit.
	if err := os.RemoveAll(filepath.Join(dir, "vendor")); err != nil {
		return err
	}
	return writeFiles(dir, files)
}
