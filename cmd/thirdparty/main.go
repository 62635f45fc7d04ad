// Command thirdparty keeps runtime/thirdparty. It is run in the root of the repository:
//
//	go run ./cmd/thirdparty            writes the archive of what the manifest lists, from the module cache
//	go run ./cmd/thirdparty -manifest  writes the manifests: the third-party packages that the runtime can link on any target, without
//	                                   and with runtime/mcp
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lobsterc/lobsterc/compiler/gobuild"
)

func main() {
	writeManifest := flag.Bool("manifest", false, "write the manifests instead of the archive")
	flag.Parse()
	run := archive
	if *writeManifest {
		run = manifests
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "thirdparty:", err)
		os.Exit(1)
	}
}

// archive writes the archive in one go, so that an interrupted make leaves none.
func archive() error {
	var b bytes.Buffer
	if err := gobuild.WriteArchive(&b); err != nil {
		return err
	}
	name := filepath.Join("runtime", filepath.FromSlash(gobuild.ArchiveName))
	if err := os.WriteFile(name+".tmp", b.Bytes(), 0o644); err != nil {
		return err
	}
	return os.Rename(name+".tmp", name)
}

// listed is what `go list -json` says about a package.
type listed struct {
	ImportPath string
	Dir        string
	Standard   bool
	Module     *struct {
		Path, Version, GoVersion, Dir string
		Main                          bool
	}
	GoFiles, SFiles, HFiles, EmbedFiles []string
}

// module gathers what the manifest says about one module.
type module struct {
	path, version, goVersion, dir string
	packages, files               []string
}

func manifests() error {
	if err := manifest(gobuild.ManifestName, "but runtime/mcp", false); err != nil {
		return err
	}
	return manifest(gobuild.ServingName, "with runtime/mcp", true)
}

// manifest writes one manifest.
func manifest(name, what string, serving bool) error {
	modules := map[string]*module{}
	for _, t := range gobuild.Targets() {
		if err := list(t, modules, serving); err != nil {
			return err
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# The third-party packages that the runtime, %s, can link; written by `go run ./cmd/thirdparty -manifest`.\n", what)
	var paths []string
	for p := range modules {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	for _, p := range paths {
		m := modules[p]
		m.licences()
		fmt.Fprintf(&b, "module %s %s %s\n", m.path, m.version, m.goVersion)
		for _, name := range unique(m.packages) {
			fmt.Fprintf(&b, "package %s\n", name)
		}
		for _, name := range unique(m.files) {
			fmt.Fprintf(&b, "file %s\n", name)
		}
	}
	return os.WriteFile(filepath.Join("runtime", filepath.FromSlash(name)), b.Bytes(), 0o644)
}

func unique(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// list adds what the runtime links on one target.
func list(t gobuild.Target, modules map[string]*module, serving bool) error {
	packages, err := runtimePackages(serving)
	if err != nil {
		return err
	}
	cmd := exec.Command("go", append([]string{"list", "-deps", "-json"}, packages...)...)
	cmd.Env = append(os.Environ(), "GOOS="+t.OS, "GOARCH="+t.Arch, "CGO_ENABLED=0", "GOFLAGS=")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return err
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if p.Standard || p.Module == nil || p.Module.Main {
			continue
		}
		m := modules[p.Module.Path]
		if m == nil {
			m = &module{path: p.Module.Path, version: p.Module.Version, goVersion: p.Module.GoVersion, dir: p.Module.Dir}
			if m.goVersion == "" {
				m.goVersion = "1.16" // what a module without a go line means
			}
			modules[m.path] = m
		}
		m.packages = append(m.packages, p.ImportPath)
		rel := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, m.path), "/")
		for _, name := range slices.Concat(p.GoFiles, p.SFiles, p.HFiles, p.EmbedFiles) {
			if !strings.HasSuffix(name, "_test.go") {
				m.files = append(m.files, path.Join(rel, filepath.ToSlash(name)))
			}
		}
	}
}

// runtimePackages are the packages of the runtime.
func runtimePackages(serving bool) ([]string, error) {
	out, err := exec.Command("go", "list", "./runtime/...").Output()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(strings.Fields(string(out)), func(p string) bool {
		return !serving && strings.HasSuffix(p, "/runtime/mcp")
	}), nil
}

// licences adds the files that state a module's terms.
func (m *module) licences() {
	entries, _ := os.ReadDir(m.dir)
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		for _, start := range []string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "PATENTS"} {
			if !e.IsDir() && strings.HasPrefix(name, start) {
				m.files = append(m.files, e.Name())
			}
		}
	}
}
