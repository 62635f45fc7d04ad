package ir

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/lobsterc/lobsterc/ir/diag"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Decode reads IR as JSON and checks it (Check). Unknown keys and wrong shapes are errors that name the place, such as
// `ir: main.steps[2].retry.max: must be an integer from 1`.
func Decode(data []byte) (*Program, error) {
	v, err := value.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("ir: %w", err)
	}
	d := &decoder{}
	p := d.program(v)
	if d.err != nil {
		return nil, d.err
	}
	if err := Check(p); err != nil {
		return nil, err
	}
	return p, nil
}

// IsIR tells whether v is IR: an object with an integer "ir" (part 6, 14).
func IsIR(v value.Value) bool {
	n := v.Get("ir")
	return v.Kind() == value.ObjectKind && n.Kind() == value.NumberKind && n.Float() == math.Trunc(n.Float())
}

// decoder keeps the first error; after it, results mean nothing.
type decoder struct {
	err  error
	file string // of the workflow being read
}

func (d *decoder) fail(path, format string, args ...any) {
	if d.err == nil {
		if path == "" {
			path = "top level"
		}
		d.err = fmt.Errorf("ir: %s: %s", path, fmt.Sprintf(format, args...))
	}
}

func (d *decoder) program(v value.Value) *Program {
	o := d.object("", v)
	if version := o.get("ir"); !IsIR(v) {
		d.fail("ir", "must be the integer %d", Version)
	} else if version.Float() != Version {
		d.fail("ir", "version %s is not known to this lobsterc (it knows %d)", value.NumberText(version.Float()), Version)
	}
	p := &Program{}
	if main := o.get("main"); !main.IsAbsent() {
		p.Main = d.workflow("main", main)
	}
	if pipeline := o.get("pipeline"); !pipeline.IsAbsent() {
		p.Pipeline = d.pipeline("pipeline", pipeline)
	}
	for path, item := range o.list("children") {
		c := d.object(path, item)
		p.Children = append(p.Children, Child{Path: c.mustText("path"), Workflow: d.workflow(path+".workflow", c.get("workflow"))})
		c.done()
	}
	p.LoginShell = o.flag("login_shell")
	p.Compat = o.flag("compat")
	o.done()
	return p
}

func (d *decoder) workflow(path string, v value.Value) Workflow {
	o := d.object(path, v)
	w := Workflow{Name: o.text("name"), Description: o.text("description")}
	d.file = o.text("file")
	for path, item := range o.list("args") {
		w.Args = append(w.Args, d.arg(path, item))
	}
	w.Env = d.env(o)
	w.Cwd = d.template(o, "cwd")
	w.TimeoutMS = o.int("timeout_ms", 0, 1, maxMS)
	if c := o.sub("cost_limit"); c != nil {
		w.CostLimit = &CostLimit{MaxUSD: c.number("max_usd"), Stop: c.oneOf("action", "warn") == "", Pos: c.pos()}
		c.done()
	}
	for path, item := range o.list("require_approval") {
		w.RequireApproval = append(w.RequireApproval, d.string(path, item))
	}
	w.Steps = d.steps(o, "steps")
	w.Pos = o.pos()
	if w.Pos.File == "" {
		w.Pos.File = d.file
	}
	o.done()
	return w
}

func (d *decoder) arg(path string, v value.Value) Arg {
	o := d.object(path, v)
	a := Arg{Name: o.mustText("name"), Description: o.text("description"), Default: decodeLiteral(o.get("default")),
		Required: o.flag("required"), Type: o.oneOf("type", argTypes...), Secret: o.flag("secret"), Pos: o.pos()}
	o.done()
	return a
}

func (d *decoder) env(parent *object) []EnvVar {
	var vars []EnvVar
	for path, item := range parent.list("env") {
		o := d.object(path, item)
		vars = append(vars, EnvVar{Name: o.mustText("name"), Value: d.mustTemplate(o, "value"), Pos: o.pos()})
		o.done()
	}
	return vars
}

func (d *decoder) steps(parent *object, key string) []*Step {
	var steps []*Step
	for path, item := range parent.list(key) {
		steps = append(steps, d.step(path, item))
	}
	return steps
}

func (d *decoder) step(path string, v value.Value) *Step {
	o := d.object(path, v)
	s := &Step{ID: o.mustText("id"), Description: o.text("description")}
	if when := o.get("when"); !when.IsAbsent() {
		s.When = d.expr(o.at("when"), when)
	}
	s.Do = d.exec(o)
	s.Env = d.env(o)
	s.Cwd = d.template(o, "cwd")
	s.Stdin = d.stdin(o, "stdin")
	s.TimeoutMS = o.int("timeout_ms", 0, 1, maxMS)
	switch o.oneOf("on_error", "continue", "skip_rest") {
	case "continue":
		s.OnError = Continue
	case "skip_rest":
		s.OnError = SkipRest
	}
	if r := o.sub("retry"); r != nil {
		s.Retry = &Retry{Max: int(r.int("max", 1, 1, math.MaxInt32)), Exponential: r.oneOf("backoff", "exponential") != "",
			DelayMS: r.int("delay_ms", defaultDelayMS, 0, maxSafe), MaxDelayMS: r.int("max_delay_ms", defaultMaxDelayMS, 0, maxSafe),
			Jitter: r.flag("jitter"), Pos: r.pos()}
		r.done()
	}
	if in := o.sub("input"); in != nil {
		s.Input = &Input{Prompt: d.mustTemplate(in, "prompt"), Schema: decodeLiteral(in.get("schema")),
			Defaults: decodeLiteral(in.get("defaults")), Pos: in.pos()}
		in.done()
	}
	if a := o.sub("approval"); a != nil {
		s.Approval = d.approval(a)
	}
	s.Pos = o.pos()
	o.done()
	return s
}

