package runtime

import (
	"context"
	"errors"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/intent"
	"github.com/lobsterc/lobsterc/runtime/local"
	"github.com/lobsterc/lobsterc/runtime/plain"
	"github.com/lobsterc/lobsterc/runtime/value"
)

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
	return errors.New("workflow changed since this run paused: it was " + was + " and is " + is + " now (lobsterc diff " + was + " " + is + " shows what changed in meaning); resume it with the program that paused it, " +
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
