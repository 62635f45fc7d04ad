package value

// Picker makes objects of some members of others, as the stage pick does. It is safe for concurrent use.
type Picker struct {
	keys   []string
	quoted []string // each with its quotes and colon, as it is printed
	plain  bool     // the keys are distinct, and none is integer-like: the result has them in this order
}

// NewPicker prepares the keys of Pick.
func NewPicker(keys ...string) *Picker {
	p := &Picker{keys: keys, plain: true}
	for i, k := range keys {
		p.quoted = append(p.quoted, string(append(AppendQuoted(nil, k), ':')))
		p.plain = p.plain && !startsWithDigit(k)
		for _, other := range keys[:i] {
			p.plain = p.plain && k != other
		}
	}
	return p
}

// Pick gives an object with the picker's keys, in their order, and what v has under them (see Prop); what v has not is
// Absent there (see ObjectSparse). What is taken from text gets text of its own: it keeps nothing else in memory.
func (p *Picker) Pick(v Value) Value {
	if p.plain && len(p.keys) <= len(spans{}) && v.is(repRawObject) && v.rawFlags()&flagOrder == 0 {
		if picked := p.pickText(v); !picked.IsAbsent() {
			return picked
		}
	}
	members := make([]Member, 0, len(p.keys))
	for _, k := range p.keys {
		members = append(members, Member{k, v.Prop(k).Detach()})
	}
	return ObjectSparse(members)
}

// spans are where the values of picked keys lie in a text.
type spans [12]struct{ from, to int32 }

// pickText is Pick of a text, or Absent when a key is missing there.
func (p *Picker) pickText(v Value) Value {
	s := v.bytes()
	var found spans
	size, left := 2, len(p.keys)
	for i := skipSpace(s, 1); s[i] != '}' && left > 0; {
		end, escaped := stringEnd(s, i+1)
		k := p.index(s[i+1:end], escaped)
		i = skipSpace(s, skipSpace(s, end+1)+1) // over the colon
		next, after := nextElement(s, i)
		if k >= 0 {
			found[k].from, found[k].to = int32(i), int32(next)
			size += len(p.quoted[k]) + next - i + 1
			left--
		}
		i = after
	}
	if left > 0 {
		return Value{}
	}
	dst := append(make([]byte, 0, size), '{')
	for k, quoted := range p.quoted {
		if k > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, quoted...)
		dst = append(dst, s[found[k].from:found[k].to]...)
	}
	dst = append(dst, '}')
	if size > lazyLimit {
		return build(bytesString(dst), v.rawFlags())
	}
	return rawValue(bytesString(dst), v.rawFlags())
}

// index finds a key by its text, or gives -1.
func (p *Picker) index(text string, escaped bool) int {
	if escaped {
		text = unescape(text)
	}
	for k, key := range p.keys {
		if key == text {
			return k
		}
	}
	return -1
}
