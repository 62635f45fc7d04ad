package local

import (
	"sync"
	"time"

	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/plain"
	"github.com/lobsterc/lobsterc/runtime/proc"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Journal keeps records durably enough to survive the death of the process. Append writes whole records; Sync makes all of
// them survive a power loss.
type Journal interface {
	Append(records ...value.Value) error
	Sync() error
}

// Kinds of journal records, under the key "t". The first record of a file is the header of package state.
const (
	recSnapshot = "snapshot" // index, steps: where the run continues from; earlier records are history
	recStart    = "start"    // path, pure, world: an effect is about to happen
	recProcess  = "proc"     // path, pid, start: its process group
	recEnd      = "end"      // path and outcome: it has happened
	recGate     = "gate"     // path, key: the run waits there, and the state file of that key decides
	recAnswer   = "answer"   // path, key, answer, claim: a person has answered
	recCancel   = "cancel"   // path, key, by: a person gives the run up; it counts once the state file is gone
	recRetry    = "retry"    // path: what failed there is tried again
	recFinish   = "finish"   // status, error, failed: the run has ended
)

// Log is the record of one run: what was read from its journal, by path, and where new records go.
type Log struct {
	// Hide, when it is set, takes out of a record what must not be written.
	Hide func(value.Value) value.Value

	mu      plain.Mutex
	journal Journal // nil = kept in memory only
	memory  []value.Value
	entries map[drive.Path]*entry
	answers map[drive.Path]drive.Answer
	// unread counts ended entries that the driver has not asked for yet: while there are any, the run is being replayed.
	unread int
	// answered is the gate of the newest answer on record, until the driver asks for it or goes on without it.
	answered drive.Path
	clock    int // numbers the ends in their order
	// started: an effect was started here, not in an earlier process.
	started bool
	// world is where the process numbers on record count (see proc.World), and here the present one.
	world string
	here  func() string
}

type entry struct {
	pure    bool
	pid     int
	start   string // start time of process pid, as package proc has it
	world   string // where pid and start count
	cleared bool   // it is decided that the effect runs again
	ended   bool
	read    bool
	order   int
	outcome drive.Outcome
	err     error
}

// NewLog is the log of a run that records into journal; nil keeps the records in memory, after those that are given, for Records.
func NewLog(journal Journal, records ...value.Value) *Log {
	return &Log{
		journal: journal, memory: records, entries: map[drive.Path]*entry{}, answers: map[drive.Path]drive.Answer{},
		here: sync.OnceValue(proc.World),
	}
}

// Records are what was recorded without a journal: what a pause must save so that the run can be replayed.
func (l *Log) Records() []value.Value {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.memory
}

// Attach gives a log that has no journal one, which must hold its Records already.
func (l *Log) Attach(j Journal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.journal, l.memory = j, nil
}

// append writes a record. A failure is a *drive.Broken: the run must not go on without its record.
func (l *Log) append(record value.Value) error {
	if l.Hide != nil {
		record = l.Hide(record)
	}
	if l.journal == nil {
		l.memory = append(l.memory, record)
		return nil
	}
	if err := l.journal.Append(record); err != nil {
		return &drive.Broken{Err: plain.Wrap("cannot write the run's journal, so nothing more is run", err)}
	}
	return nil
}

// Sync makes the records survive a power loss.
func (l *Log) Sync() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.journal == nil {
		return nil
	}
	if err := l.journal.Sync(); err != nil {
		return &drive.Broken{Err: plain.Wrap("cannot sync the run's journal, so nothing more is run", err)}
	}
	return nil
}

// record begins a record.
//
//go:noinline
func record(kind string, path drive.Path) value.Members {
	m := make(value.Members, 0, 8)
	m.Text("t", kind)
	m.Text("path", string(path))
	return m
}

// stamp adds the time.
//
//go:noinline
func stamp(m *value.Members) { m.Int("at", time.Now().UnixMilli()) }

