// Package gobuild turns a generated main.go into an executable with the Go toolchain of the machine: it lays out the module,
// builds it with an environment and flags under which equal inputs give equal bytes, and keeps what it built.
//
// Nothing is downloaded and nothing outside the cache folder is read but the toolchain: the runtime's source travels inside
// lobsterc. See spec part 4, section 4, and part 6, 14 to 19.
//
// A program is looked up by a hash of all that goes into it. One that is new is compiled and linked directly when a recipe
// for that is known (fast.go), else by the go command, which stays the truth: a recipe is only kept after it gave the same bytes.
package gobuild

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Source is what a program is built from.
type Source struct {
	// Main is the generated main.go.
	Main []byte
	// Hash, IR and the name of the source file are the program's; the cache keeps them for paused runs.
	Hash string
	IR   []byte
	File string
	// Foreign are the packages outside the runtime that Main imports; nil = none.
	Foreign *Foreign
}

// Result is a built program.
type Result struct {
	Target Target
	// Path is the executable in the cache, and Data its content.
	Path string
	Data []byte
	// Key is its key in the cache.
	Key string
	// How tells how it was had.
	How How
}

// How says how a program was had.
type How string

// The ways.
const (
	FromCache How = "cache" // it had been built before
	Direct    How = "direct"
	ByGo      How = "go build"
)

// Builder builds programs.
type Builder struct {
	Cache     *Cache
	Toolchain *Toolchain
	// NoRecipe builds with the go command even if a recipe is known.
	NoRecipe bool
	// Slow is called before the first build with a toolchain, which takes long; may be nil.
	Slow func()
}

// New finds the cache and the toolchain.
func New(ctx context.Context) (*Builder, error) {
	c, err := OpenCache()
	if err != nil {
		return nil, err
	}
	tc, err := FindToolchain(ctx)
	if err != nil {
		return nil, err
	}
	return &Builder{Cache: c, Toolchain: tc}, nil
}

// Build gives the program for a target, from the cache when it was built before.
func (b *Builder) Build(ctx context.Context, src Source, t Target) (*Result, error) {
	rt, err := loadRuntime()
	if err != nil {
		return nil, err
	}
	res := &Result{Target: t, Key: b.key(rt, src, t), How: FromCache}
	var ok bool
	if res.Path, res.Data, ok = b.Cache.program(res.Key, t); ok {
		return res, b.Cache.putIR(src)
	}
	unlock := b.Cache.lock(res.Key)
	defer unlock()
	if res.Path, res.Data, ok = b.Cache.program(res.Key, t); ok { // somebody else was faster
		return res, nil
	}
	b.Cache.sweep()
	if res.Data, res.How, err = b.make(ctx, rt, src, t); err != nil {
		return nil, err
	}
	if res.Path, err = b.Cache.putProgram(res.Key, t, res.Data); err != nil {
		return nil, err
	}
	return res, b.Cache.putIR(src)
}

// BuildAll gives the program for several targets, in their order; it builds as many at once as there are processors.
func (b *Builder) BuildAll(ctx context.Context, src Source, targets []Target) ([]*Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make([]*Result, len(targets))
	errs := make([]error, len(targets))
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for i, t := range targets {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if results[i], errs[i] = b.Build(ctx, src, t); errs[i] != nil {
				errs[i] = fmt.Errorf("%s: %w", t, errs[i])
				cancel()
			}
		})
	}
	wg.Wait()
	// The first failure cancelled the others, whose errors say nothing.
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return nil, err
		}
	}
	return results, errors.Join(errs...)
}

// key is the hash of all that goes into a program.
func (b *Builder) key(rt *runtimeFiles, src Source, t Target) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "lobsterc program 2\n%s\n%s\n%s\n%s\n%s\n%q\n", rt.hash, src.Foreign.hash(), b.Toolchain.Root, b.Toolchain.Version, t, buildFlags)
	sum.Write(src.Main)
	return hex.EncodeToString(sum.Sum(nil))
}

// make builds a program that is not in the cache.
func (b *Builder) make(ctx context.Context, rt *runtimeFiles, src Source, t Target) ([]byte, How, error) {
	known := b.loadRecipe(rt, src, t)
	if known == nil && !b.NoRecipe {
		// When many programs are new at once, the first one learns the recipe for those like it.
		defer b.Cache.lock("r" + b.recipeKey(rt, src, t))()
		known = b.loadRecipe(rt, src, t)
	}
	if known != nil {
		if data, err := b.cook(ctx, known, src, t); err == nil {
			return data, Direct, nil
		}
		if ctx.Err() != nil {
			return nil, "", ctx.Err()
		}
		// Whatever went wrong, the go command decides what it means.
		b.dropRecipe(rt, src, t)
	}
	if known == nil && b.Slow != nil && !b.Warmed(t) {
		b.Slow()
	}
	data, learned, err := b.goBuild(ctx, rt, src, t)
	if err != nil {
		return nil, "", err
	}
	b.markWarm(t)
	if learned != nil && !b.NoRecipe {
		if again, err := b.cook(ctx, learned, src, t); err == nil && bytes.Equal(again, data) {
			b.saveRecipe(rt, src, t, learned)
		}
	}
	return data, ByGo, nil
}

