package chunk

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// A Zarr chunk that is compressed with blosc is a chunk of Blosc1. The streams of a block become
// one if a header and the offset of the only block precede them. With Options.ZarrBlocks these
// bytes are in the chunk; the chunk's offsets skip them, so other readers do not notice. They are
// in one of two places:
//
//   - in front of the streams of their block;
//   - all of them behind the offsets, if some block has no room for those of the next. The range of
//     a block then includes the streams before its own, which a Zarr reader fetches and skips.
//
// C-Blosc2 reads a block from a file together with what precedes the next one, and accepts at most
// the size of a block and four bytes per byte of an item. So a block of noise has no room, unless
// items have at least six bytes and blocks are not split.

// wrapperSize is the number of bytes for each block: a Blosc1 header and an offset.
const wrapperSize = minHeaderSize + 4

// validateZarrBlocks returns an error if Blosc1 cannot decode the blocks that the options make.
func (o *Options) validateZarrBlocks() error {
	switch {
	case o.Dict:
		return fmt.Errorf("chunk options: ZarrBlocks with a dictionary, which Blosc1 does not have")
	case o.Blosc1:
		return fmt.Errorf("chunk options: ZarrBlocks and Blosc1 exclude each other")
	case wireOfCodec[o.Codec.ID()] == wireInCodecByte:
		return fmt.Errorf("chunk options: ZarrBlocks with codec %s, which Blosc1 does not have", o.Codec)
	}

	h := Header{Flags: pipelineFlags(o.Pipeline())}
	if h.derivePipeline(); h.Flags&flagDelta != 0 || h.Pipeline != o.Pipeline() {
		return fmt.Errorf("chunk options: ZarrBlocks with filters %v: Blosc1 has shuffle or bitshuffle, or none",
			o.Filters)
	}

	if o.BlockSize > 0 {
		if err := checkWrappable(h.Flags, o.BlockSize/o.resolvedTypeSize()); err != nil {
			return fmt.Errorf("chunk options: %w", err)
		}
	}
	return nil
}

// checkWrappable returns an error if Blosc1 cannot decode a block of so many items, because it
// shuffles bits only in whole groups of eight items. Blosc2 leaves out the last ones.
func checkWrappable(flags uint8, items int) error {
	if flags&flagBitshuffle != 0 && items%8 != 0 {
		return fmt.Errorf("ZarrBlocks with bitshuffle and a block of %d items, "+
			"must be a multiple of 8: choose another block size", items)
	}
	return nil
}

// checkZarrBlocks returns an error if the blocks of a chunk would not be chunks of Blosc1.
func (e *Encoder) checkZarrBlocks(p plan) error {
	if p.lead == 0 || p.layout.NumBlocks == 0 {
		return nil
	}
	for _, i := range []int{0, p.layout.NumBlocks - 1} {
		from, to := p.layout.Block(i)
		if err := checkWrappable(pipelineFlags(e.pipeline), (to-from)/p.typeSize); err != nil {
			return fmt.Errorf("encode chunk: %w", err)
		}
	}
	return nil
}

// wrapper returns the header of a block of nbytes as a chunk of Blosc1.
func (e *Encoder) wrapper(p plan, nbytes int) Header {
	h := Header{Version: versionBlosc1, VersionLZ: 1,
		Flags:    pipelineFlags(e.pipeline) | e.params.codec.WireCode<<wireShift,
		TypeSize: uint8(p.typeSize), NBytes: int32(nbytes), BlockSize: int32(nbytes)}
	if !p.splitsBlock(nbytes) {
		h.Flags |= flagNotSplit
	}
	return h
}

// wrapBlocks fills in what makes the blocks of a chunk with the header h chunks of Blosc1. There is
// room for it in front of each block; if that is too much for C-Blosc2, it moves behind the
// offsets.
func (e *Encoder) wrapBlocks(out []byte, h *Header, p plan) {
	if p.lead == 0 {
		return
	}

	t := &e.wrapping
	if err := t.read(h, out, len(out), p.layout.NumBlocks); err != nil {
		panic(err) // this encoder wrote the offsets
	}
	most := p.layout.BlockSize + 4*p.typeSize

	for i := range t.n {
		if from, to := t.block(i); to-from > most {
			e.wrapApart(out, p)
			return
		}
	}

	for i := range t.n {
		at, end := t.wrapped(i, len(out))
		e.putWrapper(out, at, at+wrapperSize, end, p, i)
	}
}

