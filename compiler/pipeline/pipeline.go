// Package pipeline reads pipeline text into ir.Pipeline: stages, flags and words with their holes, checked against the stage
// catalogue. See spec part 2, section 1, part 6, 4, and part 7, 23.
//
// The reference expands templates first and parses the result, so an argument that holds a quote or a pipe changes the program. Here the
// text is parsed first, and a hole is part of the word that it stands in, whatever it turns out to be.
package pipeline

import (
	"strings"

	"github.com/lobsterc/lobsterc/compiler/catalog"
	"github.com/lobsterc/lobsterc/compiler/expr"
	"github.com/lobsterc/lobsterc/ir"
	"github.com/lobsterc/lobsterc/ir/diag"
	"github.com/lobsterc/lobsterc/runtime/stage/parse"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Context is where a pipeline stands.
type Context struct {
	Catalogue *catalog.Catalogue
	// Scope resolves references; nil makes an inline pipeline, whose text has no holes.
	Scope *expr.Scope
	// StepID is the workflow step; empty for an inline pipeline.
	StepID string
	// Nested: the step is a branch or stands in a loop.
	Nested bool
	// HasInput: something is piped into the first stage.
	HasInput bool
}

// Parse reads a pipeline. It gives nil when the text cannot be read at all.
func Parse(src expr.Source, ctx Context, diags *diag.List) *ir.Pipeline {
	pieces, ok := split(src, diags)
	if !ok {
		return nil
	}
	p := &ir.Pipeline{Pos: src.At(0), Source: src.Text}
	gated := false // a person may never let the run get here
	for _, piece := range pieces {
		var found diag.List
		s, ok := parseStage(src, piece, ctx, &found)
		if ok {
			checkHalts(&s, src, piece, ctx, &found)
		}
		if gated && s.Fault != "" {
			soften(found)
		}
		*diags = append(*diags, found...)
		if !ok {
			return nil
		}
		if s.Fault != "" {
			s.Flags, s.Words = nil, nil
		} else if spec, _ := ctx.Catalogue.Lookup(s.Name); spec.Halts != "" {
			gated = true
		}
		p.Stages = append(p.Stages, s)
	}
	checkFlow(p, src, pieces, ctx, diags)
	return p
}

// soften turns what only fails when the stage starts into warnings. Behind a gate not every run gets there.
func soften(found diag.List) {
	for i, d := range found {
		if info, ok := diag.Explain(d.Code); ok && info.Compilable {
			found[i].Severity = diag.Warning
		}
	}
}

// piece is the range of a stage's text, without the white space around it.
type piece struct{ from, to int }

// split cuts the text at each | outside quotes. While it looks for them, a backslash inside either kind of quote skips a character.
// A | at the end is tolerated.
func split(src expr.Source, diags *diag.List) ([]piece, bool) {
	text := src.Text
	if parse.Trim(text) == "" {
		diags.Errorf(diag.BadPipeline, src.Span(0, len(text)), "Empty pipeline")
		return nil, false
	}
	var cuts []int
	quote, open := byte(0), 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote, open = c, i
		case c == '|':
			cuts = append(cuts, i)
		}
	}
	if quote != 0 {
		unclosed(src, open, diags)
		return nil, false
	}
	var pieces []piece
	start := 0
	for i, end := range append(cuts, len(text)) {
		part := text[start:end]
		trimmed := parse.Trim(part)
		from := start + strings.Index(part, trimmed)
		switch {
		case trimmed != "":
			pieces = append(pieces, piece{from, from + len(trimmed)})
		case i == len(cuts) && i > 0:
			// The text ends in a |.
		default:
			diags.Errorf(diag.BadPipeline, src.Span(start, min(end+1, len(text))), "Empty command stage").Hint = "a stage is missing here"
			return nil, false
		}
		start = end + 1
	}
	return pieces, true
}

func unclosed(src expr.Source, at int, diags *diag.List) {
	diags.Errorf(diag.BadPipeline, src.Span(at, at+1), "Unclosed quote").Hint = "the quote that opens here is never closed; inside '...' a backslash in front of the last quote keeps it open"
}

