// Package keylist finds the members of groups in sorted lists of keys, which are paths with
// slashes.
package keylist

import (
	"slices"
	"sort"
	"strings"
)

// A Child is what is directly below a prefix.
type Child struct {
	Key   string // with the prefix
	Index int    // of the key in the list; -1 if it is not in it
	Group bool   // keys are below it
}

// Children returns the children of a prefix, which is empty or ends with a slash, sorted by key.
// key returns the key of each of n indexes; keys are sorted as strings. The time is that of a few
// searches for each child, whatever is below them. Keys with empty elements below the prefix are
// left out.
func Children(n int, key func(i int) string, prefix string) []Child {
	from := func(at int, text string) int {
		return at + sort.Search(n-at, func(i int) bool { return key(at+i) >= text })
	}

	var all []Child
	for at := from(0, prefix); at < n && strings.HasPrefix(key(at), prefix); {
		name, _, deeper := strings.Cut(key(at)[len(prefix):], "/")
		child := Child{Key: prefix + name, Index: at, Group: deeper}
		if deeper {
			child.Index = -1
			at = from(at, child.Key+string('/'+1)) // behind all that is below it
		} else {
			at++
		}
		if name != "" {
			all = append(all, child)
		}
	}

	// A key and those below it may have others between them, as "a" and "a/b" have "a-b".
	slices.SortStableFunc(all, func(a, b Child) int { return strings.Compare(a.Key, b.Key) })
	merged := all[:0]
	for _, c := range all {
		if last := len(merged) - 1; last >= 0 && merged[last].Key == c.Key {
			merged[last].Index = max(merged[last].Index, c.Index)
			merged[last].Group = merged[last].Group || c.Group
			continue
		}
		merged = append(merged, c)
	}
	return merged
}
