package gobuild

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// The fast path. What `go build` does for a changed main.go whose packages are all compiled is: find that out, run the
// compiler, run the linker. The last two are the same for every main.go with the same imports, so they are kept as a recipe: the
// command lines and the import configurations of one build, learnt from its log. A recipe is kept only after it has given the very
// bytes that `go build` gave, and dropped when anything about it fails; so nothing here is a second truth about how to build.
//
// The compiled packages stay where the go command keeps them. It may remove them when it has not used them for days; then the
// recipe fails and is learnt again.

// In recipes these stand for the folder of main.go and for the work folder.
const (
	moduleMark = "\x00module"
	workMark   = "\x00work"
)

// recipe is how to build a program from main.go without the go command.
type recipe struct {
	Compile []string `json:"compile"`
	Link    []string `json:"link"`
	// Import configurations of the compiler and the linker.
	CompileConfig string `json:"compileConfig"`
	LinkConfig    string `json:"linkConfig"`
}

// recipeKey names the recipe for programs with the imports of main.
func (b *Builder) recipeKey(rt *runtimeFiles, src Source, t Target) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "lobsterc recipe 2\n%s\n%s\n%s\n%s\n%s\n%q\n%q\n%s\n", rt.hash, src.Foreign.hash(), b.Toolchain.Root, b.Toolchain.Version, t, buildFlags,
		importsOf("main.go", src.Main), os.Getenv("GOCACHE"))
	return hex.EncodeToString(sum.Sum(nil))
}

// loadRecipe gives the recipe for programs like main, nil when none is known or wanted.
func (b *Builder) loadRecipe(rt *runtimeFiles, src Source, t Target) *recipe {
	if b.NoRecipe {
		return nil
	}
	path := filepath.Join(b.Cache.Dir, "recipe", b.recipeKey(rt, src, t))
	data, err := os.ReadFile(path)
	r := &recipe{}
	if err != nil || json.Unmarshal(data, r) != nil || len(r.Compile) == 0 || len(r.Link) == 0 {
		return nil
	}
	touch(path)
	return r
}

func (b *Builder) saveRecipe(rt *runtimeFiles, src Source, t Target, r *recipe) {
	data, err := json.Marshal(r)
	if err != nil {
		panic("lobsterc bug: recipe: " + err.Error())
	}
	// Without the recipe the next build is slower, which is no reason to fail this one.
	_ = b.Cache.put("recipe", b.recipeKey(rt, src, t), 0o600, data)
	b.Cache.evictFiles("recipe", recipeBytes)
}

func (b *Builder) dropRecipe(rt *runtimeFiles, src Source, t Target) {
	os.Remove(filepath.Join(b.Cache.Dir, "recipe", b.recipeKey(rt, src, t)))
}

// learn reads a recipe off the log of `go build -x`; nil when the log is not as expected.
func learn(log, module, work string) *recipe {
	r := &recipe{}
	var root string   // the go command's own folder in work
	var kept []string // pairs: a package compiled in this build, its place in the toolchain's cache
	for line := range strings.Lines(log) {
		line = strings.TrimSpace(line)
		if dir, ok := strings.CutPrefix(line, "WORK="); ok {
			root = dir
			continue
		}
		words, ok := shellWords(strings.TrimPrefix(line, "GOROOT='' "))
		if !ok || len(words) < 2 {
			continue
		}
		switch strings.TrimSuffix(filepath.Base(words[0]), ".exe") {
		case "cp":
			if from, ok := strings.CutPrefix(words[1], "$WORK/"); ok && len(words) > 2 && !strings.HasPrefix(from, "b001/") {
				kept = append(kept, filepath.Join(root, filepath.FromSlash(from))+"\n", words[2]+"\n")
			}
		case "compile":
			if slices.Contains(words, "./main.go") {
				r.Compile = words
			}
		case "link":
			r.Link = words
		}
	}
	if root == "" || !strings.HasPrefix(root, work) || r.Compile == nil || r.Link == nil {
		return nil
	}
	step := filepath.Join(root, "b001")
	compileConfig, err1 := os.ReadFile(filepath.Join(step, "importcfg"))
	linkConfig, err2 := os.ReadFile(filepath.Join(step, "importcfg.link"))
	if err1 != nil || err2 != nil {
		return nil
	}
	generic := strings.NewReplacer("$WORK/b001", workMark, step, workMark, module, moduleMark)
	for _, words := range [][]string{r.Compile, r.Link} {
		for i := range words {
			words[i] = generic.Replace(words[i])
		}
	}
	inCache := strings.NewReplacer(kept...)
	// The linker's configuration names the compiled main package too.
	r.CompileConfig, r.LinkConfig = inCache.Replace(string(compileConfig)), generic.Replace(inCache.Replace(string(linkConfig)))
	for _, s := range append(append([]string{r.CompileConfig, r.LinkConfig}, r.Compile...), r.Link...) {
		if strings.Contains(s, work) || strings.Contains(s, "$WORK") {
			return nil // something else of this build's own
		}
	}
	return r
}

// cook builds main by a recipe.
func (b *Builder) cook(ctx context.Context, r *recipe, src Source, t Target) ([]byte, error) {
	dir, err := b.Cache.work()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	module, work := filepath.Join(dir, "module"), filepath.Join(dir, "work")
	concrete := strings.NewReplacer(moduleMark, module, workMark, work)
	err = writeFiles(dir, []File{
		{"module/main.go", src.Main},
		{"work/importcfg", []byte(r.CompileConfig)},
		{"work/importcfg.link", []byte(concrete.Replace(r.LinkConfig))},
		{"work/exe/.keep", nil},
	})
	if err != nil {
		return nil, err
	}
	if err := b.tool(ctx, concrete, r.Compile, module, t); err != nil {
		return nil, err
	}
	if err := b.tool(ctx, concrete, r.Link, module, t, "GOROOT="); err != nil {
		return nil, err
	}
	at := slices.Index(r.Link, "-o")
	if at < 0 || at+1 >= len(r.Link) {
		return nil, fmt.Errorf("recipe has no output")
	}
	return os.ReadFile(concrete.Replace(r.Link[at+1]))
}

// tool runs one command of a recipe.
func (b *Builder) tool(ctx context.Context, concrete *strings.Replacer, words []string, dir string, t Target, extra ...string) error {
	args := make([]string, len(words))
	for i, w := range words {
		args[i] = concrete.Replace(w)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	// A short life wants no garbage collection as long as there is memory; what it makes is the same.
	cmd.Env = append(append(goEnv(t, b.Cache.Dir), "GOGC=off", "GOMEMLIMIT=1GiB"), extra...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = waitDelay
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", filepath.Base(args[0]), err, lastLine(out.String()))
	}
	return nil
}

// shellWords splits a line as the go command quotes it: words in double quotes hold Go escapes, in single quotes nothing.
func shellWords(line string) (words []string, ok bool) {
	for line = strings.TrimLeft(line, " "); line != ""; line = strings.TrimLeft(line, " ") {
		var word strings.Builder
		for line != "" && line[0] != ' ' {
			q := line[0]
			if q != '"' && q != '\'' {
				word.WriteByte(q)
				line = line[1:]
				continue
			}
			end := strings.IndexByte(line[1:], q)
			if end < 0 {
				return nil, false
			}
			body := line[1 : 1+end]
			if q == '"' && strings.Contains(body, `\`) {
				return nil, false // not worth understanding
			}
			word.WriteString(body)
			line = line[end+2:]
		}
		words = append(words, word.String())
	}
	return words, true
}
