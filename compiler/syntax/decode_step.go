package syntax

import (
	"slices"
	"strings"

	"github.com/lobsterc/lobsterc/ir/diag"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// label makes messages about one step: "Workflow step ID ...".
type label struct {
	d  *decoder
	id string
}

func (l label) fail(code diag.Code, n *Node, format string, args ...any) *diag.Diagnostic {
	return l.d.fail(code, n, "Workflow step "+strings.ReplaceAll(l.id, "%", "%%")+" "+format, args...)
}

// step decodes a step of a workflow. It is nil when it has no id: then nothing can be said about it by name.
func (d *decoder) step(n *Node) *Step {
	if n.Kind == ScalarNode {
		d.fail(diag.BadStep, n, "Workflow step must be an object").Hint = "a step starts with `- id: name`"
		return nil
	}
	id := stringOf(n.Get("id"))
	if id == nil || id.Text == "" {
		d.noID(n, "Workflow step requires an id")
		return nil
	}
	l := label{d, id.Text}
	s := &Step{Node: n, ID: id}
	before := len(d.diags)
	s.Workflow = l.workflowPath(n)
	s.Args = l.workflowArgs(n)
	s.Parallel = l.parallel(n.Get("parallel"))
	s.Loop = l.loop(n)
	if l.executable(n, len(d.diags) > before) {
		l.execution(n, s)
	}
	s.Input = l.input(n)
	s.Approval = l.approval(n.Get("approval"), n)
	l.policies(n, s)
	d.common(n, s)
	d.keys(n, "a step", stepKeys)
	l.strayKeys(n, s)
	d.branchIDs(s)
	if first, ok := d.ids[id.Text]; ok {
		e := d.diags.Errorf(diag.DuplicateID, id.Span, "Duplicate workflow step id: %s", id.Text)
		e.Notes = []diag.Note{{Span: first, Message: "first here"}}
	} else {
		d.ids[id.Text] = id.Span
	}
	return s
}

// branchIDs makes the ids of a parallel step's branches known among those of the steps.
func (d *decoder) branchIDs(s *Step) {
	if s.Parallel == nil {
		return
	}
	for _, b := range s.Parallel.Branches {
		if b.ID.Text == s.ID.Text {
			continue // reported already
		}
		if first, ok := d.ids[b.ID.Text]; ok {
			e := d.diags.Errorf(diag.DuplicateID, b.ID.Span, "Duplicate workflow id across steps/parallel branches: %s", b.ID.Text)
			e.Notes = []diag.Note{{Span: first, Message: "first here"}}
			continue
		}
		d.ids[b.ID.Text] = b.ID.Span
	}
}

// noID reports a step without id, at the id when there is one, else at the name that was to be one.
func (d *decoder) noID(n *Node, message string) {
	e := d.diags.Errorf(diag.NoID, n.Span, "%s", message)
	e.Hint = "add `id:` with a name of letters, digits, _ or -"
	if v := n.Get("id"); v != nil {
		e.Span = v.Span
		if v.Kind == ScalarNode && !v.IsString() && v.Scalar.Text != "" {
			e.Hint = `quote it: id: "` + v.Scalar.Text + `"`
		}
	} else if v := stringOf(n.Get("name")); v != nil && v.Text != "" {
		key := n.Entry("name").Key
		e.Span = key.Span
		if id := idFrom(v.Text); id == v.Text {
			e.Hint = "did you mean id?"
			e.Edits = []diag.Edit{{Span: key.Span, NewText: "id", Safe: true}}
		} else if id != "" {
			e.Hint = "write `id: " + id + "`, and this text as description"
		}
	}
}

// idFrom makes an id of a title: "Show the data" is show-the-data. A text that is an id stays as it is.
func idFrom(title string) string {
	isID := func(r rune) bool {
		return r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	if !strings.ContainsFunc(title, func(r rune) bool { return !isID(r) }) {
		return title
	}
	return strings.Join(strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return !isID(r) }), "-")
}

