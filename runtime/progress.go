package runtime

import (
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/plain"
)

// progress shows a person where the run stands: on stderr, when that is a terminal, in human mode (spec part 3, section 5). A
// finished step leaves a line; the step at work has a line that is rewritten.
type progress struct {
	w      io.Writer
	color  bool
	dumb   bool // no cursor movement
	width  func() int
	began  map[string]time.Time
	live   bool // the last line is the one at work
	masked func(string) string
}

// newProgress gives nil when nothing is to be shown.
func newProgress(a *app) *progress {
	f, ok := a.stderr.(*os.File)
	if a.tool || a.opt.quiet || !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	dumb := a.env("TERM") == "dumb"
	_, noColor := a.getenv("NO_COLOR")
	return &progress{
		w: f, dumb: dumb, color: !dumb && !noColor, began: map[string]time.Time{}, masked: a.report.mask,
		width: func() int {
			w, _, err := term.GetSize(int(f.Fd()))
			if err != nil || w < 1 {
				return 80
			}
			return w
		},
	}
}

// observe shows an event of an entry workflow's step; what happens inside of loops and children shows on their line.
func (p *progress) observe(e drive.Event) {
	switch {
	case e.Kind == drive.LoopItem:
		p.atWork(e.StepID, bar(e.Index, e.Max, 20)+" "+plain.Int(e.Index+1)+"/"+plain.Int(e.Max))
		return
	case !e.Top:
		return
	}
	switch e.Kind {
	case drive.StepStarted:
		p.began[e.StepID] = time.Now()
		p.atWork(e.StepID, "")
	case drive.StepFinished:
		p.done("32", "✓", e.StepID, "")
	case drive.StepSkipped:
		p.done("2", "-", e.StepID, "skipped")
	case drive.StepFailed:
		p.done("31", "✗", e.StepID, p.masked(firstLine(e.Message)))
	case drive.StepWaiting:
		p.clear()
	case drive.StepRetry:
		p.clear()
	}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// bar is a bar of n cells of which i/most are filled.
func bar(i, most, n int) string {
	full := 0
	if most > 0 {
		full = n * i / most
	}
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", n-full) + "]"
}

func (p *progress) atWork(id, note string) {
	if p.dumb {
		return
	}
	p.clear()
	line := "… " + id
	if note != "" {
		line += "  " + note
	}
	if r := []rune(line); len(r) >= p.width() {
		line = string(r[:p.width()-1])
	}
	plain.Print(p.w, p.paint("2", line))
	p.live = true
}

func (p *progress) done(color, mark, id, note string) {
	p.clear()
	line := mark + " " + id
	if began, ok := p.began[id]; ok {
		line += "  " + time.Since(began).Round(10*time.Millisecond).String()
	}
	if note != "" {
		line += "  " + note
	}
	plain.Print(p.w, p.paint(color, line), "\n")
}

func (p *progress) paint(color, text string) string {
	if !p.color {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}

// clear removes the line at work, so that something else can be written.
//
//go:noinline
func (p *progress) clear() {
	if p.live {
		plain.Print(p.w, "\r\x1b[K")
		p.live = false
	}
}

func (p *progress) finish(*outcome) { p.clear() }
