package value

import (
	"slices"
	"unicode/utf8"
	"unsafe"
)

// A raw value is an array or object that is still JSON text, known to be valid and at most lazyLimit long when it was
// read. Its flags are those of the scanner. Looking into it scans the text; passing it on copies it.

func rawValue(s string, flags uint8) Value {
	r := repRawArray
	if s[0] == '{' {
		r = repRawObject
	}
	v := makeValue(unsafe.Pointer(unsafe.StringData(s)), r, len(s))
	v.n |= uint64(flags) << flagShift
	return v
}

func (v Value) isRaw() bool      { return v.is(repRawArray) || v.is(repRawObject) }
func (v Value) rawFlags() uint8  { return uint8(v.n>>flagShift) & 0xF }
func (v Value) parseRaw() Value  { return v.parseAll(len(v.bytes()) - 1) }
func (v Value) parseDeep() Value { return v.parseAll(0) }

// parseAll parses v; arrays and objects inside that are at most limit long stay raw.
func (v Value) parseAll(limit int) Value {
	p := parser{s: v.bytes(), flags: v.rawFlags(), limit: limit}
	if p.s[0] == '[' {
		return p.array()
	}
	return p.object()
}

// full is v with nothing raw at its top: a raw value is parsed throughout.
func (v Value) full() Value {
	if v.isRaw() {
		return v.parseDeep()
	}
	return v
}

// rawGet is Get of a raw object.
func (v Value) rawGet(key string) Value {
	s, flags := v.bytes(), v.rawFlags()
	found := Value{}
	for i := skipSpace(s, 1); s[i] != '}'; {
		end, escaped := stringEnd(s, i+1)
		match := s[i+1:end] == key
		if escaped || flags&flagOrder != 0 {
			match = unquote(s[i+1:end], escaped, flags) == key
		}
		i = skipSpace(s, end+1) + 1 // the colon
		i = skipSpace(s, i)
		if match {
			found = subValue(s, i, flags)
			if flags&flagOrder == 0 {
				return found
			}
		}
		_, i = nextElement(s, i)
	}
	return found
}

// rawAt is At of a raw array.
func (v Value) rawAt(n int) Value {
	if n < 0 {
		return Value{}
	}
	s := v.bytes()
	for i := skipSpace(s, 1); s[i] != ']'; n-- {
		if n == 0 {
			return subValue(s, i, v.rawFlags())
		}
		_, i = nextElement(s, i)
	}
	return Value{}
}

func (v Value) rawLen() int {
	if v.rawFlags()&flagOrder != 0 && v.is(repRawObject) {
		return v.parseRaw().Len() // a key may stand twice
	}
	s, n := v.bytes(), 0
	for i := skipSpace(s, 1); s[i] != ']' && s[i] != '}'; n++ {
		if v.is(repRawObject) {
			end, _ := stringEnd(s, i+1)
			i = skipSpace(s, skipSpace(s, end+1)+1)
		}
		_, i = nextElement(s, i)
	}
	return n
}

// nextElement finds the end of the value at i, and what comes after it, a comma and white space.
func nextElement(s string, i int) (end, after int) {
	switch s[i] {
	case '"':
		i, _ = stringEnd(s, i+1)
		i++
	case '{', '[':
		i = containerEnd(s, i)
	default:
		for s[i] > ' ' && s[i] != ',' && s[i] != ']' && s[i] != '}' {
			i++
		}
	}
	end = i
	i = skipSpace(s, i)
	if s[i] == ',' {
		i = skipSpace(s, i+1)
	}
	return end, i
}

// subValue is the value at i of a raw text.
func subValue(s string, i int, flags uint8) Value {
	if c := s[i]; c == '{' || c == '[' {
		return rawValue(s[i:containerEnd(s, i)], flags)
	}
	p := parser{s: s, i: i, flags: flags}
	return p.value()
}

// appendRaw appends the JSON of a raw value.
func (v Value) appendRaw(dst []byte) []byte {
	switch flags := v.rawFlags(); {
	case flags == 0:
		return append(dst, v.bytes()...)
	case flags&flagOrder == 0:
		return appendTidied(slices.Grow(dst, v.size()), v.bytes())
	}
	return v.parseDeep().AppendJSON(dst)
}

// appendTidied appends valid text without white space, and with strings and numbers as JavaScript writes them. Keys keep
// their order.
func appendTidied(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		switch c := s[i]; c {
		case ' ', '\t', '\n', '\r':
			i = skipSpaces(s, i)
		case ',', ':', '[', ']', '{', '}':
			dst = append(dst, c)
			i++
		default:
			dst, i = appendScalarText(dst, s, i)
		}
	}
	return dst
}

// appendScalarText appends the string, number or word at i of s as JavaScript writes it.
func appendScalarText(dst []byte, s string, i int) ([]byte, int) {
	switch c := s[i]; {
	case c == '"':
		end, wide := findSpecial(s, i+1)
		if wide == 0 && s[end] == '"' {
			return append(dst, s[i:end+1]...), end + 1
		}
		end, escaped := stringEnd(s, end)
		if !escaped && utf8.ValidString(s[i:end]) {
			return append(dst, s[i:end+1]...), end + 1
		}
		return AppendQuoted(dst, unescape(s[i+1:end])), end + 1
	case c == '-' || isDigit(c):
		end, canonical, _ := scanNumber(s, i)
		if canonical {
			return append(dst, s[i:end]...), end
		}
		return numberText(s[i:end]).appendScalar(dst), end
	}
	end := i
	for end < len(s) && 'a' <= s[end] && s[end] <= 'z' {
		end++
	}
	return append(dst, s[i:end]...), end
}

// appendIndented appends valid text, whose keys are in order, as JSON.stringify with an indent prints it at this depth.
func appendIndented(dst []byte, s, indent string, depth int) []byte {
	for i := 0; i < len(s); {
		switch c := s[i]; c {
		case ' ', '\t', '\n', '\r':
			i = skipSpaces(s, i)
		case '[', '{':
			dst = append(dst, c)
			i = skipSpace(s, i+1)
			if s[i] == c+2 { // its closing bracket
				dst = append(dst, s[i])
				i++
				continue
			}
			depth++
			dst = appendLine(dst, false, indent, depth)
		case ']', '}':
			depth--
			dst = append(appendLine(dst, false, indent, depth), c)
			i++
		case ',':
			dst = appendLine(dst, true, indent, depth)
			i++
		case ':':
			dst = append(dst, ": "...)
			i++
		default:
			dst, i = appendScalarText(dst, s, i)
		}
	}
	return dst
}
