package filter

import (
	"math"
	"strconv"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// Round rounds a number, or what JavaScript's Number makes one, to digits places after the point. Other values stay as they are.
func Round(digits int) Func {
	return func(v value.Value) value.Value {
		f := v.JSNumber()
		if math.IsNaN(f) {
			return v
		}
		return value.Number(round(f, digits))
	}
}

// round is Number(f.toFixed(digits)): halves go away from zero.
func round(f float64, digits int) float64 {
	if math.Abs(f) >= 1e21 {
		return f
	}
	s := strconv.FormatFloat(f, 'f', digits, 64)
	if isHalf(f, digits) {
		s = awayFromZero(f, digits)
	}
	r, _ := strconv.ParseFloat(s, 64)
	return r
}

// isHalf tells whether f lies exactly between two numbers of so many digits; there Go rounds to even.
func isHalf(f float64, digits int) bool {
	if !strings.HasSuffix(strconv.FormatFloat(f, 'f', digits+1, 64), "5") {
		return false
	}
	const all = 1080 // digits after the point that a double can have
	exact := strconv.FormatFloat(f, 'f', all, 64)
	point := strings.IndexByte(exact, '.')
	return strings.Trim(exact[point+1+digits:], "0") == "5"
}

// awayFromZero rounds a half: the digits up to the 5 are cut off and the next number is taken.
func awayFromZero(f float64, digits int) string {
	s := strconv.FormatFloat(f, 'f', digits+1, 64)
	b := []byte(strings.TrimSuffix(s[:len(s)-1], "."))
	for i := len(b) - 1; i >= 0; i-- {
		switch b[i] {
		case '.', '-':
			continue
		case '9':
			b[i] = '0'
			continue
		}
		b[i]++
		return string(b)
	}
	if b[0] == '-' {
		return "-1" + string(b[1:])
	}
	return "1" + string(b)
}
