// Package table has the stage table, which prints items for people. It is a package of its own because measuring text as a terminal
// shows it brings tables of Unicode with it.
package table

import (
	"io"
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Table prints the items, once all of them are there: as a table when the first are all objects, else a line each.
func Table() flow.Stage {
	return flow.Stage{Name: "table", Render: true, Gathers: true, Run: func(env *flow.Env, in flow.Stream) flow.Stream {
		if env.Passthrough {
			return in
		}
		return func(yield func(value.Value, error) bool) {
			items, err := flow.Collect(in)
			if err == nil {
				_, err = io.WriteString(env.Stdout, Text(items))
			}
			if err != nil {
				yield(value.Value{}, err)
			}
		}
	}}
}

const (
	sample   = 20 // how many items decide what the table looks like
	minWidth = 3
	gap      = "  "
)

// Text is what the stage prints.
func Text(items []value.Value) string {
	if len(items) == 0 {
		return "(no results)\n"
	}
	first := items[:min(sample, len(items))]
	if slices.ContainsFunc(first, func(v value.Value) bool { return v.Kind() != value.ObjectKind }) {
		return lines(items)
	}
	columns := columnsOf(first)
	rows := make([][]string, 0, len(items)+2)
	rows = append(rows, columns, nil)
	for _, v := range items {
		rows = append(rows, cells(v, columns))
	}
	return layOut(rows)
}

// lines prints an item a line.
func lines(items []value.Value) string {
	var b strings.Builder
	for _, v := range items {
		b.WriteString(value.ToUTF8(v.Text()))
		b.WriteByte('\n')
	}
	return b.String()
}

// columnsOf lists the keys of the items, each where it first appears.
func columnsOf(items []value.Value) []string {
	var columns []string
	seen := map[string]bool{}
	for _, v := range items {
		for key := range v.Members() {
			if !seen[key] {
				seen[key] = true
				columns = append(columns, key)
			}
		}
	}
	return columns
}

// cells are the texts of an item's columns.
func cells(v value.Value, columns []string) []string {
	row := make([]string, len(columns))
	for i, c := range columns {
		row[i] = strings.ReplaceAll(value.ToUTF8(v.Get(c).Text()), "\n", " ")
	}
	return row
}

// width is how many cells a terminal needs for text. Control characters count as one: what they do is the terminal's own business.
func width(text string) int {
	n := displaywidth.String(text)
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == 0x7F {
			n++
		}
	}
	return n
}

// layOut pads the cells to columns. The second row becomes the line under the header.
func layOut(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	sizes := make([][]int, len(rows))
	for r, row := range rows {
		sizes[r] = make([]int, len(row))
		for c, cell := range row {
			sizes[r][c] = width(cell)
			widths[c] = max(widths[c], sizes[r][c], minWidth)
		}
	}
	var b strings.Builder
	for r, row := range rows {
		for c, width := range widths {
			if c > 0 {
				b.WriteString(gap)
			}
			if r == 1 {
				b.WriteString(strings.Repeat("-", width))
				continue
			}
			b.WriteString(row[c])
			b.WriteString(strings.Repeat(" ", width-sizes[r][c]))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
