package graph

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lobsterc/lobsterc/compiler/catalog"
	"github.com/lobsterc/lobsterc/compiler/effects"
	"github.com/lobsterc/lobsterc/ir"
)

// SVG draws a program for people: the steps from top to bottom, gates as bright bands that the line must pass, loops,
// branches and sub-workflows as boxes around what they hold, a dashed way around what a condition can skip, and what each
// step can do to the world as chips (closed when an approval stands before it on every path).
//
// Every part is measured first and placed after, so nothing overlaps; text is cut to fit by its number of characters.
func SVG(p *ir.Program, stages *catalog.Catalogue) string {
	d := &drawing{program: p, chips: chipsOf(effects.Analyze(p, stages))}
	var body box
	name := p.Main.Name
	if p.Pipeline != nil {
		body = d.pipeline(p.Pipeline)
	} else {
		body = d.steps("", "", p.Main.Steps, 0)
	}
	if name == "" {
		name = "workflow"
	}
	top := 64.0
	if p.Main.Description != "" {
		top = 84
	}
	width := max(body.w, 460) + 2*margin
	height := top + body.h + 96
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img" aria-label="%s">`+"\n", width, height, width, height, escape(name))
	fmt.Fprintf(&b, "<title>%s</title>\n%s\n", escape(name), style)
	fmt.Fprintf(&b, `<rect class="page" width="%.0f" height="%.0f"/>`+"\n", width, height)
	text(&b, margin, 40, "h1", fit(name, int((width-2*margin)/13)))
	if p.Main.Description != "" {
		text(&b, margin, 62, "sub", fit(p.Main.Description, int((width-2*margin)/7)))
	}
	x := (width - body.w) / 2
	d.endpoint(&b, width/2, top+8, "start")
	arrow(&b, width/2, top+14, top+gap)
	body.draw(&b, x, top+gap)
	arrow(&b, width/2, top+gap+body.h, top+body.h+2*gap-6)
	d.endpoint(&b, width/2, top+body.h+2*gap, "end")
	b.WriteString("</svg>\n")
	return b.String()
}

// The measures of the drawing, in pixels.
const (
	margin    = 40.0
	gap       = 26.0
	cardWidth = 440.0
	padding   = 14.0
	lineH     = 17.0
	chipH     = 20.0
	detour    = 26.0 // room at the right for the way around a conditional step
)

// box is a part of the drawing: its size, and how to draw it at a place.
type box struct {
	w, h float64
	draw func(b *strings.Builder, x, y float64)
}

type drawing struct {
	program *ir.Program
	chips   map[string][]chip
}

// chip is an effect of a step.
type chip struct {
	text  string
	class string
	gated bool
}

// chipsOf gives the effects of each step by "workflow\x00step".
func chipsOf(r *effects.Report) map[string][]chip {
	all := map[string][]chip{}
	for i := range r.Steps {
		s := &r.Steps[i]
		key := s.Workflow + "\x00" + s.ID
		for _, e := range s.Effects {
			gated := slices.ContainsFunc(e.Gates, func(g effects.Gate) bool { return g.Kind == "approval" })
			for _, kind := range e.Kinds {
				if kind == effects.LocalExec && len(e.Kinds) > 1 {
					continue
				}
				c := chip{strings.ReplaceAll(kind, "_", " "), chipClass(kind), gated}
				if kind == effects.LocalExec {
					c.text = fit(e.What, 28)
				}
				if !slices.Contains(all[key], c) {
					all[key] = append(all[key], c)
				}
			}
		}
	}
	return all
}

func chipClass(kind string) string {
	switch {
	case strings.HasPrefix(kind, "sends"):
		return "send"
	case strings.HasPrefix(kind, "calls"):
		return "call"
	case strings.HasPrefix(kind, "writes"):
		return "write"
	case kind == effects.Network:
		return "net"
	}
	return "exec"
}

// stack puts boxes below each other, centred, with arrows between them.
func stack(parts []box) box {
	var w, h float64
	for i, p := range parts {
		w = max(w, p.w)
		h += p.h
		if i > 0 {
			h += gap
		}
	}
	return box{w, h, func(b *strings.Builder, x, y float64) {
		for i, p := range parts {
			if i > 0 {
				arrow(b, x+w/2, y, y+gap)
				y += gap
			}
			p.draw(b, x+(w-p.w)/2, y)
			y += p.h
		}
	}}
}

