package index

import (
	"encoding/binary"
	"slices"

	"github.com/cairn-go/cairn/chunk"
)

// Packer encodes indexes. It must not be used concurrently.
//
// Blocks of the index are encoded independently of each other. A full block that has not changed
// since it was encoded or read is copied, so a commit encodes only changed blocks, although it
// writes the whole index. The result is the same as that of encoding everything at once.
type Packer struct {
	encoder *chunk.Encoder // for compressed indexes
	header  chunk.Header   // header of the chunks of encoder, except for sizes
	buf     []byte         // chunk with one encoded block; see encode
	same    []byte         // encoding of a full block of entry
	entry   int64          // the fill for which same was made
	Out     []byte         // buffer for the caller
}

// Append appends the encoded index x, which must have at least one entry.
func (p *Packer) Append(dst []byte, x Index) ([]byte, error) {
	entry, err := x.At(0)
	if err != nil {
		return dst, err
	}
	if entry < 0 {
		if same, err := x.uniform(); err != nil {
			return dst, err
		} else if same {
			value := binary.LittleEndian.AppendUint64(nil, uint64(entry))
			return chunk.AppendSpecial(dst, chunk.SpecialValue, value, EntrySize*x.n, EntrySize, EntrySize*x.n)
		}
	}
	if size := EntrySize * x.n; size <= BlockBytes {
		return p.appendWhole(dst, x)
	}
	return p.appendBlocks(dst, x)
}

// appendWhole encodes all blocks together.
func (p *Packer) appendWhole(dst []byte, x Index) ([]byte, error) {
	size := EntrySize * x.n
	at := len(dst)
	e, err := p.encoderFor(size)
	if err != nil {
		return dst, err
	}
	src := &entries{Index: x}
	dst, err = e.AppendBlocks(dst, size, src)
	if src.err != nil {
		err = src.err
	}
	if err == nil && size >= minTried && size < minPacked {
		dst[at+flagsByte] |= unsplitFlag // C-Blosc2 sets it even if compression did not help
	}
	return dst, err
}

// encoderFor returns the encoder for indexes of the given size in bytes.
func (p *Packer) encoderFor(size int) (*chunk.Encoder, error) {
	if size < minPacked {
		return newEncoder(true)
	}
	err := p.prepare()
	return p.encoder, err
}

// appendBlocks appends an index of more than one block, from separately encoded blocks.
func (p *Packer) appendBlocks(dst []byte, x Index) ([]byte, error) {
	if err := p.prepare(); err != nil {
		return dst, err
	}
	start := len(dst)
	blocks := (x.n-1)/BlockLen + 1
	limit := start + chunk.HeaderSize + EntrySize*x.n
	table := start + chunk.HeaderSize
	if table+4*blocks > limit {
		return p.appendWhole(dst, x)
	}
	dst = append(dst, make([]byte, chunk.HeaderSize+4*blocks)...)
	reuse := x.disk != nil && p.made(x.disk.raw)
	for k := range blocks {
		stream, err := p.stream(x, k, reuse)
		if err != nil {
			return dst[:start], err
		}
		binary.LittleEndian.PutUint32(dst[table+4*k:], uint32(len(dst)-start))
		if dst = append(dst, stream...); len(dst) > limit {
			return p.appendWhole(dst[:start], x) // which stores the index uncompressed
		}
	}

	h := p.header
	h.NBytes = int32(EntrySize * x.n)
	h.CBytes = int32(len(dst) - start)
	h.Append(dst[:start])
	return dst, nil
}

// stream returns the encoded block k. reuse allows to copy blocks of the index that was read.
func (p *Packer) stream(x Index, k int, reuse bool) ([]byte, error) {
	full := (k+1)*BlockLen <= x.n
	own := x.own(k)
	switch {
	case !full:
		return p.encode(x, k)
	case own != nil && own.packed != nil:
		return own.packed, nil
	case own == nil && reuse && x.disk.has(k):
		if stream := x.disk.packed(k); stream != nil {
			return stream, nil
		}
	case own == nil && !x.disk.has(k):
		return p.uniform(x, k)
	}

	stream, err := p.encode(x, k)
	if err == nil && own != nil {
		own.packed = slices.Clone(stream)
	}
	return stream, err
}

// uniform returns the encoded block k, which is full of fill.
func (p *Packer) uniform(x Index, k int) ([]byte, error) {
	if p.same == nil || p.entry != x.fill {
		stream, err := p.encode(x, k)
		if err != nil {
			return nil, err
		}
		p.same = slices.Clone(stream)
		p.entry = x.fill
	}
	return p.same, nil
}

// prepare makes the encoder and gets the header of its chunks.
func (p *Packer) prepare() error {
	if p.encoder != nil {
		return nil
	}
	e, err := newEncoder(false)
	if err != nil {
		return err
	}
	p.encoder = e
	if _, err = p.encode(Repeat(1, 1), 0); err != nil {
		return err
	}
	p.header, err = chunk.ParseHeader(p.buf)
	return err
}

// made reports whether the header of the chunk raw is that of the encoder, except for sizes.
func (p *Packer) made(raw []byte) bool {
	h, err := chunk.ParseHeader(raw)
	h.NBytes = p.header.NBytes
	h.CBytes = p.header.CBytes
	return err == nil && h == p.header
}

// encode returns the encoded block k, in memory that the next call reuses. It encodes a chunk of a
// block of zeros, which takes hardly any space, and block k. The chunk is therefore never larger
// than its data, in which case the encoder would store it uncompressed.
func (p *Packer) encode(x Index, k int) ([]byte, error) {
	src := &afterZeros{entries{Index: x}, k - 1}
	size := BlockBytes + EntrySize*min(BlockLen, x.n-k*BlockLen)
	var err error
	if p.buf, err = p.encoder.AppendBlocks(p.buf[:0], size, src); err != nil {
		return nil, err
	}
	return p.buf[binary.LittleEndian.Uint32(p.buf[chunk.HeaderSize+4:]):], src.err
}

// entries passes an index to an encoder block by block, so that it is never in memory as a whole.
type entries struct {
	Index
	err error // of the first block that cannot be decoded
}

// Block fills scratch with the entries of one block.
func (s *entries) Block(scratch []byte, k int) []byte {
	for i := 0; i < len(scratch)/EntrySize; {
		l, err := s.leaf(k*BlockLen + i)
		if err != nil && s.err == nil {
			s.err = err
		}
		for end, slot := min(i+LeafLen, len(scratch)/EntrySize), 0; i < end; i, slot = i+1, slot+1 {
			entry := s.fill
			if l != nil {
				entry = l[slot]
			}
			binary.LittleEndian.PutUint64(scratch[EntrySize*i:], uint64(entry))
		}
	}
	return scratch
}

// afterZeros passes a block of zeros, followed by the blocks of an index from block skip+1 on.
type afterZeros struct {
	entries
	skip int
}

// Block fills scratch with one block.
func (s *afterZeros) Block(scratch []byte, k int) []byte {
	if k == 0 {
		clear(scratch)
		return scratch
	}
	return s.entries.Block(scratch, k+s.skip)
}
