package catalog

import (
	"fmt"
	"strings"
)

// List is the table of all stages, a line each, as `lobsterc stages` prints it.
func (c *Catalogue) List() string {
	width := 0
	for _, s := range c.All() {
		width = max(width, len(s.Name))
	}
	var out strings.Builder
	for _, s := range c.All() {
		fmt.Fprintf(&out, "%-*s  %s\n", width, s.Name, s.Summary)
	}
	return out.String()
}

// Describe is the reference page of one stage, as `lobsterc stages NAME` prints it.
func (c *Catalogue) Describe(name string) (string, bool) {
	s, ok := c.Lookup(name)
	if !ok {
		return "", false
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s - %s\n\nUsage:\n", s.Name, s.Summary)
	for _, u := range s.Usage {
		fmt.Fprintf(&out, "  %s\n", u)
	}
	if rows := s.optionRows(); len(rows) > 0 {
		out.WriteString("\nOptions:\n")
		writeRows(&out, rows)
	}
	if len(s.Notes) > 0 {
		out.WriteString("\n" + strings.Join(s.Notes, "\n") + "\n")
	}
	fmt.Fprintf(&out, "\nEffects: %s\n", s.effectText())
	if s.AliasOf != "" {
		fmt.Fprintf(&out, "The same as: %s\n", s.AliasOf)
	}
	fmt.Fprintf(&out, "Example: %s\n", s.Example)
	return out.String(), true
}

// optionRows gives each option with its help.
func (s *Stage) optionRows() [][2]string {
	var rows [][2]string
	if s.Words.Mode != NoWords {
		rows = append(rows, [2]string{s.Words.Name, s.Words.Help})
	}
	for i := range s.Flags {
		f := &s.Flags[i]
		left := "--" + f.Name
		switch f.Type {
		case Bool:
		case Enum:
			left += " " + strings.Join(f.Values, "|")
		case Int, Number:
			left += " N"
		case JSON, Schema:
			left += " JSON"
		default:
			left += " " + strings.ToUpper(f.Type.String())
		}
		help := f.Help
		var facts []string
		if f.Required && !f.HasDefault {
			facts = append(facts, "required")
		}
		if f.HasDefault && f.Type != Schema {
			facts = append(facts, "default "+f.Default)
		}
		for _, a := range f.Aliases {
			facts = append(facts, "also --"+a)
		}
		if len(facts) > 0 {
			help += " (" + strings.Join(facts, ", ") + ")"
		}
		rows = append(rows, [2]string{left, help})
	}
	return rows
}

// writeRows writes two columns. A left side that is too wide gets a line of its own.
func writeRows(out *strings.Builder, rows [][2]string) {
	width := 0
	for _, r := range rows {
		if len(r[0]) <= 28 {
			width = max(width, len(r[0]))
		}
	}
	for _, r := range rows {
		if len(r[0]) > width {
			fmt.Fprintf(out, "  %s\n  %-*s  %s\n", r[0], width, "", r[1])
			continue
		}
		fmt.Fprintf(out, "  %-*s  %s\n", width, r[0], r[1])
	}
}

func (s *Stage) effectText() string {
	var parts []string
	if all := s.AllEffects(func(string) bool { return false }); len(all) > 0 {
		parts = append(parts, strings.Join(all, ", "))
	}
	for _, v := range s.Variants {
		if len(v.Effects) > 0 {
			parts = append(parts, "with --"+v.Flag+" also "+strings.Join(v.Effects, ", "))
		}
	}
	if s.Halts != "" {
		parts = append(parts, "stops for a person ("+s.Halts+")")
	}
	if s.Renderer {
		parts = append(parts, "prints")
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, "; ")
}
