package hdf5

import (
	"context"
	"slices"

	"github.com/cairn-go/cairn/hdf5/internal/hyperslab"
	"github.com/cairn-go/cairn/internal/slab"
)

// readVirtual reads a box of a virtual dataset: the fill value, then the items of each source over
// it.
func (d *Dataset) readVirtual(ctx context.Context, dst []byte, start, stop []int64) error {
	n := copy(dst, d.virtual.fill)
	for n < len(dst) {
		n += copy(dst[n:], dst[:n])
	}

	ctx = withBudget(ctx)
	for i := range d.virtual.maps {
		m := &d.virtual.maps[i]
		if !m.blocks {
			if err := d.readMapping(ctx, m, m.target, 0, dst, start, stop); err != nil {
				return err
			}
			continue
		}

		axis := m.target[m.grows]
		for block := max(0, axis.BlockOf(start[m.grows])); block <= axis.BlockOf(stop[m.grows]-1); block++ {
			target := slices.Clone(m.target)
			target[m.grows] = axis.BlockAt(block)
			if err := d.readMapping(ctx, m, target, block, dst, start, stop); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// readMapping reads the items of a box that a mapping, or a block of it, has.
func (d *Dataset) readMapping(ctx context.Context, m *mapping, target []hyperslab.Axis, block int64, dst []byte,
	start, stop []int64) error {
	for k, a := range target {
		if a.Before(start[k]) == a.Before(stop[k]) {
			return nil
		}
	}

	src, err := d.source(ctx, m, block)
	if src == nil {
		return err
	}

	t := &transfer{src: src, dst: dst, item: int64(d.dtype.Size()), start: start, stop: stop}
	if !src.dtype.Equal(d.dtype) {
		t.swap, _ = swapped(src, d)
	}

	own := len(d.space.Shape)
	for k, n := range d.shape {
		axis := hyperslab.Whole(n)
		if k < own {
			axis = target[k].Within(n)
		}
		t.target = append(t.target, axis)
	}

	for k, n := range src.shape {
		axis := hyperslab.Whole(n)
		if k < len(m.source) {
			axis = m.source[k].Within(n)
		}
		if axis.End() > n {
			return m.misfit(src)
		}
		t.source = append(t.source, axis)
	}

	if m.source != nil && len(m.source) != len(src.space.Shape) {
		return m.misfit(src)
	}
	return t.run(ctx, m)
}

// A transfer reads items of a source to their places in a box.

type transfer struct {
	src            *Dataset
	target, source []hyperslab.Axis
	dst            []byte // of the box
	item           int64

	start, stop []int64 // the box
	swap        int     // width of the numbers whose bytes are reversed, 0 for none
	pairs       []pair
	items       []byte // of the source
}

// A pair is a dimension of the target and that of the source with as many items.
type pair struct {
	target, source int
	low, high      int64 // the numbers of the items that are wanted
}

// run pairs the dimensions. Items correspond in C order, so dimensions of one item do not matter.
func (t *transfer) run(ctx context.Context, m *mapping) error {
	grows := m.unlimitedSource()
	var source []int
	for k, a := range t.source {
		if a.Items() != 1 || k == grows {
			source = append(source, k)
		}
	}
	same := true
	for k, a := range t.target {
		if a.Items() == 1 && (k != m.grows || m.blocks) {
			continue
		}

		if len(t.pairs) == len(source) {
			same = false
			break
		}
		p := pair{target: k, source: source[len(t.pairs)], low: a.Before(t.start[k]), high: a.Before(t.stop[k])}
		n := t.source[p.source].Items()
		if p.source == grows && k == m.grows {
			p.high = min(p.high, n) // the source may end earlier than another one
		} else if n != a.Items() {
			same = false
			break
		}
		t.pairs = append(t.pairs, p)
	}
	if same && len(t.pairs) == len(source) {
		return t.aligned(ctx)
	}
	if m.grows >= 0 && !m.blocks || itemsOf(t.source) != itemsOf(t.target) {
		return m.misfit(t.src)
	}
	return t.reshaped(ctx)
}

func itemsOf(axes []hyperslab.Axis) int64 {
	n := int64(1)
	for _, a := range axes {
		n *= a.Items()
	}
	return n
}

// transferBytes bounds the items of a source that are held at a time.
const transferBytes = 8 << 20

// mostGap is how many indices of a source are read although they are not wanted.
const mostGap = 8

// aligned reads pieces, each of which has few unwanted items between those that it wants.
func (t *transfer) aligned(ctx context.Context) error {
	room := max(1, transferBytes/t.item)
	pieces := make([][][2]int64, len(t.pairs))
	for i := len(t.pairs) - 1; i >= 0; i-- {
		p := t.pairs[i]
		pieces[i] = runs(t.source[p.source], p.low, p.high, room)
		if len(pieces[i]) == 0 {
			return nil
		}
		widest := int64(1)
		for _, c := range pieces[i] {
			widest = max(widest, c[1]-c[0])
		}
		room = max(1, room/widest)
	}

	at := make([]int, len(pieces))
	for {
		if err := t.piece(ctx, pieces, at); err != nil {
			return err
		}

		i := len(at) - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i] < len(pieces[i]) {
				break
			}
			at[i] = 0
		}
		if i < 0 {
			return nil
		}
	}
}

// runs cuts the numbers from low to high into pieces with at most some indices of the source each.
func runs(a hyperslab.Axis, low, high, most int64) (pieces [][2]int64) {
	for low < high {
		first := a.At(low)
		last := first
		n := low + 1
		for n < high {
			next := a.At(n)
			if next-last > mostGap || next-first >= most {
				break
			}
			last = next
			n++
		}

		pieces = append(pieces, [2]int64{low, n})
		low = n
	}
	return pieces
}

// piece reads a piece: straight to its place if it is in one there, with nothing unwanted.
func (t *transfer) piece(ctx context.Context, pieces [][][2]int64, at []int) error {
	// The box of the source that the piece spans. It may have items that are not wanted.
	from := make([]int64, len(t.source))
	to := make([]int64, len(t.source))
	for k, a := range t.source {
		from[k] = a.At(0)
		to[k] = from[k] + 1
	}

	places := make([]places, len(t.pairs))
	n := t.item
	direct := true
	for i, p := range t.pairs {
		low := pieces[i][at[i]][0]
		high := pieces[i][at[i]][1]
		source := t.source[p.source]
		from[p.source] = source.At(low)
		to[p.source] = source.At(high-1) + 1
		direct = direct && to[p.source]-from[p.source] == high-low

		for k := low; k < high; k++ {
			places[i].target = append(places[i].target, t.target[p.target].At(k)-t.start[p.target])
			places[i].source = append(places[i].source, source.At(k)-from[p.source])
		}

		n *= to[p.source] - from[p.source]
	}

	// Dimensions without a pair have one item, whose place is the same for the whole piece.
	offset := int64(0)
	step := t.item
	for k := len(t.start) - 1; k >= 0; k-- {
		i := slices.IndexFunc(t.pairs, func(p pair) bool { return p.target == k })
		if i >= 0 {
			places[i].step = step
		} else {
			offset += (t.target[k].At(0) - t.start[k]) * step
		}
		step *= t.stop[k] - t.start[k]
	}

	if place, ok := t.straight(places, offset); ok && direct {
		return t.read(ctx, t.dst[place:place+n], from, to)
	}

	t.items = slab.Resize(t.items, n)
	if err := t.read(ctx, t.items, from, to); err != nil {
		return err
	}

	size := t.item
	for i := len(t.pairs) - 1; i >= 0; i-- {
		places[i].size = size
		size *= to[t.pairs[i].source] - from[t.pairs[i].source]
	}

	t.scatter(places, offset, 0)
	return nil
}

// places are where the items of a dimension go.
type places struct {
	target, source []int64 // indices in the box, and in what was read
	step, size     int64   // bytes between neighbours in the box, and in what was read
}

// straight returns the offset of a piece in the box, and whether its items are in one piece there.
func (t *transfer) straight(list []places, offset int64) (int64, bool) {
	n := t.item
	for i := len(list) - 1; i >= 0; i-- {
		p := &list[i]
		count := int64(len(p.target))
		if count > 1 && (p.step != n || p.target[count-1]-p.target[0] != count-1) {
			return 0, false
		}
		offset += p.target[0] * p.step
		n *= count
	}
	return offset, true
}

// scatter puts the items of the dimensions from the first of a list on into their places.
func (t *transfer) scatter(list []places, target, source int64) {
	if len(list) == 0 {
		copy(t.dst[target:target+t.item], t.items[source:])
		return
	}
	p := &list[0]
	for i := range p.target {
		t.scatter(list[1:], target+p.target[i]*p.step, source+p.source[i]*p.size)
	}
}

// reshaped reads items whose dimensions are not those of the source, row by row.
func (t *transfer) reshaped(ctx context.Context) error {
	last := len(t.target) - 1
	if last < 0 || len(t.source) == 0 {
		var start, stop []int64 // of a single item
		for _, a := range t.source {
			start = append(start, a.At(0))
			stop = append(stop, a.At(0)+1)
		}
		return t.read(ctx, t.dst, start, stop)
	}

	low := make([]int64, last+1)
	high := make([]int64, last+1)
	for k, a := range t.target {
		low[k] = a.Before(t.start[k])
		high[k] = a.Before(t.stop[k])
	}

	at := slices.Clone(low)
	for {
		for at[last] = low[last]; at[last] < high[last]; {
			n, err := t.row(ctx, at, high[last]-at[last])
			if err != nil {
				return err
			}
			at[last] += n
		}

		k := last - 1
		for ; k >= 0; k-- {
			if at[k]++; at[k] < high[k] {
				break
			}
			at[k] = low[k]
		}
		if k < 0 {
			return nil
		}
	}
}

// row reads at most n items along the last dimension, from those with some numbers on, as far as
// the last dimension of the source goes. It returns how many.
func (t *transfer) row(ctx context.Context, at []int64, n int64) (int64, error) {
	// Items with the same number in C order correspond.
	number := int64(0)
	for k, a := range t.target {
		number = number*a.Items() + at[k]
	}

	from := make([]int64, len(t.source))
	within := int64(0) // the number along the last dimension
	for k := len(from) - 1; k >= 0; k-- {
		a := t.source[k]
		from[k] = a.At(number % a.Items())
		if k == len(from)-1 {
			within = number % a.Items()
			n = min(n, a.Items()-within)
		}
		number /= a.Items()
	}

	last := t.source[len(from)-1]
	n = runs(last, within, within+n, transferBytes/t.item)[0][1] - within

	to := slices.Clone(from)
	for k := range to {
		to[k]++
	}
	to[len(to)-1] = last.At(within+n-1) + 1
	t.items = slab.Resize(t.items, (to[len(to)-1]-from[len(from)-1])*t.item)
	if err := t.read(ctx, t.items, from, to); err != nil {
		return 0, err
	}

	for i := range n {
		offset := int64(0)
		for k, a := range t.target {
			number := at[k]
			if k == len(at)-1 {
				number += i
			}
			offset = offset*(t.stop[k]-t.start[k]) + a.At(number) - t.start[k]
		}

		source := (last.At(within+i) - from[len(from)-1]) * t.item
		copy(t.dst[offset*t.item:][:t.item], t.items[source:])
	}
	return n, nil
}
