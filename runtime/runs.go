package runtime

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/intent"
	"github.com/lobsterc/lobsterc/runtime/local"
	"github.com/lobsterc/lobsterc/runtime/plain"
	"github.com/lobsterc/lobsterc/runtime/state"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// runInfo is a run that has a journal, as --runs shows it.
type runInfo struct {
	id      string
	header  state.Header
	changed time.Time
	history *local.History
	status  string // running, waiting, interrupted, failed, or how it ended
}

// allRuns reads the journals of this program's name, newest first, and removes what is left of runs that are over. One that
// cannot be read is reported and left out.
func (a *app) allRuns(store *state.Store) ([]*runInfo, error) {
	entries, err := store.Runs(a.program.name())
	if err != nil {
		return nil, err
	}
	var list []*runInfo
	for _, e := range entries {
		if e.Err != nil {
			a.warn(e.Err.Error())
			continue
		}
		h, err := local.NewLog(nil).Replay(e.Records)
		if err != nil {
			a.warn("the journal of run " + e.Header.Run + " cannot be read: " + err.Error())
			continue
		}
		info := &runInfo{id: e.Header.Run, header: e.Header, history: h, changed: e.Changed, status: statusRunning}
		if !e.Running {
			if info.status, err = fate(store, h); err != nil {
				a.warn(err.Error())
			}
		}
		if info.status == "" {
			if err := tidy(store, info.id); err != nil {
				a.warn(err.Error())
			}
			continue
		}
		list = append(list, info)
	}
	return list, nil
}

// fate says how a run stands that nobody works on, by its journal and its state files; "" when it is over and only remains are left:
// it ended, it was given up, or somebody else went on with it.
func fate(store *state.Store, h *local.History) (string, error) {
	switch {
	case h.Status == statusFailed || h.Status != "" && h.Keep:
		return h.Status, nil
	case h.Status != "":
		return "", nil
	}
	if h.Claim != "" && h.CancelKey == "" {
		switch c, err := claimOf(store, h.ClaimKey, h.Claim); {
		case err != nil:
			return statusInterrupted, err
		case c == claimLost, c == claimVoid && h.AnswerPath == "":
			return "", nil
		case c == claimVoid:
			return statusWaiting, nil
		}
	}
	if h.GateKey == "" {
		return statusInterrupted, nil
	}
	switch c, err := claimOf(store, h.GateKey, ""); {
	case err != nil || c == claimVoid:
		return statusWaiting, err
	case h.Standing:
		return "", nil
	}
	return statusInterrupted, nil // the file never was; nobody has seen its token
}

// claim is what became of a claim on a state file.
type claim uint8

const (
	claimOurs claim = iota // the file says so
	claimVoid              // the state was never taken
	claimLost              // somebody else took it, or it is gone
)

func claimOf(store *state.Store, key, id string) (claim, error) {
	p, err := store.Paused(key)
	switch {
	case errors.Is(err, state.ErrGone):
		return claimLost, nil
	case err != nil:
		return claimVoid, err
	case !p.State.IsAbsent():
		return claimVoid, nil
	case id != "" && p.ClaimID == id:
		return claimOurs, nil
	}
	return claimLost, nil
}

// tidy removes what is left of a run that is over: the marks of its pauses and its journal. A mark that somebody else has made
// is theirs.
func tidy(store *state.Store, id string) error {
	file, records, err := store.OpenRun(id)
	if isRunning(err) || errors.Is(err, state.ErrNoRun) {
		return nil
	}
	if err != nil {
		return err
	}
	h, err := local.NewLog(nil).Replay(records)
	if err == nil {
		var left string
		if left, err = fate(store, h); left != "" {
			file.Close()
			return err // it has changed since
		}
	}
	if err == nil {
		err = removeKeys(store, h)
	}
	if err != nil {
		file.Close()
		return err
	}
	return file.Remove()
}

