package runtime

import (
	"github.com/lobsterc/lobsterc/runtime/drive"
	"github.com/lobsterc/lobsterc/runtime/plain"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// Sizes of envelopes of input requests (spec part 1, 2.4), in bytes.
const (
	maxEnvelopeDefault = 512000
	maxEnvelopeLeast   = 1024
	subjectLimit       = 192000
	subjectPreview     = 2000 // UTF-16 units
	// tokenRoom is what the reference keeps free for the token, which it does not have yet when it measures the envelope in its
	// compact form.
	tokenRoom = 220
)

// fit cuts the subject of an input request down so that its envelope stays within LOBSTER_MAX_TOOL_ENVELOPE_BYTES. Only of a
// subject over subjectLimit a preview stays; one that is smaller goes whole or not at all, as in the reference. The full subject
// stays in the saved state.
func (s *session) fit(o *outcome, g *drive.Gate) error {
	limit := envelopeLimit(s.app.env("LOBSTER_MAX_TOOL_ENVELOPE_BYTES"))
	subject := g.Subject.AppendJSON(nil)
	large := func() bool {
		v := value.Object(append(o.envelopeHead(), o.members()...)...)
		return len(v.AppendJSON(nil))-len(o.input.Get("resumeToken").Str())+tokenRoom > limit
	}
	// What the caller reads is bounded too: a request that it throws away takes its token with it.
	unseen := func() bool {
		if large() || s.app.opt.maxStdout <= 0 {
			return large()
		}
		_, shown := s.app.document(o)
		return shown != o
	}
	cut := func(preview string) {
		short := value.Object(value.M("truncated", value.Bool(true)), value.M("bytes", value.Int(int64(len(subject)))), value.M("preview", value.String(preview)))
		o.input = o.input.With("subject", short)
	}
	if len(subject) > subjectLimit && unseen() {
		cut(drive.Clip(string(subject), subjectPreview))
	}
	if unseen() {
		cut("[subject omitted: envelope size limit]")
	}
	if large() {
		return &sizeError{"Workflow input step " + g.StepID + " needs_input envelope exceeds " + plain.Int(limit) + " bytes even after subject truncation"}
	}
	return nil
}

// sizeError is an input request that is too large to be shown: the run fails.
type sizeError struct{ message string }

func (e *sizeError) Error() string { return e.message }

func envelopeLimit(text string) int {
	n := value.StringNumber(text)
	if !(n >= maxEnvelopeLeast) || text == "" {
		return maxEnvelopeDefault
	}
	return int(n)
}
