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
	"path/filepath"
	"strings"
	"sync"

	"github.com/lobsterc/lobsterc/runtime"
)

// The third-party packages of the runtime are listed in runtime/thirdparty/manifest.txt:
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

// Manifest and archive, relative to the folder runtime.
const (
	ManifestName = "thirdparty/manifest.txt"
	ArchiveName  = "thirdparty/archive.zip"
)

func manifestText() []byte {
	data, err := fs.ReadFile(runtime.Source, ManifestName)
	if err != nil {
		panic("lobsterc bug: " + err.Error())
	}
	return data
}

var manifest = sync.OnceValue(func() []ModuleFiles {
	list, err := ParseManifest(manifestText())
	if err != nil {
		panic("lobsterc bug: " + err.Error())
	}
	return list
})

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

// thirdPartyFiles gives the files of all third-party packages, named IMPORTPATH/FILE.
var thirdPartyFiles = sync.OnceValues(func() ([]File, error) {
	if data, err := fs.ReadFile(runtime.Source, ArchiveName); err == nil {
		return readArchive(data)
	}
	return filesFromModuleCache()
})

func readArchive(data []byte) ([]File, error) {
	zr, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("lobsterc bug: embedded archive: %w", err)
	}
	var out []File
	for _, f := range zr.File {
		r, err := f.Open()
		if err != nil {
			return nil, fmt.Errorf("lobsterc bug: embedded archive: %w", err)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			return nil, fmt.Errorf("lobsterc bug: embedded archive: %w", err)
		}
		out = append(out, File{f.Name, body})
	}
	return out, nil
}

// filesFromModuleCache reads the files where the go command keeps modules, and lets it fetch what is not there in the way that
// the user has configured.
func filesFromModuleCache() ([]File, error) {
	ctx := context.Background()
	tc, err := FindToolchain(ctx)
	if err != nil {
		return nil, err
	}
	var out []File
	for _, m := range manifest() {
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
func moduleDir(ctx context.Context, tc *Toolchain, path, version string) (string, error) {
	cmd := exec.CommandContext(ctx, tc.Go, "mod", "download", "-json", path+"@"+version)
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
		return "", errors.New("this lobsterc carries no third-party packages, and " + path + "@" + version +
			" cannot be had from the module cache (" + reason + "): build lobsterc with make, or run `lobsterc warm` once with network")
	}
	return info.Dir, nil
}

// WriteArchive makes the archive of the manifest's files: sorted as listed, without times, so equal inputs give equal bytes.
func WriteArchive(w io.Writer) error {
	files, err := filesFromModuleCache()
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
