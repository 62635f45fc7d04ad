package gobuild

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/lobsterc/lobsterc/runtime"
)

// The third-party packages of the runtime are listed in two manifests in runtime/thirdparty: manifest.txt has what all packages but
// runtime/mcp reach, manifest-mcp.txt what all of them reach. So programs without a server neither read nor lay out what only
// a server needs. A manifest is:
//
//	module PATH VERSION GOVERSION
//	package IMPORTPATH
//	file NAME                      (slash path inside the module)
//
// Their files come from the embedded archive, which make writes, or else from the module cache.

// ModuleFiles is a module of which the runtime links packages.
type ModuleFiles struct {
	Path     string
	Version  string
	Go       string
	Packages []string
	Files    []string // relative to the module's root
}

// Manifests and archive, relative to the folder runtime.
const (
	ManifestName = "thirdparty/manifest.txt"
	ServingName  = "thirdparty/manifest-mcp.txt"
	ArchiveName  = "thirdparty/archive.zip"
)

// set is one of the two manifests, with what is read by it.
type set struct {
	name    string
	suffix  string // of a vendor folder with it
	modules func() []ModuleFiles
	files   func() (map[string][]byte, error)
}

// The sets: of programs, and of programs that serve MCP.
var (
	plain   = newSet(ManifestName, "-all")
	serving = newSet(ServingName, "-mcp")
)

func newSet(name, suffix string) *set {
	s := &set{name: name, suffix: suffix}
	s.modules = sync.OnceValue(func() []ModuleFiles {
		list, err := ParseManifest(s.text())
		if err != nil {
			panic("lobsterc bug: " + name + ": " + err.Error())
		}
		return list
	})
	s.files = sync.OnceValues(s.load)
	return s
}

func (s *set) text() []byte {
	data, err := fs.ReadFile(runtime.Source, s.name)
	if err != nil {
		panic("lobsterc bug: " + err.Error())
	}
	return data
}

// servingPackage is the package of which the needs are a set of their own.
const servingPackage = "runtime/mcp"

// setFor is the set of a program that reaches these runtime packages.
func setFor(dirs []string) *set {
	if slices.Contains(dirs, servingPackage) {
		return serving
	}
	return plain
}

// ParseManifest reads a manifest.
func ParseManifest(text []byte) ([]ModuleFiles, error) {
	var list []ModuleFiles
	for n, line := range strings.Split(string(text), "\n") {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || strings.HasPrefix(line, "#"):
		case words[0] == "module" && len(words) == 4:
			list = append(list, ModuleFiles{Path: words[1], Version: words[2], Go: words[3]})
		case words[0] == "package" && len(words) == 2 && len(list) > 0:
			m := &list[len(list)-1]
			m.Packages = append(m.Packages, words[1])
		case words[0] == "file" && len(words) == 2 && len(list) > 0:
			m := &list[len(list)-1]
			m.Files = append(m.Files, words[1])
		default:
			return nil, fmt.Errorf("%s:%d: cannot read %q", ManifestName, n+1, line)
		}
	}
	return list, nil
}

// load gives the files of all modules of a set, named MODULE/FILE.
func (s *set) load() (map[string][]byte, error) {
	if data, err := fs.ReadFile(runtime.Source, ArchiveName); err == nil {
		byName, err := s.fromArchive(data)
		// An archive older than the manifest may lack something.
		if err != nil || byName != nil {
			return byName, err
		}
	}
	files, err := s.fromModuleCache()
	return index(files), err
}

func index(files []File) map[string][]byte {
	byName := make(map[string][]byte, len(files))
	for _, f := range files {
		byName[f.Name] = f.Data
	}
	return byName
}

