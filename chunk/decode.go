package chunk

import (
	"cmp"
	"fmt"

	"github.com/cairn-go/cairn"
)

// DecodeOptions are the options for decoding. The zero value decodes with the built-in codecs and
// filters on the calling goroutine.
type DecodeOptions struct {
	Engine

	Workers int // blocks decoded at the same time; 0 means 1: see [Options]

	FrameTypeSize int // bytes per item as the frame states it; 0 means as the chunk does
	// shape of a block in items, for filters and codecs that need it; nil if unknown
	BlockShape []int32
	// chunks of version 4 use the bitshuffle of earlier versions, as 2.0.0-beta.1 to beta.4 wrote
	// it; the header does not tell
	OldBitshuffle bool
}

// A BlockSink receives the decoded blocks of a chunk; nil discards them, to check that they decode.
// With several workers its methods are called concurrently for different blocks. If it has a method
//
//	Needs(index, size int) (from, to int)
//
// it needs only that non-empty byte range of the blocks of size bytes that are delivered by Put.
// Their other bytes are undefined. If it has a method
//
//	PutPlanes(index int, planes [][]byte) bool
//
// it may be given the same range of a block as planes instead, where byte j of every item is in
// plane j. It returns false if it wants Put to be called.
type BlockSink interface {
	// Dst returns the memory, of exactly size bytes, into which a block is to be decoded, or nil if
	// the block is to be delivered by Put. Put is not called for a block for which Dst returned
	// memory. If decoding fails, the contents of that memory are undefined. With one worker, the
	// block is complete at the next call of any method.
	Dst(index, size int) []byte
	// Put receives a decoded block. data is valid only until Put returns.
	Put(index int, data []byte)
}

// partialSink is a BlockSink that needs only part of the blocks delivered by Put.
type partialSink interface {
	Needs(index, size int) (from, to int)
}

// planeSink is a BlockSink that accepts blocks as planes.
type planeSink interface {
	PutPlanes(index int, planes [][]byte) bool
}

// A Decoder decodes chunks. It reuses its memory from chunk to chunk and shares it with other
// encoders and decoders. It must not be used concurrently.
type Decoder struct {
	opts    DecodeOptions
	limits  cairn.Limits
	workers []*blockDecoder
	watched cancelable

	cuts   []int // of the current chunk, if its blocks have their own sizes
	span   spanSink
	fetch  fetcher
	reader chunkReader // the current chunk; a field, since a local variable would escape
}

// NewDecoder returns a decoder. o may be nil.
func NewDecoder(o *DecodeOptions) *Decoder {
	d := &Decoder{opts: *cmp.Or(o, &DecodeOptions{})}
	d.limits = d.opts.Limits.WithDefaults()
	for range max(1, d.opts.Workers) {
		d.workers = append(d.workers, &blockDecoder{borrowedSpace: borrowedSpace{private: d.opts.Codecs != nil ||
			d.opts.Engine.Filters != nil}})
	}
	return d
}

// Decode decodes the chunk at the beginning of src into dst and returns its decoded size. It fails
// with ErrBounds if dst is too small. After an error the contents of dst are undefined.
func (d *Decoder) Decode(dst, src []byte) (int, error) {
	h, err := ParseHeader(src)
	if err != nil {
		return 0, err
	}

	if int64(len(dst)) < int64(h.NBytes) {
		return 0, fmt.Errorf("decode chunk: %d bytes do not fit into %d: %w", h.NBytes, len(dst), cairn.ErrBounds)
	}
	return int(h.NBytes), d.decodeRange(&h, src, dst, 0, int(h.NBytes))
}

// DecodeItems decodes the items [from, to) of the chunk at the beginning of src into dst and
// returns their size in bytes. It decodes only the blocks that contain them. The size of an item is
// DecodeOptions.FrameTypeSize or, if that is 0, the chunk's typesize.
func (d *Decoder) DecodeItems(dst, src []byte, from, to int) (int, error) {
	h, err := ParseHeader(src)
	if err != nil {
		return 0, err
	}

	size := int64(cmp.Or(max(0, d.opts.FrameTypeSize), int(h.TypeSize)))
	if from < 0 || to < from || int64(to) > int64(h.NBytes)/size {
		return 0, fmt.Errorf("decode items %d to %d of %d: %w", from, to, int64(h.NBytes)/size, cairn.ErrBounds)
	}

	lo := int(int64(from) * size)
	hi := int(int64(to) * size)
	if len(dst) < hi-lo {
		return 0, fmt.Errorf("decode items: %d bytes do not fit into %d: %w", hi-lo, len(dst), cairn.ErrBounds)
	}
	return hi - lo, d.decodeRange(&h, src, dst, lo, hi)
}

// decodeRange decodes the bytes [lo, hi) of the chunk into dst.
func (d *Decoder) decodeRange(h *Header, src, dst []byte, lo, hi int) error {
	l, err := d.layout(h, src)
	if err != nil {
		return err
	}

	d.span = spanSink{dst: dst[:hi-lo], lo: lo, hi: hi, layout: l}
	d.reader = chunkReader{decoder: d, header: *h, src: src, layout: l, sink: &d.span}
	if l.NumBlocks > 0 && lo < hi {
		d.reader.first = l.blockAt(lo)
		d.reader.end = l.blockAt(hi-1) + 1
	}

	err = d.reader.decode()
	d.span.dst = nil
	return err
}

// DecodeBlocks decodes blocks of the chunk at the beginning of src and passes them to sink. h is
// the chunk's header as ParseHeader returned it. want says which blocks to decode, by number; those
// beyond its end are not decoded. A nil want means all. Layout returns the ranges of the blocks.
func (d *Decoder) DecodeBlocks(h Header, src []byte, want []bool, sink BlockSink) error {
	if err := h.check(); err != nil {
		return err
	}
	l, err := d.layout(&h, src)
	if err != nil {
		return err
	}
	d.reader = chunkReader{decoder: d, header: h, src: src, layout: l, end: l.NumBlocks, want: want, sink: sink}
	if want != nil {
		d.reader.end = min(l.NumBlocks, len(want))
	}

	return d.reader.decode()
}

// discard discards blocks.
type discard struct{}

func (discard) Dst(int, int) []byte { return nil }

func (discard) Put(int, []byte) {}
