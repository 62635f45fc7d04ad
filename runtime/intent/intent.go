// Package intent reads what a caller answers to a paused run: approve, a JSON response, or cancel. Compiled programs and
// `lobsterc resume` share it, so that both say the same (spec part 3, section 2, and part 7, 17).
package intent

import (
	"errors"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/plain"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Words are the answer as flags hold it. Answered tells that --response-json was given, be it empty.
type Words struct {
	Approve  string
	Response string
	Answered bool
	Cancel   string
}

// Intent is a checked answer. Given is false when there is none; else exactly one of Cancel, Decided and Answered is set.
type Intent struct {
	Given    bool
	Cancel   bool
	Decided  bool // --approve was given
	Approve  bool // and says yes
	Answered bool // --response-json was given
	Response value.Value
}

// Parse checks the words. Its errors are the reference's usage errors.
func Parse(w Words) (Intent, error) {
	in := Intent{Decided: w.Approve != "", Answered: w.Answered}
	if w.Cancel != "" {
		yes, ok := Truth(w.Cancel)
		if !ok {
			return in, errors.New("resume --cancel must be true or false")
		}
		in.Cancel = yes
	}
	n := 0
	for _, given := range []bool{in.Cancel, in.Decided, in.Answered} {
		if given {
			n++
		}
	}
	if n > 1 {
		return in, errors.New("resume accepts only one of --approve, --response-json, or --cancel")
	}
	in.Given = n == 1
	var ok bool
	if in.Approve, ok = Truth(w.Approve); in.Decided && !ok {
		return in, errors.New("resume --approve must be yes or no")
	}
	if in.Answered {
		var err error
		if in.Response, err = value.ParseString(w.Response); err != nil {
			return in, errors.New("resume --response-json must be valid JSON")
		}
	}
	return in, nil
}

// ErrNone is the error for a resume that needs an answer and has none.
var ErrNone = errors.New("resume requires --approve yes|no, --response-json, or --cancel")

// Truth reads yes and no in all the spellings that answers take.
func Truth(s string) (yes, ok bool) {
	switch plain.Lower(strings.TrimSpace(s)) {
	case "true", "1", "yes", "y":
		return true, true
	case "false", "0", "no", "n":
		return false, true
	}
	return false, false
}
