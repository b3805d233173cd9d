package compute

import (
	"iter"

	"github.com/cairn-go/cairn/internal/asm/totals"
	"github.com/cairn-go/cairn/ndarray"
)

// columnCells is implemented by cells that can add several rows at once, so that each cell is
// loaded and stored once for several items.
type columnCells[T any] interface {
	// columns adds one item of each row to each of the width cells from cell on. Successive rows
	// begin pitch items apart. at is the index of the items of the first row, and step that of the
	// second one minus that of the first.
	columns(cell int, values []T, width, rows, pitch int, at, step int64)
}

// columns accumulates a block whose last dimension is not reduced.
func (s *reducer[T]) columns(w *workerState[T], cells columnCells[T], b *blockValues[T]) {
	t := &w.tile
	inner := len(s.shape) - 1
	width := int(b.Stop[inner] - b.Start[inner])
	for inner > 0 && s.kept(inner-1) && t.stride[inner-1] == int64(width) {
		inner-- // these dimensions are contiguous in the cells too
		width *= int(b.Stop[inner] - b.Start[inner])
	}

	// Rows are taken along the longest dimension before inner that is reduced, or divided into
	// groups. There is at least one such dimension.
	w.pitch = append(w.pitch[:0], b.Start[:inner]...)
	along := -1
	rows := 0
	pitch := width

	for i := inner - 1; i >= 0; i-- {
		w.pitch[i] = int64(pitch)
		extent := int(b.Stop[i] - b.Start[i])
		pitch *= extent
		if !s.kept(i) && extent > rows {
			along = i
			rows = extent
		}
	}

	group := groupingAlong(s.groups, along)
	w.at = append(w.at[:0], b.Start...)
	w.stop = append(w.stop[:0], b.Stop[:inner]...)
	w.stop[along] = b.Start[along] + 1

	for more := true; more; more = advance(w.at[:inner], b.Start, w.stop) {
		first := int64(0)
		for i, p := range w.pitch {
			first += (w.at[i] - b.Start[i]) * p
		}

		// Without groups, all rows belong to the same cells.
		for row := 0; row < rows; {
			n := rows - row
			if group != nil {
				w.at[along] = b.Start[along] + int64(row)
				n = int(group.run(w.at, along, b.Stop[along]))
			}
			if cell, number, ok := t.place(w.at); ok {
				values := b.values[first+int64(row)*w.pitch[along]:]
				cells.columns(cell, values, width, n, int(w.pitch[along]), number, t.number[along])
			}
			row += n
		}
		w.at[along] = b.Start[along]
	}
}

// columnRows is the number of items per cell that are added in plain float64 if each item of a row
// belongs to another cell, and columnPart the number of cells for which this is done at a time.
const (
	columnRows = leafItems / 8
	columnPart = 512
)

// A columnBox is a part of rows: at most columnRows of them, and columnPart items of each.
type columnBox struct{ row, cell, rows, width int }

// columnParts yields the parts of rows of so many items.
func columnParts(width, rows int) iter.Seq[columnBox] {
	return func(yield func(columnBox) bool) {
		for row := 0; row < rows; row += columnRows {
			for cell := 0; cell < width; cell += columnPart {
				if !yield(columnBox{row, cell, min(columnRows, rows-row), min(columnPart, width-cell)}) {
					return
				}
			}
		}
	}
}

// addColumns adds one item of each row to each of the sums. It adds groups of eight rows to each
// other before loading the sums.
func addColumns[T ndarray.Real, R realTotal](sums []R, values []T, rows, pitch int) {
	if n := addVectors(sums, values, rows, pitch); n > 0 {
		sums = sums[n:]
		values = values[n:]
	}
	for ; rows >= 8; rows -= 8 {
		// Slicing each row to len(sums) removes bounds checks from the loop.
		a := values[:len(sums)]
		b := values[pitch:][:len(sums)]
		c := values[2*pitch:][:len(sums)]
		d := values[3*pitch:][:len(sums)]
		e := values[4*pitch:][:len(sums)]
		f := values[5*pitch:][:len(sums)]
		g := values[6*pitch:][:len(sums)]
		h := values[7*pitch:][:len(sums)]
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

// addVectors does addColumns with the first sums, and returns how many.
func addVectors[T ndarray.Real, R realTotal](sums []R, values []T, rows, pitch int) int {
	floats, ok := any(sums).([]float64)
	if !ok {
		return 0
	}
	switch values := any(values).(type) {
	case []float32:
		return totals.Columns(floats, values, rows, pitch)
	case []float64:
		return totals.Columns(floats, values, rows, pitch)
	}
	return 0
}

// addSquares adds the squared distance of one item of each row from the mean of its column to each
// of the sums.
func addSquares[T ndarray.Real](sums, means []float64, values []T, rows, pitch int) {
	means = means[:len(sums)]

	for ; rows >= 4; rows -= 4 {
		a := values[:len(sums)]
		b := values[pitch:][:len(sums)]
		c := values[2*pitch:][:len(sums)]
		d := values[3*pitch:][:len(sums)]
		for k, mean := range means {
			p := float64(a[k]) - mean
			q := float64(b[k]) - mean
			r := float64(c[k]) - mean
			s := float64(d[k]) - mean
			// the conversions prevent fused multiply-add
			sums[k] += (float64(p*p) + float64(q*q)) + (float64(r*r) + float64(s*s))
		}
		values = values[min(4*pitch, len(values)):]
	}

	for ; rows > 0; rows-- {
		row := values[:len(sums)]
		for k, v := range row {
			p := float64(v) - means[k]
			sums[k] += float64(p * p)
		}
		values = values[min(pitch, len(values)):]
	}
}

// leastColumns replaces each result by the least of it and one item of each row, or by NaN if any
// of these is.
func leastColumns[T ndarray.Real](results, values []T, rows, pitch int) {
	for ; rows >= 4; rows -= 4 {
		a := values[:len(results)]
		b := values[pitch:][:len(results)]
		c := values[2*pitch:][:len(results)]
		d := values[3*pitch:][:len(results)]
		for k, v := range results {
			results[k] = min(v, min(min(a[k], b[k]), min(c[k], d[k])))
		}
		values = values[min(4*pitch, len(values)):]
	}

	for ; rows > 0; rows-- {
		row := values[:len(results)]
		for k, v := range row {
			results[k] = min(results[k], v)
		}
		values = values[min(pitch, len(values)):]
	}
}

// greatestColumns is leastColumns for the greatest.
func greatestColumns[T ndarray.Real](results, values []T, rows, pitch int) {
	for ; rows >= 4; rows -= 4 {
		a := values[:len(results)]
		b := values[pitch:][:len(results)]
		c := values[2*pitch:][:len(results)]
		d := values[3*pitch:][:len(results)]
		for k, v := range results {
			results[k] = max(v, max(max(a[k], b[k]), max(c[k], d[k])))
		}
		values = values[min(4*pitch, len(values)):]
	}

	for ; rows > 0; rows-- {
		row := values[:len(results)]
		for k, v := range row {
			results[k] = max(results[k], v)
		}
		values = values[min(pitch, len(values)):]
	}
}
