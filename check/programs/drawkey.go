package main

import "slices"

// key draws a selection, sometimes one that is out of bounds.
func (d *drawer) key(shape []int64) []axisKey {
	var key []axisKey
	dots := d.IntN(6) == 0
	for dim, n := range shape {
		if d.IntN(15) == 0 {
			key = append(key, axisKey{Kind: "new"})
		}
		if dots && d.IntN(len(shape)) == 0 {
			dots = false
			return append(append(key, axisKey{Kind: "ellipsis"}), d.tail(shape[dim+d.IntN(len(shape)-dim):])...)
		}
		if d.IntN(10) == 0 {
			break // the remaining dimensions are selected whole
		}
		key = append(key, d.axis(n))
	}
	return key
}

func (d *drawer) tail(shape []int64) []axisKey {
	var key []axisKey
	for _, n := range shape {
		key = append(key, d.axis(n))
	}
	return key
}

func (d *drawer) axis(n int64) axisKey {
	switch d.IntN(12) {
	case 0, 1:
		at := d.Int64N(2*n+1) - n
		if at == n && d.IntN(20) != 0 && n > 0 {
			at = n - 1
		}
		return axisKey{Kind: "index", Start: &at}
	case 2:
		return axisKey{Kind: "range"}
	case 3:
		list := []int64{}
		for range d.IntN(6) {
			if n > 0 {
				list = append(list, d.Int64N(2*n)-n)
			}
		}
		return axisKey{Kind: "list", List: list}
	case 4:
		mask := make([]int64, n)
		for i := range mask {
			mask[i] = d.Int64N(2)
		}
		return axisKey{Kind: "mask", List: mask}
	case 5, 6, 7:
		return axisKey{Kind: "range", Start: d.bound(n), Stop: d.bound(n), Step: []int64{1, 2, 3, 7, -1, -2, -5}[d.IntN(7)]}
	}

	start := d.Int64N(n + 1)
	stop := start + d.Int64N(n-start+2)
	return axisKey{Kind: "range", Start: &start, Stop: &stop}
}

func (d *drawer) bound(n int64) *int64 {
	if d.IntN(3) == 0 {
		return nil
	}
	at := d.Int64N(3*n+3) - n - 1
	return &at
}

// lens draws the operations of a view.
func (d *drawer) lens(shape []int64) []turn {
	var turns []turn
	l := whole(shape)
	for range 1 + d.IntN(4) {
		t := d.turn(l.shape)
		next, err := l.through([]turn{t})
		turns = append(turns, t)
		if err != nil {
			break
		}
		l = next
	}
	return turns
}

func (d *drawer) turn(shape []int64) turn {
	dims := len(shape)
	switch d.IntN(6) {
	case 0:
		return turn{Do: "transpose", Axes: d.Perm(dims)}
	case 1:
		if i := slices.Index(shape, 1); i >= 0 {
			return turn{Do: "squeeze", Axes: []int{i}}
		}
	case 2:
		if dims < 7 {
			return turn{Do: "expand", Axes: []int{d.IntN(dims + 1)}}
		}
	case 3:
		if dims > 0 {
			return turn{Do: "flip", Axes: []int{d.IntN(dims)}}
		}
	}
	return turn{Do: "slice", Key: d.key(shape)}
}
