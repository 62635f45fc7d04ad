package runtime

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/intent"
	"github.com/lobsterc/lobsterc/runtime/local"
	"github.com/lobsterc/lobsterc/runtime/plain"
	"github.com/lobsterc/lobsterc/runtime/state"
)

// Texts of the reference (spec part 3, section 2, and part 7, 19).
var (
	errNoState       = errors.New("Workflow resume state not found")
	errNoStateCancel = errors.New("Resume state not found")
	errBadState      = errors.New("Invalid workflow resume state")
)

// resume continues a run: by token or approval id with an answer, by run id, or the newest unfinished one.
func (a *app) resume(ctx context.Context) *outcome {
	ans, err := a.opt.answer()
	if err != nil {
		return failed(err)
	}
	dir, err := a.stateDir()
	if err != nil {
		return failed(err)
	}
	store := state.Open(dir)
	target := a.opt.resume
	if target == "" || isRunID(target) {
		return a.resumeRun(ctx, store, target, ans)
	}
	if !ans.Given {
		ans = a.opt.doubtAnswer()
	}
	if !ans.Given {
		return failed(usage(intent.ErrNone.Error()))
	}
	token, err := findToken(store, target)
	if err != nil {
		return failed(usage(err.Error()))
	}
	switch {
	case token.Kind == state.PipelineResume && a.program.Pipeline == nil:
		return failed(usage("this token belongs to a pipeline, and this program is a workflow"))
	case token.Kind == state.PipelineResume:
		return a.program.Pipeline.resume(ctx, a, store, token.Key, ans)
	case a.program.Pipeline != nil:
		return failed(usage("this token belongs to a workflow, and this program is a pipeline"))
	}
	return a.resumeState(ctx, store, token.Key, ans)
}

// findToken reads a token, or looks an approval id up.
func findToken(store *state.Store, text string) (state.Token, error) {
	if state.IsApprovalID(text) {
		return store.Approval(text)
	}
	return state.ParseToken(text)
}

// resumeState answers the gate that the state file of key waits at.
func (a *app) resumeState(ctx context.Context, store *state.Store, key string, ans intent.Intent) *outcome {
	s := &session{app: a, store: store, meter: a.newMeter()}
	p, err := store.Paused(key)
	switch {
	case ans.Cancel && plain.As[*state.CorruptError](err) != nil:
		return s.giveUp(ctx, &saved{Workflow: &state.Workflow{}, key: key}, nil)
	case errors.Is(err, state.ErrGone) || err == nil && p.State.IsAbsent():
		return s.gone(key, ans)
	case err != nil:
		return failed(err)
	}
	st, err := savedOf(key, p.State)
	if err != nil && ans.Cancel {
		return s.giveUp(ctx, &saved{Workflow: &state.Workflow{}, key: key}, nil)
	}
	if err != nil {
		return failed(err)
	}
	return s.answer(ctx, st, ans)
}

// gone answers for a token whose state is not there any more. When the resume that took it died, it says how to go on.
func (s *session) gone(key string, ans intent.Intent) *outcome {
	if list, err := s.app.allRuns(s.store); err == nil {
		for _, r := range list {
			if r.history != nil && r.history.ClaimKey == key && r.status == statusInterrupted && r.header.Program.Hash == s.app.program.Hash {
				s.app.report.resumable = r.id
			}
		}
	}
	if ans.Cancel {
		return failed(errNoStateCancel)
	}
	return failed(errNoState)
}

// giveUp ends a paused run at the word of a person. It is on record before the state goes, so that a crash in between is no
// different from a cancel that came too late, or was never given.
func (s *session) giveUp(ctx context.Context, st *saved, history *local.History) *outcome {
	if s.file != nil {
		err := s.log.Cancel(st.path, st.key, strings.TrimSpace(s.app.env(local.EnvApprovedBy)))
		if err == nil {
			err = s.log.Sync()
		}
		if err != nil {
			return failed(err)
		}
	}
	err := s.store.Cancel(ctx, st.key)
	if errors.Is(err, state.ErrGone) {
		return failed(errNoState)
	}
	if err != nil {
		return failed(err)
	}
	s.superseded = earlierKeys(st, history)
	return s.ended(&outcome{status: statusCancelled})
}

