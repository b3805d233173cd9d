package grid

import (
	"cmp"
	"slices"
)

// A meshAxis is one dimension of a mesh. After ascend its coordinates are ascending.
type meshAxis struct {
	Axis
	numChunks int64 // chunks that it touches
	first     int64 // of a progression: the first chunk touched

	// Of a list: its coordinates in ascending order, equal ones in their original order; the starts
	// of blocks in sorted, and the starts of chunks in the table of blocks, each with the end
	// appended.
	sorted []listItem
	blocks []int
	chunks []int
	unique bool // no coordinate occurs twice
}

// A listItem is one coordinate of a list, and its number in memory.
type listItem struct{ at, place int64 }

// ascend reverses a descending progression, and turns a list that is a progression into one. It
// returns the change of the base in bytes.
func (a *meshAxis) ascend() int64 {
	if a.List != nil && a.Places == nil {
		a.simplify()
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

// simplify turns a list of evenly spaced coordinates into a progression.
func (a *meshAxis) simplify() {
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

// cut finds the chunks that the axis touches; chunk and block are extents. last drops all but the
// last of equal coordinates.
func (a *meshAxis) cut(chunk, block int64, last bool) {
	if a.List == nil {
		a.unique = true
		a.first = a.Start / chunk
		a.numChunks = (a.Start+(a.Count-1)*a.Step)/chunk - a.first + 1
		if a.Step >= chunk {
			a.numChunks = a.Count
		}
		return
	}

	a.sort(last)
	at := int64(-1) // the previous block
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

	a.numChunks = int64(len(a.chunks))
	a.chunks = append(a.chunks, len(a.blocks))
	a.blocks = append(a.blocks, len(a.sorted))
}

func (a *meshAxis) sort(last bool) {
	a.sorted = make([]listItem, len(a.List))
	for k, at := range a.List {
		a.sorted[k] = listItem{at, int64(k)}
		if a.Places != nil {
			a.sorted[k].place = a.Places[k]
		}
	}

	byCoordinate := func(x, y listItem) int { return cmp.Compare(x.at, y.at) }
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

// A axisPiece is the part of an axis in one chunk.
type axisPiece struct {
	origin int64 // coordinate at which the chunk begins
	lo, n  int64 // of a progression: first coordinate within the chunk, and how many
	number int64 // of a progression: the number of that first coordinate
	// of a progression: the first block that it touches; of a list: the index of its first block in
	// the axis's table
	first  int64
	blocks int64 // number of blocks that it touches
}

// piece returns the part of the axis in the j-th chunk that it touches.
func (a *meshAxis) piece(j, chunk, block int64) (s axisPiece) {
	if a.sorted != nil {
		from := a.chunks[j]
		to := a.chunks[j+1]
		s.origin = a.sorted[a.blocks[from]].at / chunk * chunk
		s.first = int64(from)
		s.blocks = int64(to - from)
		s.n = int64(a.blocks[to] - a.blocks[from])
		return s
	}

	if a.Step >= chunk {
		s.number = j
		s.n = 1
		s.origin = (a.Start + j*a.Step) / chunk * chunk
	} else {
		s.origin = (a.first + j) * chunk
		s.number = a.countBelow(s.origin)
		s.n = a.countBelow(s.origin+chunk) - s.number
	}

	s.lo = a.Start + s.number*a.Step - s.origin
	s.first = s.lo / block
	s.blocks = (s.lo+(s.n-1)*a.Step)/block - s.first + 1
	if a.Step >= block {
		s.blocks = s.n
	}
	return s
}

// countBelow returns how many coordinates of a progression are below a bound.
func (a *meshAxis) countBelow(bound int64) int64 {
	if bound <= a.Start {
		return 0
	}
	return min(a.Count, (bound-a.Start-1)/a.Step+1)
}

// block returns the number along its dimension, within the chunk, of the k-th block that a piece
// touches.
func (a *meshAxis) block(s *axisPiece, k, block int64) int64 {
	switch {
	case a.sorted != nil:
		return (a.sorted[a.blocks[s.first+k]].at - s.origin) / block
	case a.Step >= block:
		return (s.lo + k*a.Step) / block
	}
	return s.first + k
}

// within returns the part of a progression's piece in the block that starts at coordinate begin of
// the chunk: the first coordinate within the block, its number in the axis, and the count.
func (a *meshAxis) within(s *axisPiece, begin, block int64) (lo, number, n int64) {
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

// listWithin returns the part of a list's piece in a block, given by its number along the
// dimension.
func (a *meshAxis) listWithin(s *axisPiece, number, block int64) []listItem {
	tables := a.blocks[s.first : s.first+s.blocks]
	k, met := slices.BinarySearchFunc(tables, number, func(k int, number int64) int {
		return cmp.Compare((a.sorted[k].at-s.origin)/block, number)
	})
	if !met {
		return nil
	}
	return a.sorted[tables[k]:a.blocks[s.first+int64(k)+1]]
}
