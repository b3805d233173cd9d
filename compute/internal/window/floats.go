package window

import (
	"math"

	"github.com/cairn-go/cairn/compute/internal/twosum"
)

// exactly is the number of rows above which sums are compensated: fewer are added as they are,
// with errors of as many roundings.
const exactly = 128

// adding is what states of float64 are made by.
type adding[T Item] struct {
	planes int
	none   float64 // what a state has at first
	add    func(to []float64, row []T)
	merge  func(dst, a, b []float64)
}

// floats computes what takes states of float64.
func (w *Worker[T]) floats(p *pass[T]) {
	s := p.spec
	how := adding[T]{1, 0, addSum[T], sumOf}

	switch {
	case s.Op == Var || s.Op == Std:
		how = adding[T]{3, 0, addMoments[T], squaresOf}
	case s.Op == Prod:
		how = adding[T]{1, 1, addProduct[T], productOf}
	case s.Op == Any || s.Op == All:
		how.add = addTruth[T](s.Op == All)
	case p.missing:
		how = adding[T]{2, 0, addNumbers[T], exactSumOf}
	case s.Items > exactly:
		how = adding[T]{2, 0, addExactly[T], exactSumOf}
	}

	results := make([]float64, p.width)
	w.sums.of(p, how.planes, how.none, how.add, func(row int64, a, b []float64) {
		how.merge(results, a, b)
		dst := p.dst.row(row, p.column, p.width)
		w.divide(p, row, results)
		for i, v := range results {
			dst[i] = T(v)
		}
		w.finish(p, row, dst)
	})
}

// divide makes results of sums, of the windows of a row.
func (w *Worker[T]) divide(p *pass[T], row int64, values []float64) {
	s := p.spec
	n := float64(p.length(row))
	for i, v := range values {
		if p.missing {
			n = float64(w.numbers(p, row)[i])
		}

		switch s.Op {
		case Mean:
			v /= n
		case Var, Std:
			divisor := n - float64(s.DDoF)
			if v /= divisor; divisor <= 0 {
				v = math.NaN()
			}
			if s.Op == Std {
				v = math.Sqrt(v)
			}
		case Any:
			v = truth(v > 0)
		case All:
			v = truth(v == 0)
		}
		values[i] = v
	}
}

func truth(v bool) float64 {
	if v {
		return 1
	}
	return 0
}

func addSum[T Item](to []float64, row []T) {
	to = to[:len(row)]
	for i, v := range row {
		to[i] += float64(v)
	}
}

func sumOf(dst, a, b []float64) {
	for i := range dst {
		dst[i] = a[i] + b[i]
	}
}

// addExactly adds in twice the precision.
func addExactly[T Item](to []float64, row []T) {
	high := to[:len(row)]
	low := to[len(row):][:len(row)]
	for i, v := range row {
		high[i], low[i] = twosum.Add(high[i], low[i], float64(v))
	}
}

// addNumbers is addExactly for what is not missing.
func addNumbers[T Item](to []float64, row []T) {
	high := to[:len(row)]
	low := to[len(row):][:len(row)]
	for i, v := range row {
		if v == v {
			high[i], low[i] = twosum.Add(high[i], low[i], float64(v))
		}
	}
}

func exactSumOf(dst, a, b []float64) {
	n := len(dst)
	for i := range dst {
		high, low := twosum.Add(a[i], a[n+i], b[i])
		dst[i] = high + (low + b[n+i])
	}
}

// addProduct multiplies.
func addProduct[T Item](to []float64, row []T) {
	for i, v := range row {
		if v == v {
			to[i] *= float64(v)
		}
	}
}

func productOf(dst, a, b []float64) {
	for i := range dst {
		dst[i] = a[i] * b[i]
	}
}

// addTruth counts items that are not 0, or that are.
func addTruth[T Item](zero bool) func(to []float64, row []T) {
	return func(to []float64, row []T) {
		for i, v := range row {
			if v == v && (v == 0) == zero {
				to[i]++
			}
		}
	}
}

// addMoments adds to numbers of items, means, and sums of squared distances from the mean.
func addMoments[T Item](to []float64, row []T) {
	w := len(row)
	number := to[:w]
	mean := to[w:][:w]
	squares := to[2*w:][:w]

	for i, item := range row {
		v := float64(item)
		if v != v {
			continue
		}
		n := number[i] + 1
		delta := v - mean[i]
		m := mean[i] + float64(delta/n)

		// the conversions prevent fused multiply-add
		squares[i] += float64(delta * (v - m))
		number[i] = n
		mean[i] = m
	}
}

// squaresOf merges moments to sums of squared distances from the common mean.
func squaresOf(dst, a, b []float64) {
	w := len(dst)
	for i := range dst {
		n := a[i] + b[i]
		if n == 0 {
			dst[i] = 0
			continue
		}
		delta := b[w+i] - a[w+i]
		between := float64(delta*delta) * float64(a[i]/n*b[i])
		if a[i] == 0 || b[i] == 0 {
			between = 0
		}
		dst[i] = (a[2*w+i] + b[2*w+i]) + between
	}
}