// removeKeys removes the marks of a run's pauses, and the short ids.
func removeKeys(store *state.Store, h *local.History) error {
	var ours []string
	for _, key := range h.Keys {
		p, err := store.Paused(key)
		last := key == h.GateKey || key == h.ClaimKey && p.ClaimID != h.Claim
		if err == nil && p.State.IsAbsent() && !(last && h.Status == "") {
			ours = append(ours, key)
		}
	}
	if len(ours) == 0 {
		return nil
	}
	return store.Remove(context.Background(), ours...)
}

// keptFailures is how many journals of failed runs stay, per program (spec part 6, 7).
const keptFailures = 20

// pruneFailed removes the oldest failed runs.
func (a *app) pruneFailed(store *state.Store) {
	list, err := a.allRuns(store)
	if err != nil {
		a.warn(err.Error())
		return
	}
	n := 0
	for _, r := range list {
		if r.status != statusFailed {
			continue
		}
		if n++; n > keptFailures {
			if _, err := drop(store, r.id); err != nil {
				a.warn(err.Error())
			}
		}
	}
}

// drop removes a run that nobody works on, with the state it waits in. ok is false when somebody has got hold of it.
func drop(store *state.Store, id string) (ok bool, err error) {
	file, records, err := store.OpenRun(id)
	if isRunning(err) || errors.Is(err, state.ErrNoRun) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	h, err := local.NewLog(nil).Replay(records)
	if err == nil {
		for _, key := range []string{h.GateKey, h.ClaimKey} {
			if c, claimErr := claimOf(store, key, ""); key != "" && claimErr == nil && c == claimVoid {
				err = store.Cancel(context.Background(), key)
			}
		}
	}
	if err == nil {
		err = removeKeys(store, h)
	}
	if err != nil {
		file.Close()
		if errors.Is(err, state.ErrGone) {
			err = nil // its token was used this instant
		}
		return false, err
	}
	return true, file.Remove()
}

// listRuns prints --runs, or removes old runs with --prune.
func (a *app) listRuns() error {
	dir, err := a.stateDir()
	if err != nil {
		return err
	}
	store := state.Open(dir)
	list, err := a.allRuns(store)
	if err != nil {
		return err
	}
	if a.opt.prune != "" {
		return a.prune(store, list)
	}
	if a.opt.json {
		return a.print(runsJSON(list).Indent() + "\n")
	}
	if len(list) == 0 {
		return a.print("no runs of " + a.program.name() + "\n")
	}
	text := runLine("RUN", "STARTED", "STATUS", "STEP")
	for _, r := range list {
		note := ""
		if r.header.Program.Hash != a.program.Hash {
			note = "  (another version of the program)"
		}
		text += runLine(r.id, r.header.StartedAt, r.status, string(r.history.LastStep)+note)
	}
	return a.print(text)
}

// runLine is a line of the table of --runs.
func runLine(id, started, status, step string) string {
	return plain.Pad(id, 20) + "  " + plain.Pad(started, 24) + "  " + plain.Pad(status, 11) + "  " + step + "\n"
}

func runsJSON(list []*runInfo) value.Value {
	rows := make([]value.Value, len(list))
	for i, r := range list {
		var row, program value.Members
		program.String("name", r.header.Program.Name)
		program.String("hash", r.header.Program.Hash)
		row.String("id", r.id)
		row.Add("program", program.Object())
		row.String("started", r.header.StartedAt)
		row.String("status", r.status)
		row.String("step", string(r.history.LastStep))
		rows[i] = row.Object()
	}
	return value.Array(rows...)
}

// prune removes the runs that nobody has touched for longer than the given age, with the states of those that wait, and the
// states of this program that have no journal.
func (a *app) prune(store *state.Store, list []*runInfo) error {
	age, err := parseAge(a.opt.prune)
	if err != nil {
		return err
	}
	n := 0
	for _, r := range list {
		if r.status == statusRunning || time.Since(r.changed) < age {
			continue
		}
		ok, err := drop(store, r.id)
		if err != nil {
			return err
		}
		if ok {
			n++
		}
	}
	waiting, err := store.Waiting()
	if err != nil {
		return err
	}
	for _, w := range waiting {
		if w.State.Get("program").Get("name").Text() != a.program.name() || !w.State.Get("runId").IsAbsent() || time.Since(w.Changed) < age {
			continue
		}
		if err := store.Cancel(context.Background(), w.Key); err != nil && !errors.Is(err, state.ErrGone) {
			return err
		}
		n++
	}
	return a.print("removed " + plain.Count(n, "run") + "\n")
}

