package ir

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// PrintDiff writes changes as text, json or markdown.
func PrintDiff(w io.Writer, changes []Change, format string) error {
	changes = slices.Clone(changes)
	slices.SortStableFunc(changes, func(a, b Change) int { return int(a.Group) - int(b.Group) })
	switch format {
	case "", "text":
		_, err := io.WriteString(w, diffText(changes))
		return err
	case "json":
		_, err := fmt.Fprintf(w, "%s\n", diffJSON(changes).Indent())
		return err
	case "markdown":
		_, err := io.WriteString(w, diffMarkdown(changes))
		return err
	}
	return fmt.Errorf("diff --format must be one of: text, json, markdown")
}

// inGroups calls f for each group that has changes.
func inGroups(changes []Change, f func(g Group, list []Change)) {
	for start := 0; start < len(changes); {
		end := start
		for end < len(changes) && changes[end].Group == changes[start].Group {
			end++
		}
		f(changes[start].Group, changes[start:end])
		start = end
	}
}

func diffText(changes []Change) string {
	if len(changes) == 0 {
		return "no change in meaning\n"
	}
	var b strings.Builder
	inGroups(changes, func(g Group, list []Change) {
		fmt.Fprintf(&b, "%s\n", g)
		for i := range list {
			c := &list[i]
			mark := " "
			if c.Weakens {
				mark = "!"
			}
			fmt.Fprintf(&b, "%s %s\n", mark, title(c))
			side(&b, "    - ", c.Old)
			side(&b, "    + ", c.New)
		}
	})
	if Weakens(changes) {
		b.WriteString("\n! = a gate is gone or weaker\n")
	}
	return b.String()
}

// side writes one side of a change; each line carries the mark.
func side(b *strings.Builder, mark, text string) {
	if text == "" {
		return
	}
	indent := "\n" + mark
	b.WriteString(mark + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", indent) + "\n")
}

func title(c *Change) string {
	if where := c.where(); where != "" {
		return where + ": " + c.Message
	}
	return c.Message
}

func diffJSON(changes []Change) value.Value {
	list := make([]value.Value, len(changes))
	for i := range changes {
		c := &changes[i]
		o := fields{}
		o.text("group", c.Group.String())
		o.text("kind", c.Kind)
		o.text("workflow", c.Workflow)
		o.text("step", c.Step)
		o.text("message", c.Message)
		o.text("old", c.Old)
		o.text("new", c.New)
		o.flag("weakens", c.Weakens)
		o.text("pos", c.Pos.String())
		list[i] = o.object()
	}
	return value.Object(value.M("changed", value.Bool(len(changes) > 0)), value.M("weakened", value.Bool(Weakens(changes))),
		value.M("changes", value.Array(list...)))
}

func diffMarkdown(changes []Change) string {
	if len(changes) == 0 {
		return "No change in meaning.\n"
	}
	var b strings.Builder
	if Weakens(changes) {
		b.WriteString("> **A gate is gone or weaker.** Look at the entries marked with ⚠.\n\n")
	}
	inGroups(changes, func(g Group, list []Change) {
		name := g.String()
		fmt.Fprintf(&b, "### %s%s\n\n", strings.ToUpper(name[:1]), name[1:])
		for i := range list {
			c := &list[i]
			mark := ""
			if c.Weakens {
				mark = "⚠ "
			}
			fmt.Fprintf(&b, "- %s%s\n", mark, markdownTitle(c))
			if c.Old != "" || c.New != "" {
				markdownSides(&b, c)
			}
		}
		b.WriteByte('\n')
	})
	return b.String()
}

func markdownTitle(c *Change) string {
	if where := c.where(); where != "" {
		return codeSpan(where) + ": " + c.Message
	}
	return c.Message
}

// codeSpan puts text between enough backquotes.
func codeSpan(text string) string {
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + text + fence
}

// markdownSides shows both sides as a diff block; the fence is longer than any in the text.
func markdownSides(b *strings.Builder, c *Change) {
	fence := "```"
	for strings.Contains(c.Old, fence) || strings.Contains(c.New, fence) {
		fence += "`"
	}
	fmt.Fprintf(b, "  %sdiff\n", fence)
	side(b, "  - ", c.Old)
	side(b, "  + ", c.New)
	fmt.Fprintf(b, "  %s\n", fence)
}
