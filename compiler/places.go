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
	said := map[diag.Pos][]diag.Code{}
	for _, d := range *diags {
		said[d.Span.Start] = append(said[d.Span.Start], d.Code)
	}
	*diags = slices.DeleteFunc(*diags, func(d diag.Diagnostic) bool {
		better, ok := betterSaid[d.Code]
		return ok && d.Span.Start.IsValid() && slices.ContainsFunc(said[d.Span.Start], func(c diag.Code) bool { return slices.Contains(better, c) })
	})
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
