package effects

import (
	"bytes"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/lobsterc/lobsterc/ir"
	"mvdan.cc/sh/v3/syntax"
)

// Holes of a template stand in shell text as variables with these names and a number, so that the text parses.
const (
	argHole = "__lobster_arg_"
	refHole = "__lobster_ref_"
)

// Script is shell text with its holes as variables, and the way back to their spelling.
type Script struct {
	Text  string
	holes []string // spelling of each hole
}

// NewScript makes shell text of a template.
func NewScript(t ir.Template) *Script {
	s := &Script{}
	var b strings.Builder
	for _, seg := range t {
		switch seg := seg.(type) {
		case ir.Text:
			b.WriteString(string(seg))
		case ir.ArgRef:
			b.WriteString("${" + argHole + strconv.Itoa(len(s.holes)) + "}")
			s.holes = append(s.holes, "${"+seg.Name+"}")
		case ir.StepRef:
			b.WriteString("${" + refHole + strconv.Itoa(len(s.holes)) + "}")
			s.holes = append(s.holes, seg.String())
		case ir.OpenRef:
			b.WriteString("${" + refHole + strconv.Itoa(len(s.holes)) + "}")
			s.holes = append(s.holes, seg.Text.String())
		case ir.EnvRef:
			b.WriteString(seg.Raw)
		}
	}
	s.Text = b.String()
	return s
}

// spell puts the holes' own spelling back into text.
func (s *Script) spell(text string) string {
	for i, hole := range s.holes {
		n := strconv.Itoa(i)
		text = strings.NewReplacer("${"+argHole+n+"}", hole, "${"+refHole+n+"}", hole).Replace(text)
	}
	return text
}

// ParseShell parses shell text as POSIX sh and then as bash.
func ParseShell(text string) (*syntax.File, error) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(text), "")
	if err == nil {
		return file, nil
	}
	if file, bashErr := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), ""); bashErr == nil {
		return file, nil
	}
	return nil, err
}

// shellReader collects what shell text does.
type shellReader struct {
	script  *Script
	effects []Effect
	reads   map[string]bool // variables read
	sets    map[string]bool // variables and functions that the text sets itself
	depth   int
}

// readShell reads shell text; text that does not parse could do anything.
func readShell(script *Script) *shellReader {
	r := &shellReader{script: script, reads: map[string]bool{}, sets: map[string]bool{}}
	r.read(script.Text)
	for i := range r.effects {
		r.effects[i].classify()
	}
	r.effects = slices.DeleteFunc(r.effects, func(e Effect) bool { return len(e.Kinds) == 0 })
	return r
}

func (r *shellReader) read(text string) {
	file, err := ParseShell(text)
	if err != nil {
		r.effects = append(r.effects, Effect{What: "shell text that does not parse", Command: []Word{{Dynamic: true}}})
		return
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if d, ok := n.(*syntax.FuncDecl); ok && d.Name != nil {
			r.sets[d.Name.Value] = true
		}
		if a, ok := n.(*syntax.Assign); ok && a.Name != nil {
			r.sets[a.Name.Value] = true
		}
		if w, ok := n.(*syntax.WordIter); ok {
			r.sets[w.Name.Value] = true
		}
		return true
	})
	syntax.Walk(file, r.visit)
}

func (r *shellReader) visit(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.CallExpr:
		words := make([]Word, len(n.Args))
		for i, w := range n.Args {
			words[i] = r.word(w)
		}
		r.command(words)
	case *syntax.ParamExp:
		if n.Param != nil && !strings.HasPrefix(n.Param.Value, "__lobster_") && syntax.ValidName(n.Param.Value) {
			r.reads[n.Param.Value] = true
		}
	case *syntax.Redirect:
		r.redirect(n)
	}
	return true
}

// word gives the text of a word with its quotes taken away, as far as it is known.
func (r *shellReader) word(w *syntax.Word) Word {
	var b strings.Builder
	dynamic := false
	var add func(parts []syntax.WordPart)
	add = func(parts []syntax.WordPart) {
		for _, part := range parts {
			switch part := part.(type) {
			case *syntax.Lit:
				dynamic = dynamic || isGlob(part.Value)
				b.WriteString(unescape(part.Value))
			case *syntax.SglQuoted:
				if strings.Contains(part.Value, "__lobster_") {
					dynamic = true
				}
				b.WriteString(part.Value)
			case *syntax.DblQuoted:
				add(part.Parts)
			default:
				dynamic = true
				var buf bytes.Buffer
				if err := syntax.NewPrinter().Print(&buf, part); err == nil {
					b.Write(buf.Bytes())
				}
			}
		}
	}
	add(w.Parts)
	return Word{Text: r.script.spell(b.String()), Dynamic: dynamic}
}

// isGlob tells whether the shell may replace a word by file names.
func isGlob(s string) bool {
	open := strings.IndexByte(s, '[')
	return strings.ContainsAny(s, "*?") || open >= 0 && strings.IndexByte(s[open:], ']') > 1
}

func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
			if s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// wrappers run the command in their arguments; the number is how many words of their own follow their flags.
