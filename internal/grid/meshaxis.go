package grid

import (
	"cmp"
	"slices"
)

// A meshAxis is one dimension of a mesh. After straighten its coordinates ascend.
type meshAxis struct {
	Axis
	pieces int64 // chunks that it meets
	first  int64 // of a progression: the first chunk

	// Of a list: its coordinates in ascending order, equal ones in the order that they came in;
	// where in it blocks begin, and where in that chunks begin, each with the end behind it.
	sorted []spot
	blocks []int
	chunks []int
	unique bool // no coordinate is there twice
}

// A spot is one coordinate of a list, and its number in memory.
type spot struct{ at, place int64 }

// straighten turns a progression round if it descends, and lists that are progressions into such.
// It returns by how many bytes the base moves.
func (a *meshAxis) straighten() int64 {
	if a.List != nil && a.Places == nil {
		a.recognise()
	}
	if a.List != nil || a.Count == 1 {
		a.Step = 1
		return 0
	}
	if a.Step >= 0 {
		return 0
	}
	moved := (a.Count - 1) * a.Stride
	a.Start += (a.Count - 1) * a.Step
	a.Step, a.Stride = -a.Step, -a.Stride
	return moved
}

// recognise turns a list of coordinates that are evenly apart into a progression.
func (a *meshAxis) recognise() {
	step := int64(1)
	if len(a.List) > 1 {
		step = a.List[1] - a.List[0]
	}
	if step == 0 {
		return
	}
	for k := 1; k < len(a.List); k++ {
		if a.List[k]-a.List[k-1] != step {
			return
		}
	}
	a.Start, a.Step, a.List = a.List[0], step, nil
}

// cut finds out which chunks of an extent the axis meets. last drops all but the last of equal
// coordinates.
func (a *meshAxis) cut(chunk, block int64, last bool) {
	if a.List == nil {
		a.unique = true
		a.first = a.Start / chunk
		a.pieces = (a.Start+(a.Count-1)*a.Step)/chunk - a.first + 1
		if a.Step >= chunk {
			a.pieces = a.Count
		}
		return
	}
	a.sort(last)
	at := int64(-1) // the block before
	for k, p := range a.sorted {
		c := p.at / chunk
		b := c*ceilDiv(chunk, block) + p.at%chunk/block
		if b == at {
			continue
		}
		if k == 0 || a.sorted[k-1].at/chunk != c {
			a.chunks = append(a.chunks, len(a.blocks))
		}
		a.blocks = append(a.blocks, k)
		at = b
	}
	a.pieces = int64(len(a.chunks))
	a.chunks = append(a.chunks, len(a.blocks))
	a.blocks = append(a.blocks, len(a.sorted))
}

func (a *meshAxis) sort(last bool) {
	a.sorted = make([]spot, len(a.List))
	for k, at := range a.List {
		a.sorted[k] = spot{at, int64(k)}
		if a.Places != nil {
			a.sorted[k].place = a.Places[k]
		}
	}
	byCoordinate := func(x, y spot) int { return cmp.Compare(x.at, y.at) }
	if !slices.IsSortedFunc(a.sorted, byCoordinate) {
		slices.SortStableFunc(a.sorted, byCoordinate)
	}
	a.unique = true
	kept := a.sorted[:0]
	for _, p := range a.sorted {
		if n := len(kept); n > 0 && kept[n-1].at == p.at {
			if last {
				kept[n-1] = p
				continue
			}
			a.unique = false
		}
		kept = append(kept, p)
	}
	a.sorted = kept
}

// A stretch is what one chunk has of an axis.
type stretch struct {
	origin int64 // coordinate at which the chunk begins
	lo, n  int64 // of a progression: first coordinate within the chunk, and how many
	number int64 // of a progression: the number of that first coordinate
	// of a progression: the block that it lies in; of a list: the first of its blocks in the axis's
	// table
	first  int64
	blocks int64 // how many blocks it meets
}

// stretch returns what the j-th chunk that the axis meets has of it.
func (a *meshAxis) stretch(j, chunk, block int64) (s stretch) {
	if a.sorted != nil {
		from, to := a.chunks[j], a.chunks[j+1]
		s.origin = a.sorted[a.blocks[from]].at / chunk * chunk
		s.first, s.blocks = int64(from), int64(to-from)
		s.n = int64(a.blocks[to] - a.blocks[from])
		return s
	}
	if a.Step >= chunk {
		s.number, s.n = j, 1
		s.origin = (a.Start + j*a.Step) / chunk * chunk
	} else {
		s.origin = (a.first + j) * chunk
		s.number = a.upTo(s.origin)
		s.n = a.upTo(s.origin+chunk) - s.number
	}
	s.lo = a.Start + s.number*a.Step - s.origin
	s.first = s.lo / block
	s.blocks = (s.lo+(s.n-1)*a.Step)/block - s.first + 1
	if a.Step >= block {
		s.blocks = s.n
	}
	return s
}

// upTo returns how many coordinates of a progression are below a bound.
func (a *meshAxis) upTo(bound int64) int64 {
	if bound <= a.Start {
		return 0
	}
	return min(a.Count, (bound-a.Start-1)/a.Step+1)
}

// block returns the number along its dimension, within the chunk, of the k-th block that a stretch
// of the axis meets.
func (a *meshAxis) block(s *stretch, k, block int64) int64 {
	switch {
	case a.sorted != nil:
		return (a.sorted[a.blocks[s.first+k]].at - s.origin) / block
	case a.Step >= block:
		return (s.lo + k*a.Step) / block
	}
	return s.first + k
}

// in returns what a stretch of a progression has in a block that begins at a coordinate of the
// chunk: the first coordinate within the block, its number in the axis, and how many there are.
func (a *meshAxis) in(s *stretch, begin, block int64) (lo, number, n int64) {
	end := begin + block
	if end <= s.lo {
		return 0, 0, 0
	}
	skip := int64(0)
	if begin > s.lo {
		skip = (begin-s.lo-1)/a.Step + 1
	}
	n = min(s.n, (end-s.lo-1)/a.Step+1) - skip
	return s.lo + skip*a.Step - begin, s.number + skip, max(n, 0)
}

// listed returns what a stretch of a list has in the block with a number along its dimension.
func (a *meshAxis) listed(s *stretch, number, block int64) []spot {
	tables := a.blocks[s.first : s.first+s.blocks]
	k, met := slices.BinarySearchFunc(tables, number, func(k int, number int64) int {
		return cmp.Compare((a.sorted[k].at-s.origin)/block, number)
	})
	if !met {
		return nil
	}
	return a.sorted[tables[k]:a.blocks[s.first+int64(k)+1]]
}
