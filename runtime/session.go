package runtime

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/local"
	"github.com/lobsterc/lobsterc/runtime/plain"
	"github.com/lobsterc/lobsterc/runtime/state"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// session is one run of the workflow in this process: its record, its state files, and what must be tidied when it ends.
type session struct {
	app     *app
	args    value.Value
	store   *state.Store
	id      string         // run id
	file    *state.Journal // the journal; nil when none is kept
	log     *local.Log
	meter   Meter         // nil in programs that cannot spend
	records []value.Value // of the journal, when it was read
	void    drive.Path    // the gate whose recorded answer does not count
	// superseded are the consumed state files of this run, oldest first; they are removed when it ends.
	superseded []string
	// claim is the state that this process took to resume; it is given back when nothing has happened since.
	claim *state.Claim
	gate  *saved
	// fresh: the journal was made by this resume and begins with a snapshot of the state.
	fresh bool
	// stale is the journal of the program that paused, when another one goes on.
	stale  *state.Journal
	failed drive.Path // the step that failed the run
	veil   veil       // over the secret arguments
	// inDoubt decides about interrupted steps, see local.Config. With a token, --in-doubt answers that one question.
	inDoubt string
}

// newMeter is the meter of a run, or nil.
func (a *app) newMeter() Meter {
	if a.program.Meter == nil {
		return nil
	}
	return a.program.Meter(a.env)
}

// stateDir is where state is kept.
//
//go:noinline
func (a *app) stateDir() (string, error) { return state.FindDir(a.opt.stateDir, a.environ) }

// newSession prepares a run. A program that can reach a gate where nobody can be asked needs a state directory before it does
// anything; one without gates only warns (spec part 6, 13).
func (a *app) newSession(args value.Value) (*session, error) {
	s := &session{app: a, meter: a.newMeter(), log: local.NewLog(nil)}
	s.setArgs(args)
	if err := a.report.open(); err != nil {
		return nil, err
	}
	if err := s.openStore(); err != nil {
		return nil, err
	}
	s.id = state.NewRunID()
	if s.store != nil && !a.opt.noJournal {
		if err := s.createJournal(); err != nil {
			if s.mustPause() {
				return nil, plain.Wrap("nothing was run", err)
			}
			s.warnNoJournal(err)
		}
	}
	return s, a.report.begin(s.id, args)
}

// setArgs says what the run's arguments are, and with them what must not be written.
func (s *session) setArgs(args value.Value) {
	s.args, s.veil = args, newVeil(s.app.program.Workflow.Args, args)
	s.setLog(s.log)
}

// setLog sets where the run is recorded.
func (s *session) setLog(log *local.Log) {
	s.log = log
	if log != nil && len(s.veil) > 0 {
		log.Hide = s.veil.hide
	}
}

// mustPause tells a run that can come to a gate where nobody can be asked.
func (s *session) mustPause() bool { return s.app.terminal == nil && s.app.program.Workflow.Waits() }

func (s *session) openStore() error {
	must := s.mustPause()
	dir, err := s.app.stateDir()
	if err == nil {
		s.store = state.Open(dir)
		if must {
			err = s.store.Check()
		}
	}
	switch {
	case err == nil:
		return nil
	case must:
		return plain.Wrap("nothing was run: this workflow can stop for a person, and there is no place to keep it", err)
	}
	s.store = nil
	if !s.app.opt.noJournal {
		s.warnNoJournal(err)
	}
	return nil
}

func (s *session) warnNoJournal(err error) {
	s.app.warn("no journal is kept, so a run that is killed cannot be continued: " + err.Error())
}

// createJournal starts the run's journal with its first records, and gives it to the log, which has them.
func (s *session) createJournal(records ...value.Value) error {
	p := s.app.program
	header := state.Header{Run: s.id, Program: state.Program{Name: p.name(), Hash: p.Hash}, Args: s.publicArgs()}
	file, err := s.store.NewRun(header, records...)
	if err != nil {
		return err
	}
	s.file = file
	s.log.Attach(s.journal())
	return nil
}

// journal is where the log writes; with --sync each record survives a power loss.
func (s *session) journal() local.Journal {
	switch {
	case s.file == nil:
		return nil
	case s.app.opt.sync:
		return syncing{s.file}
	}
	return s.file
}

type syncing struct{ *state.Journal }

func (j syncing) Append(records ...value.Value) error {
	if err := j.Journal.Append(records...); err != nil {
		return err
	}
	return j.Journal.Sync()
}