var wrappers = map[string]int{
	"sudo": 0, "doas": 0, "env": 0, "exec": 0, "command": 0, "builtin": 0, "nohup": 0, "time": 0, "nice": 0, "ionice": 0, "setsid": 0,
	"stdbuf": 0, "xargs": 0, "timeout": 1, "flock": 1, "watch": 0, "chronic": 0, "caffeinate": 0,
}

// flagsWithValue are flags of wrappers that take the next word.
var flagsWithValue = map[string]string{
	"sudo": "-u -g -h -p -C -D -R -T", "doas": "-u -C", "env": "-u -C -S", "exec": "-a", "nice": "-n", "ionice": "-c -n -p", "stdbuf": "-i -o -e",
	"xargs": "-n -I -P -L -d -s -a -E", "timeout": "-s -k", "flock": "-w -E", "watch": "-n",
}

// shells run their -c argument as shell text.
var shells = map[string]bool{"sh": true, "bash": true, "dash": true, "zsh": true, "ksh": true, "ash": true}

// quiet commands do nothing to the world by themselves: shell builtins and text tools.
var quiet = map[string]bool{}

func init() {
	for _, name := range strings.Fields(`: . [ [[ alias awk base64 basename bc bg break cat cd column comm continue cut date declare diff dirname
		echo egrep env expr export false fgrep find fg file fmt fold getopts grep gunzip head hostname id jobs join jq
		let local ls md5sum nl od paste printf pwd read readlink readonly realpath return rev sed seq set sha1sum sha256sum shasum shift shuf
		sleep sort stat strings tac tail test times tr trap true tsort type typeset ulimit umask unalias uname uniq unset wait wc which whoami xxd
		yes yq zcat source hash`) {
		quiet[name] = true
	}
}

// command adds what one command does; wrappers are looked through.
func (r *shellReader) command(words []Word) {
	if len(words) == 0 || r.depth > 8 {
		return
	}
	name := path.Base(words[0].Text)
	if words[0].Dynamic {
		r.effects = append(r.effects, Effect{What: words[0].Text, Command: words})
		return
	}
	if r.sets[words[0].Text] && !strings.Contains(words[0].Text, "/") {
		return // a function of the text: its body is looked at by itself
	}
	if shells[name] {
		if r.shell(words) {
			return
		}
	}
	if name == "eval" {
		r.nested(joinWords(words[1:]))
		return
	}
	if own, ok := wrappers[name]; ok {
		if rest := unwrap(name, words[1:], own); len(rest) > 0 {
			r.depth++
			r.command(rest)
			r.depth--
			return
		}
	}
	e := Effect{What: label(words), Command: words}
	e.Files = written(name, words[1:])
	r.effects = append(r.effects, e)
	if name == "find" {
		r.find(words)
	}
}

// shell looks into `sh -c TEXT`; it tells whether there was one.
func (r *shellReader) shell(words []Word) bool {
	for i := 1; i < len(words); i++ {
		flag := words[i].Text
		if !strings.HasPrefix(flag, "-") || flag == "--" {
			return false
		}
		if strings.HasSuffix(flag, "c") && !strings.HasPrefix(flag, "--") {
			if i+1 < len(words) {
				r.nested(words[i+1])
			}
			return true
		}
		if flag == "-o" {
			i++
		}
	}
	return false
}

// nested reads shell text that is an argument.
func (r *shellReader) nested(text Word) {
	if text.Dynamic && !strings.Contains(text.Text, " ") {
		r.effects = append(r.effects, Effect{What: text.Text, Command: []Word{text}})
		return
	}
	r.depth++
	if r.depth <= 8 {
		r.read(text.Text)
	}
	r.depth--
}

// find looks at the commands that find runs.
func (r *shellReader) find(words []Word) {
	for i, w := range words {
		switch w.Text {
		case "-exec", "-execdir", "-ok", "-okdir":
			r.depth++
			r.command(words[i+1:])
			r.depth--
		case "-delete":
			r.effects = append(r.effects, Effect{What: "find -delete", Command: []Word{{Text: "rm"}}})
		}
	}
}

func joinWords(words []Word) Word {
	var out Word
	for i, w := range words {
		if i > 0 {
			out.Text += " "
		}
		out.Text += w.Text
		out.Dynamic = out.Dynamic || w.Dynamic
	}
	return out
}

// unwrap cuts a wrapper's own flags, assignments and words.
func unwrap(name string, words []Word, own int) []Word {
	valued := strings.Fields(flagsWithValue[name])
	for len(words) > 0 {
		text := words[0].Text
		switch {
		case text == "--":
			words = words[1:]
			own = max(own, 0)
		case strings.HasPrefix(text, "-") && len(text) > 1:
			if slices.Contains(valued, text) && len(words) > 1 {
				words = words[1:]
			}
			words = words[1:]
		case name == "env" && strings.Contains(text, "="):
			words = words[1:]
		case own > 0:
			own--
			words = words[1:]
		default:
			return words
		}
	}
	return nil
}
