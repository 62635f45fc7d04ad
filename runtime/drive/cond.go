package drive

import (
	"math"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// The ordering comparisons of conditions. They never coerce: both sides must be numbers or numeric strings, else the answer
// is false. The comparisons of `where`, which follow JavaScript's loose rules, are others (value.LooseLess).

// Less is x < y in a condition.
func Less(x, y value.Value) bool {
	a, b, ok := numbers(x, y)
	return ok && a < b
}

// LessEqual is x <= y in a condition.
func LessEqual(x, y value.Value) bool {
	a, b, ok := numbers(x, y)
	return ok && a <= b
}

// Greater is x > y in a condition.
func Greater(x, y value.Value) bool { return Less(y, x) }

// GreaterEqual is x >= y in a condition.
func GreaterEqual(x, y value.Value) bool { return LessEqual(y, x) }

func numbers(x, y value.Value) (a, b float64, ok bool) {
	if a, ok = numeric(x); !ok {
		return 0, 0, false
	}
	b, ok = numeric(y)
	return a, b, ok
}

// numeric is the number that v is or spells as JavaScript's Number reads it. Blank text, which Number makes zero, spells none.
func numeric(v value.Value) (float64, bool) {
	switch v.Kind() {
	case value.NumberKind:
		f := v.Float()
		return f, !math.IsNaN(f)
	case value.StringKind:
		f := value.StringNumber(v.Str())
		if math.IsNaN(f) || f == 0 && !strings.ContainsRune(v.Str(), '0') {
			return 0, false
		}
		return f, true
	}
	return 0, false
}