// publicArgs are the arguments without the secret ones, which are never written to disk.
func (s *session) publicArgs() value.Value {
	secret := map[string]bool{}
	for _, a := range s.app.program.Workflow.Args {
		secret[a.Name] = a.Secret
	}
	var members []value.Member
	for name, v := range s.args.Members() {
		if !secret[name] {
			members = append(members, value.M(name, v))
		}
	}
	return value.Object(members...)
}

// start runs the program from its beginning.
func (a *app) start(ctx context.Context) *outcome {
	args, err := a.args()
	if err != nil {
		return failed(err)
	}
	if a.program.Pipeline != nil {
		return a.program.Pipeline.start(ctx, a, args)
	}
	if err := a.preflight(args, 0, nil); err != nil {
		return failed(err)
	}
	s, err := a.newSession(args)
	if err != nil {
		return failed(err)
	}
	return s.run(ctx, drive.Start{Run: drive.NewRun(args)})
}

// run drives the workflow to its end or its next gate, and settles what is kept of it.
func (s *session) run(ctx context.Context, start drive.Start) *outcome {
	a := s.app
	start.Identity, start.Failed = local.IdentityFrom(a.environ), &s.failed
	if s.meter != nil {
		start.Meter = s.meter
		a.report.cost = s.meter.Summary
	}
	engine := s.engine()
	err := engine.Reap(ctx)
	var items []value.Value
	if err == nil {
		items, err = drive.Execute(ctx, engine, &a.program.Workflow, start)
	}
	if paused := plain.As[*drive.Paused](err); paused != nil {
		return paused.Details.(*outcome)
	}
	switch {
	case plain.As[*drive.Broken](err) != nil:
		return s.halted(err)
	case err != nil && ctx.Err() != nil:
		return s.halted(context.Cause(ctx))
	case plain.As[*drive.Cancelled](err) != nil:
		return s.ended(&outcome{status: statusCancelled})
	case err != nil:
		return s.ended(failed(err))
	}
	return s.ended(&outcome{status: statusOK, output: items})
}

// engine is the local engine of this process.
func (s *session) engine() *local.Engine {
	a := s.app
	cfg := local.Config{
		Environ: a.environ, LoginShell: a.program.LoginShell, Stderr: a.report.masked(a.stderr), StateDir: a.stateDir,
		HumanMode: !a.tool, Pause: s.pause, Run: s.id, InDoubt: s.inDoubt, Observe: a.report.observe, Live: a.report.live(),
	}
	if a.terminal != nil {
		cfg.Ask, cfg.Show = a.ask, a.report.showGate
	}
	return local.New(cfg, s.log)
}

// ended is for a run that has come to an end: it is settled once its answer is out, so that a crash before it can be repeated.
func (s *session) ended(o *outcome) *outcome {
	s.app.afterwards(func(exit int) { s.settle(o, exit) })
	return o
}

// settle removes what a run that ended kept on disk, except the journal of a failure or of a run that is to be on record. The
// order is such that whatever a crash leaves can be told from a run that goes on, and is removed later (see tidy).
func (s *session) settle(o *outcome, exit int) {
	if s.file == nil {
		s.retire()
		return
	}
	e := local.Ending{Status: o.status, Err: o.err, Exit: exit, Keep: s.app.opt.keepJournal}
	if o.err != nil {
		e.Status, e.Failed = statusFailed, s.failed
	}
	if err := s.log.Finish(e); err != nil && (o.err != nil || e.Keep) {
		s.app.warn("the journal of run " + s.id + " is incomplete: " + err.Error())
		if o.err != nil {
			return // it can be continued, and fails again
		}
	}
	s.retire()
	switch {
	case len(s.superseded) > 0: // the journal is what remembers the marks
	case o.err != nil:
		s.close()
		s.app.pruneFailed(s.store)
	case !e.Keep:
		if err := s.file.Remove(); err != nil {
			s.app.warn(err.Error())
		}
	}
}

// halted is for a run that cannot go on here and now: a signal or a limit ended it, or it could not keep its record. It can be
// continued, and a resume that has not done anything gives its token back.
func (s *session) halted(cause error) *outcome {
	if plain.As[*signalError](cause) == nil && plain.As[*drive.Broken](cause) == nil && !isLimit(cause) {
		return s.ended(failed(cause))
	}
	if s.claim != nil && !s.log.Started() {
		err := s.claim.Restore(context.Background())
		switch {
		case err == nil && s.fresh:
			s.discard()
		case err == nil:
			err = s.log.Gate(s.gate.path, s.gate.key, true)
		}
		if err == nil {
			return failed(cause)
		}
		s.app.warn("the token could not be made good again: " + err.Error())
	}
	if s.file == nil {
		s.app.afterwards(func(int) { s.retire() })
		return failed(cause)
	}
	s.app.report.resumable = s.id
	return failed(cause)
}