// parseAge reads a duration that may count days: 30d, 12h, 1h30m.
func parseAge(text string) (time.Duration, error) {
	age := 0.0
	for rest := text; ; {
		end := strings.IndexAny(rest, "dhms")
		if end < 0 {
			break
		}
		n, err := strconv.ParseFloat(rest[:end], 64)
		if err != nil || n < 0 {
			break
		}
		unit := time.Second
		switch rest[end] {
		case 'd':
			unit = 24 * time.Hour
		case 'h':
			unit = time.Hour
		case 'm':
			unit = time.Minute
		}
		age += n * float64(unit)
		rest = rest[end+1:]
		if rest == "" && age < math.MaxInt64 {
			return time.Duration(age), nil
		}
	}
	return 0, usage("--prune wants an age such as 30d or 12h, got " + plain.Quote(text))
}

// resumeRun continues a run by its id, or the newest one that can be continued (spec part 6, 12).
func (a *app) resumeRun(ctx context.Context, store *state.Store, id string, ans intent.Intent) *outcome {
	if a.program.Pipeline != nil {
		return failed(usage("an inline pipeline keeps no journal: resume it by its token"))
	}
	list, err := a.allRuns(store)
	if err != nil {
		return failed(err)
	}
	r, err := a.pick(list, id)
	if err != nil {
		return failed(err)
	}
	s := &session{app: a, store: store, meter: a.newMeter()}
	if !ans.Cancel {
		args, err := a.resumedArgs(r.header.Args)
		if err == nil {
			err = a.report.open()
		}
		if err != nil {
			return failed(err)
		}
		s.setArgs(args)
	}
	history, err := s.openJournal(r.id)
	if isRunning(err) {
		return failed(errors.New("run " + r.id + " is running in another process"))
	}
	if err == nil {
		err = s.standing(history)
	}
	if err != nil {
		return failed(err)
	}
	if history.GateKey != "" {
		if o, done := s.atGate(ctx, history, ans); done {
			return o
		}
	}
	switch {
	case ans.Cancel:
		return s.abandon(ctx)
	case ans.Given:
		return failed(usage("run " + r.id + " does not wait for an answer"))
	case r.header.Program.Hash != a.program.Hash:
		return failed(changedError(r.header.Program.Hash, a.program.Hash))
	}
	return s.goOnAfterCrash(ctx, history)
}

// goOnAfterCrash continues a run that was cut off or failed.
func (s *session) goOnAfterCrash(ctx context.Context, history *local.History) *outcome {
	if history.Status == statusFailed {
		if err := s.log.RetryFailed(history.Failed); err != nil {
			return failed(err)
		}
	}
	s.inDoubt = s.app.opt.inDoubt
	s.restoreSpend(history.Snapshot)
	if err := s.app.report.begin(s.id, s.args); err != nil {
		return failed(err)
	}
	return s.run(ctx, history.Snapshot.Start(s.args))
}

// abandon gives up a run that waits for nobody: what it left running is ended.
func (s *session) abandon(ctx context.Context) *outcome {
	if err := s.engine().Reap(ctx); err != nil {
		return failed(err)
	}
	if err := s.log.Finish(local.Ending{Status: statusCancelled, Keep: s.app.opt.keepJournal}); err != nil {
		return failed(err)
	}
	return s.ended(&outcome{status: statusCancelled})
}

func isRunID(s string) bool { return len(s) == len("run_")+16 && strings.HasPrefix(s, "run_") }