// row puts boxes side by side, with a line that splits above them and joins below.
func row(parts []box) box {
	var w, h float64
	for i, p := range parts {
		h = max(h, p.h)
		w += p.w
		if i > 0 {
			w += gap
		}
	}
	return box{w, h + 2*gap, func(b *strings.Builder, x, y float64) {
		at := x
		for _, p := range parts {
			middle := at + p.w/2
			fmt.Fprintf(b, `<path class="line" d="M%.1f %.1f C%.1f %.1f %.1f %.1f %.1f %.1f"/>`, x+w/2, y, x+w/2, y+gap/2, middle, y+gap/2, middle, y+gap-6)
			head(b, middle, y+gap)
			p.draw(b, at, y+gap)
			fmt.Fprintf(b, `<path class="line" d="M%.1f %.1f C%.1f %.1f %.1f %.1f %.1f %.1f"/>`+"\n", middle, y+gap+p.h, middle, y+gap+h+gap/2, x+w/2, y+gap+h+gap/2, x+w/2, y+2*gap+h)
			at += p.w + gap
		}
	}}
}

// frame puts a box with a title around another.
func frame(class, title string, inner box) box {
	w, h := max(inner.w+2*padding, float64(len([]rune(title)))*7.4+2*padding), inner.h+2*padding+lineH+8
	return box{w, h, func(b *strings.Builder, x, y float64) {
		fmt.Fprintf(b, `<rect class="frame %s" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="14"/>`, class, x, y, w, h)
		text(b, x+padding, y+padding+8, "frametitle", title)
		inner.draw(b, x+(w-inner.w)/2, y+padding+lineH+8)
	}}
}

// around adds the dashed way around a box that a condition can skip.
func around(inner box, condition string) box {
	if condition == "" {
		return inner
	}
	label := "when " + fit(condition, 58)
	h := inner.h + 22
	w := inner.w + 2*detour
	return box{w, h, func(b *strings.Builder, x, y float64) {
		right := x + w - 8
		middle := x + w/2
		fmt.Fprintf(b, `<path class="line skip" d="M%.1f %.1f H%.1f Q%.1f %.1f %.1f %.1f V%.1f Q%.1f %.1f %.1f %.1f H%.1f"/>`,
			middle, y-gap/2, right-10, right, y-gap/2, right, y-gap/2+10, y+h+gap/2-14, right, y+h+gap/2-4, right-10, y+h+gap/2-4, middle)
		text(b, x+detour+padding, y+12, "when", label)
		inner.draw(b, x+detour, y+22)
		arrow(b, middle, y-1, y+22)
	}}
}

// steps draws a list of steps. Prefix is "LOOP." inside a loop.
func (d *drawing) steps(workflow, prefix string, steps []*ir.Step, depth int) box {
	parts := make([]box, len(steps))
	for i, s := range steps {
		parts[i] = d.step(workflow, prefix, s, depth)
	}
	return stack(parts)
}

func (d *drawing) step(workflow, prefix string, s *ir.Step, depth int) box {
	var parts []box
	switch do := s.Do.(type) {
	case *ir.Loop:
		title := "for each " + fit(do.Items.String(), 40) + " as " + do.ItemVar
		parts = append(parts, frame("loop", s.ID+"  ·  "+title, d.steps(workflow, s.ID+".", do.Steps, depth)))
	case *ir.Parallel:
		branches := make([]box, len(do.Branches))
		for i, b := range do.Branches {
			branches[i] = d.step(workflow, "", b, depth)
		}
		title := "all of these at once"
		if do.Any {
			title = "the first of these to finish"
		}
		parts = append(parts, frame("parallel", s.ID+"  ·  "+title, row(branches)))
	case *ir.Call:
		parts = append(parts, d.call(workflow, prefix, s, do, depth))
	case nil:
	default:
		parts = append(parts, d.card(workflow, prefix, s))
	}
	if s.Approval != nil || s.Input != nil {
		parts = append(parts, gateBand(s))
	}
	condition := ""
	if s.When != nil {
		condition = ir.FormatExpr(s.When)
	}
	return around(stack(parts), condition)
}

// call draws a sub-workflow with its steps inside, down to a depth that can still be read.
func (d *drawing) call(workflow, prefix string, s *ir.Step, do *ir.Call, depth int) box {
	for i := range d.program.Children {
		c := &d.program.Children[i]
		if len(do.Candidates) == 1 && c.Path == do.Candidates[0] && depth < 3 {
			return frame("child", s.ID+"  ·  "+fit(c.Path, 50), d.steps(c.Path, "", c.Workflow.Steps, depth+1))
		}
	}
	return d.card(workflow, prefix, s)
}

