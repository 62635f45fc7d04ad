package effects

import (
	"slices"
	"strings"

	"github.com/lobsterc/lobsterc/compiler/catalog"
	"github.com/lobsterc/lobsterc/ir"
)

// shellEffects says what a shell step does.
func (f *flow) shellEffects(s *ir.Shell) []Effect {
	effects := slices.Clone(f.shell(s).effects)
	for i := range effects {
		effects[i].Pos = s.Pos
	}
	return merge(effects)
}

// shell reads the text of a shell step once.
func (f *flow) shell(s *ir.Shell) *shellReader {
	r := f.read[s]
	if r == nil {
		r = readShell(NewScript(s.Script))
		f.read[s] = r
	}
	return r
}

// merge drops repetitions of the same effect.
func merge(effects []Effect) []Effect {
	var out []Effect
	for _, e := range effects {
		if !slices.ContainsFunc(out, func(o Effect) bool {
			return o.What == e.What && slices.Equal(o.Kinds, e.Kinds) && slices.Equal(o.Command, e.Command) && slices.Equal(o.Files, e.Files)
		}) {
			out = append(out, e)
		}
	}
	return out
}

// stageEffects says what a stage does. An unknown stage, of a host program, could do anything.
func (f *flow) stageEffects(s *ir.Stage) []Effect {
	info, ok := f.a.stages.Lookup(s.Name)
	if !ok {
		return []Effect{{What: s.Name, Stage: s.Name, Kinds: []string{LocalExec}, Command: []Word{{Text: s.Name, Dynamic: true}}, Pos: s.Pos}}
	}
	if s.Name == "exec" {
		return execEffects(s)
	}
	kinds := info.AllEffects(func(flag string) bool { return flagOf(s, info, flag) != nil })
	if flag := flagOf(s, info, "dry-run"); flag != nil && flag.Bare {
		kinds = slices.DeleteFunc(slices.Clone(kinds), func(k string) bool { return k == SendsEmail })
	}
	if len(kinds) == 0 {
		return nil
	}
	e := Effect{What: s.Name, Stage: s.Name, Kinds: kinds, Pos: s.Pos}
	detail := func(flag string) string {
		if v := flagOf(s, info, flag); v != nil {
			return v.Value.String()
		}
		return ""
	}
	e.Endpoint = detail("url")
	if strings.HasPrefix(s.Name, "state.") || s.Name == "diff.last" {
		e.StateKey = detail("key")
		if e.StateKey == "" && len(s.Words) > 0 {
			e.StateKey = s.Words[0].Text.String()
		}
		e.What += " " + e.StateKey
	}
	if tool := detail("tool"); tool != "" {
		e.What += " " + strings.TrimSuffix(tool+"/"+detail("action"), "/")
	}
	if file := detail("file"); file != "" {
		e.Files = []string{file}
	}
	return []Effect{e}
}

// flagOf finds a flag of a stage under any of its spellings.
func flagOf(s *ir.Stage, info *catalog.Stage, name string) *ir.Flag {
	for i := range s.Flags {
		if s.Flags[i].Name == name {
			return &s.Flags[i]
		}
		if f, ok := info.Flag(s.Flags[i].Name); ok && f.Name == name {
			return &s.Flags[i]
		}
	}
	return nil
}

// execEffects reads the command of an exec stage: shell text, or words.
func execEffects(s *ir.Stage) []Effect {
	r := execReader(s)
	effects := merge(r.effects)
	for i := range effects {
		effects[i].Pos = s.Pos
	}
	return effects
}

func execReader(s *ir.Stage) *shellReader {
	for i := range s.Flags {
		if s.Flags[i].Name == "shell" {
			return readShell(NewScript(s.Flags[i].Value))
		}
	}
	if len(s.Words) == 1 && strings.ContainsAny(s.Words[0].Text.String(), " \t\n") {
		return readShell(NewScript(s.Words[0].Text))
	}
	r := &shellReader{script: &Script{}, reads: map[string]bool{}, sets: map[string]bool{}}
	words := make([]Word, len(s.Words))
	for i, w := range s.Words {
		_, constant := w.Text.Constant()
		words[i] = Word{Text: w.Text.String(), Dynamic: !constant}
	}
	r.command(words)
	for i := range r.effects {
		r.effects[i].classify()
	}
	r.effects = slices.DeleteFunc(r.effects, func(e Effect) bool { return len(e.Kinds) == 0 })
	return r
}

// reads fills in which arguments and which variables of the environment a step reads.
func (f *flow) reads(info *stepInfo) {
	args, env := map[string]bool{}, map[string]bool{}
	var template func(t ir.Template)
	template = func(t ir.Template) {
		for _, seg := range t {
			switch seg := seg.(type) {
			case ir.ArgRef:
				args[seg.Name] = true
			case ir.OpenRef:
				template(seg.Text)
			case ir.EnvRef:
				f.variable(seg.Name, args, env)
			}
		}
	}
	shell := func(r *shellReader) {
		for name := range r.reads {
			if !r.sets[name] {
				f.variable(name, args, env)
			}
		}
	}
	s := info.step
	template(s.Cwd)
	for _, v := range s.Env {
		template(v.Value)
	}
	if s.Stdin != nil {
		template(s.Stdin.Text)
	}
	if a := s.Approval; a != nil {
		for _, t := range []ir.Template{a.Prompt, a.Preview, a.InitiatedBy, a.RequiredApprover} {
			template(t)
		}
	}
	if s.Input != nil {
		template(s.Input.Prompt)
	}
	switch do := s.Do.(type) {
	case *ir.Shell:
		template(do.Script)
		shell(f.shell(do))
	case *ir.Pipeline:
		for i := range do.Stages {
			stage := &do.Stages[i]
			for _, flag := range stage.Flags {
				template(flag.Value)
			}
			for _, w := range stage.Words {
				template(w.Text)
			}
			if stage.Name == "exec" {
				shell(execReader(stage))
			}
		}
	case *ir.Call:
		template(do.Path)
		for _, a := range do.Args {
			template(a.Text)
		}
	case *ir.Loop:
		if do.Items != nil {
			template(do.Items.Text)
		}
	}
	for _, v := range s.Env { // what the step sets itself is not read from outside
		delete(env, v.Name)
	}
	info.report.Args, info.report.Env = sortedKeys(args), sortedKeys(env)
}

// variable notes that a variable is read; LOBSTER_ARG_* are arguments, and what the workflow sets is not read from outside.
func (f *flow) variable(name string, args, env map[string]bool) {
	if suffix, ok := strings.CutPrefix(name, "LOBSTER_ARG_"); ok {
		for i := range f.w.Args {
			if ArgVariable(f.w.Args[i].Name) == suffix {
				args[f.w.Args[i].Name] = true
				return
			}
		}
		args[strings.ToLower(suffix)] = true
		return
	}
	for _, v := range f.w.Env {
		if v.Name == name {
			return
		}
	}
	env[name] = true
}

// ArgVariable is the part of an argument's variable after LOBSTER_ARG_: upper case, each run of other characters an
// underscore, none at the ends.
func ArgVariable(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToUpper(name) {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			if gap && b.Len() > 0 {
				b.WriteByte('_')
			}
			gap = false
			b.WriteRune(r)
		} else {
			gap = true
		}
	}
	return b.String()
}
