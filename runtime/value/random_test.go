package value

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// randomText makes JSON texts of all kinds, with the oddities that JavaScript writes differently. Integers that a double
// would change are left out: there the value differs from JavaScript on purpose.
type randomText struct {
	*rand.Rand
	strings.Builder
	plain bool // no white space
}

func randomJSON(r *rand.Rand) string {
	g := &randomText{Rand: r, plain: r.IntN(3) == 0}
	g.value(r.IntN(6))
	return g.String()
}

// brokenJSON changes a byte or two of a random text, or cuts it.
func brokenJSON(r *rand.Rand) string {
	b := []byte(randomJSON(r))
	for range 1 + r.IntN(2) {
		const odd = "\"\\{}[],:0123456789.eE+- \n\r\ttrufalsn/x\x00\x1f\x7f\x80\xc3\xe2\xf0"
		i := r.IntN(len(b))
		switch r.IntN(4) {
		case 0:
			b = b[:i]
		case 1:
			b[i] = odd[r.IntN(len(odd))]
		case 2:
			b = append(b[:i], b[i+1:]...)
		default:
			b = append(b[:i], append([]byte{odd[r.IntN(len(odd))]}, b[i:]...)...)
		}
		if len(b) == 0 {
			break
		}
	}
	return string(b)
}

func (g *randomText) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g *randomText) space() {
	if !g.plain {
		for g.IntN(4) == 0 {
			g.WriteString(g.pick(" ", "\n", "\r", "\t", "\r\n", "    "))
		}
	}
}

func (g *randomText) value(depth int) {
	g.space()
	kind := g.IntN(7)
	if depth == 0 {
		kind = g.IntN(4)
	}
	switch kind {
	case 0:
		g.WriteString(g.pick("null", "true", "false"))
	case 1, 2:
		g.number()
	case 3:
		g.str()
	case 4:
		g.WriteByte('[')
		n := g.IntN(5)
		g.space()
		for i := range n {
			if i > 0 {
				g.WriteByte(',')
			}
			g.value(depth - 1)
		}
		g.WriteByte(']')
	default:
		g.object(depth)
	}
	g.space()
}

func (g *randomText) object(depth int) {
	g.WriteByte('{')
	g.space()
	n := g.IntN(6)
	if g.IntN(30) == 0 {
		n = 15 + g.IntN(30)
		depth = min(depth, 2)
	}
	for i := range n {
		if i > 0 {
			g.WriteByte(',')
			g.space()
		}
		switch g.IntN(8) {
		case 0:
			g.WriteString(`"` + g.pick("0", "1", "2", "10", "07", "4294967294", "4294967295", "-1", "1.5", `\u0031`, "123456789012") + `"`)
		case 1:
			g.str()
		case 2:
			g.WriteString(`"` + g.pick("__proto__", "constructor", "toString", "", "length") + `"`)
		case 3, 4:
			g.WriteString(`"` + g.pick("a", "b", "c", "id", "é", "subject with more than eight letters", "subject with fewer than eight letters") + `"`)
		default:
			g.WriteString(`"k` + strconv.Itoa(i) + `"`)
		}
		g.space()
		g.WriteByte(':')
		g.value(depth - 1)
	}
	g.WriteByte('}')
}

func (g *randomText) number() {
	sign := g.pick("", "", "-")
	switch g.IntN(9) {
	case 0:
		g.WriteString(sign + "0")
	case 1:
		g.WriteString(sign + strconv.Itoa(g.IntN(100)))
	case 2:
		g.WriteString(sign + strconv.FormatInt(g.Int64N(1e15), 10))
	case 3:
		g.WriteString(sign + strconv.Itoa(g.IntN(1000)) + "." + g.pick("0", "5", "50", "25", "000", "001", "123456", "3333333333333333"))
	case 4:
		g.WriteString(sign + "0." + strings.Repeat("0", g.IntN(9)) + strconv.Itoa(g.IntN(1e6)))
	case 5:
		g.WriteString(sign + strconv.Itoa(g.IntN(100)) + g.pick("", ".0", ".5", ".125") + g.pick("e", "E") + g.pick("", "+", "-") + strconv.Itoa(g.IntN(400)))
	case 6:
		f := math.Float64frombits(g.Uint64())
		if f-f != 0 {
			f = 0.1
		}
		g.WriteString(strconv.FormatFloat(f, g.pick("e", "g")[0], -1, 64))
	case 7:
		g.WriteString(sign + strconv.FormatFloat(g.Float64()*math.Pow(10, float64(g.IntN(20)-8)), 'f', 1+g.IntN(20), 64))
	default:
		g.WriteString(sign + g.pick("1e21", "1e20", "1E400", "123456789012345680000.0", "1e-6", "1e-7", "5e-324", "2e-324",
			"1.7976931348623157e308", "1.7976931348623159e308", "9007199254740992", "0.1e1", "100e-2", "1.0", "0.000001", "0.0000001"))
	}
}

func (g *randomText) str() {
	g.WriteByte('"')
	for n := g.IntN(12); n > 0; n-- {
		switch g.IntN(14) {
		case 0:
			g.WriteString(g.pick(`\n`, `\t`, `\b`, `\f`, `\r`, `\"`, `\\`, `\/`))
		case 1:
			fmt.Fprintf(g, g.pick(`\u%04x`, `\u%04X`), g.IntN(0x10000))
		case 2:
			fmt.Fprintf(g, g.pick(`\u%04x`, `\u%04X`), g.IntN(0x80))
		case 3:
			fmt.Fprintf(g, `\u%04x`, 0xD800+g.IntN(0x800))
		case 4:
			fmt.Fprintf(g, `\u%04x\u%04x`, 0xD800+g.IntN(0x400), 0xDC00+g.IntN(0x400))
		case 5:
			g.WriteString(g.pick("é", "ß", "€", "\u2028", "\ufeff", "\uffff", "😀", "\U0010ffff", "\x7f", "<&>"))
		case 6:
			if g.IntN(6) == 0 {
				g.WriteString(g.pick("\xff", "\xc3", "\xe2\x82", "\xed\xa0\x80", "\xf0\x9f\x98", "\xf5", "\xc0\xaf", "\xf4\x90"))
			}
		case 7:
			g.WriteString("a longer piece of text without anything")
		default:
			if c := byte(' ' + g.IntN(95)); c != '"' && c != '\\' {
				g.WriteByte(c)
			}
		}
	}
	g.WriteByte('"')
}
