package chunk

import (
	"encoding/binary"
	"slices"

	"github.com/cairn-go/cairn"
)

// Layout is the division of a chunk into blocks.
type Layout struct {
	NBytes    int // decoded size of the chunk
	BlockSize int // decoded size of every block but the last; 0 if sizes vary
	NumBlocks int

	// where blocks of variable length begin, and where the last one ends; else nil
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

// Layout returns the division of the chunk into blocks. The stored block size is limited to the
// chunk size and rounded down to whole items: C-Blosc2 3.0 to 3.3 sometimes stores the requested
// size instead of the rounded one that it used (format: effective block size). For a chunk with
// blocks of variable length the result is the zero Layout, since the header does not contain their
// sizes; use [Decoder.Layout].
func (h Header) Layout() Layout {
	if h.VLBlocks() {
		return Layout{}
	}

	bs := int(h.BlockSize)
	ts := int(h.TypeSize)
	if h.NBytes > 0 && bs > int(h.NBytes) {
		bs = int(h.NBytes)
		if h.Version == versionFirst {
			// its writers stored a size larger than the chunk: its only block is not full, and so
			// not split
			bs += ts
		}
	}

	if bs > ts && !bloscFlags(h.BloscFlags).instrumented() {
		bs -= bs % ts
	}
	return newLayout(int(h.NBytes), bs)
}

// streams returns the number of streams of block i.
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

// splitByBlosc1 is an additional condition of Blosc1 readers: writers before 1.11 had no flag for
// split blocks and used this condition alone.
func splitByBlosc1(typeSize, blockSize int) bool {
	return typeSize <= maxAutoStreams && blockSize/typeSize >= minBlosc1StreamSize
}

const minBlosc1StreamSize = 128

// blockOffset returns the offset of block i in a chunk of size bytes, from the table in src. It
// fails if that is before body, within the offset table or a dictionary.
func (h *Header) blockOffset(src []byte, size, body, i int) (int, error) {
	at := h.Size() + 4*i
	start := int64(int32(binary.LittleEndian.Uint32(src[at:])))
	if start < int64(body) || start >= int64(size) {
		return 0, cairn.Corruptf(layerChunk, int64(at), "block %d begins at %d, outside of the chunk's data", i, start)
	}
	return int(start), nil
}

// A table contains the offsets of a chunk's blocks.
type table struct {
	n int
	// offsets by block; then the same offsets sorted, followed by the end of the chunk
	starts []int32
}

// read reads the offset table of n blocks of a chunk of size bytes from src, which begins with the
// header and the table.
func (t *table) read(h *Header, src []byte, size, n int) error {
	t.n = n
	t.starts = t.starts[:0]
	for i := range n {
		start, err := h.blockOffset(src, size, h.Size()+4*n, i)
		if err != nil {
			return err
		}
		t.starts = append(t.starts, int32(start))
	}

	t.starts = append(append(t.starts, t.starts...), int32(size))
	slices.Sort(t.starts[n:])
	return nil
}

// block returns the offset of block i and the next larger offset.
func (t *table) block(i int) (from, to int) {
	k, _ := slices.BinarySearch(t.starts[t.n:], t.starts[i]+1)
	return int(t.starts[i]), int(t.starts[t.n+k])
}

// first returns the smallest offset.
func (t *table) first() int { return int(t.starts[t.n]) }

// blocks returns the number of blocks, including blocks of variable length, which Header.Layout
// does not count.
func (h *Header) blocks() int {
	if h.VLBlocks() {
		return int(h.BlockSize)
	}
	return h.Layout().NumBlocks
}