// earlierKeys are the state files of the pauses before st.
func earlierKeys(st *saved, history *local.History) []string {
	var keys []string
	add := func(list []string) {
		for _, k := range list {
			if k != st.key && !slices.Contains(keys, k) {
				keys = append(keys, k)
			}
		}
	}
	add(st.Superseded)
	if history != nil {
		add(history.Keys)
	}
	return keys
}

// answer holds an answer against the gate of st and, when it fits, goes on with the run.
func (s *session) answer(ctx context.Context, st *saved, ans intent.Intent) *outcome {
	s.app.report.seed(st.RunID, st.Steps, s.app.program.gateID(st))
	no := ans.Cancel || st.kind == drive.GateApproval && ans.Decided && !ans.Approve
	var err error
	if !ans.Cancel {
		err = s.app.fits(st)
		if err == nil {
			err = s.app.kindFits(st, ans)
		}
	}
	if err == nil && !no {
		st, err = s.resumeArgs(st) // may ask, so before the run is locked
	}
	if err != nil {
		return failed(err)
	}
	history, err := s.lockRun(ctx, st, no)
	switch {
	case errors.Is(err, errNoState):
		return s.gone(st.key, ans)
	case err != nil:
		return failed(err)
	case no:
		return s.giveUp(ctx, st, history)
	}
	reply, err := s.reply(ctx, st, history, ans)
	if err == nil {
		err = s.preflight(st, reply)
	}
	if err == nil {
		err = s.app.report.open()
	}
	if err != nil {
		return failed(err) // the token stays usable
	}
	return s.goOn(ctx, st, history, reply)
}

// resumeArgs sets the run's arguments to those of st and the secret ones, and gives st with them in their places.
func (s *session) resumeArgs(st *saved) (*saved, error) {
	args, err := s.app.resumedArgs(st.Args)
	if err != nil {
		return nil, err
	}
	s.setArgs(args)
	if len(s.veil) == 0 {
		return st, nil
	}
	return savedOf(st.key, s.veil.show(st.Value()))
}

// lockWait bounds the wait for another process that has the run of a state but has not taken the state: it is about to
// take it, or to leave it.
const lockWait = 30 * time.Second

// lockRun opens the journal of the run, if it has one: then nobody else goes on with it meanwhile. Without one the snapshot in the
// state is enough, if it is whole or the run is given up.
func (s *session) lockRun(ctx context.Context, st *saved, givenUp bool) (*local.History, error) {
	if st.RunID == "" {
		return nil, nil
	}
	var history *local.History
	err := s.whileWaiting(ctx, st.key, func() (err error) {
		history, err = s.openJournal(st.RunID)
		return err
	})
	switch {
	case errors.Is(err, state.ErrNoRun) && st.nested() && !givenUp:
		return nil, errors.New("the journal of run " + st.RunID + " is not there, so the run cannot go on")
	case errors.Is(err, state.ErrNoRun):
		return nil, nil
	case err != nil:
		s.close()
		return nil, err
	}
	switch st.key {
	case history.GateKey:
	case history.ClaimKey: // the answer that the journal has for this gate was never taken
		s.void = history.AnswerPath
		s.log.Void(s.void)
	default:
		return nil, errors.New("the journal of run " + st.RunID + " does not wait at this gate")
	}
	return history, nil
}

// whileWaiting tries to get a run until nobody else has it, as long as the state of key waits for an answer.
func (s *session) whileWaiting(ctx context.Context, key string, try func() error) error {
	deadline := time.Now().Add(lockWait)
	for {
		err := try()
		p, stateErr := s.store.Paused(key)
		switch {
		case errors.Is(stateErr, state.ErrGone) || stateErr == nil && p.State.IsAbsent():
			return errNoState
		case stateErr != nil:
			return stateErr
		case !isRunning(err) || time.Now().After(deadline):
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

//go:noinline
func isRunning(err error) bool {
	return plain.As[*state.RunningError](err) != nil
}

// openJournal takes the journal of a run and reads it into the log.
func (s *session) openJournal(id string) (*local.History, error) {
	file, records, err := s.store.OpenRun(id)
	if err != nil {
		return nil, err
	}
	for i := range records {
		records[i] = s.veil.show(records[i])
	}
	s.id, s.file, s.records = id, file, records
	s.setLog(local.NewLog(s.journal()))
	history, err := s.log.Replay(records)
	if err != nil {
		return nil, plain.Wrap("the journal of run "+id+" cannot be read", err)
	}
	return history, nil
}
