package grid

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
)

// place is the reference implementation: it computes the place of the item at coordinates at from
// the definition of the layout.
func place(p *Partition, at []int64) (chunk, block, byteInBlock int64) {
	for i := range p.Dims {
		r := at[i] % p.Chunk[i]
		chunk = chunk*p.ChunkGrid[i] + at[i]/p.Chunk[i]
		block = block*p.BlockGrid[i] + r/p.Block[i]
		byteInBlock = byteInBlock*p.Block[i] + r%p.Block[i]
	}
	return chunk, block, byteInBlock * p.ItemSize
}

// next steps at through the box in C order and reports whether there is a next item.
func next(at, start, stop []int64) bool {
	for i := len(at) - 1; i >= 0; i-- {
		if at[i]++; at[i] < stop[i] {
			return true
		}
		at[i] = start[i]
	}
	return false
}

func empty(start, stop []int64) bool {
	for i := range start {
		if start[i] >= stop[i] {
			return true
		}
	}
	return false
}

type geometry struct {
	p           *Partition
	start, stop []int64
}

func randomGeometry(rnd *rand.Rand) geometry {
	dims := rnd.IntN(6)
	if rnd.IntN(10) == 0 {
		dims = 6 + rnd.IntN(MaxDims-5)
	}
	side := []int64{1, 60, 20, 9, 6, 4}[min(dims, 5)]
	if dims > 5 {
		side = 2
	}
	shape, chunk, block := make([]int64, dims), make([]int64, dims), make([]int64, dims)
	start, stop := make([]int64, dims), make([]int64, dims)
	for i := range dims {
		shape[i] = 1 + rnd.Int64N(side)
		if rnd.IntN(30) == 0 {
			shape[i] = 0
		}
		chunk[i] = 1 + rnd.Int64N(side+2)
		block[i] = 1 + rnd.Int64N(chunk[i]+1)
		if dims > 5 { // otherwise padding alone would exceed the limit of a chunk
			chunk[i] = 1 + rnd.Int64N(2)
			block[i] = 1 + rnd.Int64N(chunk[i])
		}
		if rnd.IntN(3) == 0 {
			chunk[i], block[i] = max(shape[i], 1), max(shape[i], 1)
		}
		start[i] = rnd.Int64N(shape[i] + 1)
		stop[i] = start[i] + rnd.Int64N(shape[i]-start[i]+1)
		if rnd.IntN(2) == 0 {
			start[i], stop[i] = 0, shape[i]
		}
	}
	p, err := New(shape, chunk, block, []int64{1, 2, 3, 4, 8, 16, 300}[rnd.IntN(7)])
	if err != nil {
		panic(err)
	}
	return geometry{p, start, stop}
}

// check compares every operation of a plan with the reference.
func (g geometry) check(t *testing.T, rnd *rand.Rand) {
	t.Helper()
	p, item := g.p, int(g.p.ItemSize)
	var plan Box
	if err := plan.Set(p, g.start, g.stop); err != nil {
		t.Fatalf("%+v: %v", g, err)
	}
	stored := make([][]byte, p.ChunkCount) // every chunk of the array
	for i := range stored {
		stored[i] = randomBytes(rnd, int(p.ChunkSize))
	}
	want := []byte{}
	touched := map[int64]bool{}
	if !empty(g.start, g.stop) {
		at := slices.Clone(g.start)
		for more := true; more; more = next(at, g.start, g.stop) {
			c, b, off := place(p, at)
			touched[c] = true
			want = append(want, stored[c][b*p.BlockSize+off:][:item]...)
		}
	}
	if int64(len(want)) != plan.Bytes || len(touched) != plan.Pieces {
		t.Fatalf("%+v: plan has %d bytes in %d pieces, want %d in %d", g, plan.Bytes, plan.Pieces, len(want), len(touched))
	}
	got := make([]byte, len(want))
	var pc BoxPiece
	for k := range plan.Pieces {
		plan.Piece(k, &pc)
		if !touched[pc.Chunk] {
			t.Fatalf("%+v: piece %d is chunk %d", g, k, pc.Chunk)
		}
		delete(touched, pc.Chunk)
		for j := range pc.Blocks() {
			b := pc.Block(j)
			data := stored[pc.Chunk][int64(b)*p.BlockSize:][:p.BlockSize]
			if direct := pc.Direct(got, b); direct != nil {
				copy(direct, data)
				if !pc.Covers(b) {
					t.Fatalf("%+v: direct block %d is not covered", g, b)
				}
			} else {
				pc.Scatter(got, b, data)
			}
		}
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("%+v: scatter differs from the naive twin", g)
	}
	g.checkGather(t, &plan, stored, randomBytes(rnd, len(want)))
	g.checkFill(t, &plan, want)
}

