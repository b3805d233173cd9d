package chunk

import (
	"github.com/cairn-go/cairn/codecs"
)

const (
	maxAutoStreams    = 16 // maximum typesize for automatic split
	minStreamSize     = 32 // minimum bytes per stream for automatic split
	minCompressedSize = 32 // smaller chunks are stored

	baseBlockSize     = 32 << 10 // the L1 data cache that C-Blosc2 assumes
	maxSplitBlockSize = 4 << 20
)

// params are the resolved options that determine block size and split. Its methods make the same
// choices as C-Blosc2.
type params struct {
	typeSize  int // of the options, may exceed 255
	codec     codecs.Row
	level     int // 0 to 9
	split     SplitMode
	shuffled  bool // the pipeline holds a byte shuffle
	blockSize int  // of the options; 0 means automatic

	blosc1, zarrBlocks bool // of the options
}

// chooseBlockSize returns the block size for a chunk of nbytes: a multiple of the typesize, at most
// nbytes.
func (p *params) chooseBlockSize(nbytes int) int {
	if nbytes < p.typeSize {
		return 1
	}

	bs := p.blockSize
	if bs == 0 {
		bs = p.autoBlockSize(nbytes)
	}
	bs = min(bs, nbytes)
	if bs > p.typeSize {
		bs -= bs % p.typeSize
	}
	return bs
}

// autoBlockSize agrees with C-Blosc2's tuner: blocks grow with the level, more so for codecs with
// high ratios. The size of split blocks is a size per stream times the number of streams.
func (p *params) autoBlockSize(nbytes int) int {
	if p.level > 0 && p.splits(p.typeSize, nbytes) {
		perStream := [...]int{1: 32, 2: 32, 3: 32, 4: 64, 5: 64, 6: 64, 7: 128, 8: 256, 9: 512}[p.level] << 10
		return max(min(perStream*p.typeSize, maxSplitBlockSize), baseBlockSize)
	}
	if nbytes < baseBlockSize {
		return nbytes
	}
	eighths := [...]int{2, 4, 8, 16, 32, 32, 64, 64, 64, 64}[p.level]

	bs := baseBlockSize * eighths / 8
	if p.codec.HighRatio {
		bs *= 2
		if p.level == maxLevel {
			bs *= 2
		}
	}
	return bs
}

// splits reports whether blocks of the given size are split.
func (p *params) splits(typeSize, blockSize int) bool {
	switch p.split {
	case SplitAlways:
		return true
	case SplitNever:
		return false
	}
	return p.codec.Splits(p.level) && p.shuffled && typeSize <= maxAutoStreams && blockSize/typeSize >= minStreamSize
}

// plan describes how a chunk of a given size will be encoded.
type plan struct {
	layout   Layout
	typeSize int // in the chunk header
	split    bool
	stored   bool // memcpyed from the start
	lead     int  // bytes in front of the streams of each block
}

// splitsBlock reports whether a block of the given length is stored as one stream per byte of an
// item.
func (p *plan) splitsBlock(size int) bool { return p.split && size == p.layout.BlockSize }

// place returns the offset of block i behind the offset table if all blocks before it have their
// maximum size, with raw streams.
func (p *plan) place(i int) int {
	if p.layout.cuts != nil {
		return (*p.layout.cuts)[i] + 4*i
	}
	return i * (p.lead + p.layout.BlockSize + 4*p.typeSize)
}

func (p *params) plan(nbytes int) plan {
	bs := p.chooseBlockSize(nbytes)
	ts := chunkTypeSize(p.typeSize)

	pl := plan{layout: newLayout(nbytes, bs), typeSize: ts, stored: p.level == 0 || nbytes < minCompressedSize}
	// A block shorter than an item would have empty streams, which cannot be decoded.
	pl.split = p.splits(ts, bs) && bs >= ts && bs%ts == 0
	if p.blosc1 || p.zarrBlocks {
		pl.split = pl.split && splitByBlosc1(ts, bs)
	}

	if p.zarrBlocks {
		pl.lead = wrapperSize
		pl.stored = nbytes == 0
	}
	return pl
}
