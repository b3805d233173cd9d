package chunk

import (
	"encoding/binary"
	"slices"

	"github.com/cairn-go/cairn"
)

// Layout says how a chunk's bytes are cut into blocks.
type Layout struct {
	NBytes    int // decoded size of the chunk
	BlockSize int // decoded size of every block but the last; 0 if each has its own
	NumBlocks int

	// where blocks begin that have their own sizes, and where the last one ends; else nil
	cuts *[]int
}

// Block returns the range of decoded bytes that block i holds.
func (l Layout) Block(i int) (from, to int) {
	if l.cuts != nil {
		return (*l.cuts)[i], (*l.cuts)[i+1]
	}
	from = i * l.BlockSize
	return from, min(from+l.BlockSize, l.NBytes)
}

func newLayout(nbytes, blockSize int) Layout {
	if nbytes == 0 {
		return Layout{BlockSize: blockSize}
	}
	return Layout{NBytes: nbytes, BlockSize: blockSize, NumBlocks: (nbytes-1)/blockSize + 1}
}

// Layout returns how the chunk is cut. The stored block size is bounded by the chunk, and rounded
// down to whole items: C-Blosc2 3.0 to 3.3 sometimes stores the size it was asked for instead of
// the rounded one it used (format: effective block size). The header of a chunk with blocks of
// variable length does not tell; for one the zero Layout is returned. See [Decoder.Layout].
func (h Header) Layout() Layout {
	if h.VLBlocks() {
		return Layout{}
	}
	bs, ts := int(h.BlockSize), int(h.TypeSize)
	if h.NBytes > 0 && bs > int(h.NBytes) {
		bs = int(h.NBytes)
		if h.Version == versionFirst {
			// larger than the chunk, as its writers had it: its only block is not full, and not
			// split
			bs += ts
		}
	}
	if bs > ts && !bloscFlags(h.BloscFlags).instrumented() {
		bs -= bs % ts
	}
	return newLayout(int(h.NBytes), bs)
}

// streams returns how many streams block i of the chunk is stored as.
func (h *Header) streams(l Layout, i int) int {
	if !headerFlags(h.Flags).split() || h.VLBlocks() {
		return 1
	}
	from, to := l.Block(i)
	if to-from < l.BlockSize {
		return 1
	}
	if h.Version <= versionBlosc1 && !headerFlags(h.Flags).extended() &&
		!splitByBlosc1(int(h.TypeSize), l.BlockSize) {
		return 1
	}
	return int(h.TypeSize)
}

// splitByBlosc1 is the condition that Blosc1 readers add: writers before 1.11 had no flag for split
// blocks and went by it alone.
func splitByBlosc1(typeSize, blockSize int) bool {
	return typeSize <= maxAutoStreams && blockSize/typeSize >= minBlosc1StreamSize
}

const minBlosc1StreamSize = 128

// blockOffset returns where the streams of block i begin in the chunk, after checking that this is
// at body or behind it: not in the table of offsets, nor in a dictionary.
func (h *Header) blockOffset(src []byte, body, i int) (int, error) {
	at := h.Size() + 4*i
	start := int64(int32(binary.LittleEndian.Uint32(src[at:])))
	if start < int64(body) || start >= int64(len(src)) {
		return 0, cairn.Corruptf(layerChunk, int64(at), "block %d begins at %d, outside of the chunk's data", i, start)
	}
	return int(start), nil
}

// A table is where the streams of a chunk's blocks lie.
type table struct {
	n int
	// where they begin, by block; behind that the same in the order of the bytes, and the end
	starts []int32
}

// read reads the offsets of n blocks of the chunk src.
func (t *table) read(h *Header, src []byte, n int) error {
	t.n, t.starts = n, t.starts[:0]
	for i := range n {
		start, err := h.blockOffset(src, h.Size()+4*n, i)
		if err != nil {
			return err
		}
		t.starts = append(t.starts, int32(start))
	}
	t.starts = append(append(t.starts, t.starts...), int32(len(src)))
	slices.Sort(t.starts[n:])
	return nil
}

// block returns where block i begins, and where the next one in the order of the bytes does.
func (t *table) block(i int) (from, to int) {
	k, _ := slices.BinarySearch(t.starts[t.n:], t.starts[i]+1)
	return int(t.starts[i]), int(t.starts[t.n+k])
}

// first returns where the first one in the order of the bytes begins.
func (t *table) first() int { return int(t.starts[t.n]) }

// blocks returns how many blocks the chunk has, of which those of variable length are not in its
// layout.
func (h *Header) blocks() int {
	if h.VLBlocks() {
		return int(h.BlockSize)
	}
	return h.Layout().NumBlocks
}
