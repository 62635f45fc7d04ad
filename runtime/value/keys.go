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

// add notes a key. False means that it may have stood there before.
func (k *keySignature) add(sig uint64) bool {
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