func (l *Log) start(path drive.Path, pure bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := record(recStart, path)
	stamp(&m)
	m.Flag("pure", pure)
	if here := l.here(); here != l.world {
		l.world = here
		m.String("world", here)
	}
	l.entries[path] = &entry{pure: pure}
	l.answered = ""
	l.started = l.started || !pure
	return l.append(m.Object())
}

func (l *Log) process(path drive.Path, pid int, start string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := record(recProcess, path)
	m.Int("pid", int64(pid))
	m.String("start", start)
	return l.append(m.Object())
}

// end records the outcome of an effect. timeout is the limit that cut it off, if one did.
func (l *Log) end(path drive.Path, out drive.Outcome, err error, timeout *drive.TimeoutError) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.entries[path]; e != nil {
		e.ended, e.read, e.outcome, e.err, e.order = true, true, out, err, l.clock
		l.clock++
	}
	m := record(recEnd, path)
	addOutcome(&m, out, err)
	stamp(&m)
	if timeout != nil {
		m.String("timeout", timeout.Message)
	}
	return l.append(m.Object())
}

// ended answers from the record.
func (l *Log) ended(path drive.Path) (drive.Outcome, error, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.entries[path]
	if e == nil || !e.ended {
		return drive.Outcome{}, nil, false
	}
	if !e.read {
		e.read = true
		l.unread--
	}
	return e.outcome, e.err, true
}

// interrupted tells that the effect was started by an earlier process and has no end, and that nothing is decided about it.
func (l *Log) interrupted(path drive.Path) (e *entry, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e = l.entries[path]
	return e, e != nil && !e.ended && !e.cleared
}

// clear notes the decision that an interrupted effect runs again.
func (l *Log) clear(path drive.Path) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries[path].cleared = true
}

// survivors are the effects that were started and have no end, as far as their processes may still run here.
func (l *Log) survivors() map[drive.Path]entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := map[drive.Path]entry{}
	for path, e := range l.entries {
		if !e.ended && e.world == l.here() {
			list[path] = *e
		}
	}
	return list
}

// passOver notes that nobody will ask for the outcomes of these effects any more: they lost to another branch.
func (l *Log) passOver(effects []*drive.Effect) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, effect := range effects {
		if e := l.entries[effect.Path]; e != nil && e.ended && !e.read {
			e.read = true
			l.unread--
		}
	}
}

// firstEnded is the effect that ended first, or -1.
func (l *Log) firstEnded(effects []*drive.Effect) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := -1
	for i, effect := range effects {
		e := l.entries[effect.Path]
		if e != nil && e.ended && (first < 0 || e.order < l.entries[effects[first].Path].order) {
			first = i
		}
	}
	return first
}

func (l *Log) replaying() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.unread > 0
}

// told tells whether an earlier process has told a person what the run comes to now: the newest effect or answer on record lies
// ahead.
func (l *Log) told() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.unread > 0 || l.answered != ""
}

// Answer records what a person said at a gate. It counts once the state file of key is consumed under the claim; both are ""
// for an answer that was given to this very process.
func (l *Log) Answer(path drive.Path, a drive.Answer, key, claim string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := record(recAnswer, path)
	m.Add("approved", value.Bool(a.Approved))
	stamp(&m)
	m.Text("by", a.ApprovedBy)
	m.Text("from", a.InitiatedBy)
	if key != "" {
		m.String("key", key)
		m.String("claim", claim)
	}
	m.Add("response", a.Response)
	l.answers[path] = a
	if key != "" {
		l.answered = path
	}
	return l.append(m.Object())
}

func (l *Log) answer(path drive.Path) (drive.Answer, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a, ok := l.answers[path]
	if path == l.answered {
		l.answered = ""
	}
	return a, ok
}

// Gate records that the run waits at path for the state file of key. It is recorded before the file is written, and again
// (standing) when it stands: only then has anybody seen the token.
func (l *Log) Gate(path drive.Path, key string, standing bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := record(recGate, path)
	m.String("key", key)
	stamp(&m)
	m.Flag("standing", standing)
	return l.append(m.Object())
}

