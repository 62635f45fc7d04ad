package gobuild

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Target is a platform to build for.
type Target struct {
	OS   string
	Arch string
}

// Host is the platform that lobsterc runs on.
func Host() Target { return Target{runtime.GOOS, runtime.GOARCH} }

// Targets are the platforms that the runtime supports.
func Targets() []Target {
	var all []Target
	for _, os := range []string{"linux", "darwin", "windows"} {
		all = append(all, Target{os, "amd64"}, Target{os, "arm64"})
	}
	return all
}

// ParseTarget reads GOOS/GOARCH.
func ParseTarget(s string) (Target, error) {
	var names []string
	for _, t := range Targets() {
		if t.String() == s {
			return t, nil
		}
		names = append(names, t.String())
	}
	return Target{}, &UsageError{"unknown target " + s + "; supported are " + strings.Join(names, ", ")}
}

// UsageError is a fault of the request, not of the program or the machine.
type UsageError struct{ Message string }

func (e *UsageError) Error() string { return e.Message }

// String is GOOS/GOARCH.
func (t Target) String() string { return t.OS + "/" + t.Arch }

// Exe is the ending of executables.
func (t Target) Exe() string {
	if t.OS == "windows" {
		return ".exe"
	}
	return ""
}

// FileName is the name of a program among those of several targets.
func (t Target) FileName(name string) string { return name + "_" + t.OS + "_" + t.Arch + t.Exe() }

// buildFlags are the flags of every build; with goEnv they make equal inputs give equal bytes. The tag leaves HTTP/2, which no stage uses, out of
// net/http: 0.4 MB of a program that has it.
var buildFlags = []string{"-mod=vendor", "-trimpath", "-buildvcs=false", "-tags=nethttpomithttp2", "-ldflags=-s -w -buildid="}

// passedOn are the variables of the caller that the toolchain gets: where things are, and nothing that changes what is built.
var passedOn = []string{
	"PATH", "HOME", "TMPDIR", "XDG_CACHE_HOME", "GOCACHE", "GOROOT", "GOTMPDIR", "GOMAXPROCS",
	// Windows
	"SYSTEMROOT", "WINDIR", "TEMP", "TMP", "USERPROFILE", "LOCALAPPDATA", "APPDATA", "COMSPEC", "PATHEXT", "HOMEDRIVE", "HOMEPATH",
}

// goEnv is the toolchain's environment (spec part 6, 18). cache is lobsterc's cache folder, used for what the toolchain would
// keep in a home directory when there is none.
func goEnv(t Target, cache string) []string {
	env := []string{
		"GOOS=" + t.OS, "GOARCH=" + t.Arch, "GOAMD64=v1", "GOARM64=v8.0", "CGO_ENABLED=0",
		"GO111MODULE=on", "GOWORK=off", "GOENV=off", "GOFLAGS=", "GOEXPERIMENT=", "GOFIPS140=off",
		"GOTOOLCHAIN=local", "GOPROXY=off", "GOSUMDB=off", "GOTELEMETRY=off", "LC_ALL=C",
	}
	for _, name := range passedOn {
		if v, ok := os.LookupEnv(name); ok && (v != "" || name == "PATH") {
			env = append(env, name+"="+v)
		}
	}
	if cache != "" {
		if os.Getenv("GOCACHE") == "" {
			if _, err := os.UserCacheDir(); err != nil {
				env = append(env, "GOCACHE="+filepath.Join(cache, "go-build"))
			}
		}
		// The module cache is never read (-mod=vendor), but the toolchain insists on knowing where it is.
		env = append(env, "GOMODCACHE="+filepath.Join(cache, "mod"))
	}
	return env
}