// checkGather gathers dense into copies of the chunks and compares all their bytes with the
// reference.
func (g geometry) checkGather(t *testing.T, plan *Box, stored [][]byte, dense []byte) {
	t.Helper()
	p, item := g.p, int(g.p.ItemSize)
	want := make([][]byte, len(stored))
	items := make([]int64, len(stored)) // items of the box per chunk
	for i := range want {
		want[i] = slices.Clone(stored[i])
	}
	if len(dense) > 0 {
		at := slices.Clone(g.start)
		for k, more := 0, true; more; k, more = k+1, next(at, g.start, g.stop) {
			c, b, off := place(p, at)
			items[c]++
			copy(want[c][b*p.BlockSize+off:], dense[k*item:][:item])
		}
	}
	var pc BoxPiece
	for k := range plan.Pieces {
		plan.Piece(k, &pc)
		chunk := slices.Clone(stored[pc.Chunk])
		for b := range int(p.BlockCount) { // also blocks that the box does not touch
			pc.Gather(chunk[int64(b)*p.BlockSize:][:p.BlockSize], b, dense)
		}
		if !bytes.Equal(chunk, want[pc.Chunk]) {
			t.Fatalf("%+v: gather into chunk %d differs from the naive twin", g, pc.Chunk)
		}
		inChunk := int64(1)
		lo, hi := p.ChunkBox(pc.Chunk)
		for i := range p.Dims {
			inChunk *= hi[i] - lo[i]
		}
		if pc.Whole != (items[pc.Chunk] == inChunk) {
			t.Fatalf("%+v: chunk %d whole %v with %d of %d items", g, pc.Chunk, pc.Whole, items[pc.Chunk], inChunk)
		}
		marked := make([]bool, p.BlockCount)
		Mark(&pc, marked)
		count := 0
		for _, m := range marked {
			if m {
				count++
			}
		}
		if count != pc.Blocks() {
			t.Fatalf("%+v: %d blocks marked, want %d", g, count, pc.Blocks())
		}
	}
}

// checkFill fills the dense buffer piece by piece, with an item and with zeros, and gathers a
// broadcast item.
func (g geometry) checkFill(t *testing.T, plan *Box, like []byte) {
	t.Helper()
	item := bytes.Repeat([]byte{1, 2, 3, 4, 5}, 60)[:g.p.ItemSize]
	dense := slices.Clone(like)
	var pc BoxPiece
	for k := range plan.Pieces {
		plan.Piece(k, &pc)
		pc.Fill(dense, item)
	}
	if want := bytes.Repeat(item, len(like)/len(item)); !bytes.Equal(dense, want) {
		t.Fatalf("%+v: fill left other bytes", g)
	}
	for k := range plan.Pieces {
		plan.Piece(k, &pc)
		pc.Fill(dense, nil)
	}
	if !bytes.Equal(dense, make([]byte, len(like))) {
		t.Fatalf("%+v: zero fill left other bytes", g)
	}
	one := *plan
	one.Broadcast()
	block, back := make([]byte, g.p.BlockSize), make([]byte, len(like))
	var source BoxPiece
	for k := range one.Pieces {
		one.Piece(k, &source)
		plan.Piece(k, &pc)
		for j := range pc.Blocks() {
			source.Gather(block, pc.Block(j), item)
			from, to := pc.Span(pc.Block(j))
			for i := range block {
				if i < from || i >= to {
					block[i] ^= 0xff // must have no effect
				}
			}
			pc.Scatter(back, pc.Block(j), block)
		}
	}
	if want := bytes.Repeat(item, len(like)/len(item)); !bytes.Equal(back, want) {
		t.Fatalf("%+v: broadcast left other bytes", g)
	}
}

func randomBytes(rnd *rand.Rand, n int) []byte {
	b := make([]byte, n+8)
	for i := 0; i < n; i += 8 {
		binary.LittleEndian.PutUint64(b[i:], rnd.Uint64())
	}
	return b[:n]
}

func TestPlansMatchTheNaiveTwin(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 800 {
		randomGeometry(rnd).check(t, rnd)
	}
}

func FuzzGeometry(f *testing.F) {
	for i := range uint64(8) {
		f.Add(i, i*i)
	}
	f.Fuzz(func(t *testing.T, a, b uint64) {
		rnd := rand.New(rand.NewPCG(a, b))
		randomGeometry(rnd).check(t, rnd)
	})
}
