package filter

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// upper is JavaScript's toUpperCase: Unicode's full mapping, in which a letter may become several.
func upper(s string) string {
	if isASCII(s) {
		return strings.ToUpper(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if long, ok := upperLong[r]; ok {
			b.WriteString(long)
		} else {
			writeRune(&b, unicode.ToUpper(r), s[i:i+size])
		}
		i += size
	}
	return b.String()
}

// lower is JavaScript's toLowerCase: a sigma that ends a word has a form of its own, and the Turkish capital I keeps its dot.
func lower(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == 'İ':
			b.WriteString("i\u0307")
		case r == 'Σ' && endsWord(s[:i], s[i+size:]):
			b.WriteRune('ς')
		default:
			writeRune(&b, unicode.ToLower(r), s[i:i+size])
		}
		i += size
	}
	return b.String()
}

// writeRune writes r, or the bytes that it was made of when they are no character (half of a surrogate pair).
func writeRune(b *strings.Builder, r rune, raw string) {
	if r == utf8.RuneError {
		b.WriteString(raw)
		return
	}
	b.WriteRune(r)
}

// endsWord tells whether a sigma between before and after is the last letter of a word of more than one.
func endsWord(before, after string) bool {
	for len(before) > 0 {
		r, size := utf8.DecodeLastRuneInString(before)
		if !ignorable(r) {
			if !cased(r) {
				return false
			}
			break
		}
		before = before[:len(before)-size]
	}
	if before == "" {
		return false
	}
	for _, r := range after {
		if !ignorable(r) {
			return !cased(r)
		}
	}
	return true
}

// cased tells whether r is a letter with case.
func cased(r rune) bool {
	return unicode.IsUpper(r) || unicode.IsLower(r) || unicode.IsTitle(r)
}

// ignorable tells whether r does not count in the middle of a word.
func ignorable(r rune) bool {
	switch r {
	case '\'', '.', ':', '^', '`', 0xA8, 0xAD, 0xAF, 0xB4, 0xB7, 0xB8, 0x2018, 0x2019, 0x2024, 0x2027:
		return true
	}
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk)
}

// upperLong holds what Go's unicode.ToUpper cannot give: upper case of more than one character (Unicode's SpecialCasing).
var upperLong = map[rune]string{
	0x00DF: "SS", 0x0149: "\u02bcN", 0x01F0: "J\u030c", 0x0390: "\u0399\u0308\u0301", 0x03B0: "\u03a5\u0308\u0301",
	0x0587: "\u0535\u0552", 0x1E96: "H\u0331", 0x1E97: "T\u0308", 0x1E98: "W\u030a", 0x1E99: "Y\u030a", 0x1E9A: "A\u02be",
	0x1F50: "\u03a5\u0313", 0x1F52: "\u03a5\u0313\u0300", 0x1F54: "\u03a5\u0313\u0301", 0x1F56: "\u03a5\u0313\u0342",
	0x1F80: "\u1f08\u0399", 0x1F81: "\u1f09\u0399", 0x1F82: "\u1f0a\u0399", 0x1F83: "\u1f0b\u0399", 0x1F84: "\u1f0c\u0399",
	0x1F85: "\u1f0d\u0399", 0x1F86: "\u1f0e\u0399", 0x1F87: "\u1f0f\u0399", 0x1F88: "\u1f08\u0399", 0x1F89: "\u1f09\u0399",
	0x1F8A: "\u1f0a\u0399", 0x1F8B: "\u1f0b\u0399", 0x1F8C: "\u1f0c\u0399", 0x1F8D: "\u1f0d\u0399", 0x1F8E: "\u1f0e\u0399",
	0x1F8F: "\u1f0f\u0399", 0x1F90: "\u1f28\u0399", 0x1F91: "\u1f29\u0399", 0x1F92: "\u1f2a\u0399", 0x1F93: "\u1f2b\u0399",
	0x1F94: "\u1f2c\u0399", 0x1F95: "\u1f2d\u0399", 0x1F96: "\u1f2e\u0399", 0x1F97: "\u1f2f\u0399", 0x1F98: "\u1f28\u0399",
	0x1F99: "\u1f29\u0399", 0x1F9A: "\u1f2a\u0399", 0x1F9B: "\u1f2b\u0399", 0x1F9C: "\u1f2c\u0399", 0x1F9D: "\u1f2d\u0399",
	0x1F9E: "\u1f2e\u0399", 0x1F9F: "\u1f2f\u0399", 0x1FA0: "\u1f68\u0399", 0x1FA1: "\u1f69\u0399", 0x1FA2: "\u1f6a\u0399",
	0x1FA3: "\u1f6b\u0399", 0x1FA4: "\u1f6c\u0399", 0x1FA5: "\u1f6d\u0399", 0x1FA6: "\u1f6e\u0399", 0x1FA7: "\u1f6f\u0399",
	0x1FA8: "\u1f68\u0399", 0x1FA9: "\u1f69\u0399", 0x1FAA: "\u1f6a\u0399", 0x1FAB: "\u1f6b\u0399", 0x1FAC: "\u1f6c\u0399",
	0x1FAD: "\u1f6d\u0399", 0x1FAE: "\u1f6e\u0399", 0x1FAF: "\u1f6f\u0399", 0x1FB2: "\u1fba\u0399", 0x1FB3: "\u0391\u0399",
	0x1FB4: "\u0386\u0399", 0x1FB6: "\u0391\u0342", 0x1FB7: "\u0391\u0342\u0399", 0x1FBC: "\u0391\u0399",
	0x1FC2: "\u1fca\u0399", 0x1FC3: "\u0397\u0399", 0x1FC4: "\u0389\u0399", 0x1FC6: "\u0397\u0342",
	0x1FC7: "\u0397\u0342\u0399", 0x1FCC: "\u0397\u0399", 0x1FD2: "\u0399\u0308\u0300", 0x1FD3: "\u0399\u0308\u0301",
	0x1FD6: "\u0399\u0342", 0x1FD7: "\u0399\u0308\u0342", 0x1FE2: "\u03a5\u0308\u0300", 0x1FE3: "\u03a5\u0308\u0301",
	0x1FE4: "\u03a1\u0313", 0x1FE6: "\u03a5\u0342", 0x1FE7: "\u03a5\u0308\u0342", 0x1FF2: "\u1ffa\u0399",
	0x1FF3: "\u03a9\u0399", 0x1FF4: "\u038f\u0399", 0x1FF6: "\u03a9\u0342", 0x1FF7: "\u03a9\u0342\u0399",
	0x1FFC: "\u03a9\u0399", 0xFB00: "FF", 0xFB01: "FI", 0xFB02: "FL", 0xFB03: "FFI", 0xFB04: "FFL", 0xFB05: "ST", 0xFB06: "ST",
	0xFB13: "\u0544\u0546", 0xFB14: "\u0544\u0535", 0xFB15: "\u0544\u053b", 0xFB16: "\u054e\u0546", 0xFB17: "\u0544\u053d",
}
