package effects

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// Print writes the report as text (a table for people) or json.
func (r *Report) Print(w io.Writer, format string) error {
	switch format {
	case "", "text":
		_, err := io.WriteString(w, r.text())
		return err
	case "json":
		_, err := fmt.Fprintf(w, "%s\n", r.JSON().Indent())
		return err
	}
	return fmt.Errorf("effects --format must be one of: text, json")
}

func (r *Report) text() string {
	rows := [][]string{{"STEP", "CAN DO", "EFFECTS", "BEHIND"}}
	for i := range r.Steps {
		s := &r.Steps[i]
		name := s.name()
		if s.Never {
			rows = append(rows, []string{name, "never runs", "", ""})
			continue
		}
		for j := range s.Effects {
			e := &s.Effects[j]
			rows = append(rows, []string{name, e.describe(), strings.Join(e.Kinds, ", "), behind(e.Gates)})
			name = ""
		}
	}
	var b strings.Builder
	if len(rows) == 1 {
		b.WriteString("no effects: nothing outside the run is touched\n")
	} else {
		writeTable(&b, rows)
	}
	line := func(title string, names []string) {
		if len(names) > 0 {
			fmt.Fprintf(&b, "%s: %s\n", title, strings.Join(names, ", "))
		}
	}
	b.WriteByte('\n')
	line("gates", r.gateNames())
	line("arguments read", r.union(func(s *Step) []string { return s.Args }))
	line("environment read", r.union(func(s *Step) []string { return s.Env }))
	line("endpoints", r.union(func(s *Step) []string { return s.collect(func(e *Effect) []string { return nonEmpty(e.Endpoint) }) }))
	line("state keys", r.union(func(s *Step) []string { return s.collect(func(e *Effect) []string { return nonEmpty(e.StateKey) }) }))
	line("files", r.union(func(s *Step) []string { return s.collect(func(e *Effect) []string { return e.Files }) }))
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func (s *Step) name() string { return Gate{Workflow: s.Workflow, Step: s.ID}.Name() }

func (s *Step) collect(get func(*Effect) []string) []string {
	var all []string
	for i := range s.Effects {
		all = append(all, get(&s.Effects[i])...)
	}
	return all
}

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// describe is the effect in a few words, with its endpoint.
func (e *Effect) describe() string {
	text, _, more := strings.Cut(e.What, "\n")
	if more {
		text += " …"
	}
	if e.Endpoint != "" && !strings.Contains(text, e.Endpoint) {
		text += " " + e.Endpoint
	}
	return shorten(text, 60)
}

func shorten(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit-1]) + "…"
}

// behind names the gates before an effect; an input request is marked as such.
func behind(gates []Gate) string {
	if len(gates) == 0 {
		return "-"
	}
	names := make([]string, len(gates))
	for i, g := range gates {
		names[i] = g.Name()
		if g.Kind == "input" {
			names[i] += " (input)"
		}
	}
	return strings.Join(names, ", ")
}

func (r *Report) gateNames() []string {
	names := make([]string, len(r.Gates))
	for i, g := range r.Gates {
		names[i] = g.Name() + " (" + g.Kind + ")"
	}
	return names
}

// union gathers names over all steps, sorted.
func (r *Report) union(get func(*Step) []string) []string {
	set := map[string]bool{}
	for i := range r.Steps {
		for _, name := range get(&r.Steps[i]) {
			set[name] = true
		}
	}
	return sortedKeys(set)
}

// writeTable aligns the columns; trailing space is cut.
func writeTable(b *strings.Builder, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// JSON is the report for machines.
func (r *Report) JSON() value.Value {
	steps := make([]value.Value, len(r.Steps))
	for i := range r.Steps {
		steps[i] = r.Steps[i].json()
	}
	return value.Object(value.M("steps", value.Array(steps...)), value.M("gates", gatesJSON(r.Gates, true)))
}

func (s *Step) json() value.Value {
	effects := make([]value.Value, len(s.Effects))
	for i := range s.Effects {
		e := &s.Effects[i]
		effects[i] = value.Object(
			value.M("what", value.String(e.What)), value.M("effects", texts(e.Kinds)), value.M("command", commandJSON(e.Command)),
			value.M("stage", optional(e.Stage)), value.M("endpoint", optional(e.Endpoint)), value.M("stateKey", optional(e.StateKey)),
			value.M("files", texts(e.Files)), value.M("pos", optional(e.Pos.String())), value.M("behind", gatesJSON(e.Gates, false)))
	}
	o := value.Object(value.M("workflow", optional(s.Workflow)), value.M("step", value.String(s.ID)), value.M("pos", optional(s.Pos.String())),
		value.M("effects", value.Array(effects...)), value.M("args", texts(s.Args)), value.M("env", texts(s.Env)))
	if s.Never {
		o = o.With("never", value.Bool(true))
	}
	return o
}

func optional(s string) value.Value {
	if s == "" {
		return value.Value{}
	}
	return value.String(s)
}

func texts(list []string) value.Value {
	out := make([]value.Value, len(list))
	for i, s := range list {
		out[i] = value.String(s)
	}
	return value.Array(out...)
}

// commandJSON gives the words; a word that is not known before the run is an object.
func commandJSON(words []Word) value.Value {
	if len(words) == 0 {
		return value.Value{}
	}
	out := make([]value.Value, len(words))
	for i, w := range words {
		out[i] = value.String(w.Text)
		if w.Dynamic {
			out[i] = value.Object(value.M("dynamic", out[i]))
		}
	}
	return value.Array(out...)
}

func gatesJSON(gates []Gate, pos bool) value.Value {
	out := make([]value.Value, len(gates))
	for i, g := range gates {
		out[i] = value.Object(value.M("workflow", optional(g.Workflow)), value.M("step", value.String(g.Step)), value.M("kind", value.String(g.Kind)))
		if at := g.Pos.String(); pos && at != "" {
			out[i] = out[i].With("pos", value.String(at))
		}
	}
	return value.Array(out...)
}

// Summary lists what a program can do, for --help: each kind of effect once, sorted, with a mark when it is not behind an approval.
func (r *Report) Summary() []string {
	open := map[string]bool{}
	for i := range r.Steps {
		for _, e := range r.Steps[i].Effects {
			free := !slices.ContainsFunc(e.Gates, func(g Gate) bool { return g.Kind == "approval" })
			for _, k := range e.Kinds {
				open[k] = open[k] || free
			}
		}
	}
	var lines []string
	for _, kind := range sortedKeys(open) {
		if open[kind] {
			lines = append(lines, kind)
		} else {
			lines = append(lines, kind+" (after approval)")
		}
	}
	return lines
}