// wrapApart moves the room in front of each block behind the offsets, and fills it in.
func (e *Encoder) wrapApart(out []byte, p plan) {
	t := &e.wrapping
	old := bytes.Clone(out)
	head := HeaderSize + 4*t.n
	to := head + wrapperSize*t.n

	for i := range t.n {
		at, end := t.wrapped(i, len(old))
		streams := old[at+wrapperSize : end]
		copy(out[to:], streams)
		e.putOffset(out, p, i, to-p.lead)
		e.putWrapper(out, head+wrapperSize*i, to, to+len(streams), p, i)
		to += len(streams)
	}
}

// putWrapper writes the header and the offset of a block, whose streams are out[streams:end], at an
// offset of the chunk out.
func (e *Encoder) putWrapper(out []byte, at, streams, end int, p plan, block int) {
	from, to := p.layout.Block(block)
	h := e.wrapper(p, to-from)
	h.CBytes = int32(end - at)
	h.Append(out[:at])
	binary.LittleEndian.PutUint32(out[at+minHeaderSize:], uint32(streams-at))
}

// An Extent is a range of bytes in a chunk.
type Extent struct{ Offset, Size int }

// ZarrBlocks returns where the blocks of a chunk are that was encoded with Options.ZarrBlocks: each
// range is a chunk of Blosc1 by itself. It returns false if the chunk src is not of this form: a
// special chunk, or one that another program wrote.
func ZarrBlocks(src []byte) ([]Extent, bool, error) {
	h, err := ParseHeader(src)
	switch {
	case err != nil:
		return nil, false, err
	case int64(h.CBytes) > int64(len(src)):
		return nil, false, shortChunk(&h, src)
	case h.Special() != SpecialNone || h.Memcpyed() || h.VLBlocks() || h.Size() != HeaderSize:
		return nil, false, nil
	}

	var t table
	l := h.Layout()
	src = src[:h.CBytes]
	if err := checkTable(&h, l.NumBlocks, len(src)); err != nil {
		return nil, false, err
	}
	if err := t.read(&h, src, len(src), l.NumBlocks); err != nil {
		return nil, false, err
	}

	blocks := make([]Extent, l.NumBlocks)
	for i := range blocks {
		at, end := t.wrapped(i, len(src))
		if !isWrapped(&h, l, i, src, at, end, int(t.starts[i])) {
			at = HeaderSize + 4*l.NumBlocks + wrapperSize*i
			if _, end = t.block(i); !isWrapped(&h, l, i, src, at, end, int(t.starts[i])) {
				return nil, false, nil
			}
		}
		blocks[i] = Extent{Offset: at, Size: end - at}
	}
	return blocks, true, nil
}

// wrapped returns the range of a block and the bytes in front of it, in a chunk of size bytes.
func (t *table) wrapped(block, size int) (from, to int) {
	from, to = t.block(block)
	if to < size {
		to -= wrapperSize
	}
	return from - wrapperSize, to
}

// isWrapped reports whether the bytes [at, end) of src begin with a header of Blosc1 for a block of
// h whose streams begin at start.
func isWrapped(h *Header, l Layout, block int, src []byte, at, end, start int) bool {
	if at < HeaderSize+4*l.NumBlocks || at+wrapperSize > start || start >= end {
		return false
	}

	b, err := ParseHeader(src[at:end])
	from, to := l.Block(block)
	return err == nil && b.Version == versionBlosc1 &&
		headerFlags(b.Flags).wireCode() == headerFlags(h.Flags).wireCode() &&
		b.Pipeline == h.Pipeline && b.TypeSize == h.TypeSize && !b.Memcpyed() &&
		int(b.CBytes) == end-at && int(b.NBytes) == to-from && b.BlockSize == b.NBytes &&
		b.streams(b.Layout(), 0) == h.streams(l, block) &&
		int(binary.LittleEndian.Uint32(src[at+minHeaderSize:])) == start-at
}
