package codegen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// Deep values are text in the generated code: their constructors would take the Go compiler minutes.
func TestDeepLiteral(t *testing.T) {
	nested := func(n int) value.Value {
		return value.Literal(strings.Repeat("[", n) + strings.Repeat("]", n))
	}
	if got := fmt.Sprintf("%#v", literal(nested(3))); got != "value.Array(value.Array(value.Array()))" {
		t.Errorf("got %s", got)
	}
	if got := fmt.Sprintf("%#v", literal(nested(5000))); !strings.HasPrefix(got, `value.Literal("[[`) {
		t.Errorf("got %.60s", got)
	}
}
