package pipeline

import (
	"slices"
	"strings"

	"github.com/lobsterc/lobsterc/compiler/catalog"
	"github.com/lobsterc/lobsterc/compiler/expr"
	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/ir/diag"
)

// reader sorts the words of a stage into flags and positional words.
type reader struct {
	src   expr.Source
	ctx   Context
	spec  *catalog.Stage
	stage *ir.Stage
	at    piece
	diags *diag.List

	words []word
	// empty are flags that were given an empty text where that is as good as none.
	empty map[string]bool
}

func (r *reader) read(words []word) {
	for i := 0; i < len(words); i++ {
		w := &words[i]
		prefix := w.prefix()
		rest := r.spec.Words.Rest
		switch {
		case !strings.HasPrefix(prefix, "--"):
			r.words = append(r.words, *w)
		case rest && prefix == "--" && len(w.text) == 1:
			// In front of the program it only ends exec's flags; behind it, it is the program's too (git checkout -- FILE).
			if len(r.words) == 0 {
				i++
			}
			r.words = append(r.words, words[i:]...)
			i = len(words)
		default:
			var next *word
			if i+1 < len(words) && !strings.HasPrefix(words[i+1].prefix(), "--") {
				next = &words[i+1]
			}
			if r.flag(w, next) {
				i++
			}
		}
	}
	slices.SortFunc(r.stage.Flags, func(a, b ir.Flag) int { return strings.Compare(a.Name, b.Name) })
	r.positional()
	r.groups()
}

// flag reads one word that starts with --, and tells whether it took the next word as its value.
func (r *reader) flag(w, next *word) (took bool) {
	name, _, joined := strings.Cut(w.prefix()[2:], "=")
	if !joined && len(w.text) > 1 {
		r.diags.Errorf(diag.HoleInName, w.span(r.src), "a flag's name cannot depend on the run").Hint = "write --flag=VALUE or --flag VALUE, with the hole in the value"
		return next != nil && r.spec.Words.Mode == catalog.NoWords
	}
	spec, known := r.spec.Flag(name)
	if !known {
		if r.spec.Words.Rest && len(r.words) > 0 {
			r.words = append(r.words, *w)
			return false
		}
		return r.unknownFlag(name, w, next)
	}
	if r.spec.Words.Rest && len(r.words) > 0 {
		d := r.diags.Warnf(diag.ExecFlag, w.span(r.src), "--%s is %s's own flag, also behind the program", name, r.spec.Name)
		d.Hint = "put it in front of the program; if the program is to get it, write " + r.spec.Name + " -- PROGRAM ..."
	}
	f := ir.Flag{Pos: r.src.At(w.from), Name: spec.Name}
	switch {
	case joined:
		v := w.cut(len("--") + len(name) + len("="))
		r.set(spec, f, &v)
	case spec.Type == catalog.Bool:
		f.Value, f.Bare = ir.Template{ir.Text("true")}, true
		r.add(f)
	case next == nil:
		d := r.diags.Errorf(diag.BadFlag, w.span(r.src), "%s --%s needs a value", r.spec.Name, name)
		d.Hint = spec.Help
		r.bare(spec, f)
	default:
		r.set(spec, f, next)
		return true
	}
	return false
}

// bare adds a flag that stands without the value it needs as the reference takes it: as true, which is 1 where a number is due.
func (r *reader) bare(spec *catalog.Flag, f ir.Flag) {
	switch spec.Type {
	case catalog.Int, catalog.Number:
		f.Value = ir.Template{ir.Text("1")}
	case catalog.String, catalog.Path:
		f.Value = ir.Template{ir.Text("true")}
	case catalog.Enum:
		r.fault(strings.Replace(spec.Message, "%s", "true", 1))
		return
	default:
		return
	}
	r.add(f)
}

// fault makes the stage one that fails with a message when it starts; the first one counts.
func (r *reader) fault(message string) {
	if r.stage.Fault == "" {
		r.stage.Fault = message
	}
}

