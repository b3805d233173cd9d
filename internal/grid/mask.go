package grid

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// A Mask is the items of an array for which a byte is 1, cut into pieces by chunk. In memory they
// are dense, in C order. Set it up once per call; [Mask.Piece] may then be called from many
// goroutines. It takes a fiftieth of the mask's size.
type Mask struct {
	box    Box // the whole array
	mask   []byte
	rank   []int64 // number of ones before every rankEvery-th byte of the mask
	chunks []int   // chunks with ones
	stride int     // bytes from one item in memory to the next

	planBase
	Count int64 // number of ones
}

const rankEvery = 512

// Set sets the mask: zeros and ones in C order, one for each item of the array.
func (m *Mask) Set(p *Partition, mask []byte) error {
	if int64(len(mask)) != p.ItemCount {
		return outside("mask of %d items for %d", len(mask), p.ItemCount)
	}
	*m = Mask{mask: mask, stride: int(p.ItemSize)}

	var zero Vec
	if err := m.box.Set(p, zero[:p.Dims], p.Shape[:p.Dims]); err != nil {
		return err
	}

	m.rank = make([]int64, 0, len(mask)/rankEvery+1)
	for part := range slices.Chunk(mask, rankEvery) {
		m.rank = append(m.rank, m.Count)
		m.Count += countOnes(part)
	}
	m.findChunks()
	return nil
}

// findChunks finds the chunks that have ones.
func (m *Mask) findChunks() {
	var pc BoxPiece
	for k := range m.box.Pieces {
		m.box.Piece(k, &pc)

		var rows mover
		rows.run = m.stride
		for i := m.box.part.Dims - 1; i >= 0; i-- {
			rows.add(pc.hi[i]-pc.lo[i], m.box.denseStep[i], m.box.denseStep[i])
		}

		ones := int64(0)
		rows.eachAt(0, int(pc.dense), 0, func(at, _ int) {
			if ones == 0 {
				ones += countOnes(m.mask[at/m.stride:][:rows.run/m.stride])
			}
		})

		if ones > 0 {
			m.chunks = append(m.chunks, k)
		}
	}
	m.Pieces = len(m.chunks)
}

// Broadcast makes memory a single item that is repeated for all. It serves only [MaskPiece.Gather].
func (m *Mask) Broadcast() { m.stride = 0 }

// before returns the number of ones before an item.
func (m *Mask) before(item int) int {
	from := item &^ (rankEvery - 1)
	return int(m.rank[item/rankEvery] + countOnes(m.mask[from:item]))
}

// countOnes counts the ones among zeros and ones.
func countOnes(b []byte) (n int64) {
	for ; len(b) >= 8; b = b[8:] {
		n += int64(binary.LittleEndian.Uint64(b) * 0x0101010101010101 >> 56)
	}
	for _, v := range b {
		n += int64(v)
	}
	return n
}

// A MaskPiece is the items of one chunk for which the mask has ones.
type MaskPiece struct {
	mask   *Mask
	box    BoxPiece
	blocks []int // those that have ones

	Chunk int64 // number of the chunk in C order over the chunk grid
	Whole bool  // whether the mask has all items of the chunk, apart from padding
}

var _ Piece = (*MaskPiece)(nil)

// Take returns the piece of a chunk.
func (m *Mask) Take(index int, s *Scratch) ChunkPiece {
	m.Piece(index, &s.mask)
	return ChunkPiece{&s.mask, s.mask.Chunk, s.mask.Whole}
}

// Piece sets pc to the part in the index-th chunk that has ones, counted in C order from 0. It
// reuses the memory of pc.
func (m *Mask) Piece(index int, pc *MaskPiece) {
	pc.mask, pc.blocks = m, pc.blocks[:0]
	m.box.Piece(m.chunks[index], &pc.box)
	pc.Chunk = pc.box.Chunk
	pc.Whole = true

	for k := range pc.box.Blocks() {
		ones := int64(0)
		b := pc.box.Block(k)
		pc.rows(b, func(item, _, n int) {
			here := countOnes(m.mask[item : item+n])
			ones += here
			pc.Whole = pc.Whole && here == int64(n)
		})

		if ones > 0 {
			pc.blocks = append(pc.blocks, b)
		}
	}
}

// rows calls do for every run of a block's items that are adjacent in the array, with the number of
// the first one in the array, its offset in the block, and the number of items.
func (pc *MaskPiece) rows(block int, do func(item, blockAt, n int)) {
	var m mover
	arrayAt, blockAt, ok := pc.box.loops(&m, block)
	if !ok {
		return
	}

	size := int(pc.box.box.part.ItemSize)
	m.eachAt(0, int(arrayAt), int(blockAt), func(d, s int) { do(d/size, s, m.run/size) })
}