// parseStage reads one stage. ok is false after a syntax error.
func parseStage(src expr.Source, at piece, ctx Context, diags *diag.List) (s ir.Stage, ok bool) {
	words, ok := lex(src, at, ctx, diags)
	if !ok {
		return s, false
	}
	raw := src.Text[at.from:at.to]
	s = ir.Stage{Pos: src.At(at.from), Raw: raw}
	if _, s.Args, _ = parse.Args(raw); s.Args.IsAbsent() {
		s.Args = value.Object(value.M("_", value.Array()))
	}
	name, static := words[0].constant()
	if !static {
		d := diags.Errorf(diag.HoleInName, words[0].span(src), "a stage's name cannot depend on the run")
		d.Hint = "write the stage out; conditions on several steps can choose between stages"
		return s, false
	}
	s.Name = name
	spec, known := ctx.Catalogue.Lookup(name)
	if !known {
		unknownStage(name, words[0], src, ctx, diags)
		s.Fault = "Unknown command: " + name
		return s, name != ""
	}
	r := &reader{src: src, ctx: ctx, spec: spec, stage: &s, at: at, diags: diags}
	r.read(words[1:])
	return s, true
}

func unknownStage(name string, w word, src expr.Source, ctx Context, diags *diag.List) {
	d := diags.Errorf(diag.UnknownStage, w.span(src), "Unknown command: %s", name)
	near := ctx.Catalogue.Nearest(name)
	switch {
	case len(near) == 0:
		d.Hint = "programs of the system run under exec; `lobsterc stages` lists the stages"
	case near[0] == "exec":
		d.Hint = "programs of the system run under exec"
	default:
		d.Hint = "did you mean " + strings.Join(near, " or ") + "?"
		d.Edits = []diag.Edit{{Span: d.Span, NewText: near[0]}}
	}
}

// checkFlow checks what depends on the stages around a stage and on where the pipeline stands.
func checkFlow(p *ir.Pipeline, src expr.Source, pieces []piece, ctx Context, diags *diag.List) {
	input := ctx.HasInput
	for i := range p.Stages {
		s := &p.Stages[i]
		spec, ok := ctx.Catalogue.Lookup(s.Name)
		if !ok || s.Fault != "" {
			input = true
			continue
		}
		span := src.Span(pieces[i].from, pieces[i].from+len(s.Name))
		if input && !spec.UsesInput(given(s)) {
			d := diags.Warnf(diag.UnusedInput, span, "%s drops what is piped into it", s.Name)
			switch s.Name {
			case "exec":
				d.Hint = "--stdin raw, json or jsonl gives it to the program"
			case "ask":
				d.Hint = "--subject-from-stdin shows it with the question"
			case "openclaw.invoke", "clawd.invoke":
				d.Hint = "--each makes one call for each item"
			}
		}
		if spec.Renderer && i+1 < len(p.Stages) {
			diags.Warnf(diag.UnusedInput, span, "%s prints its items and passes none on", s.Name)
		}
		// Behind approve, a stage that ignores its items waits for the answer, which is use enough.
		input = !spec.Renderer && spec.Halts != "approval"
	}
}

// checkHalts reports stages that would stop for a person where a workflow cannot stop.
func checkHalts(s *ir.Stage, src expr.Source, at piece, ctx Context, diags *diag.List) {
	spec, ok := ctx.Catalogue.Lookup(s.Name)
	if !ok || ctx.StepID == "" || s.Fault != "" {
		return
	}
	fault := func(code diag.Code, hint, message string) {
		diags.Errorf(code, src.Span(at.from, at.from+len(s.Name)), "%s", message).Hint = hint
		s.Fault = message
	}
	switch {
	case spec.Halts == "approval":
		fault(diag.ApproveInRun, "give the next step, or this one, `approval: true`",
			"Workflow step "+ctx.StepID+" halted for approval inside pipeline stage "+s.Name+". Use a separate approval step in the workflow file.")
	case spec.Halts == "input" && ctx.Nested:
		fault(diag.MisplacedAsk, "ask before the loop or the branches, in a step with `input`", "requestInput is not supported in this pipeline context")
	case spec.Halts == "input" && given(s)("emit"):
		fault(diag.MisplacedAsk, "leave --emit out; the workflow pauses without it",
			"Workflow step "+ctx.StepID+" halted before completion at pipeline stage "+s.Name)
	}
}

// given tells which flags of a stage stand in the text.
func given(s *ir.Stage) func(string) bool {
	return func(name string) bool {
		for _, f := range s.Flags {
			if f.Name == name {
				return true
			}
		}
		return false
	}
}
