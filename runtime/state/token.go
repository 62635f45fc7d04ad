package state

import (
	"errors"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// Kind is what a resume token resumes.
type Kind string

// The kinds of token.
const (
	WorkflowFile   Kind = "workflow-file"
	PipelineResume Kind = "pipeline-resume"
)

// Token points at the state of a paused run.
type Token struct {
	Kind Kind
	Key  string
}

// Encode gives the token as text.
func (t Token) Encode() string {
	text := value.Object(
		value.M("protocolVersion", value.Int(1)), value.M("v", value.Int(1)),
		value.M("kind", value.String(string(t.Kind))), value.M("stateKey", value.String(t.Key)),
	).AppendJSON(nil)
	return encodeBase64(text)
}

// NotFound is the error for a token whose state does not exist, or not any more.
func (t Token) NotFound() error {
	if t.Kind == PipelineResume {
		return errors.New("Pipeline resume state not found")
	}
	return errors.New("Workflow resume state not found")
}

// errToken is the reference's text.
var errToken = errors.New("Invalid token")

// ParseToken reads a token, with the reference's errors and its leniency about the alphabet and padding.
func ParseToken(text string) (Token, error) {
	v, err := value.Parse(decodeBase64(text))
	if err != nil || v.Kind() != value.ObjectKind && v.Kind() != value.ArrayKind {
		return Token{}, errToken
	}
	one := value.Int(1)
	kind, key := Kind(v.Get("kind").Str()), v.Get("stateKey").Str()
	switch {
	case !value.StrictEqual(v.Get("protocolVersion"), one):
		return Token{}, errors.New("Unsupported protocol version")
	case !value.StrictEqual(v.Get("v"), one):
		return Token{}, errors.New("Unsupported token version")
	case kind == WorkflowFile && key == "":
		return Token{}, errors.New("Invalid workflow token")
	case key == "" || kind != WorkflowFile && kind != PipelineResume:
		return Token{}, errToken
	}
	return Token{kind, key}, nil
}

// NewKey makes the key of a new paused run.
func NewKey(k Kind) string {
	if k == PipelineResume {
		return "pipeline_resume_" + uuid()
	}
	return "workflow_resume_" + uuid()
}

// resumeKey tells whether a key is one of a paused run of this kind. A token must not make us touch other keys.
func (t Token) resumeKey() bool {
	if t.Kind == PipelineResume {
		return strings.HasPrefix(t.Key, "pipeline_resume_")
	}
	return strings.HasPrefix(t.Key, "workflow_resume_") || strings.HasPrefix(t.Key, "workflow-resume_")
}

// KeyKind tells what a key resumes, and whether it is a key of a paused run at all.
func KeyKind(key string) (Kind, bool) {
	for _, k := range []Kind{WorkflowFile, PipelineResume} {
		if (Token{k, key}).resumeKey() {
			return k, true
		}
	}
	return "", false
}

// NewClaimID makes the id of a claim on a paused run.
func NewClaimID() string { return hexText(random(16)) }

func uuid() string {
	b := random(16)
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	h := hexText(b)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
