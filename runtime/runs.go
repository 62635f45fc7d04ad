package runtime

import (
	"context"
	"errors"
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

// allRuns reads the journals of this program's name, newest first. One that cannot be read is reported and left out.
func (a *app) allRuns(store *state.Store) ([]runInfo, error) {
	entries, err := store.Runs(a.program.name())
	if err != nil {
		return nil, err
	}
	var list []runInfo
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
		info := runInfo{id: e.Header.Run, header: e.Header, history: h, changed: e.Changed}
		switch {
		case e.Running:
			info.status = "running"
		case h.Status != "":
			info.status = h.Status
		case h.GateKey != "" && h.Standing:
			info.status = "waiting"
		default:
			info.status = "interrupted"
		}
		list = append(list, info)
	}
	return list, nil
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

func runsJSON(list []runInfo) value.Value {
	rows := make([]value.Value, len(list))
	for i, r := range list {
		rows[i] = value.Object(
			value.M("id", value.String(r.id)),
			value.M("program", value.Object(value.M("name", value.String(r.header.Program.Name)), value.M("hash", value.String(r.header.Program.Hash)))),
			value.M("started", value.String(r.header.StartedAt)),
			value.M("status", value.String(r.status)), value.M("step", value.String(string(r.history.LastStep))),
		)
	}
	return value.Array(rows...)
}

// prune removes the runs that nobody has touched for longer than the given age, with the states of those that wait.
func (a *app) prune(store *state.Store, list []runInfo) error {
	age, err := parseAge(a.opt.prune)
	if err != nil {
		return err
	}
	n := 0
	for _, r := range list {
		if r.status == "running" || time.Since(r.changed) < age {
			continue
		}
		file, _, err := store.OpenRun(r.id)
		if isRunning(err) || errors.Is(err, state.ErrNoRun) {
			continue
		}
		if err != nil {
			return err
		}
		if key := r.history.GateKey; key != "" {
			if err := store.Remove(context.Background(), key); err != nil {
				file.Close()
				return err
			}
		}
		if err := file.Remove(); err != nil {
			return err
		}
		n++
	}
	return a.print("removed " + plain.Count(n, "run") + "\n")
}

// parseAge reads a duration that may count days: 30d, 12h, 90m.
func parseAge(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseFloat(days, 64); err == nil && n >= 0 && n < 1e5 {
			return time.Duration(n * float64(24*time.Hour)), nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, &usageError{"--prune wants an age such as 30d or 12h, got " + plain.Quote(text)}
	}
	return d, nil
}

// resumeRun continues a run by its id, or the newest one that can be continued (spec part 6, 12).
func (a *app) resumeRun(ctx context.Context, store *state.Store, id string, ans intent.Intent) outcome {
	if a.program.Pipeline != nil {
		return outcome{err: &usageError{"an inline pipeline keeps no journal: resume it by its token"}}
	}
	list, err := a.allRuns(store)
	if err != nil {
		return outcome{err: err}
	}
	r, err := a.pick(list, id)
	if err != nil {
		return outcome{err: err}
	}
	s := &session{app: a, store: store, meter: a.newMeter()}
	defer s.close()
	history, err := s.openJournal(r.id)
	if isRunning(err) {
		return outcome{err: errors.New("run " + r.id + " is running in another process")}
	}
	if err != nil {
		return outcome{err: err}
	}
	if s.args, err = a.resumedArgs(r.header.Args); err != nil {
		return outcome{err: err}
	}
	if err := s.claimStands(history); err != nil {
		return outcome{err: err}
	}
	if history.GateKey != "" {
		if o, done := s.atGate(ctx, history, ans); done {
			return o
		}
	}
	if ans.Given && ans.Cancel {
		return s.ended(outcome{status: statusCancelled})
	}
	if ans.Given {
		return outcome{err: &usageError{"run " + r.id + " does not wait for an answer"}}
	}
	if a.opt.retryFailed {
		s.log.RetryFailed()
	}
	s.restoreSpend(history.Snapshot)
	if err := a.report.begin(s.id, s.args); err != nil {
		return outcome{err: err}
	}
	return s.run(ctx, history.Snapshot.Start(s.args))
}

func isRunID(s string) bool { return len(s) == len("run_")+16 && strings.HasPrefix(s, "run_") }

// pick chooses the run to continue.
func (a *app) pick(list []runInfo, id string) (runInfo, error) {
	other := ""
	for _, r := range list {
		if id != "" && r.id != id {
			continue
		}
		failed := r.status == statusFailed
		switch {
		case r.header.Program.Hash != a.program.Hash:
			if other == "" && (failed == a.opt.retryFailed || id != "") {
				other = r.header.Program.Hash
			}
			continue
		case id == "" && (failed != a.opt.retryFailed || r.status == "running"):
			continue
		case r.status == statusOK || r.status == statusCancelled || r.status == statusClosed:
			if id != "" {
				return r, errors.New("run " + id + " has ended (" + r.status + ")")
			}
			continue
		case failed && !a.opt.retryFailed:
			return r, errors.New("run " + id + " failed: " + r.history.Error + "; --retry-failed goes on at the failed step")
		}
		return r, nil
	}
	switch {
	case other != "":
		return runInfo{}, changedError(other, a.program.Hash)
	case id != "":
		return runInfo{}, errors.New("no run " + id + " of " + a.program.name())
	case a.opt.retryFailed:
		return runInfo{}, errors.New("no failed run of " + a.program.name())
	}
	return runInfo{}, errors.New("no unfinished run of " + a.program.name())
}

// atGate continues a run whose journal ends at a gate: the state file there decides. done is false when the file was never
// complete, so that the run goes on to the gate again.
func (s *session) atGate(ctx context.Context, history *local.History, ans intent.Intent) (o outcome, done bool) {
	p, err := s.store.Paused(history.GateKey)
	switch {
	case errors.Is(err, state.ErrGone) && !history.Standing:
		return o, false
	case errors.Is(err, state.ErrGone) || err == nil && p.State.IsAbsent():
		return s.takenOver(), true
	case err != nil:
		return outcome{err: err}, true
	}
	st, err := savedOf(history.GateKey, p.State)
	if err != nil {
		return outcome{err: err}, true
	}
	if ans.Given {
		s.close()
		s.file = nil
		return s.answer(ctx, st, ans), true
	}
	s.app.report.seed(s.id, st.Steps, s.app.program.gateID(st))
	g, err := s.gateAt(ctx, history)
	if err != nil {
		return outcome{err: err}, true
	}
	if err := s.app.report.begin(s.id, s.args); err != nil {
		return outcome{err: err}, true
	}
	if g.Kind == drive.GateApproval {
		g.Identity = driveIdentity(st.Identity)
	}
	id := ""
	if g.Kind == drive.GateApproval {
		if id = s.store.ApprovalOf(st.key); id == "" {
			if id, err = s.store.NewApproval(st.key); err != nil {
				return outcome{err: err}, true
			}
		}
	}
	o, err = s.waiting(g, state.Token{Kind: state.WorkflowFile, Key: st.key}, id)
	if err != nil {
		o.err = err
	}
	return o, true
}

// takenOver closes a run whose gate somebody else has answered.
func (s *session) takenOver() outcome {
	s.log.Finish(statusClosed, nil)
	return outcome{err: errors.New("run " + s.id + " was taken over: its gate was answered elsewhere, so it is not continued from here")}
}

// claimStands holds the journal's last answer against the state file that it claimed (spec part 6, 8). When the file is gone,
// or somebody else claimed it, the run is not ours. An answer whose claim never reached the file is void: the run still waits.
func (s *session) claimStands(history *local.History) error {
	if history.Claim == "" || history.Status == statusFailed {
		return nil
	}
	p, err := s.store.Paused(history.ClaimKey)
	switch {
	case errors.Is(err, state.ErrGone), err == nil && p.State.IsAbsent() && p.ClaimID != history.Claim:
		return s.takenOver().err
	case err != nil:
		return err
	case p.State.IsAbsent():
		s.superseded = []string{history.ClaimKey}
		return nil
	case history.AnswerPath == "": // a journal that starts with the answer has nothing but it
		s.discard()
		return errors.New("the answer of this run was never taken: its token is still good, answer it again")
	}
	s.void = history.AnswerPath
	s.log.Void(s.void)
	history.GateKey, history.Standing = history.ClaimKey, true
	return nil
}
