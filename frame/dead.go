package frame

import (
	"cmp"
	"context"
	"slices"
)

// A commit overwrites nothing, so the chunks that it replaces become dead bytes. Commit compacts a
// frame with more than minDead dead bytes, and more than its live bytes and what the commit itself
// adds: a commit that replaces most chunks would otherwise write them twice, each time. Close
// compacts a frame of which more than half and more than minDeadAtClose bytes are dead.

const (
	minDead        = 8 << 20  // dead bytes above which a commit may compact a frame
	minDeadAtClose = 64 << 10 // the same for Close
)

// tooManyDead reports whether a commit of next should compact the frame.
func (w *contiguousWriter) tooManyDead(next *state) bool {
	return w.mostlyDead(next, w.extent(next), max(minDead, next.live+w.tail-w.end))
}

func (w *contiguousWriter) shouldCompact(v *state) bool {
	return w.mostlyDead(v, v.head.CBytes, minDeadAtClose)
}

func (e *editor) shouldCompact() bool {
	w, ok := e.writer.(compactor)
	return ok && !e.writer.fresh() && e.committed.mark == nil && w.shouldCompact(e.committed)
}

// compact makes next durable and leaves no dead bytes.
func (e *editor) compact(ctx context.Context, next *state) (*state, bool, error) {
	if w, ok := e.writer.(compactor); ok {
		return w.compact(ctx, e.lock, e.committed, next)
	}
	return e.writer.commit(ctx, e.lock, e.committed, next)
}

func (w *contiguousWriter) mostlyDead(v *state, extent, least int64) bool {
	dead := extent - v.live
	return !w.commits.NoCompact && v.live != unknownLive && dead > least && dead > v.live
}

// deadBytes returns how many bytes from base to end belong to no chunk. A damaged chunk, whose
// length is unknown, counts as reaching up to the next one. The result is 0 if the offset of a
// damaged chunk is unknown.
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
