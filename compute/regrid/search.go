package regrid

import (
	"cmp"
	"math"
	"slices"
)

// A box is a range of latitudes and one of longitudes, in degrees. It runs east from west, which
// may be any number, by at most 360 degrees.
type box struct{ south, north, west, width float64 }

// capBox returns a box around places: that of a circle around their middle.
func capBox(places []vector) box {
	var sum vector
	for _, v := range places {
		sum = sum.plus(v)
	}
	middle := sum.unit()
	far := 0.0
	for _, v := range places {
		far = max(far, v.distance2(middle))
	}
	radius := 2*math.Asin(min(1, math.Sqrt(far)/2))/radian + 1e-9
	lat, lon := middle.degrees()

	b := box{south: lat - radius, north: lat + radius, west: -180, width: 360}
	_, cos := sincos(lat)
	sin, _ := sincos(min(radius, 90))
	if b.south > -90 && b.north < 90 && sin < cos {
		half := math.Asin(sin/cos)/radian + 1e-9
		b.west = lon - half
		b.width = 2 * half
	}
	return b
}

// Bins tell which of some cells may be at a place: they are in bins of latitudes and longitudes.
type bins struct {
	rows, columns int
	start         []int32 // of each bin in items
	items         []int32
}

// mostBinned bounds the entries of bins.
const mostBinned = 1 << 30

// newBins puts n cells into bins by the boxes around them. Those with a box of no width are left
// out.
func newBins(n int, boxOf func(i int) box) *bins {
	rows := max(1, min(2048, int(math.Sqrt(float64(n)/2))))
	b := &bins{rows: rows, columns: 2 * rows}
	b.start = make([]int32, b.rows*b.columns+1)

	total := 0
	for i := range n {
		b.each(boxOf(i), func(bin int) {
			b.start[bin+1]++
			total++
		})
		if total > mostBinned {
			return nil
		}
	}
	for i := 1; i < len(b.start); i++ {
		b.start[i] += b.start[i-1]
	}

	b.items = make([]int32, total)
	next := slices.Clone(b.start)
	for i := range n {
		b.each(boxOf(i), func(bin int) {
			b.items[next[bin]] = int32(i)
			next[bin]++
		})
	}
	return b
}

// each calls do for every bin that a box touches.
func (b *bins) each(of box, do func(bin int)) {
	if of.width <= 0 {
		return
	}
	row := func(lat float64) int {
		return max(0, min(b.rows-1, int((lat+90)/180*float64(b.rows))))
	}
	first := int(math.Floor(of.west / 360 * float64(b.columns)))
	last := min(first+b.columns-1, int(math.Floor((of.west+of.width)/360*float64(b.columns))))
	for j := row(of.south); j <= row(of.north); j++ {
		for i := first; i <= last; i++ {
			k := i % b.columns
			if k < 0 {
				k += b.columns
			}
			do(j*b.columns + k)
		}
	}
}

// within appends to dst the cells that may touch a box, in ascending order.
func (b *bins) within(dst []int32, of box) []int32 {
	b.each(of, func(bin int) { dst = append(dst, b.items[b.start[bin]:b.start[bin+1]]...) })
	slices.Sort(dst)
	return slices.Compact(dst)
}

// A tree finds the nearest of some places: a k-d tree in three dimensions, whose nodes are the
// middles of ranges of a list.
type tree struct {
	places []vector
	order  []int32
}

// newTree returns a tree of the places with the numbers in order, which it takes.
func newTree(places []vector, order []int32) *tree {
	t := &tree{places, order}
	t.build(0, len(order), 0)
	return t
}

func (v vector) along(axis int) float64 {
	switch axis {
	case 0:
		return v.x
	case 1:
		return v.y
	}
	return v.z
}

func (t *tree) build(from, to, axis int) {
	for to-from > 1 {
		middle := (from + to) / 2
		t.part(from, to, middle, axis)
		axis = (axis + 1) % 3
		t.build(from, middle, axis)
		from = middle + 1
	}
}

// part puts the place that is the n-th along an axis there, and lesser ones before it.
func (t *tree) part(from, to, n, axis int) {
	less := func(a, b int32) bool {
		return cmp.Or(cmp.Compare(t.places[a].along(axis), t.places[b].along(axis)), cmp.Compare(a, b)) < 0
	}
	for to-from > 1 {
		pivot := t.order[from+(to-from)/2]
		i := from
		j := to - 1

		for i <= j {
			for less(t.order[i], pivot) {
				i++
			}
			for less(pivot, t.order[j]) {
				j--
			}
			if i <= j {
				t.order[i], t.order[j] = t.order[j], t.order[i]
				i++
				j--
			}
		}

		switch {
		case n <= j:
			to = j + 1
		case n >= i:
			from = i
		default:
			return
		}
	}
}

// nearest returns the place that is nearest to another, the first one of several; −1 if there is
// none.
func (t *tree) nearest(to vector) int32 {
	best := int32(-1)
	least := math.Inf(1)
	t.look(0, len(t.order), 0, to, &best, &least)
	return best
}

func (t *tree) look(from, to, axis int, at vector, best *int32, least *float64) {
	if from >= to {
		return
	}
	middle := (from + to) / 2
	i := t.order[middle]
	d := t.places[i].distance2(at)
	if d < *least || d == *least && i < *best {
		*best = i
		*least = d
	}

	away := at.along(axis) - t.places[i].along(axis)
	next := (axis + 1) % 3
	if away <= 0 {
		t.look(from, middle, next, at, best, least)
	} else {
		t.look(middle+1, to, next, at, best, least)
	}
	if away*away > *least {
		return
	}
	if away <= 0 {
		t.look(middle+1, to, next, at, best, least)
	} else {
		t.look(from, middle, next, at, best, least)
	}
}
