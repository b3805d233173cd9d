package filter

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
)

// Opening a frame takes longer than decoding a small chunk. But the frames of a dataset are alike:
//
//	00  the header, in which only two lengths differ (docs/format/frame.md)
//	    the chunk
//	    the index and the trailer, which say nothing else about a single chunk
//
// So a decoder remembers the header of a frame that was opened and decoded. Where another one has
// the same, and the chunk fills its place, the chunk is decoded without opening the frame.
const (
	frameHeaderLen = 0x0b // i32
	frameLen       = 0x10 // u64, differs
	frameLenEnd    = 0x18
	frameCBytes    = 0x27 // i64, differs
	frameCBytesEnd = 0x2f
	frameDict      = 0x55 // bit 0: the chunk needs a dictionary, which is elsewhere
	frameWitness   = 0x56 // not 0: there are checksums behind the frame
	frameLeast     = 0x57
	frameCurrent   = 0x9e // byte 0 of all but early versions
)

// A loneFrame is what the frames of a dataset have in common.
type loneFrame struct {
	header  []byte          // nil until a frame was opened
	item    int             // its bytes
	part    *grid.Partition // of the array in the frame; nil for a chunk without a shape
	decoder *chunk.Decoder

	box     grid.Box
	scratch grid.Scratch
	want    []bool
	sink    boxSink
}

// loneHeader returns the header of a frame if it may be remembered, and what lies behind it.
func loneHeader(src []byte) (header, rest []byte, ok bool) {
	if len(src) < frameLeast || src[0] != frameCurrent || src[frameDict]&1 != 0 || src[frameWitness] != 0 {
		return nil, nil, false
	}
	n := binary.BigEndian.Uint32(src[frameHeaderLen:])
	if n < frameLeast || int64(n) > int64(len(src)) {
		return nil, nil, false
	}
	return src[:n], src[n:], true
}

// learn remembers the header of a frame that was decoded: that of an array, or of a chunk alone.
func (l *loneFrame) learn(src []byte, fr *frame.Frame, a *ndarray.Untyped) {
	header, _, ok := loneHeader(src)
	if !ok {
		return
	}

	o := &chunk.DecodeOptions{FrameTypeSize: fr.TypeSize()}
	var part *grid.Partition
	if a != nil {
		shape := a.Shape()
		chunks, blocks := a.Grid()
		var err error
		if part, err = grid.New(shape, chunks, blocks, int64(fr.TypeSize())); err != nil || part.ChunkCount != 1 {
			return
		}
		for _, n := range blocks {
			o.BlockShape = append(o.BlockShape, int32(n))
		}
	}

	l.item = fr.TypeSize()
	l.part = part
	l.decoder = chunk.NewDecoder(o)
	l.header = append(l.header[:0], header...)
}

// find returns the chunk of a frame whose header is known, if it has size bytes of items.
func (l *loneFrame) find(src []byte, size int) (h chunk.Header, at []byte, ok bool) {
	header, rest, ok := loneHeader(src)
	if !ok || len(header) != len(l.header) || !bytes.Equal(header[:frameLen], l.header[:frameLen]) ||
		!bytes.Equal(header[frameLenEnd:frameCBytes], l.header[frameLenEnd:frameCBytes]) ||
		!bytes.Equal(header[frameCBytesEnd:], l.header[frameCBytesEnd:]) {
		return h, nil, false
	}

	length := binary.BigEndian.Uint64(src[frameLen:])
	h, err := chunk.ParseHeader(rest)
	if err != nil || h.Special() != chunk.SpecialNone || length > uint64(len(src)) ||
		uint64(h.CBytes) != binary.BigEndian.Uint64(src[frameCBytes:]) || uint64(len(header))+uint64(h.CBytes) > length {
		return h, nil, false
	}

	if p := l.part; p != nil {
		items := p.ItemCount * p.ItemSize
		ok = items == int64(size) && int64(h.NBytes) == p.ChunkSize && int64(h.BlockSize) == p.BlockSize
	} else {
		ok = int(h.NBytes) == size
	}
	return h, rest[:h.CBytes], ok
}

// decode decodes all items.
func (l *loneFrame) decode(dst []byte, h chunk.Header, src []byte) error {
	if p := l.part; p != nil {
		return l.decodeBox(dst, h, src, make([]int64, p.Dims), p.Shape[:p.Dims])
	}
	_, err := l.decoder.Decode(dst, src)
	return err
}

// decodeBox decodes the items of a box of the array into dst, which has these alone.
func (l *loneFrame) decodeBox(dst []byte, h chunk.Header, src []byte, start, stop []int64) error {
	if err := l.box.Set(l.part, start, stop); err != nil {
		return err
	}
	piece := l.box.Take(0, &l.scratch)
	defer l.scratch.Reset()

	var want []bool
	if int64(piece.Blocks()) < l.part.BlockCount {
		l.want = slab.Resize(l.want, l.part.BlockCount)
		clear(l.want)
		grid.Mark(piece.Piece, l.want)
		want = l.want
	}

	l.sink = boxSink{piece, dst}
	err := l.decoder.DecodeBlocks(h, src, want, &l.sink)
	l.sink = boxSink{}
	return err
}

// lonePart decodes the blocks that have a part.
func (w *workspace) lonePart(dst []byte, h chunk.Header, src []byte, p Part) error {
	l := &w.lone
	from, to, ok := p.span(l.item, len(dst))

	switch {
	case l.part != nil && l.part.ItemSize == p.ItemSize && slices.Equal(l.part.Shape[:l.part.Dims], p.Shape):
		items := w.free(int(p.size()))
		if err := l.decodeBox(items, h, src, p.Start, p.Stop); err != nil {
			return err
		}
		p.put(dst, items)
		return nil
	case l.part == nil && ok:
		_, err := l.decoder.DecodeItems(dst[from*l.item:], src, from, to)
		return err
	}
	return l.decode(dst, h, src)
}

// A boxSink puts what it needs of blocks into the items of a box.
type boxSink struct {
	grid.ChunkPiece
	items []byte
}

// Dst implements [chunk.BlockSink].
func (s *boxSink) Dst(index, _ int) []byte { return s.Direct(s.items, index) }

// Put implements [chunk.BlockSink].
func (s *boxSink) Put(index int, data []byte) { s.Scatter(s.items, index, data) }

// Needs is that of [chunk.BlockSink].
func (s *boxSink) Needs(index, _ int) (from, to int) { return s.Span(index) }

// PutPlanes is that of [chunk.BlockSink].
func (s *boxSink) PutPlanes(index int, planes [][]byte) bool {
	return s.Interleave(s.items, index, planes)
}
