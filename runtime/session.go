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
}

// newMeter is the meter of a run, or nil.
func (a *app) newMeter() Meter {
	if a.program.Meter == nil {
		return nil
	}
	return a.program.Meter(a.env)
}

// stateDir is where state is kept.
func (a *app) stateDir() (string, error) { return state.FindDir(a.opt.stateDir, a.environ) }

// newSession prepares a run. A program that can reach a gate where nobody can be asked needs a state directory before it does
// anything; one without gates only warns (spec part 6, 13).
func (a *app) newSession(args value.Value) (*session, error) {
	s := &session{app: a, args: args, meter: a.newMeter()}
	if err := s.openStore(); err != nil {
		return nil, err
	}
	s.id = state.NewRunID()
	if s.store != nil && !a.opt.noJournal {
		if err := s.createJournal(); err != nil {
			if a.program.Workflow.Waits() {
				return nil, plain.Wrap("nothing was run", err)
			}
			a.warn("no journal is kept, so a run that is killed cannot be continued: " + err.Error())
		}
	}
	s.log = local.NewLog(s.journal())
	return s, a.report.begin(s.id, args)
}

func (s *session) openStore() error {
	a := s.app
	must := a.program.Workflow.Waits() && a.terminal == nil
	dir, err := a.stateDir()
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
	if !a.opt.noJournal {
		a.warn("no journal is kept, so a run that is killed cannot be continued: " + err.Error())
	}
	return nil
}

