package main

import (
	"math/rand/v2"
	"slices"

	"github.com/cairn-go/cairn/internal/test/dense"
)

var dtypes = []struct {
	name string
	size int
}{
	{"|u1", 1}, {"<i2", 2}, {"<f4", 4}, {"<i8", 8}, {">i4", 4}, {">f8", 8}, {"<c16", 16}, {"|S3", 3}, {"[('a', '<i4'), ('b', '<f8', (2,))]", 20},
	{"<M8[ns]", 8}, {"|S40", 40}, {"<u2", 2},
}

// A drawer draws the steps of a program. Each step fits the array after the earlier steps.
type drawer struct {
	*rand.Rand
	world *world
	verbs []verb
}

// draw returns program number index of a seed, whose steps are of the given verbs.
func draw(seed uint64, index int, verbs []verb) *program {
	d := &drawer{Rand: rand.New(rand.NewPCG(seed, uint64(index))), verbs: verbs}
	p := d.program()
	d.world = newWorld(p)
	for range 2 + d.IntN(14) {
		s := d.step(true)
		p.Steps = append(p.Steps, s)
		d.world.apply(&s)
	}
	return p
}

func (d *drawer) program() *program {
	t := dtypes[d.IntN(len(dtypes))]
	p := &program{
		DType: t.name, Size: t.size, Shape: d.shape(), Workers: 1 + d.IntN(3), Sparse: d.IntN(4) == 0,
		Codec: []string{"blosclz", "lz4", "lz4hc", "zlib", "zstd"}[d.IntN(5)], Level: []int{-1, 1, 5, 9}[d.IntN(4)],
		Filter: [][]string{nil, {"none"}, {"shuffle"}, {"bitshuffle"}, {"delta", "shuffle"}}[d.IntN(5)],
		Place:  []place{inMemory, inFS, onDisk}[d.IntN(3)],
		Behind: []int64{0, 0, 1, 4096, 1 << 20}[d.IntN(5)],
	}
	p.Chunks, p.Blocks = d.partition(p.Shape)
	if d.IntN(3) == 0 {
		p.Fill = noise(d.Uint64N(1000), p.Size)
	}
	return p
}

// shape returns a shape of at most some thousands of items.
func (d *drawer) shape() []int64 {
	dims := d.IntN(7)
	side := []int{1, 900, 40, 12, 7, 5, 4}[dims]
	shape := make([]int64, dims)
	for i := range shape {
		shape[i] = int64(1 + d.IntN(side))
		if d.IntN(40) == 0 {
			shape[i] = 0
		}
	}
	return shape
}

// partition returns shapes of chunks and blocks: both, or none.
func (d *drawer) partition(shape []int64) (chunks, blocks []int64) {
	if d.IntN(8) == 0 {
		return nil, nil
	}
	chunks = make([]int64, len(shape))
	blocks = make([]int64, len(shape))
	for i, n := range shape {
		chunks[i] = 1 + d.Int64N(max(n, 1)+1)
		chunks[i] = max(chunks[i], n/6) // many tiny chunks take long and test nothing more
		blocks[i] = 1 + d.Int64N(chunks[i])
	}
	return chunks, blocks
}

// step draws a step; outer allows steps that are not possible inside of a transaction.
func (d *drawer) step(outer bool) step {
	for {
		s := step{Do: d.verbs[d.IntN(len(d.verbs))], Seed: d.Uint64N(1 << 20)}
		switch s.Do {
		case doCommit, doRollback, doCompact, doReopen, doKill, doConcat, doCopy, doAtomically:
			if !outer {
				continue
			}
		}
		if d.fill(&s) {
			return s
		}
	}
}

// fill draws the fields that the verb of a step needs. It reports false if the current array does
// not allow the step.
func (d *drawer) fill(s *step) bool {
	now := d.world.now
	dims := len(now.Shape)
	small := dense.Volume(now.Shape) < 20000

	switch s.Do {
	case doRead, doWrite, doFill:
		s.Key = d.key(now.Shape)
	case doPoints, doScatter:
		for range d.IntN(30) {
			p := make([]int64, dims)
			for i, n := range now.Shape {
				if n == 0 {
					return false
				}
				p[i] = d.Int64N(2*n) - n
			}
			s.Points = append(s.Points, p)
		}
	case doMask, doPaint:
		s.Share = []int{0, 1, 10, 50, 100}[d.IntN(5)]
	case doView, doThrough:
		s.Lens = d.lens(now.Shape)
		return s.Do == doView || !repeats(now.Shape, s.Lens)
	case doResize:
		s.Shape = slices.Clone(now.Shape)
		for i, n := range s.Shape {
			s.Shape[i] = d.Int64N(n + n/2 + 3)
		}
		return small
	case doAppend, doInsert, doDelete, doConcat:
		return dims > 0 && small && d.along(s, now.Shape)
	case doCopy:
		s.Chunks, s.Blocks = d.partition(now.Shape)
	case doAtomically:
		// Draw the steps of a transaction, and apply each to the model, to know which may
		// follow.
		before := d.world.now.Clone()
		committed := d.world.committed
		snapshots := d.world.snapshots
		for range 1 + d.IntN(4) {
			inner := d.step(false)
			s.Steps = append(s.Steps, inner)
			d.world.apply(&inner)
		}
		s.Fail = d.IntN(3) == 0
		d.world.now = before
		d.world.committed = committed
		d.world.snapshots = snapshots
	case doSnapshot:
		return len(d.world.snapshots) < 3
	}
	return true
}

// repeats reports whether a view may show an item twice. Such views cannot always be written.
func repeats(shape []int64, turns []turn) bool {
	l, err := whole(shape).through(turns)
	if err != nil {
		return false
	}
	at := slices.Clone(l.at)
	slices.Sort(at)
	return len(slices.Compact(at)) < len(l.at)
}

// along draws a change along an axis.
func (d *drawer) along(s *step, shape []int64) bool {
	s.Axis = d.IntN(len(shape))
	n := shape[s.Axis]
	if dense.Volume(without(slices.Clone(shape), s.Axis)) == 0 {
		return false // without data, the number of items is unknown
	}

	more := d.Int64N(n/2 + 4)
	switch s.Do {
	case doInsert:
		s.At = d.Int64N(n + 1)
		s.To = more
	case doDelete:
		s.At = d.Int64N(n + 1)
		s.To = s.At + d.Int64N(n-s.At+1)
	default:
		s.At = more
	}

	if s.Do == doConcat {
		s.Chunks, s.Blocks = d.partition(shape)
	}
	return true
}
