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
)

// fit cuts the subject of an input request down so that its envelope stays within LOBSTER_MAX_TOOL_ENVELOPE_BYTES. The full
// subject stays in the saved state.
func (s *session) fit(o *outcome, g *drive.Gate) error {
	limit := envelopeLimit(s.app.env("LOBSTER_MAX_TOOL_ENVELOPE_BYTES"))
	subject := g.Subject.AppendJSON(nil)
	size := func() int {
		return len(value.Object(append(o.envelopeHead(), o.members()...)...).AppendIndent(nil, "  ")) + 1
	}
	cut := func(preview string) {
		short := value.Object(value.M("truncated", value.Bool(true)), value.M("bytes", value.Int(int64(len(subject)))), value.M("preview", value.String(preview)))
		o.input = o.input.With("subject", short)
	}
	if len(subject) > subjectLimit || size() > limit {
		cut(drive.Clip(string(subject), subjectPreview))
	}
	if size() > limit {
		cut("[subject omitted: envelope size limit]")
	}
	if size() > limit {
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
