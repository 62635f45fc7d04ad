package stage

import (
	"io"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// JSON prints the items as a JSON array with two spaces, once all of them are there.
func JSON() flow.Stage {
	return flow.Stage{Name: "json", Render: true, Gathers: true, Run: func(env *flow.Env, in flow.Stream) flow.Stream {
		if env.Passthrough {
			return in
		}
		return func(y func(value.Value, error) bool) {
			if err := printArray(env.Stdout, in); err != nil {
				fail(y, err)
			}
		}
	}}
}

// printArray prints a stream as an array. Items are kept as text, which goes to a file when there is much of it: nothing may be
// printed before the stream has ended well.
func printArray(w io.Writer, in flow.Stream) error {
	var text flow.Spool
	defer text.Close()
	var buf []byte
	n := 0
	for v, err := range in {
		if err != nil {
			return err
		}
		buf = append(buf[:0], ",\n  "...)
		if n == 0 {
			buf = append(buf[:0], "[\n  "...)
		}
		n++
		buf = v.AppendIndentAt(buf, "  ", 1)
		if _, err := text.Write(buf); err != nil {
			return err
		}
	}
	end := "\n]\n"
	if n == 0 {
		end = "[]\n"
	}
	if _, err := io.WriteString(&text, end); err != nil {
		return err
	}
	return text.CopyTo(w)
}
