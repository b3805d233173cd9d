package frame

import (
	"cmp"
	"slices"
)

// deadBytes returns how many bytes from base to end belong to no chunk. A damaged one may reach up to
// the next; where it is not known where one begins, nothing is sure to be dead.
func deadBytes(extents []extent, damaged []int64, base, end int64) int64 {
	slices.SortFunc(extents, byPlace)
	all := slices.Clone(extents)
	for _, at := range damaged {
		if at < base || at > end {
			return 0
		}
		next, _ := slices.BinarySearchFunc(extents, at+1, func(e extent, at int64) int { return cmp.Compare(e.from, at) })
		to := end
		if next < len(extents) {
			to = extents[next].from
		}
		all = append(all, extent{from: at, to: to})
	}
	slices.SortFunc(all, byPlace)
	return end - base - covered(all)
}