// card draws a step that runs a command, a pipeline or a workflow.
func (d *drawing) card(workflow, prefix string, s *ir.Step) box {
	kind, lines := cardText(s)
	chips := d.chips[workflow+"\x00"+prefix+s.ID]
	rows := chipRows(chips, cardWidth-2*padding)
	h := padding + lineH + 6 + float64(len(lines))*lineH + padding - 4
	if len(rows) > 0 {
		h += float64(len(rows))*(chipH+5) + 4
	}
	return box{cardWidth, h, func(b *strings.Builder, x, y float64) {
		fmt.Fprintf(b, `<g><rect class="card" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="10"/>`, x, y, cardWidth, h)
		fmt.Fprintf(b, `<path class="bar %s" d="M%.1f %.1f v%.1f a10 10 0 0 0 6 9 v%.1f a10 10 0 0 0 -6 9 z"/>`, kind, x, y+10, h-20, -(h - 2))
		text(b, x+padding+2, y+padding+10, "id", fit(s.ID, 34))
		textEnd(b, x+cardWidth-padding, y+padding+10, "kind", kind+notes(s))
		at := y + padding + lineH + 18
		for _, line := range lines {
			text(b, x+padding+2, at, "code", line)
			at += lineH
		}
		at -= lineH - 8
		for _, chips := range rows {
			left := x + padding + 2
			for _, c := range chips {
				left += drawChip(b, left, at, c) + 6
			}
			at += chipH + 5
		}
		b.WriteString("</g>\n")
	}}
}

// cardText gives the kind of a step and the lines that say what it does.
func cardText(s *ir.Step) (kind string, lines []string) {
	source := ""
	switch do := s.Do.(type) {
	case *ir.Shell:
		kind, source = "run", do.Source
	case *ir.Pipeline:
		kind, source = "pipeline", do.Source
	case *ir.Call:
		kind, source = "workflow", do.Path.String()
	}
	for line := range strings.SplitSeq(strings.TrimSpace(source), "\n") {
		if line = strings.TrimRight(line, " \t"); line != "" {
			lines = append(lines, line)
		}
	}
	const most, width = 4, 56
	if len(lines) > most {
		lines = append(lines[:most-1:most-1], "…")
	}
	for i := range lines {
		lines[i] = fit(strings.ReplaceAll(lines[i], "\t", "  "), width)
	}
	if s.Stdin != nil {
		lines = append(lines, "← "+fit(s.Stdin.String(), width-2))
	}
	return kind, lines
}

// notes are the policies of a step, for the corner of its card.
func notes(s *ir.Step) string {
	text := ""
	if s.Retry != nil && s.Retry.Max > 1 {
		text += fmt.Sprintf(" · %d attempts", s.Retry.Max)
	}
	if s.TimeoutMS > 0 {
		text += fmt.Sprintf(" · %d ms", s.TimeoutMS)
	}
	switch s.OnError {
	case ir.Continue:
		text += " · goes on after errors"
	case ir.SkipRest:
		text += " · an error ends the run"
	}
	return text
}

// gateBand draws the band of a gate, with its diamond and its question.
func gateBand(s *ir.Step) box {
	kind, prompt, detail := "approval", "", ""
	if s.Input != nil {
		kind, prompt = "input", s.Input.Prompt.String()
	} else {
		prompt = s.Approval.Prompt.String()
		if s.Approval.RequiredApprover != nil {
			detail = "by " + s.Approval.RequiredApprover.String()
		}
		if d := s.Approval.DifferentApprover; d != nil && *d {
			detail = strings.TrimPrefix(detail+", not by who started the run", ", ")
		}
	}
	if prompt == "" {
		prompt = "Approve " + s.ID + "?"
	}
	h := 58.0
	if detail != "" {
		h += lineH
	}
	return box{cardWidth, h, func(b *strings.Builder, x, y float64) {
		fmt.Fprintf(b, `<g><rect class="gate %s" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="%.1f"/>`, kind, x, y, cardWidth, h, h/2)
		cx, cy := x+36, y+h/2
		fmt.Fprintf(b, `<path class="diamond" d="M%.1f %.1f l14 14 l-14 14 l-14 -14 z"/>`, cx, cy-14)
		mark := "?"
		if kind == "input" {
			mark = "…"
		}
		fmt.Fprintf(b, `<text class="mark" x="%.1f" y="%.1f">%s</text>`, cx, cy+5, mark)
		text(b, x+62, y+24, "gateid", fit(s.ID, 30)+"  ·  "+kind)
		text(b, x+62, y+43, "prompt", fit(strings.ReplaceAll(prompt, "\n", " "), 50))
		if detail != "" {
			text(b, x+62, y+60, "gateid", fit(detail, 50))
		}
		b.WriteString("</g>\n")
	}}
}

// pipeline draws an inline pipeline: a card for each stage.
func (d *drawing) pipeline(p *ir.Pipeline) box {
	var parts []box
	for i := range p.Stages {
		s := &p.Stages[i]
		source := s.Raw
		if source == "" {
			source = s.Name
		}
		if s.Name == "approve" || s.Name == "ask" {
			step := &ir.Step{ID: s.Name, Approval: &ir.Approval{Prompt: ir.Template{ir.Text(source)}}}
			parts = append(parts, gateBand(step))
			continue
		}
		parts = append(parts, d.card("", "", &ir.Step{ID: s.Name, Do: &ir.Pipeline{Source: source}}))
	}
	return stack(parts)
}
