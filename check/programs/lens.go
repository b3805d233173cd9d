package main

import (
	"errors"
	"fmt"

	"github.com/cairn-go/cairn/internal/test/dense"
)

// A lens shows items of a dense array as an array of another shape: at has the index of each item,
// in C order. All selections are implemented on it in the simplest way, by NumPy's rules.
type lens struct {
	shape []int64
	at    []int
}

var errBounds = errors.New("out of bounds")

// whole shows all items of a dense array as they are.
func whole(shape []int64) lens {
	l := lens{shape: shape, at: make([]int, dense.Volume(shape))}
	for i := range l.at {
		l.at[i] = i
	}
	return l
}

// sub returns the lens whose item at coordinates c is that of l at from(c).
func (l lens) sub(shape []int64, from func(c []int64) []int64) lens {
	out := lens{shape: shape, at: make([]int, 0, dense.Volume(shape))}
	each(shape, func(c []int64) { out.at = append(out.at, l.at[flat(l.shape, from(c))]) })
	return out
}

// each calls visit with all coordinates of a shape in C order.
func each(shape []int64, visit func(c []int64)) {
	if dense.Volume(shape) == 0 {
		return
	}
	c := make([]int64, len(shape))
	for {
		visit(c)
		i := len(c) - 1
		for ; i >= 0; i-- {
			if c[i]++; c[i] < shape[i] {
				break
			}
			c[i] = 0
		}
		if i < 0 {
			return
		}
	}
}

func flat(shape, c []int64) int64 {
	at := int64(0)
	for i := range c {
		at = at*shape[i] + c[i]
	}
	return at
}

// get returns the items of d that l shows.
func (l lens) get(d *dense.Array) []byte {
	out := make([]byte, 0, len(l.at)*d.Size)
	for _, at := range l.at {
		out = append(out, d.Data[at*d.Size:][:d.Size]...)
	}
	return out
}

// put writes items in order, so the last of several items for one position remains.
func (l lens) put(d *dense.Array, src []byte) {
	for i, at := range l.at {
		copy(d.Data[at*d.Size:][:d.Size], src[i*d.Size:])
	}
}

// points returns a lens of the items with the given coordinates.
func points(shape []int64, points [][]int64) (lens, error) {
	l := lens{shape: []int64{int64(len(points))}}
	for _, p := range points {
		at := int64(0)
		for i, c := range p {
			n := shape[i]
			if c < -n || c >= n {
				return lens{}, errBounds
			}
			at = at*n + (c+n)%n
		}
		l.at = append(l.at, int(at))
	}
	return l, nil
}

// masked returns a lens of the items where mask is true.
func masked(mask []bool) lens {
	l := lens{}
	for i, v := range mask {
		if v {
			l.at = append(l.at, i)
		}
	}
	l.shape = []int64{int64(len(l.at))}
	return l
}

// selectKey applies a selection. Lists and masks select along each dimension independently.
func (l lens) selectKey(key []axisKey) (lens, error) {
	key, err := spread(key, len(l.shape))
	if err != nil {
		return lens{}, err
	}

	var lists [][]int64 // per dimension of l
	var shape []int64
	var dims []int // dimension of l for each dimension of the result, -1 for a new one
	for _, k := range key {
		if k.Kind == "new" {
			shape = append(shape, 1)
			dims = append(dims, -1)
			continue
		}

		dim := len(lists)
		list, err := k.list(l.shape[dim])
		if err != nil {
			return lens{}, fmt.Errorf("dimension %d: %w", dim, err)
		}
		lists = append(lists, list)
		if k.Kind != "index" {
			shape = append(shape, int64(len(list)))
			dims = append(dims, dim)
		}
	}

	from := make([]int64, len(lists))
	return l.sub(shape, func(c []int64) []int64 {
		for d, list := range lists {
			if len(list) > 0 {
				from[d] = list[0]
			}
		}
		for i, d := range dims {
			if d >= 0 {
				from[d] = lists[d][c[i]]
			}
		}
		return from
	}), nil
}

// spread expands the ellipsis and omitted keys at the end, so that each dimension has a key.
func spread(key []axisKey, dims int) ([]axisKey, error) {
	given := 0
	dots := -1
	for i, k := range key {
		switch {
		case k.Kind == "new":
		case k.Kind == "ellipsis" && dots >= 0:
			return nil, errBounds
		case k.Kind == "ellipsis":
			dots = i
		default:
			given++
		}
	}

	if given > dims {
		return nil, errBounds
	}
	if dots < 0 {
		key, dots = append(key[:len(key):len(key)], axisKey{Kind: "ellipsis"}), len(key)
	}

	var out []axisKey
	for i, k := range key {
		if i != dots {
			out = append(out, k)
			continue
		}
		for range dims - given {
			out = append(out, axisKey{Kind: "range"})
		}
	}
	return out, nil
}

// list returns the indices that a key selects of a dimension of length n.
func (k axisKey) list(n int64) ([]int64, error) {
	switch k.Kind {
	case "range":
		return k.walk(n), nil
	case "mask":
		if int64(len(k.List)) != n {
			return nil, errBounds
		}
		out := []int64{}
		for i, v := range k.List {
			if v != 0 {
				out = append(out, int64(i))
			}
		}
		return out, nil
	}

	from := k.List
	if k.Kind == "index" {
		from = []int64{*k.Start}
	}

	out := make([]int64, len(from))
	for i, at := range from {
		if at < -n || at >= n {
			return nil, errBounds
		}
		out[i] = (at + n) % n
	}
	return out, nil
}

// walk returns the indices of a range, like Python's slice.indices.
func (k axisKey) walk(n int64) []int64 {
	step := k.Step
	if step == 0 {
		step = 1
	}

	low := int64(0)
	high := n
	if step < 0 {
		low = -1
		high = n - 1
	}

	bound := func(p *int64, missing int64) int64 {
		if p == nil {
			return missing
		}
		at := *p
		if at < 0 {
			at += n
		}
		return min(max(at, low), high)
	}

	start := bound(k.Start, low)
	stop := bound(k.Stop, high)
	if step < 0 {
		start = bound(k.Start, high)
		stop = bound(k.Stop, low)
	}

	out := []int64{}
	for at := start; step > 0 && at < stop || step < 0 && at > stop; at += step {
		out = append(out, at)
	}
	return out
}
