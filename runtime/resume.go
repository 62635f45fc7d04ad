package runtime

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/intent"
	"github.com/lobsterc/lobsterc/runtime/local"
	"github.com/lobsterc/lobsterc/runtime/plain"
	"github.com/lobsterc/lobsterc/runtime/state"
	"github.com/lobsterc/lobsterc/runtime/value"
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

// fits holds a state against this program: it must be the one that paused, or one whose steps still fit.
func (a *app) fits(st *saved) error {
	if st.Program != nil && st.Program.Hash == a.program.Hash {
		return nil
	}
	if st.Program != nil && !a.opt.allowChanged {
		return changedError(st.Program.Hash, a.program.Hash)
	}
	const changed = "workflow changed since this run paused: "
	steps := a.program.Workflow.Steps
	if i := st.gateStep(); i < 0 || i >= len(steps) || steps[i].ID != st.step || !st.gateOf(&steps[i]) {
		return errors.New(changed + "it waits at step " + plain.Quote(st.step) + ", which is not where this program has it")
	}
	for id := range st.Steps.Members() {
		if !a.program.hasStep(id) {
			return errors.New(changed + "it has a result of step " + plain.Quote(id) + ", which this program does not have")
		}
	}
	if st.nested() {
		return errors.New(changed + "it waits inside a sub-workflow or at an interrupted step, where only the program that paused it can go on")
	}
	return nil
}

func changedError(was, is string) error {
	return errors.New("workflow changed since this run paused: it was " + was + " and is " + is + " now; resume it with the program that paused it, " +
		"or with --allow-changed when its steps still fit, or give it up with --cancel")
}

// gateOf tells whether a step has the gate that st waits at.
func (st *saved) gateOf(step *Step) bool {
	switch st.kind {
	case drive.GateApproval:
		return step.Approval != nil
	case drive.GateInput:
		return step.Input != nil
	}
	_, ok := step.Do.(*drive.Stages)
	return ok
}

func (p *Program) hasStep(id string) bool {
	for i := range p.Workflow.Steps {
		st := &p.Workflow.Steps[i]
		if st.ID == id {
			return true
		}
		par, ok := st.Do.(*Parallel)
		if !ok {
			continue
		}
		for j := range par.Branches {
			if par.Branches[j].ID == id {
				return true
			}
		}
	}
	return false
}

// gateID is the id of the entry workflow's step that waits.
func (p *Program) gateID(st *saved) string {
	if i := st.gateStep(); st.nested() && i >= 0 && i < len(p.Workflow.Steps) {
		return p.Workflow.Steps[i].ID
	}
	return st.step
}

// kindFits tells a wrong kind of answer, which leaves the run paused.
func (a *app) kindFits(st *saved, ans intent.Intent) error {
	switch {
	case a.opt.inDoubt != "" && a.opt.approve == "" && a.opt.cancel == "" && !local.IsDoubt(st.path):
		return usage("--in-doubt answers the question about an interrupted step, and this run waits for something else")
	case st.kind == drive.GateApproval && ans.Answered:
		return usage("Workflow resume requires --approve yes|no for approval requests")
	case st.kind != drive.GateApproval && ans.Decided:
		return usage("Workflow resume requires --response-json for input requests")
	}
	return nil
}

// resumedArgs are the arguments of a resumed run: the saved ones, and the secret ones taken again.
func (a *app) resumedArgs(kept value.Value) (value.Value, error) {
	list, err := withSecrets(a.program.Workflow.Args, entries(kept), a.getenv, a.secretAsker())
	if err != nil {
		return value.Value{}, err
	}
	var standard []Arg // of secret arguments: what the run has kept has no place for them
	for _, arg := range a.program.Workflow.Args {
		if arg.Secret {
			standard = append(standard, arg)
		}
	}
	args := drive.ResolveArgs(standard, list)
	for i := range a.program.Workflow.Args {
		arg := &a.program.Workflow.Args[i]
		if arg.Secret && arg.Required && args.Get(arg.Name).IsAbsent() {
			return args, usage("missing argument " + arg.Name + ": set " + drive.ArgVar(arg.Name) + " (it is secret, so the paused run did not keep it)")
		}
	}
	return args, nil
}

// reply makes the gate's answer of what the caller said, or says what is wrong with it.
func (s *session) reply(ctx context.Context, st *saved, history *local.History, ans intent.Intent) (drive.Answer, error) {
	if st.kind == drive.GateApproval {
		by := strings.TrimSpace(s.app.env(local.EnvApprovedBy))
		if local.IsDoubt(st.path) && s.app.opt.inDoubt == "done" {
			return drive.Answer{Approved: true, ApprovedBy: by, Response: local.Done.Response}, nil
		}
		if err := local.CheckApprover(st.step, driveIdentity(st.Identity), by); err != nil {
			return drive.Answer{}, usage(err.Error())
		}
		return drive.Answer{Approved: true, ApprovedBy: by, InitiatedBy: st.Identity.InitiatedBy}, nil
	}
	schema, err := s.schemaOf(ctx, st, history)
	if err != nil {
		return drive.Answer{}, err
	}
	if err := local.CheckResponse(st.step, schema, ans.Response); err != nil {
		return drive.Answer{}, usage(err.Error())
	}
	return drive.Answer{Response: ans.Response}, nil
}

// schemaOf is the schema that the answer to st must satisfy: the program's, not the file's.
func (s *session) schemaOf(ctx context.Context, st *saved, history *local.History) (flow.Schema, error) {
	if st.nested() {
		g, err := s.gateAt(ctx, history)
		if err != nil {
			return nil, err
		}
		if g.Halt != nil {
			return g.Pipeline[g.Halt.Stage].Schema, nil
		}
		return g.Schema, nil
	}
	run := st.snapshot(s.app.program.Workflow.Steps, drive.Answer{}).Start(s.args).Run
	step := &s.app.program.Workflow.Steps[st.gateStep()]
	if st.kind == drive.GateInput {
		return step.Input(run).Schema, nil
	}
	stages := step.Stages(run)
	i := st.askStage(len(stages))
	if i < 0 || stages[i].Schema == nil {
		return nil, errors.New("workflow changed since this run paused: the pipeline of step " + plain.Quote(st.step) + " does not ask where the state says")
	}
	return stages[i].Schema, nil
}

// gateAt finds the gate at which a run waits by replaying it up to there; nothing is done and nothing is recorded.
func (s *session) gateAt(ctx context.Context, history *local.History) (*drive.Gate, error) {
	log := local.NewLog(nil)
	if _, err := log.Replay(s.records); err != nil {
		return nil, err
	}
	log.Void(s.void)
	probe := local.NewProbe(local.Config{Environ: s.app.environ}, log)
	start := history.Snapshot.Start(s.args)
	start.Identity = local.IdentityFrom(s.app.environ)
	_, err := drive.Execute(ctx, probe, &s.app.program.Workflow, start)
	if paused := plain.As[*drive.Paused](err); paused != nil {
		return paused.Details.(*drive.Gate), nil
	}
	reason := "it ends"
	if err != nil {
		reason = err.Error()
	}
	return nil, errors.New("run " + s.id + " does not come to the gate again at which it waits (" + reason + ")")
}

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