func (d *decoder) approval(o *object) *Approval {
	a := &Approval{Prompt: d.template(o, "prompt"), Items: decodeLiteral(o.get("items")), Preview: d.template(o, "preview"),
		InitiatedBy: d.template(o, "initiated_by"), RequiredApprover: d.template(o, "required_approver"), Pos: o.pos()}
	if v := o.get("different_approver"); !v.IsAbsent() {
		on := v.Bool()
		if v.Kind() != value.BoolKind {
			d.fail(o.at("different_approver"), "must be true or false")
		}
		a.DifferentApprover = &on
	}
	o.done()
	return a
}

func (d *decoder) stdin(parent *object, key string) *Stdin {
	o := parent.sub(key)
	if o == nil {
		return nil
	}
	s := &Stdin{Text: d.template(o, "text"), Literal: decodeLiteral(o.get("literal"))}
	if ref := o.get("ref"); !ref.IsAbsent() {
		r := d.ref(o.at("ref"), ref)
		s.Ref = &r
	}
	s.Pos = o.pos()
	if s.Ref != nil {
		s.Ref.Pos = s.Pos
	}
	o.done()
	return s
}

// The kinds of execution in the order of their precedence; a step has at most one.
var execKeys = []string{"shell", "pipeline", "call", "parallel", "loop"}

func (d *decoder) exec(o *object) Exec {
	var found Exec
	for _, key := range execKeys {
		v := o.get(key)
		if v.IsAbsent() {
			continue
		}
		if found != nil {
			d.fail(o.at(key), "a step executes one thing only")
		}
		found = d.execOf(key, o.at(key), v)
	}
	return found
}

func (d *decoder) execOf(key, path string, v value.Value) Exec {
	if key == "pipeline" {
		return d.pipeline(path, v)
	}
	o := d.object(path, v)
	defer o.done()
	switch key {
	case "shell":
		x := &Shell{Script: d.mustTemplate(o, "script"), Source: o.text("source"), Dispatch: o.flag("dispatch"), Pos: o.pos()}
		if x.Source == "" {
			x.Source = x.Script.String()
		}
		return x
	case "call":
		return d.call(o)
	case "parallel":
		return &Parallel{Any: o.oneOf("wait", "any") != "", TimeoutMS: o.int("timeout_ms", 0, 1, maxMS),
			Branches: d.steps(o, "branches"), Pos: o.pos()}
	case "loop":
		return &Loop{Items: d.stdin(o, "items"), ItemVar: o.textOr("item_var", defaultItemVar),
			IndexVar: o.textOr("index_var", defaultIndexVar), Batch: int(o.int("batch_size", 1, 1, math.MaxInt32)),
			PauseMS: o.int("pause_ms", 0, 0, maxSafe), Steps: d.steps(o, "steps"), Pos: o.pos()}
	}
	panic("lobsterc bug: decode: unknown execution " + key)
}

func (d *decoder) call(o *object) *Call {
	c := &Call{Path: d.mustTemplate(o, "path"), Dir: o.textOr("dir", ".")}
	for path, item := range o.list("candidates") {
		c.Candidates = append(c.Candidates, d.string(path, item))
	}
	for path, item := range o.list("args") {
		a := d.object(path, item)
		c.Args = append(c.Args, CallArg{Name: a.name("name"), Text: d.template(a, "text"),
			Literal: decodeLiteral(a.get("literal")), Pos: a.pos()})
		a.done()
	}
	c.Pos = o.pos()
	return c
}

func (d *decoder) pipeline(path string, v value.Value) *Pipeline {
	o := d.object(path, v)
	p := &Pipeline{Source: o.text("source")}
	for path, item := range o.list("stages") {
		p.Stages = append(p.Stages, d.stage(path, item))
	}
	p.Pos = o.pos()
	o.done()
	return p
}

func (d *decoder) stage(path string, v value.Value) Stage {
	o := d.object(path, v)
	s := Stage{Name: o.mustText("name"), Raw: o.text("raw"), Args: decodeLiteral(o.get("args")), Fault: o.text("fault")}
	for path, item := range o.list("flags") {
		f := d.object(path, item)
		flag := Flag{Name: f.name("name"), Value: d.template(f, "value"), Pos: f.pos()}
		if flag.Value == nil {
			flag.Bare, flag.Value = true, Template{Text("true")}
		}
		s.Flags = append(s.Flags, flag)
		f.done()
	}
	for path, item := range o.list("words") {
		w := d.object(path, item)
		s.Words = append(s.Words, Word{Text: d.mustTemplate(w, "text"), Alone: w.flag("alone"), Pos: w.pos()})
		w.done()
	}
	s.Pos = o.pos()
	o.done()
	return s
}

// position reads "line:column" or "file:line:column".
func (d *decoder) position(path, text string) diag.Pos {
	head, column, ok := cutLast(text)
	file, line, hasFile := cutLast(head)
	if !hasFile {
		file, line = d.file, head
	}
	n, errLine := strconv.Atoi(line)
	m, errColumn := strconv.Atoi(column)
	if !ok || errLine != nil || errColumn != nil || n < 1 || m < 0 {
		d.fail(path, "must be LINE:COLUMN or FILE:LINE:COLUMN")
	}
	return diag.Pos{File: file, Line: n, Column: m}
}

func cutLast(text string) (before, after string, found bool) {
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+1:], true
}
