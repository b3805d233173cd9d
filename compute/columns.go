package compute

import "github.com/cairn-go/cairn/ndarray"

// columnCells is implemented by cells that can add several rows at once, so that each cell is
// loaded and stored once for several items.
type columnCells[T any] interface {
	// columns adds one item of each row to each of the width cells from cell on. Successive rows
	// begin pitch items apart.
	columns(cell int, values []T, width, rows, pitch int)
}

// columns accumulates a block whose last dimension is not reduced.
func (s *reducer[T, C]) columns(w *workerState[T, C], cells columnCells[T], b *blockValues[T]) {
	t, inner := &w.tile, len(s.shape)-1
	width := int(b.Stop[inner] - b.Start[inner])
	for inner > 0 && !s.reduced[inner-1] && t.stride[inner-1] == int64(width) {
		inner-- // these dimensions are contiguous in the cells too
		width *= int(b.Stop[inner] - b.Start[inner])
	}
	// Rows are taken along the longest reduced dimension before inner. There is at least one such
	// dimension.
	w.pitch = append(w.pitch[:0], b.Start[:inner]...)
	along, rows, pitch := -1, 0, width
	for i := inner - 1; i >= 0; i-- {
		w.pitch[i] = int64(pitch)
		extent := int(b.Stop[i] - b.Start[i])
		pitch *= extent
		if s.reduced[i] && extent > rows {
			along, rows = i, extent
		}
	}
	w.at = append(w.at[:0], b.Start...)
	w.stop = append(w.stop[:0], b.Stop[:inner]...)
	w.stop[along] = b.Start[along] + 1
	for more := true; more; more = advance(w.at[:inner], b.Start, w.stop) {
		cell, _ := t.place(w.at)
		first := int64(0)
		for i, p := range w.pitch {
			first += (w.at[i] - b.Start[i]) * p
		}
		cells.columns(cell, b.values[first:], width, rows, int(w.pitch[along]))
	}
}

// addColumns adds one item of each row to each of the sums. It adds groups of eight rows to each
// other before loading the sums.
func addColumns[T ndarray.Real, R realTotal](sums []R, values []T, rows, pitch int) {
	for ; rows >= 8; rows -= 8 {
		// Slicing each row to len(sums) removes bounds checks from the loop.
		a, b, c, d := values[:len(sums)], values[pitch:][:len(sums)], values[2*pitch:][:len(sums)], values[3*pitch:][:len(sums)]
		e, f, g, h := values[4*pitch:][:len(sums)], values[5*pitch:][:len(sums)], values[6*pitch:][:len(sums)], values[7*pitch:][:len(sums)]
		for k := range sums {
			sums[k] += ((R(a[k]) + R(b[k])) + (R(c[k]) + R(d[k]))) + ((R(e[k]) + R(f[k])) + (R(g[k]) + R(h[k])))
		}
		values = values[min(8*pitch, len(values)):]
	}
	for ; rows > 0; rows-- {
		row := values[:len(sums)]
		for k, v := range row {
			sums[k] += R(v)
		}
		values = values[min(pitch, len(values)):]
	}
}
