package window

import "math"

// extremes computes the least or greatest items, in the type that they have.
func (w *Worker[T]) extremes(p *pass[T]) {
	none := bound[T](p.spec.Op == Min)
	add := least[T]
	if p.spec.Op == Max {
		add = greatest[T]
	}

	w.ends.of(p, 1, none, add, func(row int64, a, b []T) {
		dst := p.dst.row(row, p.column, p.width)
		copy(dst, a)
		add(dst, b)
		w.finish(p, row, dst)
	})
}

// bound returns an item that is not less, or not greater, than any other.
func bound[T Item](most bool) (v T) {
	sign := -1
	if most {
		sign = 1
	}
	switch p := any(&v).(type) {
	case *float32:
		*p = float32(math.Inf(sign))
	case *float64:
		*p = math.Inf(sign)
	case *int64:
		*p = math.MaxInt64
		if !most {
			*p = math.MinInt64
		}
	}
	return v
}

func least[T Item](to, row []T) {
	to = to[:len(row)]
	for i, v := range row {
		if v < to[i] && !missing(v) {
			to[i] = v
		}
	}
}

func greatest[T Item](to, row []T) {
	to = to[:len(row)]
	for i, v := range row {
		if v > to[i] {
			to[i] = v
		}
	}
}
