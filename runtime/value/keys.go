package value

import "math/bits"

const (
	maxKeyDepth = 32  // deeper objects are taken to have keys twice
	maxKeyCount = 256 // so are larger ones: comparing each key with each takes too long
)

// keySignature finds keys that stand twice in an object, cheaply: it compares 64-bit signatures, and as the objects of a
// list mostly have the same keys, it first compares with the object before at this level. A false alarm costs only time.
type keySignature struct {
	sigs []uint64 // distinct; those of this object, and then maybe more of the object before
	n    int      // how many are this object's
}

func (k *keySignature) begin() { k.n = 0 }

// add notes the key t[from:to]. False means that it may have stood there before.
func (k *keySignature) add(t string, from, to int) bool {
	sig := signature(t, from, to)
	if k.n < len(k.sigs) && k.sigs[k.n] == sig {
		k.n++ // distinct from those before it, as it was then
		return true
	}
	if k.n >= maxKeyCount {
		return false
	}
	for _, x := range k.sigs[:k.n] {
		if x == sig {
			return false // leaves the key out, so that sigs stay distinct
		}
	}
	k.sigs = append(k.sigs[:k.n], sig)
	k.n++
	return true
}

// signature is a hash that looks at the ends of long keys only.
func signature(t string, from, to int) uint64 {
	const mulA, mulB = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F
	n := to - from
	var a, b uint64
	if n >= 8 {
		a, b = load8(t, from), load8(t, to-8)
	} else if from+8 <= len(t) {
		a = load8(t, from) & (1<<(8*uint(n)) - 1)
	} else {
		for k := range n {
			a |= uint64(t[from+k]) << (8 * uint(k))
		}
	}
	h := (a ^ uint64(n)*mulB) * mulA
	return h ^ bits.RotateLeft64(b*mulB, 29)
}