func isLimit(err error) bool {
	return plain.As[*limitError](err) != nil
}

// retire removes the consumed state files and their ids.
func (s *session) retire() {
	if len(s.superseded) == 0 {
		return
	}
	if err := s.store.Remove(context.Background(), s.superseded...); err != nil {
		s.app.warn(err.Error())
		return
	}
	s.superseded = nil
}

// close gives the journal up; a paused run's stays on disk.
func (s *session) close() {
	if s.file != nil {
		s.file.Close()
		s.file = nil
	}
}

// pause saves the run at a gate and ends this process's part of it.
func (s *session) pause(_ context.Context, g *drive.Gate) error {
	o, err := s.save(g)
	if large := plain.As[*sizeError](err); large != nil {
		return &drive.Refused{Message: large.message}
	}
	switch {
	case err != nil:
		return &drive.Broken{Err: plain.Wrap("the run cannot be saved at step "+g.StepID+", so it does not go on", err)}
	}
	return &drive.Paused{Details: o}
}

// save makes a paused run durable. The journal names the state file before it is written, and says that it stands before anybody
// sees the token: so a file that is missing either never was, or somebody has taken it (spec part 6, 8). What came before
// is retired only then.
func (s *session) save(g *drive.Gate) (*outcome, error) {
	if s.store == nil {
		return nil, errors.New("there is no usable state directory")
	}
	if g.Nested && s.file == nil {
		if err := s.createJournal(s.log.Records()...); err != nil {
			return nil, err
		}
	}
	token := state.Token{Kind: state.WorkflowFile, Key: state.NewKey(state.WorkflowFile)}
	o, err := s.waiting(g, token, "")
	if err == nil {
		err = s.gateRecord(g.Path, token.Key, false)
	}
	if err == nil {
		err = s.store.Write(token.Key, s.veil.hide(s.stateOf(g).Value()))
	}
	if err == nil && g.Kind == drive.GateApproval {
		var id string
		if id, err = s.store.NewApproval(token.Key); err != nil {
			s.store.Delete(token.Key)
		}
		o.approval = o.approval.With("approvalId", value.String(id))
	}
	if err == nil {
		err = s.gateRecord(g.Path, token.Key, true)
	}
	if err != nil {
		return o, err
	}
	s.retire()
	s.close()
	s.app.report.waits()
	return o, nil
}

// gateRecord puts a gate on record, durably.
func (s *session) gateRecord(path drive.Path, key string, standing bool) error {
	if err := s.log.Gate(path, key, standing); err != nil {
		return err
	}
	return s.log.Sync()
}

// waiting is the answer of a run that has stopped at a gate.
func (s *session) waiting(g *drive.Gate, token state.Token, approvalID string) (*outcome, error) {
	m := requestOf(g)
	m.String("resumeToken", token.Encode())
	if g.Kind != drive.GateApproval {
		o := &outcome{status: statusNeedsInput, input: m.Object()}
		return o, s.fit(o, g)
	}
	m.Text("approvalId", approvalID)
	return &outcome{status: statusNeedsApproval, approval: m.Object()}, nil
}

// requestOf is the request of a gate as an envelope shows it.
func requestOf(g *drive.Gate) value.Members {
	var m value.Members
	if g.Kind != drive.GateApproval {
		m.String("type", "input_request")
		m.String("prompt", g.Prompt)
		m.Add("responseSchema", g.SchemaValue())
		m.Add("defaults", g.Defaults)
		m.Add("subject", g.Subject)
		return m
	}
	m.String("type", "approval_request")
	m.String("prompt", g.Prompt)
	m.Add("items", g.Items)
	m.Add("preview", g.Preview)
	m.Text("initiatedBy", g.Identity.InitiatedBy)
	m.Text("requiredApprover", g.Identity.RequiredApprover)
	m.Flag("requireDifferentApprover", g.Identity.DifferentApprover)
	return m
}

// sourcePath is the file that a state names so that the reference finds it (spec part 6, 10).
func (a *app) sourcePath() string {
	name := filepath.FromSlash(a.program.Workflow.File)
	if a.source != "" {
		return a.source
	}
	cwd, _ := os.Getwd()
	inCwd := filepath.Join(cwd, name)
	if exe, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(exe), name)
		if _, err := os.Stat(beside); err == nil {
			return beside
		}
	}
	return inCwd
}