func stringOf(n *Node) *Scalar {
	if n == nil || !n.IsString() {
		return nil
	}
	return n.Scalar
}

func (l label) workflowPath(n *Node) *Scalar {
	v := n.Get("workflow")
	if v == nil {
		return nil
	}
	s := stringOf(v)
	switch {
	case s == nil:
		l.fail(diag.BadValue, v, "workflow must be a string (file path)")
	case strings.TrimSpace(s.Text) == "":
		l.fail(diag.BadValue, v, "workflow path cannot be blank")
	default:
		return s
	}
	return nil
}

func (l label) workflowArgs(n *Node) []Entry {
	v := n.Get("workflow_args")
	if v == nil {
		return nil
	}
	if v.Kind != MapNode {
		l.fail(diag.BadValue, v, "workflow_args must be a plain object")
		return nil
	}
	return v.last()
}

// shellKey is the key whose text the step's shell would run: run when it is a string, else command.
func shellKey(n *Node) string {
	if stringOf(n.Get("run")) != nil {
		return "run"
	}
	return "command"
}

// has tells whether a key counts as an execution: its value is there and, in JavaScript's sense, true.
func has(n *Node, key string) bool {
	v := n.Get(key)
	return v != nil && v.Truthy()
}

func hasText(n *Node, key string) bool {
	s := stringOf(n.Get(key))
	return s != nil && s.Text != ""
}

// executions are the keys of a step that each say what to execute.
func executions(n *Node) (keys []string) {
	if has(n, shellKey(n)) {
		keys = append(keys, shellKey(n))
	}
	if hasText(n, "pipeline") {
		keys = append(keys, "pipeline")
	}
	for _, key := range []string{"workflow", "parallel", "for_each"} {
		if n.Get(key) != nil {
			keys = append(keys, key)
		}
	}
	return keys
}

// executable checks that the step has something to do and not two things; faulty tells that a fault was reported already.
func (l label) executable(n *Node, faulty bool) bool {
	execs := len(executions(n))
	input := n.Get("input")
	switch {
	case execs > 1 && n.Get("for_each") != nil && !faulty:
		l.fail(diag.ManyExecs, n.Get("for_each"), "for_each cannot also define run, command, pipeline, workflow, or parallel")
		return false
	case execs == 0 && !isGate(n.Get("approval")) && (input == nil || input.Kind == ScalarNode):
		if !faulty {
			l.nothingToDo(n)
		}
		return false
	case execs > 1 && !faulty:
		l.fail(diag.ManyExecs, n, "can only define one of run, command, pipeline, workflow, parallel, or for_each").Hint =
			"make two steps of it, the second with `stdin: $" + l.id + ".json` when it needs the first one's result"
		return false
	}
	return true
}

// nothingToDo reports a step that does nothing, at the key that was meant to do something.
func (l label) nothingToDo(n *Node) {
	at, hint := n, ""
	for _, key := range []string{"run", "command", "pipeline", "approval", "input"} {
		if v := n.Get(key); v != nil {
			at, hint = v, key+" takes text that is not empty"
			switch {
			case key == "approval":
				hint = "approval takes true, the prompt as text, or a mapping"
			case key == "input":
				hint = "input takes a mapping with prompt and responseSchema"
			case v.Kind == ScalarNode && !v.IsString() && !v.IsNull():
				hint = `quote it: ` + key + `: "` + v.Scalar.Text + `"`
			}
			break
		}
	}
	e := l.fail(diag.BadStep, at, "requires run, command, pipeline, workflow, parallel, for_each, approval, or input")
	if e.Hint = hint; hint == "" {
		l.misspelt(n, e)
	}
}