// goBuild builds with the go command in a module laid out for it.
func (b *Builder) goBuild(ctx context.Context, rt *runtimeFiles, src Source, t Target) ([]byte, *recipe, error) {
	dir, err := b.Cache.work()
	if err != nil {
		return nil, nil, err
	}
	keep := false
	defer func() {
		if !keep {
			os.RemoveAll(dir)
		}
	}()
	module := filepath.Join(dir, "module")
	if err := b.layout(rt, module, src, t); err != nil {
		return nil, nil, err
	}
	out := filepath.Join(dir, "program"+t.Exe())
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		return nil, nil, err
	}
	args := append([]string{"build", "-x", "-work"}, buildFlags...)
	cmd := exec.CommandContext(ctx, b.Toolchain.Go, append(args, "-o", out, ".")...)
	cmd.Dir = module
	cmd.Env = append(goEnv(t, b.Cache.Dir), "GOTMPDIR="+work)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	cmd.WaitDelay = waitDelay
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		err, keep = b.failure(err, log.String(), dir, module)
		return nil, nil, err
	}
	data, err := os.ReadFile(out)
	if err != nil {
		return nil, nil, err
	}
	return data, learn(log.String(), module, work), nil
}

// waitDelay is how long a cancelled toolchain's own children may keep its output open.
const waitDelay = 2 * time.Second

// InternalError is a failure of the go command on our own output: always a fault of lobsterc.
type InternalError struct {
	Dir    string // the generated module, which is kept
	Output string
}

func (e *InternalError) Error() string {
	return fmt.Sprintf("lobsterc bug: the generated program does not build. The generated source is in %s, what the Go toolchain said is in %s",
		e.Dir, filepath.Join(e.Dir, "build.log"))
}

// failure tells a fault of the machine from a fault of the generated code; of the latter it keeps the folder.
func (b *Builder) failure(err error, log, dir, module string) (error, bool) {
	said := complaints(log)
	for _, sign := range []string{"no space left on device", "permission denied", "read-only file system", "cannot allocate memory",
		"too many open files", "disk quota exceeded", "signal: killed", "exec format error", "input/output error"} {
		if strings.Contains(strings.ToLower(said), sign) {
			return fmt.Errorf("the Go toolchain failed: %s", lastLine(said)), false
		}
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return fmt.Errorf("cannot run the Go toolchain at %s: %w", b.Toolchain.Go, err), false
	}
	if strings.Contains(said, "is not in std") || strings.Contains(said, "no such tool") || strings.Contains(said, "go: cannot find GOROOT") {
		return fmt.Errorf("the Go toolchain at %s is broken (%s): %s", b.Toolchain.Root, lastLine(said), installHint), false
	}
	// What the go command left in its work folder is large and of no use.
	os.RemoveAll(filepath.Join(dir, "work"))
	kept := filepath.Join(b.Cache.Dir, "failed", filepath.Base(dir))
	if os.MkdirAll(filepath.Dir(kept), 0o700) == nil && os.Rename(module, kept) == nil {
		os.RemoveAll(dir)
	} else {
		kept = module
	}
	// The log is for whoever looks into the folder; that it cannot be written changes nothing.
	_ = os.WriteFile(filepath.Join(kept, "build.log"), []byte(log), 0o600)
	return &InternalError{Dir: kept, Output: said}, true
}

// complaints is what the go command said without the commands that -x prints.
func complaints(log string) string {
	var out []string
	for line := range strings.Lines(log) {
		line = strings.TrimSpace(line)
		first, _, _ := strings.Cut(line, " ")
		if line == "" || strings.HasPrefix(line, "WORK=") || strings.HasPrefix(line, "packagefile ") || strings.HasPrefix(line, "modinfo ") ||
			first == "mkdir" || first == "cat" || first == "cd" || first == "cp" || first == "mv" || line == "EOF" ||
			strings.HasSuffix(line, "# internal") || strings.Contains(first, string(filepath.Separator)+"tool"+string(filepath.Separator)) || strings.HasPrefix(line, "GOROOT=''") {
			continue
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}

// WriteMode replaces a file in one go. The error names the file and not the temporary one that stands in for it.
func WriteMode(path string, data []byte, mode fs.FileMode) error {
	err := writeAtomic(path, mode, data)
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		return &fs.PathError{Op: "write", Path: path, Err: p.Err}
	case errors.As(err, &l):
		return &fs.PathError{Op: "write", Path: path, Err: l.Err}
	}
	return err
}
