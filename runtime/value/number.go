package value

import (
	"math"
	"math/bits"
	"strconv"
)

// maxSafe is JavaScript's Number.MAX_SAFE_INTEGER.
const maxSafe = 1<<53 - 1

func appendInt(dst []byte, i int64) []byte { return strconv.AppendInt(dst, i, 10) }

// parseFloat reads a JSON number literal; too large a number is an infinity, as in JavaScript.
func parseFloat(s string) float64 {
	f, _ := strconv.ParseFloat(s, 64)
	return f
}

// NumberText is a number as JavaScript prints it.
func NumberText(f float64) string {
	var buf [32]byte
	return string(AppendNumber(buf[:0], f))
}

// AppendNumber appends NumberText(f).
func AppendNumber(dst []byte, f float64) []byte {
	if i := int64(f); float64(i) == f && -maxSafe <= i && i <= maxSafe {
		return strconv.AppendInt(dst, i, 10) // -0 too: JavaScript prints 0
	}
	switch {
	case f != f:
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	var buf [32]byte
	digits, exp := shortest(buf[:0], math.Abs(f))
	if f < 0 {
		dst = append(dst, '-')
	}
	return appendDecimal(dst, digits, exp)
}

// shortest gives the shortest digits that read back as f, with the point before them and times ten to exp.
func shortest(buf []byte, f float64) (digits []byte, exp int) {
	buf = strconv.AppendFloat(buf, f, 'e', -1, 64) // d.ddde±dd
	e := len(buf) - 1
	for buf[e] != 'e' {
		e--
	}
	exp, _ = strconv.Atoi(string(buf[e+1:]))
	if e > 1 {
		copy(buf[1:], buf[2:e]) // drops the point
		return buf[:e-1], exp + 1
	}
	return buf[:1], exp + 1
}

// appendDecimal is ECMAScript's Number::toString on digits and exponent.
func appendDecimal(dst, digits []byte, exp int) []byte {
	switch k := len(digits); {
	case k <= exp && exp <= 21:
		dst = append(dst, digits...)
		return appendZeros(dst, exp-k)
	case 0 < exp && exp <= 21:
		dst = append(dst, digits[:exp]...)
		dst = append(dst, '.')
		return append(dst, digits[exp:]...)
	case -6 < exp && exp <= 0:
		dst = append(dst, "0."...)
		dst = appendZeros(dst, -exp)
		return append(dst, digits...)
	}
	dst = append(dst, digits[0])
	if len(digits) > 1 {
		dst = append(dst, '.')
		dst = append(dst, digits[1:]...)
	}
	dst = append(dst, 'e')
	if exp > 0 {
		dst = append(dst, '+')
	}
	return strconv.AppendInt(dst, int64(exp-1), 10)
}

func appendZeros(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, '0')
	}
	return dst
}

// integerLiteral keeps the digits when JavaScript's text of the double would name another integer: then an id would
// not survive being passed on.
func integerLiteral(s string) Value {
	if len(s) <= 15 {
		n, neg := int64(0), false
		for i := 0; i < len(s); i++ {
			if s[i] == '-' {
				neg = true
				continue
			}
			n = n*10 + int64(s[i]-'0')
		}
		if neg {
			return Number(-float64(n)) // keeps -0
		}
		return Number(float64(n))
	}
	f := parseFloat(s)
	if sameInteger(s, f) {
		return Number(f)
	}
	return textValue(repDigits, s)
}

// sameInteger reports whether the integer literal s is the integer that JavaScript's text of f names.
func sameInteger(s string, f float64) bool {
	if math.IsInf(f, 0) {
		return false
	}
	if f < 0 {
		s = s[1:]
	}
	var buf [32]byte
	digits, exp := shortest(buf[:0], math.Abs(f))
	if len(s) != exp {
		return false
	}
	for i := range len(s) {
		want := byte('0')
		if i < len(digits) {
			want = digits[i]
		}
		if s[i] != want {
			return false
		}
	}
	return true
}

// StringNumber is JavaScript's Number(s) of a string: NaN when s is not a number, 0 when it is blank.
func StringNumber(s string) float64 {
	s = TrimSpace(s)
	if s == "" {
		return 0
	}
	if len(s) > 2 && s[0] == '0' {
		switch s[1] {
		case 'x', 'X':
			return radixNumber(s[2:], 4)
		case 'o', 'O':
			return radixNumber(s[2:], 3)
		case 'b', 'B':
			return radixNumber(s[2:], 1)
		}
	}
	switch s {
	case "Infinity", "+Infinity":
		return math.Inf(1)
	case "-Infinity":
		return math.Inf(-1)
	}
	for i := 0; i < len(s); i++ { // strconv also takes inf, nan, hexadecimal and underscores
		switch c := s[i]; {
		case '0' <= c && c <= '9', c == '.', c == 'e', c == 'E', c == '+', c == '-':
		default:
			return math.NaN()
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(f, 0) {
		return math.NaN()
	}
	return f
}

// radixNumber reads digits of bits bits each, rounding as a double does.
func radixNumber(s string, width uint) float64 {
	var mant uint64
	exp := 0
	for i := 0; i < len(s); i++ {
		var d uint64
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			d = uint64(c - '0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			d = uint64(c|0x20-'a') + 10
		default:
			return math.NaN()
		}
		if d >= 1<<width {
			return math.NaN()
		}
		if exp == 0 && bits.LeadingZeros64(mant) >= int(width) {
			mant = mant<<width | d
			continue
		}
		exp += int(width)
		if d != 0 {
			mant |= 1 // sticky: only says "a little more" to the rounding
		}
	}
	return math.Ldexp(float64(mant), exp)
}

// JSNumber is JavaScript's Number(v).
func (v Value) JSNumber() float64 {
	switch v.Kind() {
	case NullKind:
		return 0
	case BoolKind:
		if v.Bool() {
			return 1
		}
		return 0
	case NumberKind:
		return v.Float()
	case StringKind:
		return StringNumber(v.Str())
	case ArrayKind:
		return StringNumber(v.JSString())
	}
	return math.NaN()
}
