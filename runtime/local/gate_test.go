package local

import (
	"context"
	"io"
	"testing"

	"github.com/lobsterc/lobsterc/runtime/drive"
)

func TestEndOfInput(t *testing.T) {
	for kind, want := range map[drive.GateKind]string{drive.GateApproval: "Not approved", drive.GateInput: "Input response must be valid JSON"} {
		e := New(Config{Ask: func(context.Context, string) (string, error) { return "", io.EOF }}, NewLog(nil))
		_, err := e.Gate(t.Context(), &drive.Gate{Kind: kind, Path: "g", StepID: "g", Prompt: "Well?"})
		if err == nil || err.Error() != want {
			t.Errorf("%v: got %v, want %s", kind, err, want)
		}
	}
}
