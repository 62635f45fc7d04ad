package diag

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// Fix applies the safe edits for one file to its text and tells how many. Of edits that overlap the first wins; the others wait
// for the next run. Comments and layout around the edits stay as they are.
func Fix(text []byte, file string, list List) (fixed []byte, applied int) {
	type change struct {
		from, to int
		text     string
	}
	var changes []change
	for _, d := range list {
		for _, e := range d.Edits {
			if !e.Safe || e.Span.Start.File != file {
				continue
			}
			from, ok := offset(text, e.Span.Start)
			to, ok2 := offset(text, e.Span.End)
			if !e.Span.End.IsValid() {
				to, ok2 = from, ok // an insertion
			}
			if ok && ok2 && from <= to {
				changes = append(changes, change{from, to, e.NewText})
			}
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	at := 0
	for _, c := range changes {
		if c.from < at || applied > 0 && c.from == at && c.from == c.to {
			continue
		}
		fixed = append(append(fixed, text[at:c.from]...), c.text...)
		at = c.to
		applied++
	}
	return append(fixed, text[at:]...), applied
}

// offset is the byte offset of a position; ok is false when the text has no such place.
func offset(text []byte, p Pos) (at int, ok bool) {
	if !p.IsValid() {
		return 0, false
	}
	const mark = "\ufeff"
	if len(text) >= len(mark) && string(text[:len(mark)]) == mark {
		at = len(mark)
	}
	for line := 1; line < p.Line; line++ {
		for at < len(text) && text[at] != '\n' && text[at] != '\r' {
			at++
		}
		if at >= len(text) {
			return 0, false
		}
		if text[at] == '\r' && at+1 < len(text) && text[at+1] == '\n' {
			at++
		}
		at++
	}
	for col := 1; col < p.Column; col++ {
		if at >= len(text) || text[at] == '\n' || text[at] == '\r' {
			return 0, false
		}
		_, n := utf8.DecodeRune(text[at:])
		at += n
	}
	return at, true
}