// pick chooses the run to continue.
func (a *app) pick(list []*runInfo, id string) (*runInfo, error) {
	other := ""
	for _, r := range list {
		failed := r.status == statusFailed
		ended := !failed && r.status != statusRunning && r.status != statusWaiting && r.status != statusInterrupted
		hash := r.header.Program.Hash
		switch {
		case id != "" && r.id != id:
			continue
		case id != "" && ended:
			return r, errors.New("run " + id + " has ended (" + r.status + ")")
		case id == "" && (ended || failed != a.opt.retryFailed || r.status == statusRunning):
			continue
		case hash != a.program.Hash && !(a.opt.allowChanged && r.status == statusWaiting):
			if other == "" {
				other = hash
			}
			continue
		case failed && !a.opt.retryFailed:
			return r, errors.New("run " + id + " failed: " + r.history.Error + "; --retry-failed goes on at the failed step")
		}
		return r, nil
	}
	switch {
	case other != "":
		return nil, changedError(other, a.program.Hash)
	case id != "":
		return nil, errors.New("no run " + id + " of " + a.program.name())
	case a.opt.retryFailed:
		return nil, errors.New("no failed run of " + a.program.name())
	}
	return nil, errors.New("no unfinished run of " + a.program.name())
}

// standing holds the journal against the state files, now that nobody else can change it (spec part 6, 8). An answer whose claim
// never reached its state file is void: the run still waits there.
func (s *session) standing(h *local.History) error {
	status, err := fate(s.store, h)
	switch {
	case err != nil:
		return err
	case status == "":
		s.close()
		if err := tidy(s.store, s.id); err != nil {
			s.app.warn(err.Error())
		}
		return errors.New("run " + s.id + " is over: its gate was answered elsewhere, or it was given up")
	case status == statusWaiting && h.Claim != "" && h.GateKey == "":
		s.void = h.AnswerPath
		s.log.Void(s.void)
		h.GateKey, h.GatePath, h.Standing = h.ClaimKey, h.AnswerPath, true
	}
	for _, key := range h.Keys {
		if key != h.GateKey {
			s.superseded = append(s.superseded, key)
		}
	}
	return nil
}

// atGate continues a run whose journal ends at a gate: the state file there decides. done is false when the file never was,
// so that the run goes on to the gate again.
func (s *session) atGate(ctx context.Context, history *local.History, ans intent.Intent) (o *outcome, done bool) {
	p, err := s.store.Paused(history.GateKey)
	if errors.Is(err, state.ErrGone) && !history.Standing {
		return o, false
	}
	if err != nil {
		return failed(err), true
	}
	st, err := savedOf(history.GateKey, p.State)
	if err != nil {
		return failed(err), true
	}
	if !ans.Given && local.IsDoubt(st.path) {
		ans = s.app.opt.doubtAnswer()
	}
	if ans.Given {
		s.close()
		return s.answer(ctx, st, ans), true
	}
	if st.Program == nil || st.Program.Hash != s.app.program.Hash {
		return failed(usage(intent.ErrNone.Error())), true
	}
	o, err = s.showAgain(ctx, st, history)
	if err != nil {
		o.err = err
	}
	return o, true
}

// showAgain gives the answer of a run that waits once more. A crash may have come between the state file and the record that
// it stands, or the short id.
func (s *session) showAgain(ctx context.Context, st *saved, history *local.History) (*outcome, error) {
	s.app.report.seed(s.id, st.Steps, s.app.program.gateID(st))
	g, err := s.gateAt(ctx, history)
	if err != nil {
		return nil, err
	}
	if err := s.app.report.begin(s.id, s.args); err != nil {
		return nil, err
	}
	id := ""
	if g.Kind == drive.GateApproval {
		g.Identity = driveIdentity(st.Identity)
		if id = s.store.ApprovalOf(st.key); id == "" {
			if id, err = s.store.NewApproval(st.key); err != nil {
				return nil, err
			}
		}
	}
	if !history.Standing {
		if err := s.gateRecord(st.path, st.key, true); err != nil {
			return nil, err
		}
	}
	s.retire()
	s.close()
	return s.waiting(g, state.Token{Kind: state.WorkflowFile, Key: st.key}, id)
}
