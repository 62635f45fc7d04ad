package catalog

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lobsterc/lobsterc/ir/diag"
)

// Nearest gives the names that are close enough to name to be what its author meant, the closest first, at most three. A name is
// close when the edit distance (a swap of neighbours counts as one) is at most a third of its length, or it is part of the name, or begins with it.
func Nearest(name string, names []string) []string {
	type match struct {
		name string
		dist int
	}
	var found []match
	low := strings.ToLower(name)
	for _, n := range names {
		d := diag.Distance(low, strings.ToLower(n))
		switch {
		case d <= max(1, max(len(name), len(n))/3):
			found = append(found, match{n, d})
		case len(low) >= 3 && (strings.Contains(strings.ToLower(n), low) || len(n) >= 3 && strings.HasPrefix(low, strings.ToLower(n))):
			found = append(found, match{n, 100 + d})
		}
	}
	slices.SortStableFunc(found, func(a, b match) int { return cmp.Or(cmp.Compare(a.dist, b.dist), cmp.Compare(a.name, b.name)) })
	var out []string
	for _, m := range found[:min(3, len(found))] {
		out = append(out, m.name)
	}
	return out
}
