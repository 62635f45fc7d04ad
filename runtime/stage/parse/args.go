package parse

import (
	"strings"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// Args reads the text of one stage as the reference does: its name, and {_: [words], flag: text or true}. Saved states of
// paused pipelines carry both. What flags a stage has plays no part, but that exec's --json takes no value.
func Args(stage string) (name string, args value.Value, err error) {
	words, err := Words(stage)
	if err != nil || len(words) == 0 {
		return "", value.Value{}, err
	}
	name = words[0]
	var rest []value.Value
	var flags []value.Member
	for i := 1; i < len(words); i++ {
		flag, ok := strings.CutPrefix(words[i], "--")
		if !ok {
			rest = append(rest, value.String(words[i]))
			continue
		}
		v := value.Bool(true)
		if key, text, ok := strings.Cut(flag, "="); ok {
			flag, v = key, value.String(text)
		} else if i+1 < len(words) && !strings.HasPrefix(words[i+1], "--") && (name != "exec" || flag != "json") {
			i++
			v = value.String(words[i])
		}
		if flag != "__proto__" && flag != "_" {
			flags = append(flags, value.M(flag, v))
		}
	}
	return name, value.Object(append([]value.Member{value.M("_", value.Array(rest...))}, flags...)...), nil
}

// Trim cuts JavaScript's white space at both ends, as the text of a stage is cut.
func Trim(s string) string { return trim(s) }