// unknownFlag reports a flag, and takes the value that it probably has along.
func (r *reader) unknownFlag(name string, w, next *word) bool {
	end := w.from + len("--") + len(name)
	if w.quoted {
		end = w.to
	}
	d := r.diags.Errorf(diag.UnknownFlag, r.src.Span(w.from, end), "%s has no flag --%s", r.spec.Name, name)
	names := r.spec.FlagNames()
	switch near := catalog.Nearest(name, names); {
	case len(near) > 0:
		d.Hint = "did you mean --" + strings.Join(near, " or --") + "?"
		d.Edits = []diag.Edit{{Span: d.Span, NewText: "--" + near[0]}}
	case r.spec.Words.Rest:
		d.Hint = "flags for the program stand behind it: " + r.spec.Name + " PROGRAM --" + name
	case len(names) > 0:
		d.Hint = "it has --" + strings.Join(names, ", --")
	default:
		d.Hint = "it takes no flags"
	}
	return next != nil && !strings.Contains(w.prefix(), "=") // as in the reference, where any flag takes the next word
}

// set checks a flag's value and adds the flag.
func (r *reader) set(spec *catalog.Flag, f ir.Flag, v *word) {
	f.Value = v.text
	text, static := v.constant()
	switch spec.Type {
	case catalog.Bool:
		if static {
			f.Value = ir.Template{ir.Text("true")}
			switch text {
			case "":
				return // as in the reference, an empty value is as good as none
			case "true", "1", "yes", "on":
			default:
				d := r.diags.Errorf(diag.BadFlag, v.span(r.src), "%s --%s takes no value", r.spec.Name, spec.Name)
				d.Hint = "leave the flag out to turn it off; the reference would turn it on here"
			}
		}
	case catalog.JSON, catalog.Schema, catalog.Template, catalog.Path:
		if static && text == "" {
			r.markEmpty(spec.Name)
			return
		}
	}
	if static && text == "" {
		r.markEmpty(spec.Name)
	}
	c := checker{r, spec.Type, spec.Message, r.spec.Name + " --" + spec.Name, spec}
	if !c.check(v) {
		return
	}
	if spec.Secret && static && text != "" {
		r.diags.Warnf(diag.SecretInFile, v.span(r.src), "--%s stands in the file for everyone to read", spec.Name).Hint = "leave it out and set the variable that the stage reads, or use a secret argument"
	}
	r.add(f)
}

func (r *reader) markEmpty(name string) {
	if r.empty == nil {
		r.empty = map[string]bool{}
	}
	r.empty[name] = true
	r.stage.Flags = slices.DeleteFunc(r.stage.Flags, func(f ir.Flag) bool { return f.Name == name })
}

// add puts a flag in; the last one of a name wins.
func (r *reader) add(f ir.Flag) {
	r.stage.Flags = slices.DeleteFunc(r.stage.Flags, func(g ir.Flag) bool { return g.Name == f.Name })
	if text, ok := constant(f.Value); !ok || text != "" {
		delete(r.empty, f.Name)
	}
	r.stage.Flags = append(r.stage.Flags, f)
}

// positional checks the words and moves them to where they belong.
func (r *reader) positional() {
	spec := r.spec.Words
	words := r.words
	if len(words) == 0 {
		return
	}
	if flag, ok := r.spec.Flag(spec.Flag); ok && spec.Flag != "" {
		if given(r.stage)(spec.Flag) && !r.empty[spec.Flag] {
			r.unexpected(words, "--"+spec.Flag+" is given already")
			return
		}
		if spec.Mode == catalog.OneWord && len(words) > 1 {
			r.unexpected(words[1:], "")
			words = words[:1]
		}
		v := join(words)
		r.set(flag, ir.Flag{Pos: r.src.At(v.from), Name: flag.Name}, &v)
		slices.SortFunc(r.stage.Flags, func(a, b ir.Flag) int { return strings.Compare(a.Name, b.Name) })
		return
	}
	switch {
	case spec.Mode == catalog.NoWords:
		r.unexpected(words, "")
		return
	case spec.Mode == catalog.OneWord && len(words) > 1:
		r.unexpected(words[1:], "")
		r.stage.Words = append(r.stage.Words, ir.Word{Pos: r.src.At(words[0].from), Text: words[0].text, Alone: words[0].alone()})
		return
	}
	for i := range words {
		w := &words[i]
		if spec.Mode == catalog.OneWord {
			if text, static := w.constant(); static && text == "" {
				r.markEmpty("_")
				return
			}
		}
		c := checker{r, spec.Type, spec.Message, r.spec.Name, nil}
		if !c.check(w) {
			continue
		}
		r.stage.Words = append(r.stage.Words, ir.Word{Pos: r.src.At(w.from), Text: w.text, Alone: w.alone()})
	}
}

