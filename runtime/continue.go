package runtime

import (
	"context"
	"errors"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/intent"
	"github.com/lobsterc/lobsterc/runtime/local"
	"github.com/lobsterc/lobsterc/runtime/state"
)

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
