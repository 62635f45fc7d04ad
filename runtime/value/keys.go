package value

import "math/bits"

const (
	maxKeyDepth = 32  // deeper objects are taken to have keys twice
	maxKeyCount = 256 // so are larger ones: comparing each key with each takes too long
)

// keySignature finds keys that stand twice in an object, cheaply: it compares 64-bit signatures, and as the objects of a
// list mostly have the same keys, it first compares with the object before at this level. A false alarm costs only time.
type keySignature struct {
	known []knownKey // distinct; those of this object, and then maybe more of the object before
	n     int        // how many are this object's
}

// knownKey is a key that has been seen. If the key, its quote and a colon fit into 16 bytes, they are in text, so that the
// next object's key can be compared with them at once; otherwise size is 0.
type knownKey struct {
	sig  uint64
	size int
	text [2]uint64
	mask [2]uint64
}

func (k *keySignature) begin() { k.n = 0 }

// expected is the size of the key, quote and colon at t[i] if they are those of the object before, at the same place.
func (k *keySignature) expected(t string, i int) int {
	if k.n >= len(k.known) || i+16 > len(t) {
		return 0
	}
	x := &k.known[k.n]
	if (load8(t, i)^x.text[0])&x.mask[0]|(load8(t, i+8)^x.text[1])&x.mask[1] != 0 {
		return 0
	}
	k.n++ // distinct from those before it, as it was then
	return x.size
}

// add notes the key t[from:to]. False means that it may have stood there before.
func (k *keySignature) add(sig uint64, t string, from, to int) bool {
	if k.n < len(k.known) && k.known[k.n].sig == sig {
		k.n++
		return true
	}
	if k.n >= maxKeyCount {
		return false
	}
	for i := range k.known[:k.n] {
		if k.known[i].sig == sig {
			return false // leaves the key out, so that those known stay distinct
		}
	}
	k.known = append(k.known[:k.n], newKnownKey(sig, t, from, to))
	k.n++
	return true
}

func newKnownKey(sig uint64, t string, from, to int) knownKey {
	x := knownKey{sig: sig}
	n := to - from + 2
	if n > 16 || from+16 > len(t) || t[to+1] != ':' {
		x.mask[0] = ^uint64(0) // no text begins with eight NULs
		return x
	}
	x.size = n
	x.mask[0] = 1<<(8*uint(n)) - 1 // all of it from 8 on
	if n > 8 {
		x.mask[1] = 1<<(8*uint(n-8)) - 1
	}
	x.text = [2]uint64{load8(t, from) & x.mask[0], load8(t, from+8) & x.mask[1]}
	return x
}

// signature is a hash of the key t[from:to] that looks at the ends of long keys only.
func signature(t string, from, to int) uint64 {
	const mulA, mulB = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F
	n := to - from
	if n >= 8 {
		return (load8(t, from)^uint64(n)*mulB)*mulA ^ bits.RotateLeft64(load8(t, to-8)*mulB, 29) | 0xFF<<56
	}
	var w uint64
	for k := range n {
		w |= uint64(t[from+k]) << (8 * uint(k))
	}
	return shortSignature(w, n)
}

// shortSignature is the signature of the first n < 8 bytes of w: the bytes and n, so there are no false alarms.
func shortSignature(w uint64, n int) uint64 {
	return w&(1<<(8*uint(n)&63)-1) | uint64(n)<<56
}
