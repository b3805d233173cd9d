package grid

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// randomAxis returns random coordinates within an extent.
func randomAxis(rnd *rand.Rand, extent int64) Axis {
	var a Axis
	switch kind := rnd.IntN(8); {
	case extent == 0 || kind == 0:
		a.Step = 1
		if rnd.IntN(3) > 0 && extent > 0 {
			a.Count = 1
			a.Start = rnd.Int64N(extent)
		}
	case kind < 3:
		a.List = make([]int64, rnd.Int64N(2*extent)+1)
		for k := range a.List {
			a.List[k] = rnd.Int64N(extent)
		}
		if rnd.IntN(3) == 0 {
			slices.Sort(a.List)
		}
		a.Count = int64(len(a.List))
	case kind < 5:
		a.Start, a.Step, a.Count = 0, 1, extent
	default:
		a.Start = rnd.Int64N(extent)
		a.Step = 1 + rnd.Int64N(rnd.Int64N(extent)+1)
		a.Count = (extent-1-a.Start)/a.Step + 1
		a.Count -= rnd.Int64N(a.Count)
		if rnd.IntN(2) == 0 {
			a.Start += (a.Count - 1) * a.Step
			a.Step = -a.Step
		}
	}
	return a
}

// meshCase is a mesh in memory with a random order of dimensions, gaps, negative strides and
// repeats.
type meshCase struct {
	p      *Partition
	axes   []Axis
	memory Memory
}

