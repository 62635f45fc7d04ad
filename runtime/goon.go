package runtime

import (
	"context"
	"errors"

	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/local"
	"github.com/lobsterc/lobsterc/runtime/state"
)

// goOn uses the token up and continues the run. The order is that of spec part 6, 8: lock, answer, marker, go.
func (s *session) goOn(ctx context.Context, st *saved, history *local.History, reply drive.Answer) *outcome {
	id := state.NewClaimID()
	start, err := s.recordAnswer(ctx, st, history, reply, id)
	if err == nil {
		err = s.log.Sync()
	}
	if err == nil {
		s.claim, err = s.store.Consume(ctx, st.key, id)
	}
	switch {
	case errors.Is(err, state.ErrGone):
		s.discard()
		return failed(errNoState)
	case err != nil:
		s.notTaken(st.key, id)
		return failed(err)
	}
	s.gate, s.superseded = st, append(earlierKeys(st, history), st.key)
	if s.stale != nil {
		if err := s.stale.Remove(); err != nil {
			s.app.warn(err.Error())
		}
	}
	if !st.nested() && st.kind != drive.GateAsk {
		s.app.report.passed(st.step)
	}
	if err := s.app.report.begin(s.id, s.args); err != nil {
		return failed(err)
	}
	return s.run(ctx, start)
}

// notTaken is for a state that could not be taken without a fault. When the mark got there all the same, the run is ours and can be
// continued.
func (s *session) notTaken(key, id string) {
	c, err := claimOf(s.store, key, id)
	switch {
	case err == nil && c == claimOurs && s.file != nil:
		s.app.report.resumable = s.id
	case s.fresh:
		s.discard()
	}
}

// recordAnswer puts the answer on record and says where the run goes on: its journal is replayed when this very program kept
// it; otherwise the state is a snapshot to start from, in a journal of its own.
func (s *session) recordAnswer(ctx context.Context, st *saved, history *local.History, reply drive.Answer, claim string) (drive.Start, error) {
	if history != nil && st.Program != nil && st.Program.Hash == s.app.program.Hash {
		s.restoreSpend(history.Snapshot)
		return history.Snapshot.Start(s.args), s.log.Answer(st.path, reply, st.key, claim)
	}
	snap := st.snapshot(s.app.program.Workflow.Steps, reply)
	s.restoreSpend(snap)
	s.stale, s.file, s.fresh = s.file, nil, true
	s.id = state.RunIDFor(st.key)
	s.setLog(local.NewLog(nil, s.veil.hide(snap.Value(st.key, claim))))
	if s.app.opt.noJournal {
		return snap.Start(s.args), nil
	}
	return snap.Start(s.args), s.createFresh(ctx, st.key)
}

// createFresh makes the journal of a run that begins with a snapshot. Its id follows from the state's key, so of two resumes one
// makes it; one that an earlier resume left which never took the state is replaced.
func (s *session) createFresh(ctx context.Context, key string) error {
	return s.whileWaiting(ctx, key, func() error {
		err := s.createJournal(s.log.Records()...)
		if !isRunning(err) {
			return err
		}
		left, _, openErr := s.store.OpenRun(s.id)
		switch {
		case errors.Is(openErr, state.ErrNoRun):
			return err // it is gone: once more
		case openErr != nil:
			return openErr
		}
		if p, stateErr := s.store.Paused(key); stateErr != nil || p.State.IsAbsent() {
			left.Close() // that run has taken the state
			return err
		}
		if removeErr := left.Remove(); removeErr != nil {
			return removeErr
		}
		return err
	})
}

// restoreSpend goes on with the bill of a snapshot. What a replay brings is billed again as it comes.
func (s *session) restoreSpend(snap *local.Snapshot) {
	if s.meter == nil || snap == nil || snap.Spend.IsAbsent() {
		return
	}
	s.meter.Restore(&state.Workflow{Cost: snap.Spend.Get("cost"), LLMSpend: snap.Spend.Get("llmSpend"), LLMBilled: snap.Spend.Get("llmBilled")})
}

// discard removes the journal of a run that somebody else goes on with.
func (s *session) discard() {
	if s.file != nil {
		if err := s.file.Remove(); err != nil {
			s.app.warn(err.Error())
		}
		s.file = nil
	}
}
