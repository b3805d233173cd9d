package window

import "slices"

// quantiles computes the results of one column. The items of the window are kept in order: as it
// moves by a row, one goes and one comes.
func (w *Worker[T]) quantiles(s *Spec, dst, src Rows[T], column int) {
	p := &pass[T]{spec: s, dst: dst, src: src, column: column, width: 1}
	item := func(row int64) (v float64, ok bool) {
		v = float64(src.row(row, column, 1)[0])
		return v, v == v
	}

	w.sorted = w.sorted[:0]
	from, to := p.window(dst.First)
	from = max(0, from)
	for row := from; row < to; row++ {
		if v, ok := item(row); ok {
			w.sorted = append(w.sorted, v)
		}
	}
	slices.Sort(w.sorted)

	for row := dst.First; row < dst.end(); row++ {
		first, stop := p.window(row)
		first = max(0, first)
		old := 0.0
		gone := false
		if from < first {
			old, gone = item(from)
			from++
		}
		come := false
		v := 0.0
		if to < stop {
			v, come = item(to)
			to++
		}
		w.move(old, gone, v, come)

		n := int64(len(w.sorted))
		result := none[T]()
		if n >= max(1, s.Least) && (s.Skip || n == stop-first) {
			result = T(s.Quantile(w.sorted))
		}
		dst.row(row, column, 1)[0] = result
	}
}

// move takes one of the sorted items out, and puts another in.
func (w *Worker[T]) move(old float64, gone bool, v float64, come bool) {
	i := 0
	j := 0
	if gone {
		i, _ = slices.BinarySearch(w.sorted, old)
	}
	if come {
		j, _ = slices.BinarySearch(w.sorted, v)
	}

	switch {
	case gone && come && i < j:
		copy(w.sorted[i:], w.sorted[i+1:j])
		w.sorted[j-1] = v
	case gone && come:
		copy(w.sorted[j+1:], w.sorted[j:i])
		w.sorted[j] = v
	case gone:
		w.sorted = slices.Delete(w.sorted, i, i+1)
	case come:
		w.sorted = slices.Insert(w.sorted, j, v)
	}
}
