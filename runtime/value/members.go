package value

// Members collects the members of an object, a call each. Where there are many that takes less code than a list of M, and those that are
// not there need no branch.
type Members []Member

// Add adds a member; an Absent one is left out.
//
//go:noinline
func (m *Members) Add(key string, v Value) {
	if !v.IsAbsent() {
		*m = append(*m, Member{key, v})
	}
}

// String adds text, even when it is empty.
//
//go:noinline
func (m *Members) String(key, s string) { *m = append(*m, Member{key, String(s)}) }

// Text adds text unless it is empty.
//
//go:noinline
func (m *Members) Text(key, s string) {
	if s != "" {
		m.String(key, s)
	}
}

// Int adds an integer.
//
//go:noinline
func (m *Members) Int(key string, n int64) { m.Add(key, Int(n)) }

// Flag adds true, and nothing for false.
//
//go:noinline
func (m *Members) Flag(key string, is bool) {
	if is {
		m.Add(key, Bool(true))
	}
}

// Object is the object of the members, which it takes over.
//
//go:noinline
func (m Members) Object() Value { return ObjectOwned(m) }