func randomMesh(rnd *rand.Rand) meshCase {
	c := meshCase{p: randomGeometry(rnd).p}
	for i := range c.p.Dims {
		c.axes = append(c.axes, randomAxis(rnd, c.p.Shape[i]))
	}
	for range rnd.IntN(8) - 5 {
		c.memory.Spread = append(c.memory.Spread, Axis{Count: 1 + rnd.Int64N(3)})
	}
	all := make([]*Axis, 0, MaxDims)
	for i := range c.axes {
		all = append(all, &c.axes[i])
	}
	for i := range c.memory.Spread {
		all = append(all, &c.memory.Spread[i])
	}
	if rnd.IntN(3) == 0 {
		rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	stride := c.p.ItemSize
	for _, a := range slices.Backward(all) {
		places := a.Count
		if a.List != nil && rnd.IntN(3) == 0 {
			for _, k := range rnd.Perm(len(a.List) + 2)[:len(a.List)] {
				a.Places = append(a.Places, int64(k))
			}
			places += 2
		}
		a.Stride = stride
		if places > 1 && rnd.IntN(3) == 0 {
			a.Stride = -stride
			c.memory.Base += (places - 1) * stride
		}
		stride *= max(places, 1)
		if rnd.IntN(4) == 0 {
			stride += c.p.ItemSize + rnd.Int64N(3)
		}
	}
	c.memory.Size = stride
	return c
}

// each calls visit for every item in C order of numbers, with its places in the array and in
// memory.
func (c *meshCase) each(visit func(chunk, block, byteInBlock, memoryAt int64)) {
	all := append(slices.Clone(c.axes), c.memory.Spread...)
	number, at := make([]int64, len(all)), make([]int64, c.p.Dims)
	for _, a := range all {
		if a.Count == 0 {
			return
		}
	}
	for {
		memoryAt := c.memory.Base
		for i, a := range all {
			if i < c.p.Dims {
				at[i] = a.At(number[i])
			}
			if a.Places != nil {
				memoryAt += a.Places[number[i]] * a.Stride
			} else {
				memoryAt += number[i] * a.Stride
			}
		}
		chunk, block, off := place(c.p, at)
		visit(chunk, block, off, memoryAt)
		i := len(all) - 1
		for ; i >= 0; i-- {
			if number[i]++; number[i] < all[i].Count {
				break
			}
			number[i] = 0
		}
		if i < 0 {
			return
		}
	}
}

func (c *meshCase) check(t *testing.T, rnd *rand.Rand) {
	t.Helper()
	p, item := c.p, c.p.ItemSize
	stored := make([][]byte, p.ChunkCount)
	for i := range stored {
		stored[i] = randomBytes(rnd, int(p.ChunkSize))
	}
	want, filled := make([]byte, c.memory.Size), make([]byte, c.memory.Size)
	value := bytes.Repeat([]byte{9, 8, 7, 6, 5}, 60)[:item]
	met := map[int64]map[int64]map[int64]bool{} // chunk, block, item
	c.each(func(chunk, block, off, memoryAt int64) {
		copy(want[memoryAt:], stored[chunk][block*p.BlockSize+off:][:item])
		copy(filled[memoryAt:], value)
		if met[chunk] == nil {
			met[chunk] = map[int64]map[int64]bool{}
		}
		if met[chunk][block] == nil {
			met[chunk][block] = map[int64]bool{}
		}
		met[chunk][block][off] = true
	})
	for _, last := range []bool{false, true} {
		var m Mesh
		if err := m.Set(p, c.axes, c.memory, last); err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		if m.Pieces != len(met) {
			t.Fatalf("%+v: %d pieces, want %d", c, m.Pieces, len(met))
		}
		if last {
			c.checkGather(t, &m, met, stored)
			continue
		}
		got, gotFilled := make([]byte, len(want)), make([]byte, len(want))
		var pc MeshPiece
		for k := range m.Pieces {
			m.Piece(k, &pc)
			c.scatter(t, &pc, got, stored[pc.Chunk], met[pc.Chunk])
			pc.Fill(gotFilled, value)
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("%+v: scatter differs from the naive twin", c)
		}
		if !bytes.Equal(gotFilled, filled) {
			t.Fatalf("%+v: fill differs from the naive twin", c)
		}
	}
}

// scatter copies all blocks of a chunk to memory. It gives the piece only the bytes that it needs.
func (c *meshCase) scatter(t *testing.T, pc *MeshPiece, memory, chunk []byte, met map[int64]map[int64]bool) {
	t.Helper()
	p := c.p
	if pc.Blocks() != len(met) {
		t.Fatalf("%+v: chunk %d: %d blocks, want %d", c, pc.Chunk, pc.Blocks(), len(met))
	}
	want := make([]bool, p.BlockCount)
	Mark(pc, want)
	for b := range int(p.BlockCount) {
		items := met[int64(b)]
		if want[b] != (items != nil) {
			t.Fatalf("%+v: chunk %d block %d: marked %v", c, pc.Chunk, b, want[b])
		}
		if covers := int64(len(items))*p.ItemSize == p.BlockSize; pc.Covers(b) && !covers {
			t.Fatalf("%+v: chunk %d block %d is not covered", c, pc.Chunk, b)
		}
		data := slices.Clone(chunk[int64(b)*p.BlockSize:][:p.BlockSize])
		if items == nil {
			pc.Scatter(memory, b, data)
			continue
		}
		from, to := pc.Span(b)
		for i := range data {
			if i < from || i >= to {
				data[i] ^= 0xff
			}
		}
		if direct := pc.Direct(memory, b); direct != nil {
			copy(direct, data)
			continue
		}
		planes := make([][]byte, p.ItemSize)
		for i, v := range data {
			planes[i%len(planes)] = append(planes[i%len(planes)], v)
		}
		if !pc.Interleave(memory, b, planes) {
			pc.Scatter(memory, b, data)
		}
	}
}

// checkGather compares chunks after gathering with chunks written item by item.
func (c *meshCase) checkGather(t *testing.T, m *Mesh, met map[int64]map[int64]map[int64]bool, stored [][]byte) {
	t.Helper()
	p := c.p
	if len(c.memory.Spread) > 0 {
		return
	}
	memory := randomBytes(rand.New(rand.NewPCG(1, 2)), int(c.memory.Size))
	want := make([][]byte, len(stored))
	for i := range want {
		want[i] = slices.Clone(stored[i])
	}
	c.each(func(chunk, block, off, memoryAt int64) {
		copy(want[chunk][block*p.BlockSize+off:], memory[memoryAt:][:p.ItemSize])
	})
	var pc MeshPiece
	for k := range m.Pieces {
		m.Piece(k, &pc)
		items := 0
		for _, block := range met[pc.Chunk] {
			items += len(block)
		}
		inChunk := int64(1)
		lo, hi := p.ChunkBox(pc.Chunk)
		for i := range p.Dims {
			inChunk *= hi[i] - lo[i]
		}
		if pc.Whole != (int64(items) == inChunk) {
			t.Fatalf("%+v: chunk %d whole %v with %d of %d items", c, pc.Chunk, pc.Whole, items, inChunk)
		}
		got := slices.Clone(stored[pc.Chunk])
		for b := range int(p.BlockCount) {
			if covers := int64(len(met[pc.Chunk][int64(b)]))*p.ItemSize == p.BlockSize; pc.Covers(b) != covers {
				t.Fatalf("%+v: chunk %d block %d: covered %v", c, pc.Chunk, b, covers)
			}
			pc.Gather(got[int64(b)*p.BlockSize:][:p.BlockSize], b, memory)
		}
		if !bytes.Equal(got, want[pc.Chunk]) {
			t.Fatalf("%+v: gather into chunk %d differs from the naive twin", c, pc.Chunk)
		}
	}
}

func TestMeshesMatchTheNaiveTwin(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 1500 {
		c := randomMesh(rnd)
		if c.memory.Size > 1<<20 {
			continue
		}
		c.check(t, rnd)
	}
}

func FuzzMesh(f *testing.F) {
	for i := range uint64(8) {
		f.Add(i, i*i)
	}
	f.Fuzz(func(t *testing.T, a, b uint64) {
		rnd := rand.New(rand.NewPCG(a, b))
		if c := randomMesh(rnd); c.memory.Size <= 1<<20 {
			c.check(t, rnd)
		}
	})
}

func TestMeshRefuses(t *testing.T) {
	p, err := New([]int64{10, 20}, []int64{4, 4}, []int64{2, 2}, 4)
	if err != nil {
		t.Fatal(err)
	}
	rows := Axis{Step: 1, Count: 10, Stride: 80}
	for _, c := range []struct {
		name string
		axes []Axis
		mem  Memory
		want string
	}{
		{"one axis", []Axis{rows}, Memory{Size: 800}, "1 selections"},
		{"start outside", []Axis{rows, {Start: 20, Count: 1}}, Memory{Size: 800}, "not within 0:20"},
		{"end outside", []Axis{rows, {Start: 1, Step: 2, Count: 11, Stride: 4}}, Memory{Size: 800}, "not within 0:20"},
		{"before the start", []Axis{rows, {Start: 5, Step: -1, Count: 7, Stride: 4}}, Memory{Size: 800}, "not within 0:20"},
		{"a step that overflows", []Axis{rows, {Start: 5, Step: math.MaxInt64, Count: 3, Stride: 4}}, Memory{Size: 800}, "not within 0:20"},
		{"list outside", []Axis{rows, {List: []int64{1, 20}, Count: 2, Stride: 4}}, Memory{Size: 800}, "coordinate 20"},
		{"list below", []Axis{rows, {List: []int64{-1}, Count: 1, Stride: 4}}, Memory{Size: 800}, "coordinate -1"},
		{"list of another length", []Axis{rows, {List: []int64{1}, Count: 2, Stride: 4}}, Memory{Size: 800}, "2 announced"},
		{"memory too small", []Axis{rows, {Step: 1, Count: 20, Stride: 4}}, Memory{Size: 799}, "799 bytes"},
		{"before memory", []Axis{rows, {Step: 1, Count: 20, Stride: -4}}, Memory{Size: 800}, "800 bytes"},
		{"stride that overflows", []Axis{rows, {Step: 1, Count: 20, Stride: math.MaxInt64 / 2}}, Memory{Size: 800}, "63 bits"},
		{"strides that overflow", []Axis{{Step: 1, Count: 2, Stride: math.MaxInt64}, {Step: 1, Count: 2, Stride: math.MaxInt64}}, Memory{Size: 800}, "63 bits"},
		{"negative place", []Axis{rows, {List: []int64{1}, Places: []int64{-1}, Count: 1, Stride: 4}}, Memory{Size: 800}, "63 bits"},
	} {
		var m Mesh
		if err := m.Set(p, c.axes, c.mem, false); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q in it", c.name, err, c.want)
		}
	}
}
