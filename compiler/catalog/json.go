package catalog

import "github.com/lobsterc/lobsterc/ir"

// InJSONString tells for each segment of a JSON text whether it stands inside a JSON string. A hole there is JSON-escaped into
// place when the program runs; a hole elsewhere must be JSON itself.
func InJSONString(t ir.Template) []bool {
	inside := make([]bool, len(t))
	quoted := false
	for i, seg := range t {
		inside[i] = quoted
		text, ok := seg.(ir.Text)
		if !ok {
			continue
		}
		for j := 0; j < len(text); j++ {
			switch {
			case text[j] == '"':
				quoted = !quoted
			case quoted && text[j] == '\\':
				j++
			}
		}
	}
	return inside
}