// needed gives what the packages named, and what those import in turn, take of each module.
func (s *set) needed(imports []string) ([]ModuleFiles, error) {
	files, err := s.files()
	if err != nil {
		return nil, err
	}
	want := map[string]bool{}
	for queue := slices.Clone(imports); len(queue) > 0; queue = queue[1:] {
		p := queue[0]
		if want[p] {
			continue
		}
		for _, m := range s.modules() {
			if !slices.Contains(m.Packages, p) {
				continue
			}
			want[p] = true
			for _, name := range m.Files {
				if full := m.Path + "/" + name; path.Dir(full) == p && path.Ext(name) == ".go" {
					queue = append(queue, importsOf(full, files[full])...)
				}
			}
		}
	}
	var out []ModuleFiles
	for _, m := range s.modules() {
		part := ModuleFiles{Path: m.Path, Version: m.Version, Go: m.Go}
		for _, p := range m.Packages {
			if want[p] {
				part.Packages = append(part.Packages, p)
			}
		}
		for _, name := range m.Files {
			// Files that belong to no package of their own are licences, at the root, or embedded, below a package.
			if m.takes(name, want) {
				part.Files = append(part.Files, name)
			}
		}
		if len(part.Packages) > 0 {
			out = append(out, part)
		}
	}
	return out, nil
}

// takes tells whether a file is needed with the packages in want: it goes with the nearest package at or above its folder.
func (m *ModuleFiles) takes(name string, want map[string]bool) bool {
	for dir := path.Dir(m.Path + "/" + name); len(dir) >= len(m.Path); dir = path.Dir(dir) {
		if slices.Contains(m.Packages, dir) {
			return want[dir] || path.Ext(name) != ".go" && dir == m.Path
		}
	}
	return true
}

// fromArchive reads the set's files out of an archive; nil when one is not there.
func (s *set) fromArchive(data []byte) (map[string][]byte, error) {
	zr, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("lobsterc bug: embedded archive: %w", err)
	}
	packed := make(map[string]*zip.File, len(zr.File))
	for _, f := range zr.File {
		packed[f.Name] = f
	}
	byName := map[string][]byte{}
	for _, m := range s.modules() {
		for _, file := range m.Files {
			name := m.Path + "/" + file
			f := packed[name]
			if f == nil {
				return nil, nil
			}
			r, err := f.Open()
			if err == nil {
				byName[name], err = io.ReadAll(r)
			}
			if err != nil {
				return nil, fmt.Errorf("lobsterc bug: embedded archive: %w", err)
			}
		}
	}
	return byName, nil
}

// fromModuleCache reads the files where the go command keeps modules, and lets it fetch what is not there in the way that
// the user has configured.
func (s *set) fromModuleCache() ([]File, error) {
	ctx := context.Background()
	tc, err := FindToolchain(ctx)
	if err != nil {
		return nil, err
	}
	var out []File
	for _, m := range s.modules() {
		dir, err := moduleDir(ctx, tc, m.Path, m.Version)
		if err != nil {
			return nil, err
		}
		for _, name := range m.Files {
			data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
			if err != nil {
				return nil, fmt.Errorf("module cache: %w", err)
			}
			out = append(out, File{m.Path + "/" + name, data})
		}
	}
	return out, nil
}

// moduleDir finds a module's folder in the module cache.
func moduleDir(ctx context.Context, tc *Toolchain, module, version string) (string, error) {
	cmd := exec.CommandContext(ctx, tc.Go, "mod", "download", "-json", module+"@"+version)
	cmd.Dir = os.TempDir()
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN=local", "GOWORK=off", "GOFLAGS=")
	out, err := cmd.Output()
	var info struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(out, &info); err == nil {
		err = jsonErr
	}
	if err != nil || info.Dir == "" {
		reason := info.Error
		if reason == "" && err != nil {
			reason = err.Error()
		}
		return "", errors.New("this lobsterc carries no third-party packages, and " + module + "@" + version +
			" cannot be had from the module cache (" + reason + "): build lobsterc with make, or run `lobsterc warm` once with network")
	}
	return info.Dir, nil
}

// WriteArchive makes the archive of all files of both manifests: sorted as listed, without times, so equal inputs give equal bytes.
func WriteArchive(w io.Writer) error {
	files, err := serving.fromModuleCache()
	if err != nil {
		return err
	}
	zw := zip.NewWriter(w)
	for _, f := range files {
		fw, err := zw.CreateHeader(&zip.FileHeader{Name: f.Name, Method: zip.Deflate})
		if err != nil {
			return err
		}
		if _, err := fw.Write(f.Data); err != nil {
			return err
		}
	}
	return zw.Close()
}
