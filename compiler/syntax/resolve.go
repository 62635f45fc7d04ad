package syntax

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// resolvePlain gives the meaning of an untagged plain scalar by the core schema of YAML 1.2.
func resolvePlain(text string) value.Value {
	switch {
	case isNull(text):
		return value.Null
	case isBool(text):
		return value.Bool(text[0] == 't' || text[0] == 'T')
	case isInt(text):
		return intValue(text)
	case isFloat(text):
		return value.Number(floatOf(text))
	}
	return value.String(text)
}

// resolveTagged gives the meaning of a scalar with a tag. A tag that does not fit its text is taken as text, as the reference does;
// known tells whether the tag means anything at all.
func resolveTagged(tag, text string) (v value.Value, known bool) {
	fits := false
	switch strings.TrimPrefix(tag, "tag:yaml.org,2002:") {
	case "!", "str":
		return value.String(text), true
	case "null":
		fits = isNull(text)
	case "bool":
		fits = isBool(text)
	case "int":
		fits = isInt(text)
	case "float":
		fits = isFloat(text) && !isInt(text)
	default:
		return value.String(text), false
	}
	if fits {
		return resolvePlain(text), true
	}
	return value.String(text), true
}

func isNull(s string) bool {
	return s == "" || s == "~" || s == "null" || s == "Null" || s == "NULL"
}

func isBool(s string) bool {
	switch s {
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return true
	}
	return false
}

// isYaml11Bool tells whether YAML 1.1 would read a boolean where YAML 1.2 reads text.
func isYaml11Bool(s string) bool {
	switch strings.ToLower(s) {
	case "yes", "no", "on", "off":
		return s == strings.ToLower(s) || s == strings.ToUpper(s) || s[1:] == strings.ToLower(s[1:])
	}
	return false
}

func isInt(s string) bool {
	if rest, ok := strings.CutPrefix(s, "0x"); ok {
		return rest != "" && strings.Trim(rest, "0123456789abcdefABCDEF") == ""
	}
	if rest, ok := strings.CutPrefix(s, "0o"); ok {
		return rest != "" && strings.Trim(rest, "01234567") == ""
	}
	return digits(unsigned(s)) == len(unsigned(s)) && unsigned(s) != ""
}

func isFloat(s string) bool {
	switch s {
	case ".nan", ".NaN", ".NAN":
		return true
	}
	s = unsigned(s)
	switch s {
	case ".inf", ".Inf", ".INF":
		return true
	}
	whole := digits(s)
	s = s[whole:]
	if strings.HasPrefix(s, ".") {
		fraction := digits(s[1:])
		if whole+fraction == 0 {
			return false
		}
		s = s[1+fraction:]
	} else if whole == 0 {
		return false
	}
	if s == "" {
		return true
	}
	if s[0] != 'e' && s[0] != 'E' {
		return false
	}
	s = unsigned(s[1:])
	return s != "" && digits(s) == len(s)
}

// unsigned cuts one sign.
func unsigned(s string) string {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		return s[1:]
	}
	return s
}

// digits counts the decimal digits that s starts with.
func digits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

// intValue is the number that an integer scalar means. Decimal integers keep their digits when a double cannot hold them.
func intValue(s string) value.Value {
	n := new(big.Int)
	switch {
	case strings.HasPrefix(s, "0x"):
		n.SetString(s[2:], 16)
	case strings.HasPrefix(s, "0o"):
		n.SetString(s[2:], 8)
	default:
		n.SetString(strings.TrimPrefix(s, "+"), 10)
		if n.Sign() == 0 && s[0] == '-' {
			return value.Number(math.Copysign(0, -1))
		}
		if v, err := value.ParseString(n.String()); err == nil {
			return v
		}
	}
	f, _ := new(big.Float).SetInt(n).Float64()
	return value.Number(f)
}

// floatOf is the number that a float scalar means.
func floatOf(s string) float64 {
	if u := unsigned(s); strings.EqualFold(u, ".inf") {
		return math.Inf(1 - 2*strings.Count(s[:1], "-"))
	}
	if strings.EqualFold(s, ".nan") {
		return math.NaN()
	}
	f, _ := strconv.ParseFloat(s, 64) // out of range gives an infinity, as in JavaScript
	return f
}