// createJournal starts the run's journal.
func (s *session) createJournal() error {
	p := s.app.program
	file, err := s.store.NewRun(state.Header{Run: s.id, Program: state.Program{Name: p.name(), Hash: p.Hash}, Args: s.publicArgs()})
	if err != nil {
		return err
	}
	s.file = file
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

func (j syncing) Append(record value.Value) error {
	if err := j.Journal.Append(record); err != nil {
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
func (a *app) start(ctx context.Context) outcome {
	args, err := a.args()
	if err != nil {
		return outcome{err: err}
	}
	if a.program.Pipeline != nil {
		return a.program.Pipeline.start(ctx, a, args)
	}
	if err := a.preflight(args, 0, nil); err != nil {
		return outcome{err: err}
	}
	s, err := a.newSession(args)
	if err != nil {
		return outcome{err: err}
	}
	defer s.close()
	return s.run(ctx, drive.Start{Run: drive.NewRun(args)})
}

// run drives the workflow to its end or its next gate, and settles what is kept of it.
func (s *session) run(ctx context.Context, start drive.Start) outcome {
	a := s.app
	start.Identity = local.IdentityFrom(a.environ)
	if s.meter != nil {
		start.Meter = s.meter
		a.report.cost = s.meter.Summary
	}
	items, err := drive.Execute(ctx, s.engine(), &a.program.Workflow, start)
	var paused *drive.Paused
	var cancelled *drive.Cancelled
	switch {
	case errors.As(err, &paused):
		return paused.Details.(outcome)
	case err != nil && ctx.Err() != nil:
		return s.interrupted(context.Cause(ctx))
	case errors.As(err, &cancelled):
		return s.ended(outcome{status: statusCancelled})
	case err != nil:
		return s.ended(outcome{err: err})
	}
	return s.ended(outcome{status: statusOK, output: items})
}

// engine is the local engine of this process.
func (s *session) engine() *local.Engine {
	a := s.app
	cfg := local.Config{
		Environ: a.environ, LoginShell: a.program.LoginShell, Stderr: a.report.masked(a.stderr), StateDir: a.stateDir,
		HumanMode: !a.tool, Pause: s.pause, InDoubt: a.opt.inDoubt, Observe: a.report.observe, Live: a.report.live(),
	}
	if a.terminal != nil {
		cfg.Ask, cfg.Show = a.ask, a.report.showGate
	}
	return local.New(cfg, s.log)
}

// ended settles a run that has come to an end: what it kept on disk goes, except the journal of a failure.
func (s *session) ended(o outcome) outcome {
	if s.file == nil {
		s.retire()
		return o
	}
	status := o.status
	if o.err != nil {
		status = statusFailed
	}
	keep := o.err != nil || s.app.opt.keepJournal
	if keep {
		if err := s.log.Finish(status, o.err); err != nil && o.err == nil {
			s.app.warn("the journal of run " + s.id + " is incomplete: " + err.Error())
		}
	}
	s.retire()
	if !keep {
		if err := s.file.Remove(); err != nil {
			s.app.warn(err.Error())
		}
		s.file = nil
		return o
	}
	if err := s.store.PruneRuns(s.app.program.name(), keptFailures, hasFailed); err != nil {
		s.app.warn(err.Error())
	}
	return o
}

// keptFailures is how many journals of failed runs stay, per program (spec part 6, 7).
const keptFailures = 20

func hasFailed(r state.RunInfo) bool {
	h, err := local.NewLog(nil).Replay(r.Records)
	return err == nil && h.Status == statusFailed
}

// interrupted settles a run that a signal or a limit ended: it can be continued, and a resume that has not done anything gives
// its token back.
func (s *session) interrupted(cause error) outcome {
	var sig *signalError
	if !errors.As(cause, &sig) && !isLimit(cause) {
		return s.ended(outcome{err: cause}) // timeout_ms of the workflow: a failure like any other
	}
	if s.claim != nil && !s.log.Started() {
		err := s.claim.Restore(context.Background())
		if err == nil {
			err = s.log.Gate(s.gate.path, s.gate.key, true)
		}
		if err != nil {
			s.app.warn("the run could not be put back as it was: " + err.Error())
		}
		return outcome{err: cause}
	}
	if s.file != nil {
		s.app.report.resumable = s.id
	}
	return outcome{err: cause}
}

func isLimit(err error) bool {
	var l *limitError
	return errors.As(err, &l)
}

// retire removes the consumed state files and their ids.
func (s *session) retire() {
	if len(s.superseded) == 0 {
		return
	}
	if err := s.store.Remove(context.Background(), s.superseded...); err != nil {
		s.app.warn(err.Error())
	}
	s.superseded = nil
}

// close gives the journal up; a paused run's stays on disk.
func (s *session) close() {
	if s.file != nil {
		s.file.Close()
	}
}

// pause saves the run at a gate and ends this process's part of it. The journal names the state file before it is written and
// says so again when it stands, so that a crash in between is decided (spec part 6, 8).
func (s *session) pause(_ context.Context, g *drive.Gate) error {
	o, err := s.save(g)
	if err != nil {
		return &drive.Broken{Err: plain.Wrap("the run cannot be saved at step "+g.StepID+", so it does not go on", err)}
	}
	return &drive.Paused{Details: o}
}

func (s *session) save(g *drive.Gate) (outcome, error) {
	if s.store == nil {
		return outcome{}, errors.New("there is no usable state directory")
	}
	if g.Nested && s.file == nil {
		if err := s.createJournal(); err != nil {
			return outcome{}, err
		}
		if err := s.log.Attach(s.journal()); err != nil {
			return outcome{}, err
		}
	}
	token := state.Token{Kind: state.WorkflowFile, Key: state.NewKey(state.WorkflowFile)}
	o, err := s.waiting(g, token, "")
	if err != nil {
		return o, err
	}
	if err := s.log.Gate(g.Path, token.Key, false); err != nil {
		return o, err
	}
	if err := s.store.Write(token.Key, s.stateOf(g).Value()); err != nil {
		return o, err
	}
	if g.Kind == drive.GateApproval {
		id, err := s.store.NewApproval(token.Key)
		if err != nil {
			s.store.Delete(token.Key)
			return o, err
		}
		o.approval = o.approval.With("approvalId", value.String(id))
	}
	if err := s.log.Gate(g.Path, token.Key, true); err != nil {
		return o, err
	}
	if err := s.log.Sync(); err != nil {
		return o, err
	}
	s.retire() // the successor is durable
	return o, nil
}

// waiting is the answer of a run that has stopped at a gate.
func (s *session) waiting(g *drive.Gate, token state.Token, approvalID string) (outcome, error) {
	members := append(requestOf(g), value.M("resumeToken", value.String(token.Encode())))
	if g.Kind != drive.GateApproval {
		return s.fit(outcome{status: statusNeedsInput, input: value.Object(members...)}, g)
	}
	if approvalID != "" {
		members = append(members, value.M("approvalId", value.String(approvalID)))
	}
	return outcome{status: statusNeedsApproval, approval: value.Object(members...)}, nil
}

// requestOf is the request of a gate as an envelope shows it.
func requestOf(g *drive.Gate) []value.Member {
	if g.Kind != drive.GateApproval {
		return []value.Member{
			value.M("type", value.String("input_request")), value.M("prompt", value.String(g.Prompt)),
			value.M("responseSchema", g.SchemaValue()), value.M("defaults", g.Defaults), value.M("subject", g.Subject),
		}
	}
	members := []value.Member{
		value.M("type", value.String("approval_request")), value.M("prompt", value.String(g.Prompt)), value.M("items", g.Items),
		value.M("preview", g.Preview),
	}
	return append(members, identityMembers(g.Identity)...)
}

// identityMembers are the identity fields that are set.
func identityMembers(id drive.Identity) []value.Member {
	var list []value.Member
	if id.InitiatedBy != "" {
		list = append(list, value.M("initiatedBy", value.String(id.InitiatedBy)))
	}
	if id.RequiredApprover != "" {
		list = append(list, value.M("requiredApprover", value.String(id.RequiredApprover)))
	}
	if id.DifferentApprover {
		list = append(list, value.M("requireDifferentApprover", value.Bool(true)))
	}
	return list
}

// sourcePath is the file that a state names so that the reference finds it (spec part 6, 10).
func (a *app) sourcePath() string {
	name := filepath.FromSlash(a.program.Workflow.File)
	if s := a.env("LOBSTERC_SOURCE"); s != "" {
		return s
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