// Blocks returns how many blocks of the chunk have ones.
func (pc *MaskPiece) Blocks() int { return len(pc.blocks) }

// Block returns the number within the chunk of the k-th block that has ones.
func (pc *MaskPiece) Block(k int) int { return pc.blocks[k] }

// ones calls do for every selected item of a block, with its number in memory and its offset in the
// block.
func (pc *MaskPiece) ones(block int, do func(place, blockAt int)) {
	size := int(pc.box.box.part.ItemSize)
	mask := pc.mask.mask

	pc.rows(block, func(item, blockAt, n int) {
		place := -1
		for i := 0; i < n; i++ {
			if mask[item+i] == 0 {
				for i+8 < n && binary.LittleEndian.Uint64(mask[item+i+1:]) == 0 {
					i += 8
				}
				continue
			}

			if place < 0 {
				place = pc.mask.before(item + i)
			}
			do(place, blockAt+i*size)
			place++
		}
	})
}

// Scatter copies the selected items of a block from the block into memory.
func (pc *MaskPiece) Scatter(memory []byte, block int, data []byte) {
	stride := pc.mask.stride
	size := int(pc.box.box.part.ItemSize)
	swap := pc.mask.swap

	if swap > 1 || size != 4 && size != 8 {
		pc.ones(block, func(place, at int) { moveItem(memory[place*stride:], data[at:], size, swap) })
		return
	}

	pc.rows(block, func(item, blockAt, n int) {
		mask := pc.mask.mask[item : item+n]
		first := bytes.IndexByte(mask, 1)
		if first < 0 {
			return
		}
		mask = mask[first : bytes.LastIndexByte(mask, 1)+1]
		copySelected(memory[pc.mask.before(item+first)*size:], data[blockAt+first*size:], mask, size)
	})
}

// copySelected copies the items of size 4 or 8 for which mask is 1; the first and the last must be
// selected. To avoid branches it copies every item, and overwrites one that is not selected with
// the next.
func copySelected(dst, src, mask []byte, size int) {
	at := 0
	if size == 4 {
		src = src[:4*len(mask)]
		for i, taken := range mask {
			binary.LittleEndian.PutUint32(dst[at:], binary.LittleEndian.Uint32(src[4*i:]))
			at += 4 * int(taken)
		}
		return
	}

	src = src[:8*len(mask)]
	for i, taken := range mask {
		binary.LittleEndian.PutUint64(dst[at:], binary.LittleEndian.Uint64(src[8*i:]))
		at += 8 * int(taken)
	}
}

// Gather copies the selected items of a block from memory into the block; other bytes are
// unchanged.
func (pc *MaskPiece) Gather(data []byte, block int, memory []byte) {
	stride := pc.mask.stride
	size := int(pc.box.box.part.ItemSize)
	swap := pc.mask.swap
	pc.ones(block, func(place, at int) { moveItem(data[at:], memory[place*stride:], size, swap) })
}

// Span returns the range of the block's bytes that contains the selected items.
func (pc *MaskPiece) Span(block int) (from, to int) {
	size := int(pc.box.box.part.ItemSize)
	from = int(pc.box.box.part.BlockSize)
	pc.rows(block, func(item, blockAt, n int) {
		mask := pc.mask.mask[item : item+n]
		if first := bytes.IndexByte(mask, 1); first >= 0 {
			from, to = min(from, blockAt+first*size), max(to, blockAt+(bytes.LastIndexByte(mask, 1)+1)*size)
		}
	})
	return from, to
}

// Direct returns nil: selected items are always copied.
func (pc *MaskPiece) Direct([]byte, int) []byte { return nil }

// Covers reports whether every item of the block is selected, padding included.
func (pc *MaskPiece) Covers(block int) bool {
	if !pc.box.Covers(block) {
		return false
	}
	all := true
	pc.rows(block, func(item, _, n int) { all = all && countOnes(pc.mask.mask[item:item+n]) == int64(n) })
	return all
}

// Fill sets every selected item of the chunk in memory to item, or to zero bytes if item is nil.
func (pc *MaskPiece) Fill(memory, item []byte) {
	stride := pc.mask.stride
	size := int(pc.box.box.part.ItemSize)
	swap := pc.mask.swap

	for _, b := range pc.blocks {
		pc.ones(b, func(place, _ int) {
			to := memory[place*stride:][:size]
			if item == nil {
				clear(to)
			} else {
				moveItem(to, item, size, swap)
			}
		})
	}
}
