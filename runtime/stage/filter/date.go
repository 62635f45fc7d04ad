package filter

import (
	"math"
	"strings"
	"time"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// Date writes a point in time in UTC. The value is a number of milliseconds since 1970, or text: digits, also between white space,
// are milliseconds too, anything else is read as JavaScript's Date reads it. No format, or an empty one, is ISO 8601; else the first YYYY, MM, DD, HH, mm and ss in it are
// replaced. What is no time gives its text.
func Date(format ...string) Func {
	return func(v value.Value) value.Value {
		ms, ok := pointInTime(v)
		if !ok {
			return value.String(dateText(v))
		}
		return value.String(formatTime(ms, strings.Join(format, "")))
	}
}

// dateText is JavaScript's String, null and absent included.
func dateText(v value.Value) string {
	if v.IsAbsent() {
		return "undefined"
	}
	return v.JSString()
}

// maxTime is the largest time that JavaScript's Date holds.
const maxTime = 8.64e15

// pointInTime gives the milliseconds of v.
func pointInTime(v value.Value) (ms float64, ok bool) {
	if v.Kind() == value.NumberKind {
		ms = v.Float()
	} else {
		s := dateText(v)
		if v.Kind() == value.StringKind && isDigits(value.TrimSpace(s)) {
			ms = value.StringNumber(s)
		} else if ms, ok = parseDate(s, time.Local); !ok {
			return 0, false
		}
	}
	if math.IsNaN(ms) || math.Abs(ms) > maxTime {
		return 0, false
	}
	return math.Trunc(ms), true
}

func isDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// formatTime writes ms in UTC.
func formatTime(ms float64, format string) string {
	t := time.UnixMilli(int64(ms)).UTC()
	if format == "" {
		return isoYear(t.Year()) + t.Format("-01-02T15:04:05.000Z")
	}
	for _, f := range [...]struct{ name, layout string }{
		{"YYYY", ""}, {"MM", "01"}, {"DD", "02"}, {"HH", "15"}, {"mm", "04"}, {"ss", "05"},
	} {
		text := t.Format(f.layout)
		if f.layout == "" {
			text = pad(t.Year(), 4)
		}
		format = strings.Replace(format, f.name, text, 1)
	}
	return format
}

// isoYear is the year of toISOString: six digits with a sign outside of 0 to 9999.
func isoYear(y int) string {
	switch {
	case y < 0:
		return "-" + pad(-y, 6)
	case y > 9999:
		return "+" + pad(y, 6)
	}
	return pad(y, 4)
}

// pad writes n with at least width digits.
func pad(n, width int) string {
	s := value.NumberText(float64(n))
	if len(s) < width {
		s = strings.Repeat("0", width-len(s)) + s
	}
	return s
}
