package local

import (
	"errors"
	"slices"

	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/plain"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Snapshot is where a continued run starts: the results of the entry workflow's steps before Index.
type Snapshot struct {
	Index   int
	Results []*drive.Result
	// Spend are the state file's members about what model calls cost.
	Spend value.Value
	// Ask is set when the step at Index waits in the middle of its pipeline.
	Ask *drive.Resume
	// Keys are the state files of earlier pauses.
	Keys []string
}

// Value is the snapshot as a journal record, with the state file that it comes from and the claim on it.
func (s *Snapshot) Value(key, claim string) value.Value {
	steps := make([]value.Value, len(s.Results))
	for i, r := range s.Results {
		steps[i] = r.Value()
	}
	m := record(recSnapshot, "")
	m.Int("index", int64(s.Index))
	m.Add("steps", value.Array(steps...))
	m.String("key", key)
	m.String("claim", claim)
	m.Add("spend", s.Spend)
	stamp(&m)
	if s.Ask != nil {
		var ask value.Members
		ask.Int("stage", int64(s.Ask.Stage))
		ask.Flag("same", s.Ask.SameStage)
		ask.Add("response", s.Ask.Response)
		m.Add("ask", ask.Object())
	}
	if len(s.Keys) > 0 {
		m.Add("keys", value.Strings(s.Keys...))
	}
	return m.Object()
}

func snapshotOf(v value.Value) *Snapshot {
	s := &Snapshot{Index: int(v.Get("index").Float()), Spend: v.Get("spend")}
	for k := range v.Get("keys").All() {
		s.Keys = append(s.Keys, k.Str())
	}
	for r := range v.Get("steps").All() {
		s.Results = append(s.Results, drive.ResultOf(r))
	}
	if a := v.Get("ask"); !a.IsAbsent() {
		s.Ask = &drive.Resume{Stage: int(a.Get("stage").Float()), SameStage: a.Get("same").Truthy(), Response: a.Get("response")}
	}
	return s
}

// Start is where the driver begins with the snapshot.
//
//go:noinline
func (s *Snapshot) Start(args value.Value) drive.Start {
	start := drive.Start{Run: drive.NewRun(args)}
	if s != nil {
		start.Index, start.Ask = s.Index, s.Ask
		for _, r := range s.Results {
			start.Run.Record(r)
		}
	}
	return start
}

// History is what a journal says of a run.
type History struct {
	// Snapshot is where to start; nil = the beginning.
	Snapshot *Snapshot
	// GateKey is the state file that the run waits at, GatePath the gate, when nothing was recorded after it.
	// Standing: the file was complete; otherwise it may not exist yet, and nobody has seen its token.
	GateKey  string
	GatePath drive.Path
	Standing bool
	// Claim is the claim of the last answer, ClaimKey the state file that it claimed, and AnswerPath its gate ("" when a
	// snapshot holds the answer). They are empty again once the run has come to another gate.
	Claim, ClaimKey string
	AnswerPath      drive.Path
	// CancelKey is the state file that has to be gone for the run to be given up; "" when nobody gave it up last.
	CancelKey string
	// Keys are the state files of all its pauses. Those but the last are marks that wait to be removed.
	Keys []string
	// Status is how the run ended: "" while it has not. Failed is the step that failed it, and Keep says that the journal
	// stays as an audit record.
	Status string
	Error  string
	Failed drive.Path
	Keep   bool
	// LastStep is the path of the last effect or gate.
	LastStep drive.Path
}

// Replay reads records into the log, so that the engine answers from them.
func (l *Log) Replay(records []value.Value) (*History, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := &History{}
	for i, r := range records {
		if err := l.replay(h, r); err != nil {
			return nil, plain.Wrap("journal record "+plain.Int(i+2), err)
		}
	}
	return h, nil
}

func (l *Log) replay(h *History, r value.Value) error {
	path := drive.Path(r.Get("path").Text())
	kind := r.Get("t").Text()
	if path != "" {
		h.LastStep = path
	}
	h.GateKey, h.GatePath, h.Standing, h.CancelKey = "", "", false, ""
	switch kind {
	case recSnapshot:
		h.Snapshot = snapshotOf(r)
		h.Claim, h.ClaimKey, h.AnswerPath = r.Get("claim").Text(), r.Get("key").Text(), ""
		h.Keys = append(h.Keys, h.Snapshot.Keys...)
		h.note(h.ClaimKey)
		clear(l.entries)
		clear(l.answers)
		l.unread, l.answered = 0, ""
	case recStart:
		l.forget(path)
		if w := r.Get("world"); !w.IsAbsent() {
			l.world = w.Text()
		}
		l.entries[path] = &entry{pure: r.Get("pure").Truthy(), world: l.world}
		delete(l.answers, doubtPath(path)) // an answer about an interruption is good for one more start
	case recProcess:
		if e := l.entries[path]; e != nil {
			e.pid, e.start = int(r.Get("pid").Float()), r.Get("start").Text()
		}
	case recEnd:
		l.forget(path)
		e := &entry{ended: true, order: l.clock}
		l.clock++
		e.outcome, e.err = outcomeOf(r)
		l.entries[path] = e
		l.unread++
	case recGate:
		h.GateKey, h.GatePath, h.Standing = r.Get("key").Text(), path, r.Get("standing").Truthy()
		if h.Standing {
			h.Claim, h.ClaimKey, h.AnswerPath = "", "", ""
		}
		h.note(h.GateKey)
		delete(l.answers, path) // an answer that was given back
		l.answered = ""
	case recAnswer:
		h.Claim, h.ClaimKey, h.AnswerPath = r.Get("claim").Text(), r.Get("key").Text(), path
		l.answered = path
		l.answers[path] = drive.Answer{
			Approved: r.Get("approved").Truthy(), ApprovedBy: r.Get("by").Text(), InitiatedBy: r.Get("from").Text(), Response: r.Get("response"),
		}
	case recCancel:
		h.CancelKey = r.Get("key").Text()
		h.GateKey, h.GatePath, h.Standing = h.CancelKey, path, true
	case recRetry:
		l.retry(path)
	case recFinish:
		h.Status, h.Error, h.Failed = r.Get("status").Text(), r.Get("error").Text(), drive.Path(r.Get("failed").Text())
		h.Keep = r.Get("keep").Truthy()
		return nil
	default:
		return errors.New("unknown kind " + plain.Quote(kind))
	}
	h.Status, h.Error, h.Failed, h.Keep = "", "", "", false
	return nil
}

// note keeps the key of a state file.
func (h *History) note(key string) {
	if key != "" && !slices.Contains(h.Keys, key) {
		h.Keys = append(h.Keys, key)
	}
}

// Void drops the answer at a gate; "" drops none.
func (l *Log) Void(path drive.Path) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.answers, path)
	l.answered = ""
}

// forget drops what is known of path, which is about to be recorded anew.
func (l *Log) forget(path drive.Path) {
	if e := l.entries[path]; e != nil && e.ended && !e.read {
		l.unread--
	}
}

// RetryFailed records that the step at path, which failed the run, is tried again, and forgets the failures of its effects.
func (l *Log) RetryFailed(path drive.Path) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.retry(path)
	return l.append(record(recRetry, path).Object())
}

func (l *Log) retry(path drive.Path) {
	for p, e := range l.entries {
		if e.ended && e.err != nil && p.Within(path) {
			l.forget(p)
			delete(l.entries, p)
		}
	}
}
