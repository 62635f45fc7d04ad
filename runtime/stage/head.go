package stage

import (
	"errors"
	"math"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// HeadOptions are the options of head.
type HeadOptions struct{ N float64 }

// errHead is the reference's text.
var errHead = errors.New("head --n must be a non-negative number")

// countOK tells whether n can be a number of items.
func countOK(n float64) bool { return n >= 0 && !math.IsInf(n, 1) }

// Head passes the first N items on. Then it takes no more, so that what comes before it can stop. A fraction counts as one more.
func Head(o HeadOptions) flow.Stage {
	if !countOK(o.N) {
		return Failing("head", errHead)
	}
	return flow.Stage{Name: "head", Run: func(_ *flow.Env, in flow.Stream) flow.Stream {
		return func(y func(value.Value, error) bool) {
			n := 0.0
			for v, err := range in {
				switch {
				case err != nil:
					fail(y, err)
					return
				case n >= o.N:
					return
				}
				n++
				if !y(v, nil) || n >= o.N {
					return
				}
			}
		}
	}}
}