// join makes one word of several, with single spaces between.
func join(words []word) word {
	all := word{from: words[0].from, to: words[len(words)-1].to, quoted: true, text: ir.Template{}}
	add := func(seg ir.Segment) {
		if s, ok := seg.(ir.Text); ok && len(all.text) > 0 {
			if last, ok := all.text[len(all.text)-1].(ir.Text); ok {
				all.text[len(all.text)-1] = last + s
				return
			}
		}
		all.text = append(all.text, seg)
	}
	for i, w := range words {
		if i > 0 {
			add(ir.Text(" "))
			all.offsets = append(all.offsets, words[i-1].to)
		}
		for _, seg := range w.text {
			add(seg)
		}
		all.offsets = append(all.offsets, w.offsets...)
	}
	return all
}

// unexpected reports words that the stage has no use for, with the spelling that was probably meant.
func (r *reader) unexpected(words []word, why string) {
	span := r.src.Span(words[0].from, words[len(words)-1].to)
	d := r.diags.Errorf(diag.UnexpectedWord, span, "%s has no use for %q", r.spec.Name, r.src.Text[words[0].from:words[len(words)-1].to])
	text := r.src.Text[r.words[0].from:r.words[len(r.words)-1].to]
	switch {
	case why != "":
		d.Hint = why
	case r.spec.Words.Type == catalog.Predicate:
		d.Hint = "the comparison is one word: where '" + text + "'"
	case r.spec.Words.Type == catalog.Names:
		d.Hint = "the names are one word: pick " + strings.Join(strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c == ' ' }), ",")
	case r.spec.Words.Mode == catalog.OneWord:
		d.Hint = "it takes one word; quote it when it has white space in it"
	default:
		for _, f := range r.spec.Flags {
			if f.Type != catalog.Bool {
				d.Hint = "did you mean --" + f.Name + " " + quoteIfNeeded(text) + "?"
				return
			}
		}
		d.Hint = "it takes no words"
	}
}

func quoteIfNeeded(text string) string {
	if strings.ContainsAny(text, " \t\n") && !strings.ContainsAny(text, `'"`) {
		return "'" + text + "'"
	}
	return text
}

// groups checks which flags and words must and may not stand together.
func (r *reader) groups() {
	has := func(name string) bool {
		if name == "_" {
			return len(r.stage.Words) > 0 || r.spec.Words.Flag != "" && len(r.words) > 0
		}
		return given(r.stage)(name) && !r.empty[name]
	}
	span := r.src.Span(r.at.from, r.at.to)
	missing := func(message string) {
		r.diags.Errorf(diag.MissingFlag, span, "%s", message).Hint = r.spec.Usage[0]
		r.fault(message)
	}
	if r.stage.Fault != "" {
		return
	}
	for _, f := range r.spec.Flags {
		if f.Required && !has(f.Name) && (!f.HasDefault || r.empty[f.Name]) {
			missing(r.spec.Missing)
			break
		}
	}
	if r.spec.Words.Required && !has("_") {
		missing(r.spec.Missing)
	}
	for _, g := range r.spec.OneOf {
		if !slices.ContainsFunc(g.Flags, has) {
			missing(g.Message)
		}
	}
	for _, g := range r.spec.Exclusive {
		all := slices.DeleteFunc(slices.Clone(g.Flags), func(n string) bool { return !has(n) })
		switch {
		case len(all) < 2:
		case slices.Contains(all, "_"):
			// The reference ignores the words.
			r.diags.Errorf(diag.UnexpectedWord, span, "%s", g.Message)
			r.stage.Words = nil
		default:
			r.diags.Errorf(diag.BadFlag, span, "%s", g.Message)
			r.fault(g.Message)
		}
	}
}
