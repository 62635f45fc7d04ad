package value

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSortStable(t *testing.T) {
	type pair struct{ key, place int }
	less := func(a, b *pair) bool { return a.key < b.key }
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 300 {
		list := make([]pair, n)
		for i := range list {
			list[i] = pair{rng.IntN(n/3 + 1), i}
		}
		want := slices.Clone(list)
		slices.SortStableFunc(want, func(a, b pair) int { return a.key - b.key })
		if SortStable(list, less); !slices.Equal(list, want) {
			t.Fatalf("%d elements: got %v", n, list)
		}
	}
}
