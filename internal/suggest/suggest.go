// Package suggest proposes what somebody meant who has mistyped a name.
package suggest

import (
	"cmp"
	"slices"
	"strings"
)

// Question returns a question that proposes the nearest of names, to append to an error about
// name, or nothing if none is near.
func Question(name string, names []string) string { return Around(name, names, "", "") }

// Around is [Question] with a text before the name that it proposes, and one behind it.
func Around(name string, names []string, before, behind string) string {
	// The nearest of names, or nothing if none is near: a third of the characters may
	// differ, counted without the groups that both names begin with and without case.
	best := ""
	least := -1
	for _, candidate := range names {
		from, to := withoutCommonGroups(strings.ToLower(name), strings.ToLower(candidate))
		d := editDistance(from, to)
		if len(name) > 2 && strings.HasPrefix(candidate, name) {
			d = min(d, 1)
		}

		if d > (len(from)+1)/3 || d >= len(to) || best != "" && d >= least {
			continue
		}
		best = candidate
		least = d
	}

	if best == "" {
		return ""
	}
	return "; did you mean " + before + best + behind + "?"
}

// withoutCommonGroups removes from two keys the groups, each with a slash at its end, that both
// begin with.
func withoutCommonGroups(a, b string) (string, string) {
	for {
		group, rest, ok := strings.Cut(a, "/")
		other, found := strings.CutPrefix(b, group+"/")
		if !ok || !found {
			return a, b
		}
		a = rest
		b = other
	}
}

// Nearest returns the most names that are nearest to a name, the nearest first.
func Nearest(name string, names []string, most int) []string {
	name = strings.ToLower(name)
	sorted := slices.Clone(names)
	slices.SortStableFunc(sorted, func(a, b string) int {
		return cmp.Compare(editDistance(name, a), editDistance(name, b))
	})
	return sorted[:min(most, len(sorted))]
}

// editDistance counts the characters to insert, remove, replace, or swap with their neighbours, to
// get from a to b.
func editDistance(a, b string) int {
	before := make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}

	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1

		for j := range len(b) {
			next[j+1] = min(row[j+1], next[j]) + 1
			if a[i] == b[j] {
				next[j+1] = min(next[j+1], row[j])
			} else {
				next[j+1] = min(next[j+1], row[j]+1)
			}

			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
