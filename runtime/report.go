package runtime

import (
	"bytes"
	"io"
	"os"
	"strings"
	"time"

	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/plain"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// reporter tells what happens while it happens: _meta of the envelope, --events, and progress on a terminal. It observes the
// engine's events and never changes what a run does; an event that cannot be written is dropped with one warning.
type reporter struct {
	app *app
	mu  plain.Mutex

	runID string
	cost  func() value.Value
	steps []*stepMeta // top-level steps in the order in which they began
	began map[string]*stepMeta

	events  io.WriteCloser
	failed  bool // events could not be written
	secrets []string
	// resumable is the run that was cut off and can be continued.
	resumable string
	show      *progress
}

// stepMeta is an entry of _meta.steps.
type stepMeta struct {
	id, status, err string
	began           time.Time
	took            time.Duration
}

func newReporter(a *app) *reporter {
	return &reporter{app: a, began: map[string]*stepMeta{}}
}

// begin starts reporting a run.
func (r *reporter) begin(runID string, args value.Value) error {
	if err := r.open(); err != nil {
		return err
	}
	r.runID = runID
	r.secrets = secretsOf(r.app.environ, r.app.program.Workflow.Args, args)
	r.show = newProgress(r.app)
	m := eventNow("run.started")
	m.String("run", runID)
	m.String("program", r.app.program.name())
	r.event(m)
	return nil
}

// seed takes the steps of a paused run from its state, so that every answer tells what has been done, also one that refuses to go
// on. What they took is not known here.
func (r *reporter) seed(runID string, steps value.Value, waiting string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.runID = runID
	r.secrets = secretsOf(r.app.environ, nil, value.Value{})
	for id, v := range steps.Members() {
		m := r.entry(id)
		switch res := drive.ResultOf(v); {
		case res.Error:
			m.status, m.err = "failed", res.ErrorMessage
		case res.Skipped:
			m.status = "skipped"
		default:
			m.status = "ok"
		}
	}
	r.entry(waiting).status = "waiting"
}

// entry is the entry of a step in _meta.steps.
func (r *reporter) entry(id string) *stepMeta {
	m := r.began[id]
	if m == nil {
		m = &stepMeta{id: id}
		r.began[id] = m
		r.steps = append(r.steps, m)
	}
	return m
}

// waits says that the run stops at a gate: steps that it is in the middle of wait too.
func (r *reporter) waits() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range r.steps {
		if m.status == "failed" && m.err == "" {
			m.status = "waiting"
		}
	}
}

// passed says that the gate of a resumed run has its answer.
func (r *reporter) passed(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entry(id).status = "ok"
}

// open opens what events are written to. It is done before anything that cannot be taken back.
func (r *reporter) open() error {
	if r.events != nil {
		return nil
	}
	switch name := r.app.opt.events; name {
	case "":
	case "-":
		w := r.app.stderr
		if b, ok := w.(*bounded); ok {
			w = b.w // events do not count
		}
		r.events = nopCloser{w}
		if !r.app.tool {
			r.events = nopCloser{r.app.stdout}
		}
	default:
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return usage("--events " + name + ": " + plainError(err))
		}
		r.events = f
	}
	return nil
}

// bounded counts what is written and says once when it was too much; the rest goes nowhere.
type bounded struct {
	w    io.Writer
	mu   plain.Mutex
	left int64
	over func()
}

func (b *bounded) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left < 0 {
		return len(p), nil
	}
	if b.left -= int64(len(p)); b.left < 0 {
		b.over()
		return len(p), nil
	}
	return b.w.Write(p)
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// observe is the engine's observer.
func (r *reporter) observe(e drive.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.Top {
		r.note(e)
	}
	if r.show != nil {
		r.show.observe(e)
	}
	if r.events == nil || e.Kind == drive.Warning || e.Kind == drive.LoopItem {
		return
	}
	m := eventNow(string(e.Kind))
	m.String("step", e.StepID)
	m.String("path", string(e.Path))
	m.Text("message", r.mask(e.Message))
	if e.Kind == drive.StepRetry {
		m.Int("attempt", int64(e.Attempt))
		m.Int("max", int64(e.Max))
		m.Int("delayMs", e.Delay.Milliseconds())
	}
	if began := r.began[e.StepID]; began != nil && e.Top && (e.Kind == drive.StepFinished || e.Kind == drive.StepFailed) {
		m.Int("durationMs", began.took.Milliseconds())
	}
	r.write(m)
}

// note keeps _meta.steps.
func (r *reporter) note(e drive.Event) {
	m := r.entry(e.StepID)
	if m.began.IsZero() {
		m.began = time.Now()
	}
	switch e.Kind {
	case drive.StepSkipped:
		m.status = "skipped"
	case drive.StepFinished:
		m.status = "ok"
	case drive.StepFailed:
		m.status, m.err = "failed", e.Message
	case drive.StepWaiting:
		m.status = "waiting"
	case drive.StepStarted:
		m.status, m.began = "failed", time.Now() // until it is known better: a run that is cut off leaves it so
	}
	m.took = time.Since(m.began)
}

func (r *reporter) event(m value.Members) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.write(m)
}

// eventNow begins an event.
func eventNow(kind string) value.Members {
	var m value.Members
	m.String("event", kind)
	m.String("time", plain.ISO(time.Now()))
	return m
}

