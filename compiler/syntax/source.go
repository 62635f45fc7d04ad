// Package syntax reads workflow files: bytes and a file name in, a typed syntax tree with positions and a list of
// diagnostics out. It knows YAML 1.2 (core schema), JSON, the shape of a workflow and nothing of what the texts inside mean.
//
// Reading goes through gopkg.in/yaml.v3's node tree, which is only asked for structure: scalars are resolved and their text
// is decoded here, because yaml.v3 resolves by YAML 1.1 rules, and because diagnostics inside a condition or a pipeline
// need to know where each byte of a scalar's value stands in the file (see Scalar.PosAt).
package syntax

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lobsterc/lobsterc/ir/diag"
)

// Source is the text of a file.
type Source struct {
	Name  string
	Text  []byte
	lines []int // offset of the start of each line
}

// NewSource keeps text, without a byte order mark, under a name for diagnostics.
func NewSource(name string, text []byte) *Source {
	text = []byte(strings.TrimPrefix(string(text), "\ufeff"))
	s := &Source{Name: name, Text: text, lines: []int{0}}
	for i, c := range text {
		if c == '\n' || c == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			s.lines = append(s.lines, i+1)
		}
	}
	return s
}

// Pos is the position of a byte offset.
func (s *Source) Pos(offset int) diag.Pos {
	offset = min(max(offset, 0), len(s.Text))
	n, exact := slices.BinarySearch(s.lines, offset)
	if !exact {
		n--
	}
	return diag.Pos{File: s.Name, Line: n + 1, Column: utf8.RuneCount(s.Text[s.lines[n]:offset]) + 1}
}

// Span is the span of [from, to), cut at the end of its first line.
func (s *Source) Span(from, to int) diag.Span {
	start := s.Pos(from)
	to = min(max(from, to), s.lineEnd(start.Line))
	return diag.Span{Start: start, End: s.Pos(to)}
}

// lineEnd is the offset after the last byte of a line, without its break.
func (s *Source) lineEnd(line int) int {
	end := len(s.Text)
	if line < len(s.lines) {
		end = s.lines[line]
	}
	for end > s.lines[line-1] && (s.Text[end-1] == '\n' || s.Text[end-1] == '\r') {
		end--
	}
	return end
}

// Line is the text of a line (1-based), without its break; empty when there is no such line.
func (s *Source) Line(line int) string {
	if line < 1 || line > len(s.lines) {
		return ""
	}
	return string(s.Text[s.lines[line-1]:s.lineEnd(line)])
}

// IsJSON tells whether the file name says JSON; the extension is compared without case.
func IsJSON(name string) bool { return strings.EqualFold(path.Ext(name), ".json") }

// IsWorkflowName tells whether a file name has an extension of workflow files.
func IsWorkflowName(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".lobster", ".yaml", ".yml", ".json":
		return true
	}
	return false
}

// encodingHint says what to do about a text that is not UTF-8.
func encodingHint(text string) string {
	switch {
	case strings.HasPrefix(text, "\xff\xfe"), strings.HasPrefix(text, "\xfe\xff"):
		return "it is UTF-16; save it as UTF-8"
	case strings.Contains(text, "\x00"):
		return "it is no text file"
	}
	return "save it as UTF-8"
}