// misspelt points a step that does nothing at the unknown key that was meant to say what to do.
func (l label) misspelt(n *Node, e *diag.Diagnostic) {
	for _, x := range n.Entries {
		key := x.Key.Text
		if slices.Contains(stepKeys, key) || strings.HasPrefix(key, "x-") {
			continue
		}
		better := meant[key].key
		if better == "" {
			better = Nearest(key, stepKeys)
		}
		if slices.Contains([]string{"run", "command", "pipeline", "workflow", "parallel", "for_each", "approval", "input"}, better) {
			e.Span, e.Hint = x.Key.Span, "did you mean "+better+"?"
			e.Edits = []diag.Edit{{Span: x.Key.Span, NewText: better, Safe: better == "approval" || squeeze(better) == squeeze(key)}}
			return
		}
	}
}

// execution takes run, command and pipeline over.
func (l label) execution(n *Node, s *Step) {
	for _, key := range []string{"run", "command", "pipeline"} {
		if v := n.Get(key); v != nil && !v.IsString() {
			l.fail(diag.BadValue, v, "%s must be a string", key)
		}
	}
	takeExecution(n, s)
}

// takeExecution sets Run or Pipeline. An empty text is no execution.
func takeExecution(n *Node, s *Step) {
	switch {
	case hasText(n, "pipeline"):
		s.Pipeline = stringOf(n.Get("pipeline"))
	case hasText(n, shellKey(n)):
		s.Run = stringOf(n.Get(shellKey(n)))
	}
}

// policies decodes timeout_ms, on_error and retry.
func (l label) policies(n *Node, s *Step) {
	if v := n.Get("timeout_ms"); v != nil {
		s.TimeoutMS = l.d.timeout(v, "Workflow step "+l.id+" timeout_ms")
	}
	if v := n.Get("on_error"); v != nil {
		t := stringOf(v)
		if t == nil || t.Text != "stop" && t.Text != "continue" && t.Text != "skip_rest" {
			l.fail(diag.BadValue, v, `on_error must be "stop", "continue", or "skip_rest"`)
		} else {
			s.OnError = t.Text
		}
	}
	s.Retry = l.retry(n.Get("retry"))
}

// common decodes what steps, branches and sub-steps share: env, cwd, stdin, when.
func (d *decoder) common(n *Node, s *Step) {
	s.Description = d.text(n, "description")
	s.Env = d.env(n.Get("env"))
	s.Cwd = d.cwd(n)
	if v := n.Get("stdin"); v != nil && !v.IsNull() {
		s.Stdin = v
	}
	for _, key := range []string{"condition", "when"} {
		e := n.Entry(key)
		if e == nil || e.Value.IsNull() {
			continue
		}
		if s.When != nil {
			w := d.diags.Warnf(diag.IgnoredKey, s.When.Key.Span, "condition is ignored: when stands too")
			w.Hint = "join the two under when, with &&"
			w.Notes = []diag.Note{{Span: e.Key.Span, Message: "this one counts"}}
		}
		s.When = e
	}
}

// strayKeys warns of known keys that do nothing on this step.
func (l label) strayKeys(n *Node, s *Step) {
	stray := func(used bool, need string, keys ...string) {
		for _, key := range keys {
			if e := n.Entry(key); e != nil && !used {
				l.d.diags.Warnf(diag.IgnoredKey, e.Key.Span, "%s does nothing without %s", key, need)
			}
		}
	}
	stray(n.Get("for_each") != nil, "for_each", "item_var", "index_var", "batch_size", "pause_ms", "steps")
	stray(n.Get("workflow") != nil, "workflow", "workflow_args")
	if e := n.Entry("command"); e != nil && s.Run != nil && hasText(n, "run") && e.Value.IsString() {
		l.d.diags.Warnf(diag.IgnoredKey, e.Key.Span, "command is ignored: run stands too")
	}
}

// isGate tells whether an approval value makes a gate: true, text that is not empty, or a mapping.
func isGate(v *Node) bool {
	switch {
	case v == nil:
		return false
	case v.Kind == ScalarNode && v.Value.Kind() == value.BoolKind:
		return v.Value.Bool()
	case v.IsString():
		return strings.TrimSpace(v.Scalar.Text) != ""
	}
	return v.Kind == MapNode
}
