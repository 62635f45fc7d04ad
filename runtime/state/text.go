package state

import "math/rand/v2"

// The packages encoding/base64 and encoding/hex are not used here: they bring reflect and fmt into every program.

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// encodeBase64 is base64url without padding.
func encodeBase64(data []byte) string {
	out := make([]byte, 0, (len(data)*8+5)/6)
	var bits uint
	n := 0
	for _, b := range data {
		bits = bits<<8 | uint(b)
		for n += 8; n >= 6; n -= 6 {
			out = append(out, base64Digits[bits>>(n-6)&63])
		}
	}
	if n > 0 {
		out = append(out, base64Digits[bits<<(6-n)&63])
	}
	return string(out)
}

// decodeBase64 decodes both alphabets, skips what belongs to neither and stops at padding, as the reference does.
func decodeBase64(text string) []byte {
	out := make([]byte, 0, len(text)*3/4)
	var bits uint
	n := 0
	for i := 0; i < len(text) && text[i] != '='; i++ {
		d, ok := base64Digit(text[i])
		if !ok {
			continue
		}
		bits = bits<<6 | d
		if n += 6; n >= 8 {
			n -= 8
			out = append(out, byte(bits>>n))
		}
	}
	return out
}

func base64Digit(c byte) (uint, bool) {
	switch {
	case c >= 'A' && c <= 'Z':
		return uint(c - 'A'), true
	case c >= 'a' && c <= 'z':
		return uint(c-'a') + 26, true
	case c >= '0' && c <= '9':
		return uint(c-'0') + 52, true
	case c == '-' || c == '+':
		return 62, true
	case c == '_' || c == '/':
		return 63, true
	}
	return 0, false
}

const hexDigits = "0123456789abcdef"

func hexText(b []byte) string {
	out := make([]byte, 0, 2*len(b))
	for _, c := range b {
		out = append(out, hexDigits[c>>4], hexDigits[c&15])
	}
	return string(out)
}

// random gives n bytes that nobody can guess. Where the system's generator is out of reach (no /dev in a chroot), the runtime's
// stands in, a ChaCha8 that the kernel seeded.
func random(n int) []byte {
	b := make([]byte, n)
	if !systemRandom(b) {
		for i := range b {
			b[i] = byte(rand.Uint64() >> 32)
		}
	}
	return b
}
