package stage

import (
	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// DedupeOptions are the options of dedupe.
type DedupeOptions struct{ Key Path }

// Dedupe passes the first item of each key on. Keys are compared as compact JSON; absent is a key of its own.
func Dedupe(o DedupeOptions) flow.Stage {
	return flow.Stage{Name: "dedupe", Run: func(_ *flow.Env, in flow.Stream) flow.Stream {
		return func(y func(value.Value, error) bool) {
			seen := map[string]struct{}{}
			var buf []byte
			for v, err := range in {
				if err != nil {
					fail(y, err)
					return
				}
				buf = appendKey(buf[:0], o.Key.of(v))
				if _, ok := seen[string(buf)]; ok {
					continue
				}
				seen[string(buf)] = struct{}{}
				if !y(v, nil) {
					return
				}
			}
		}
	}}
}

// appendKey appends a key as compact JSON, nothing for an absent one.
func appendKey(dst []byte, key value.Value) []byte {
	if key.IsAbsent() {
		return dst
	}
	return key.AppendJSON(dst)
}