func (r *reporter) write(event value.Members) {
	if r.events == nil || r.failed {
		return
	}
	line := event.Object().AppendJSON(nil)
	if _, err := r.events.Write(append(line, '\n')); err != nil {
		r.failed = true
		r.app.warn("events cannot be written any more: " + plainError(err))
	}
}

// finished reports the end of the run.
func (r *reporter) finished(o *outcome) {
	if r.runID == "" {
		return
	}
	if r.show != nil {
		r.show.finish(o)
	}
	m := eventNow("run.finished")
	m.String("run", r.runID)
	if o.err != nil {
		m.String("status", "failed")
		m.String("error", r.mask(o.err.Error()))
	} else {
		m.String("status", o.status)
	}
	m.Int("exitCode", int64(o.code(r.app.opt.detailed)))
	m.Int("durationMs", time.Since(r.app.began).Milliseconds())
	r.event(m)
}

func (r *reporter) close() {
	if r.events != nil {
		r.events.Close()
	}
}

// pause clears the progress display for a question or for output.
func (r *reporter) pause() {
	if r.show != nil {
		r.show.clear()
	}
}

// hint says how a run that was cut off can be continued.
func (r *reporter) hint() string {
	if r.resumable == "" {
		return ""
	}
	command := r.app.program.name()
	if r.app.source != "" {
		command = "lobsterc run " + r.app.source
	}
	return "The run can be continued: " + command + " --resume " + r.resumable
}

// live gives the writer for what a step's children write to stderr: on a terminal, or with --verbose. Branches that run at the same
// time are told apart by a prefix.
func (r *reporter) live() func(path string) io.Writer {
	if r.show == nil && !r.app.opt.verbose {
		return nil
	}
	return func(path string) io.Writer { return &prefixWriter{r: r, prefix: path + ": "} }
}

// prefixWriter writes whole lines with a prefix, masked.
type prefixWriter struct {
	r      *reporter
	prefix string
	rest   []byte
}

func (w *prefixWriter) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	for {
		i := bytes.IndexByte(w.rest, '\n')
		if i < 0 {
			return len(p), nil
		}
		w.r.line(w.prefix + string(w.rest[:i]))
		w.rest = w.rest[i+1:]
	}
}

// line shows a line between those of the progress display.
func (r *reporter) line(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.show != nil {
		r.show.clear()
	}
	plain.Print(r.app.stderr, r.mask(text), "\n")
}

// showGate shows what an approval is about: its preview, or its items.
func (r *reporter) showGate(g *drive.Gate) {
	r.pause()
	switch {
	case g.Preview.Kind() == value.StringKind:
		plain.Print(r.app.stderr, r.mask(g.Preview.Str()), "\n")
	case !g.Preview.IsAbsent():
		plain.Print(r.app.stderr, r.mask(g.Preview.Indent()), "\n")
	case g.Items.Len() > 0:
		plain.Print(r.app.stderr, r.mask(g.Items.Indent()), "\n")
	}
}

// meta is the _meta of the envelope.
func (r *reporter) meta() value.Value {
	var m, program value.Members
	m.Text("run", r.runID)
	m.Text("resume", r.resumable)
	program.String("name", r.app.program.name())
	program.String("hash", r.app.program.Hash)
	m.Add("program", program.Object())
	if r.cost != nil {
		m.Add("cost", r.cost())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.runID == "" && len(r.steps) == 0 {
		return m.Object()
	}
	steps := make([]value.Value, len(r.steps))
	for i, s := range r.steps {
		var step value.Members
		step.String("id", s.id)
		step.String("status", s.status)
		step.Int("durationMs", s.took.Milliseconds())
		step.Text("error", r.mask(s.err))
		steps[i] = step.Object()
	}
	m.Add("steps", value.Array(steps...))
	return m.Object()
}

// minSecret is the shortest value that is masked (spec part 6, 25).
const minSecret = 8

// secretsOf collects the values that must not be shown.
func secretsOf(environ []string, declared []Arg, args value.Value) []string {
	var list []string
	add := func(s string) {
		if len(s) >= minSecret {
			list = append(list, s)
		}
	}
	for _, kv := range environ {
		name, v, _ := strings.Cut(kv, "=")
		for _, suffix := range []string{"token", "secret", "password", "key"} {
			if n := len(name) - len(suffix); n >= 0 && len(v) >= minSecret && plain.Lower(name[n:]) == suffix {
				add(v)
			}
		}
	}
	for _, a := range declared {
		if a.Secret {
			add(args.Get(a.Name).Text())
		}
	}
	return list
}

// mask hides secrets in a text that people or logs see.
//
//go:noinline
func (r *reporter) mask(text string) string {
	for _, s := range r.secrets {
		text = strings.ReplaceAll(text, s, "***")
	}
	return text
}

// masked is a writer that masks whole writes.
func (r *reporter) masked(w io.Writer) io.Writer { return maskWriter{r, w} }

type maskWriter struct {
	r *reporter
	w io.Writer
}

func (m maskWriter) Write(p []byte) (int, error) {
	if len(m.r.secrets) == 0 {
		return m.w.Write(p)
	}
	_, err := io.WriteString(m.w, m.r.mask(string(p)))
	return len(p), err
}
