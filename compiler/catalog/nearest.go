package catalog

import (
	"cmp"
	"slices"
	"strings"
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
		d := distance(low, strings.ToLower(n))
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

// distance is the edit distance with swaps of neighbours (optimal string alignment), over bytes. Long names are never near.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 1000
	}
	rows := [3][]int{}
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
	}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, prev, cur := rows[(i+2)%3], rows[i%3], rows[(i+1)%3]
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
	}
	return rows[(len(a)+1)%3][len(b)]
}
