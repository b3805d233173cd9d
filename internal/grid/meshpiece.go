package grid

// A MeshPiece is the part of a mesh that one chunk holds.
type MeshPiece struct {
	mesh *Mesh

	Chunk int64 // number of the chunk in C order over the chunk grid
	Whole bool  // whether the mesh has all items of the chunk, apart from padding

	axes [MaxDims]axisPiece
}

var _ Piece = (*MeshPiece)(nil)

// Take returns the piece of a chunk.
func (m *Mesh) Take(index int, s *Scratch) ChunkPiece {
	m.Piece(index, &s.mesh)
	return ChunkPiece{&s.mesh, s.mesh.Chunk, s.mesh.Whole}
}

// Piece sets pc to the part in the index-th chunk that the mesh touches, counted in C order from 0.
func (m *Mesh) Piece(index int, pc *MeshPiece) {
	p := m.part
	pc.mesh = m
	pc.Whole = true
	pc.Chunk = 0

	rest := int64(index)
	gridStep := int64(1)

	for i := p.Dims - 1; i >= 0; i-- {
		a := &m.axes[i]
		s := a.piece(rest%a.numChunks, p.Chunk[i], p.Block[i])
		rest /= a.numChunks
		pc.Chunk += s.origin / p.Chunk[i] * gridStep
		gridStep *= p.ChunkGrid[i]
		pc.Whole = pc.Whole && a.unique && s.n == min(p.Chunk[i], p.Shape[i]-s.origin)
		pc.axes[i] = s
	}
}

// Blocks returns the number of blocks of the chunk that the mesh touches.
func (pc *MeshPiece) Blocks() int {
	n := int64(1)
	for i := range pc.mesh.part.Dims {
		n *= pc.axes[i].blocks
	}
	return int(n)
}

// Block returns the number within the chunk of the k-th block that the mesh touches.
func (pc *MeshPiece) Block(k int) int {
	p := pc.mesh.part
	rest := int64(k)
	step := int64(1)
	number := int64(0)

	for i := p.Dims - 1; i >= 0; i-- {
		s := &pc.axes[i]
		number += pc.mesh.axes[i].block(s, rest%s.blocks, p.Block[i]) * step
		rest /= s.blocks
		step *= p.BlockGrid[i]
	}
	return int(number)
}

// Scatter copies the mesh's items in a block from the block into memory.
func (pc *MeshPiece) Scatter(memory []byte, block int, data []byte) {
	var n nest
	if pc.loops(&n, block) {
		n.scatter(memory, data, pc.mesh.swap)
	}
}

// Interleave is Scatter for a block given by its planes.
func (pc *MeshPiece) Interleave(memory []byte, block int, planes [][]byte) bool {
	var n nest
	return pc.mesh.swap == 0 && pc.loops(&n, block) && n.lists == 0 &&
		n.loops.interleave(memory, n.memoryAt, planes, n.blockAt)
}

// Gather copies the mesh's items in a block from memory into the block; other bytes are unchanged.
func (pc *MeshPiece) Gather(data []byte, block int, memory []byte) {
	var n nest
	if pc.loops(&n, block) {
		n.gather(data, memory, pc.mesh.swap)
	}
}

// Span returns the range of a block's bytes that contains the mesh's items. The mesh must touch the
// block.
func (pc *MeshPiece) Span(block int) (from, to int) {
	var n nest
	pc.loops(&n, block)

	from = n.blockAt
	to = n.blockAt + n.loops.run
	for k := range n.loops.levels {
		to += (n.loops.count[k] - 1) * n.loops.src[k]
	}

	for k := range n.lists {
		l := &n.list[k]
		from += int(l.places[0].at-l.origin) * l.src
		to += int(l.places[len(l.places)-1].at-l.origin) * l.src
	}
	return from, to
}

// Direct returns the part of memory that has the same layout as this block, or nil if there is
// none.
func (pc *MeshPiece) Direct(memory []byte, block int) []byte {
	var n nest
	size := int(pc.mesh.part.BlockSize)
	if pc.mesh.swap != 0 || !pc.loops(&n, block) || n.lists > 0 || n.loops.levels != 0 || n.loops.run != size {
		return nil
	}
	return memory[n.memoryAt:][:size:size]
}

// Covers reports whether the mesh holds every item of the block, padding included.
func (pc *MeshPiece) Covers(block int) bool {
	p := pc.mesh.part
	rest := int64(block)
	for i := p.Dims - 1; i >= 0; i-- {
		a := &pc.mesh.axes[i]
		s := &pc.axes[i]

		number := rest % p.BlockGrid[i]
		rest /= p.BlockGrid[i]
		var n int64
		if a.sorted != nil {
			n = int64(len(a.listWithin(s, number, p.Block[i])))
		} else {
			_, _, n = a.within(s, number*p.Block[i], p.Block[i])
		}

		if !a.unique || n < p.Block[i] {
			return false
		}
	}
	return true
}

// Fill sets every item of the piece in memory to item, which is one item long, or to zero bytes if
// item is nil.
func (pc *MeshPiece) Fill(memory, item []byte) {
	m := pc.mesh
	n := nest{memoryAt: int(m.base)}
	n.loops.run = int(m.part.ItemSize)

	for _, i := range m.order {
		a := &m.axes[i]
		switch {
		case i >= m.part.Dims:
			n.spread(a)
		case a.sorted != nil:
			s := &pc.axes[i]
			n.addList(a.sorted[a.blocks[s.first]:a.blocks[s.first+s.blocks]], a.Stride, 0, 0)
		default:
			n.memoryAt += int(pc.axes[i].number * a.Stride)
			n.loops.add(pc.axes[i].n, a.Stride, a.Stride)
		}
	}
	n.fill(memory, item, m.swap)
}

// loops sets up n to go over the mesh's items in a block, and reports false if there are none.
func (pc *MeshPiece) loops(n *nest, block int) bool {
	m := pc.mesh
	p := pc.mesh.part
	n.loops.run = int(p.ItemSize)

	memoryAt := m.base
	blockAt := int64(0)
	var numbers Vec
	rest := int64(block)
	for i := p.Dims - 1; i >= 0; i-- {
		numbers[i] = rest % p.BlockGrid[i]
		rest /= p.BlockGrid[i]
	}

	for _, i := range m.order {
		a := &m.axes[i]
		if i >= p.Dims {
			n.spread(a)
			continue
		}

		s := &pc.axes[i]
		begin := numbers[i] * p.Block[i]
		if a.sorted != nil {
			places := a.listWithin(s, numbers[i], p.Block[i])
			if len(places) == 0 {
				return false
			}
			n.addList(places, a.Stride, p.blockStep[i], s.origin+begin)
			continue
		}

		lo, number, count := a.within(s, begin, p.Block[i])
		if count == 0 {
			return false
		}
		memoryAt += number * a.Stride
		blockAt += lo * p.blockStep[i]
		n.loops.add(count, a.Stride, a.Step*p.blockStep[i])
	}

	n.memoryAt = int(memoryAt)
	n.blockAt = int(blockAt)
	return true
}
