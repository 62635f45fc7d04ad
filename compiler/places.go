package compiler

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/lobsterc/lobsterc/ir/diag"
)

// tidy makes the diagnostics of all phases one list: each place gets an end, and what two phases say of one fault is said once.
func (l *loader) tidy() {
	diags := &l.result.Diags
	for i := range *diags {
		d := &(*diags)[i]
		l.widen(&d.Span)
		for j := range d.Notes {
			l.widen(&d.Notes[j].Span)
		}
	}
	at := map[diag.Pos][]int{}
	for i, d := range *diags {
		at[d.Span.Start] = append(at[d.Span.Start], i)
	}
	dropped := map[int]bool{}
	for i, d := range *diags {
		better := slices.IndexFunc(at[d.Span.Start], func(i int) bool { return slices.Contains(betterSaid[d.Code], (*diags)[i].Code) })
		if better < 0 || !d.Span.Start.IsValid() {
			continue
		}
		dropped[i] = true
		if b := &(*diags)[at[d.Span.Start][better]]; len(b.Edits) == 0 && len(d.Edits) > 0 {
			// What is left out may know what to write: an argument for a step called args.
			b.Hint, b.Edits = "did you mean "+d.Edits[0].NewText+"?", d.Edits
		}
	}
	i := -1
	*diags = slices.DeleteFunc(*diags, func(diag.Diagnostic) bool { i++; return dropped[i] })
}

// betterSaid: the first is left out where one of the others stands at the same place.
var betterSaid = map[diag.Code][]diag.Code{
	diag.UnknownKey:   {diag.ArgsMap, diag.BadStep},
	diag.Yaml11:       {diag.OddPrompt},
	diag.ArgsRef:      {diag.UnknownStep},
	diag.UnknownMaybe: {diag.ArgsRef},
	diag.BadForEach:   {diag.BracedRef},
}

// thing is what can stand at the start of a place: a hole, a reference, a quoted text or a word.
var thing = regexp.MustCompile(`^(?:\$\{[^{}\s]*\}|\$?[\pL\pN_.-]*[\pL\pN_-]|"(?:[^"\\]|\\.)*"|'[^']*')`)

// widen gives a place without an end the text that stands there: the phases that work on IR only know where it starts.
func (l *loader) widen(s *diag.Span) {
	src := l.result.texts[s.Start.File]
	if s.End.IsValid() || !s.Start.IsValid() || src == nil {
		return
	}
	line := []rune(src.Line(s.Start.Line))
	if s.Start.Column > len(line) {
		return
	}
	if found := thing.FindString(string(line[s.Start.Column-1:])); found != "" {
		s.End = s.Start
		s.End.Column += len([]rune(found))
	}
}

// inOrder puts the diagnostics into the order in which they are shown: errors before warnings, the entry file before the others, each
// from top to bottom. What the reference implementation says first stands first in Result.Diags and not always here.
func inOrder(list diag.List, entry string) diag.List {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b diag.Diagnostic) int {
		p, q := a.Span.Start, b.Span.Start
		return cmp.Or(cmp.Compare(a.Severity, b.Severity), cmp.Compare(other(p, entry), other(q, entry)), strings.Compare(p.File, q.File),
			cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
	})
	return list
}

func other(p diag.Pos, entry string) int {
	if p.File == "" || p.File == entry {
		return 0
	}
	return 1
}

// Shown are the diagnostics in the order in which people read them.
func (r *Result) Shown() diag.List { return inOrder(r.Diags, r.path) }
