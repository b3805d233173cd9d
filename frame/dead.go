package frame

import (
	"cmp"
	"slices"
)

// A commit overwrites nothing, so what it replaces is dead. A commit that finds much of it compacts
// the frame, and so does Close where there is less of it: what is alive is less again, or Close
// would not do it, so that it never writes more than a few MiB.

const (
	leastDead    = 8 << 20  // dead bytes that a frame has at least when a commit compacts it
	leastAtClose = 64 << 10 // the same when it is closed
)

// crowded reports whether most of the frame would be dead bytes, and many.
func (w *contiguousWriter) crowded(next *state) bool {
	return w.mostlyDead(next, w.extent(next), leastDead)
}

func (w *contiguousWriter) wasteful(v *state) bool {
	return w.mostlyDead(v, v.head.CBytes, leastAtClose)
}

func (w *contiguousWriter) mostlyDead(v *state, extent, least int64) bool {
	dead := extent - v.live
	return !w.commits.NoCompact && v.live != unknownLive && dead > least && dead > v.live
}

// deadBytes returns how many bytes from base to end belong to no chunk. A damaged one may reach up
// to the next; where it is not known where one begins, nothing is sure to be dead.
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
