package main

import "slices"

// dense is an array as plain memory: what an array in a file must behave like.
type dense struct {
	shape []int64
	size  int // bytes of an item
	fill  []byte
	data  []byte
}

func newDense(p *program) *dense {
	d := &dense{shape: slices.Clone(p.Shape), size: p.Size, fill: p.Fill}
	if d.fill == nil {
		d.fill = make([]byte, p.Size)
	}
	d.data = d.filled(product(d.shape))
	return d
}

func (d *dense) filled(n int64) []byte {
	return slices.Repeat(d.fill, int(n))
}

func (d *dense) clone() *dense {
	c := *d
	c.data = slices.Clone(d.data)
	return &c
}

func (d *dense) get(l lens) []byte {
	out := make([]byte, 0, len(l.at)*d.size)
	for _, at := range l.at {
		out = append(out, d.data[at*d.size:][:d.size]...)
	}
	return out
}

// put writes items in order, so that of several for one place the last stays.
func (d *dense) put(l lens, src []byte) {
	for i, at := range l.at {
		copy(d.data[at*d.size:][:d.size], src[i*d.size:])
	}
}

func (d *dense) set(l lens, item []byte) {
	for _, at := range l.at {
		copy(d.data[at*d.size:][:d.size], item)
	}
}

// points returns a lens for items by their coordinates.
func (d *dense) points(points [][]int64) (lens, error) {
	l := lens{shape: []int64{int64(len(points))}}
	for _, p := range points {
		at := int64(0)
		for i, c := range p {
			n := d.shape[i]
			if c < -n || c >= n {
				return lens{}, errBounds
			}
			at = at*n + (c+n)%n
		}
		l.at = append(l.at, int(at))
	}
	return l, nil
}

// masked returns a lens for the items where mask is true.
func (d *dense) masked(mask []bool) lens {
	l := lens{}
	for i, v := range mask {
		if v {
			l.at = append(l.at, i)
		}
	}
	l.shape = []int64{int64(len(l.at))}
	return l
}

// rebuild makes d an array of another shape, each item the one that from names, or the fill value where from reports false.
func (d *dense) rebuild(shape []int64, from func(c []int64) ([]int64, bool)) {
	out := make([]byte, 0, product(shape)*int64(d.size))
	each(shape, func(c []int64) {
		item := d.fill
		if at, ok := from(c); ok {
			item = d.data[flat(d.shape, at)*int64(d.size):][:d.size]
		}
		out = append(out, item...)
	})
	d.shape, d.data = slices.Clone(shape), out
}

func (d *dense) resize(shape []int64) {
	d.rebuild(shape, func(c []int64) ([]int64, bool) {
		for i := range c {
			if c[i] >= d.shape[i] {
				return nil, false
			}
		}
		return c, true
	})
}

// insert puts n items along an axis before at, and fills them from src.
func (d *dense) insert(axis int, at, n int64, src []byte) {
	shape := slices.Clone(d.shape)
	shape[axis] += n
	d.rebuild(shape, func(c []int64) ([]int64, bool) {
		from := slices.Clone(c)
		if c[axis] >= at+n {
			from[axis] -= n
		}
		return from, c[axis] < at || c[axis] >= at+n
	})
	box := slices.Repeat([]axisKey{{Kind: "range"}}, len(shape))
	to := at + n
	box[axis].Start, box[axis].Stop = &at, &to
	l, err := whole(d.shape).selectKey(box)
	if err == nil {
		d.put(l, src)
	}
}

func (d *dense) remove(axis int, from, to int64) {
	shape := slices.Clone(d.shape)
	shape[axis] -= to - from
	d.rebuild(shape, func(c []int64) ([]int64, bool) {
		at := slices.Clone(c)
		if c[axis] >= from {
			at[axis] += to - from
		}
		return at, true
	})
}
