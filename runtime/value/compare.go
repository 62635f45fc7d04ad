package value

// same tells values that are one in memory.
func (v Value) same(x Value) bool { return v.p == x.p && v.n == x.n }

// StrictEqual is deep equality without coercion. Absent equals only Absent; the order of an object's keys does not matter.
func StrictEqual(a, b Value) bool {
	if a.same(b) && !a.isDouble() {
		return true
	}
	k := a.Kind()
	if k != b.Kind() {
		return false
	}
	switch k {
	case NumberKind:
		return a.Float() == b.Float()
	case StringKind:
		return a.Str() == b.Str()
	case ArrayKind:
		return equalArrays(a.full().Items(), b.full().Items())
	case ObjectKind:
		return equalObjects(a.full(), b.full())
	}
	return a.same(b)
}

func equalArrays(x, y []Value) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if !StrictEqual(x[i], y[i]) {
			return false
		}
	}
	return true
}

func equalObjects(a, b Value) bool {
	if a.Len() != b.Len() {
		return false
	}
	for _, m := range a.MemberList() {
		if !StrictEqual(m.Value, b.Get(m.Key)) {
			return false
		}
	}
	return true
}

// primitive turns arrays and objects into their JavaScript text.
func (v Value) primitive() Value {
	if k := v.Kind(); k == ArrayKind || k == ObjectKind {
		return String(v.JSString())
	}
	return v
}

// LooseEqual is JavaScript's == with arrays and objects taken as their JavaScript text: null equals absent; two strings
// compare as they are; any other pair of primitives as numbers, and NaN equals nothing.
func LooseEqual(a, b Value) bool {
	if a.IsNullish() || b.IsNullish() {
		return a.IsNullish() && b.IsNullish()
	}
	a, b = a.primitive(), b.primitive()
	if a.Kind() == StringKind && b.Kind() == StringKind {
		return a.Str() == b.Str()
	}
	return a.JSNumber() == b.JSNumber()
}

// LooseLess is JavaScript's a < b: two strings by UTF-16 units, any other pair as numbers (NaN compares false).
func LooseLess(a, b Value) bool {
	a, b = a.primitive(), b.primitive()
	if a.Kind() == StringKind && b.Kind() == StringKind {
		return CompareUTF16(a.Str(), b.Str()) < 0
	}
	return a.JSNumber() < b.JSNumber()
}

// LooseLessEqual is JavaScript's a <= b.
func LooseLessEqual(a, b Value) bool {
	a, b = a.primitive(), b.primitive()
	if a.Kind() == StringKind && b.Kind() == StringKind {
		return CompareUTF16(a.Str(), b.Str()) <= 0
	}
	return a.JSNumber() <= b.JSNumber()
}

// CompareUTF16 orders strings as JavaScript does, by UTF-16 units. That is the order of the bytes, except that characters
// above U+FFFF, which are pairs of surrogates, come before U+E000 to U+FFFF.
func CompareUTF16(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}
	if i == n {
		return len(a) - len(b)
	}
	// Differing bytes below 0xED, and differing later bytes of one character, are in order as they are.
	if a[i] < 0xED && b[i] < 0xED {
		return int(a[i]) - int(b[i])
	}
	return compareUnits(a[i:], b[i:])
}

// compareUnits compares strings whose first characters differ, unit by unit.
func compareUnits(a, b string) int {
	x, y := units{s: a}, units{s: b}
	for {
		u, okU := x.next()
		v, okV := y.next()
		if !okU || !okV {
			return boolInt(okU) - boolInt(okV)
		}
		if u != v {
			return int(u) - int(v)
		}
	}
}

// units gives the UTF-16 units of a string.
type units struct {
	s  string
	lo uint16
}

func (u *units) next() (uint16, bool) {
	if u.lo != 0 {
		unit := u.lo
		u.lo = 0
		return unit, true
	}
	if u.s == "" {
		return 0, false
	}
	r, n := decodeUnit(u.s)
	u.s = u.s[n:]
	if r > 0xFFFF {
		u.lo = uint16(0xDC00 + (r-0x10000)&0x3FF)
		return uint16(0xD800 + (r-0x10000)>>10), true
	}
	return uint16(r), true
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
