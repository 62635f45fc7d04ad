package drive

import (
	"strconv"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// Run is what the functions of a generated program see: the arguments and the results so far, of one workflow instance. Inside a
// loop or a parallel step it is a scope over the workflow's own.
type Run struct {
	args    value.Value // object
	results map[string]*Result
	order   []string // ids in the order of their first record
	outer   *Run
	plan    bool            // a dry run: nothing has a result
	granted map[string]bool // by step: whether a dry run takes an approval for given
	unknown bool            // a plan was asked for a result
}

// NewPlan is a scope for a dry run: references stay as they are spelled, for nothing has run.
func NewPlan(args value.Value) *Run {
	r := NewRun(args)
	r.plan, r.granted = true, map[string]bool{}
	return r
}

// NewRun starts a scope with the resolved arguments (an object).
func NewRun(args value.Value) *Run {
	return &Run{args: args, results: map[string]*Result{}}
}

// scope is a new scope inside r: what it records does not leave it.
func (r *Run) scope() *Run {
	return &Run{args: r.args, results: map[string]*Result{}, outer: r}
}

// Args are the resolved arguments, an object.
func (r *Run) Args() value.Value { return r.args }

// Arg is the text of ${name}: the argument, or the spelling itself when there is no such argument. Unlike in step references,
// null is "null" (spec part 7, 9).
func (r *Run) Arg(name string) string {
	v := r.args.Get(name)
	if v.IsAbsent() {
		return "${" + name + "}"
	}
	return ArgText(v)
}

// HasArg tells whether an argument of that name exists.
func (r *Run) HasArg(name string) bool { return !r.args.Get(name).IsAbsent() }

// ArgText is the text of an argument's value in templates and in LOBSTER_ARG_* variables.
func ArgText(v value.Value) string {
	if v.IsNull() {
		return "null"
	}
	return v.Text()
}

// Result finds the result of a step, innermost scope first.
func (r *Run) Result(id string) (*Result, bool) {
	for s := r; s != nil; s = s.outer {
		if res, ok := s.results[id]; ok {
			return res, true
		}
	}
	if r.plan {
		r.unknown = true
	}
	return nil, false
}

// Unknown tells whether a plan was asked for a result: then what it gave is not what a run would give.
func (r *Run) Unknown() bool { return r.unknown }

// Ref is the value of $id.field.path; Absent when the step has no result or the result no such field.
func (r *Run) Ref(id, field string, path ...string) value.Value {
	res, ok := r.Result(id)
	if !ok {
		return value.Value{}
	}
	return walk(res.Field(field), path)
}

// Text is $id.field.path in a template: the value as text, or the spelling itself when the step has no result.
func (r *Run) Text(id, field string, path ...string) string {
	res, ok := r.Result(id)
	flag := len(path) == 0 && (field == "approved" || field == "skipped")
	if !ok {
		if r.plan && flag && field == "approved" {
			if yes, known := r.granted[id]; known {
				return strconv.FormatBool(yes) // as the reference's plan has it
			}
		}
		spelling := "$" + id + "." + field
		if len(path) > 0 {
			spelling += "." + strings.Join(path, ".")
		}
		return spelling
	}
	v := walk(res.Field(field), path)
	if v.IsAbsent() && flag {
		return "false"
	}
	return v.Text()
}

// walk follows a reference's path: own members of objects and elements of arrays, nothing else.
func walk(v value.Value, path []string) value.Value {
	for _, key := range path {
		switch v.Kind() {
		case value.ObjectKind:
			v = v.Get(key)
		case value.ArrayKind:
			i, err := strconv.ParseUint(key, 10, 32)
			if err != nil || strconv.FormatUint(i, 10) != key || int(i) >= v.Len() {
				return value.Value{}
			}
			v = v.At(int(i))
		default:
			return value.Value{}
		}
	}
	return v
}

// record keeps the result of a step.
func (r *Run) record(res *Result) {
	if _, again := r.results[res.ID]; !again {
		r.order = append(r.order, res.ID)
	}
	r.results[res.ID] = res
}

// Record puts back the result of a step from a snapshot.
func (r *Run) Record(res *Result) { r.record(res) }

// Results are the results of this scope in the order in which they came.
func (r *Run) Results() []*Result {
	list := make([]*Result, len(r.order))
	for i, id := range r.order {
		list[i] = r.results[id]
	}
	return list
}

// Result is what a step left behind, in the shape of the reference's state files. Absent values and nil pointers are
// fields that the result does not have.
type Result struct {
	ID           string
	Stdout       *string
	JSON         value.Value
	Approved     *bool
	ApprovedBy   string
	InitiatedBy  string
	Subject      value.Value
	Response     value.Value
	Skipped      bool
	Error        bool
	ErrorMessage string

	// jsonFirst: state files list json before stdout, which was made of it (loops and parallel steps).
	jsonFirst bool
}

// Field gives a field by the name that references use; Absent when the result has none of that name.
func (r *Result) Field(name string) value.Value {
	switch name {
	case "id":
		return value.String(r.ID)
	case "stdout":
		if r.Stdout != nil {
			return value.String(*r.Stdout)
		}
	case "json":
		return r.JSON
	case "approved":
		if r.Approved != nil {
			return value.Bool(*r.Approved)
		}
	case "approvedBy":
		return textOrAbsent(r.ApprovedBy)
	case "initiatedBy":
		return textOrAbsent(r.InitiatedBy)
	case "subject":
		return r.Subject
	case "response":
		return r.Response
	case "skipped":
		return trueOrAbsent(r.Skipped)
	case "error":
		return trueOrAbsent(r.Error)
	case "errorMessage":
		if r.Error {
			return value.String(r.ErrorMessage)
		}
	}
	return value.Value{}
}

// resultFields are the fields of a result in the order in which state files list them.
var resultFields = []string{
	"id", "stdout", "json", "subject", "response", "initiatedBy", "approved", "approvedBy", "skipped", "error", "errorMessage",
}

// Value is the result as JSON, for state files and journals.
func (r *Result) Value() value.Value {
	members := make([]value.Member, 0, len(resultFields))
	for i, name := range resultFields {
		if r.jsonFirst && (i == 1 || i == 2) {
			name = resultFields[3-i]
		}
		if v := r.Field(name); !v.IsAbsent() {
			members = append(members, value.M(name, v))
		}
	}
	return value.Object(members...)
}

// ResultOf reads what Value wrote, or what the reference wrote.
func ResultOf(v value.Value) *Result {
	r := &Result{
		ID:           v.Get("id").Str(),
		JSON:         v.Get("json"),
		ApprovedBy:   v.Get("approvedBy").Text(),
		InitiatedBy:  v.Get("initiatedBy").Text(),
		Subject:      v.Get("subject"),
		Response:     v.Get("response"),
		Skipped:      v.Get("skipped").Truthy(),
		Error:        v.Get("error").Truthy(),
		ErrorMessage: v.Get("errorMessage").Text(),
	}
	if s := v.Get("stdout"); s.Kind() == value.StringKind {
		text := s.Str()
		r.Stdout = &text
	}
	for name := range v.Members() {
		if name == "stdout" {
			break
		}
		r.jsonFirst = r.jsonFirst || name == "json"
	}
	if a := v.Get("approved"); a.Kind() == value.BoolKind {
		b := a.Bool()
		r.Approved = &b
	}
	return r
}

func textOrAbsent(s string) value.Value {
	if s == "" {
		return value.Value{}
	}
	return value.String(s)
}

func trueOrAbsent(b bool) value.Value {
	if !b {
		return value.Value{}
	}
	return value.Bool(true)
}