// Cancel records that a person gives the run up. It counts once the state file of key is gone.
func (l *Log) Cancel(path drive.Path, key, by string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := record(recCancel, path)
	m.String("key", key)
	stamp(&m)
	m.Text("by", by)
	return l.append(m.Object())
}

// Started tells whether an effect was started by this process.
func (l *Log) Started() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.started
}

// Ending is how a run ended.
type Ending struct {
	Status string
	Err    error
	// Failed is the path of the step that failed the run.
	Failed drive.Path
	// Exit is the exit code of the process.
	Exit int
	// Keep: the journal stays as an audit record.
	Keep bool
}

// Finish records how the run ended.
func (l *Log) Finish(e Ending) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := record(recFinish, "")
	m.String("status", e.Status)
	m.Int("exit", int64(e.Exit))
	stamp(&m)
	if e.Err != nil {
		m.String("error", e.Err.Error())
	}
	m.Text("failed", string(e.Failed))
	m.Flag("keep", e.Keep)
	return l.append(m.Object())
}

// addOutcome adds an outcome's fields to a journal record.
func addOutcome(m *value.Members, out drive.Outcome, err error) {
	if out.Stdout != nil {
		m.String("stdout", *out.Stdout)
	}
	m.Add("json", out.JSON)
	if out.Halt != nil {
		m.Add("halt", haltValue(out.Halt))
	}
	if out.Exit != nil {
		m.Int("exit", int64(*out.Exit))
	}
	m.Flag("dispatched", out.Dispatched)
	if len(out.Usage) > 0 {
		calls := make([]value.Value, len(out.Usage))
		for i := range out.Usage {
			calls[i] = usageValue(&out.Usage[i])
		}
		m.Add("usage", value.Array(calls...))
	}
	if err != nil {
		m.String("error", err.Error())
		f := plain.As[*drive.Failure](err)
		m.Flag("noRetry", f != nil && f.NoRetry)
	}
}

func usageValue(u *flow.Usage) value.Value {
	var m value.Members
	m.String("cacheKey", u.CacheKey)
	m.String("model", u.Model)
	m.Add("usage", u.Usage)
	return m.Object()
}

// outcomeOf reads what addOutcome wrote.
func outcomeOf(v value.Value) (drive.Outcome, error) {
	out := drive.Outcome{JSON: v.Get("json"), Dispatched: v.Get("dispatched").Truthy()}
	if s := v.Get("stdout"); s.Kind() == value.StringKind {
		text := s.Str()
		out.Stdout = &text
	}
	if h := v.Get("halt"); !h.IsAbsent() {
		out.Halt = haltOf(h)
	}
	for u := range v.Get("usage").All() {
		out.Usage = append(out.Usage, flow.Usage{CacheKey: u.Get("cacheKey").Str(), Model: u.Get("model").Str(), Usage: u.Get("usage")})
	}
	if t := v.Get("timeout"); !t.IsAbsent() {
		return out, &drive.TimeoutError{Message: t.Text()}
	}
	if e := v.Get("error"); !e.IsAbsent() {
		return out, &drive.Failure{Message: e.Text(), NoRetry: v.Get("noRetry").Truthy()}
	}
	return out, nil
}

func haltValue(h *flow.Halt) value.Value {
	var m value.Members
	m.Int("stage", int64(h.Stage))
	m.String("prompt", h.Prompt)
	m.Add("schema", h.Schema)
	m.Add("subject", h.Subject)
	m.Add("defaults", h.Defaults)
	m.Flag("same", h.SameStage)
	return m.Object()
}

func haltOf(v value.Value) *flow.Halt {
	return &flow.Halt{
		Kind: flow.HaltInput, Stage: int(v.Get("stage").Float()), Prompt: v.Get("prompt").Text(), Schema: v.Get("schema"),
		Subject: v.Get("subject"), Defaults: v.Get("defaults"), SameStage: v.Get("same").Truthy(),
	}
}
