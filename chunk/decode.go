package chunk

import (
	"cmp"
	"fmt"

	"github.com/cairn-go/cairn"
)

// DecodeOptions say how chunks are decoded. Nil and the zero value decode everything that is built
// in, on the calling goroutine.
type DecodeOptions struct {
	Engine

	Workers int // blocks decoded at the same time; 0 means 1

	FrameTypeSize int // bytes per item as the frame states it; 0 means as the chunk does
	// shape of a block in items, for filters and codecs that know dimensions; nil if there is none
	BlockShape []int32
	// chunks of version 4 have the bitshuffle of the versions before it, which 2.0.0-beta.1 to
	// beta.4 wrote; no header tells
	OldBitshuffle bool
}

// A BlockSink takes the decoded blocks of a chunk; nil drops them, which only proves that they
// decode. With more than one worker its methods are called at the same time for different blocks.
// One with a method
//
//	Needs(index, size int) (from, to int)
//
// may want only some bytes of the blocks that it takes by Put: that range of a block of size bytes,
// which is not empty. Others are undefined there.
type BlockSink interface {
	// Dst returns the memory, of exactly size bytes, that a block is to be decoded into, or nil if
	// it is to be delivered by Put. Put is not called for a block that Dst has placed. If decoding
	// fails, the contents of that memory are undefined. With one worker it is complete at the next
	// call of a method.
	Dst(index, size int) []byte
	// Put takes a decoded block. data is valid only until Put returns.
	Put(index int, data []byte)
}

// partialSink is a BlockSink that may want only some bytes of the blocks that it takes by Put.
type partialSink interface {
	Needs(index, size int) (from, to int)
}

// A Decoder decodes chunks. The memory that it needs meanwhile is reused from chunk to chunk, and
// by other encoders and decoders. It serves one goroutine at a time.
type Decoder struct {
	opts    DecodeOptions
	limits  cairn.Limits
	workers []*blockDecoder
	ref     []byte // decoded block 0 of the chunk at hand, where delta needs it
	watched watched

	cuts   []int // of the chunk at hand, if its blocks have their own sizes
	span   spanSink
	fetch  fetcher
	reader chunkReader // the chunk at hand, kept here because interfaces make it escape
}

// NewDecoder returns a decoder. o may be nil.
func NewDecoder(o *DecodeOptions) *Decoder {
	d := &Decoder{opts: *cmp.Or(o, &DecodeOptions{})}
	d.limits = d.opts.Limits.WithDefaults()
	for range max(1, d.opts.Workers) {
		d.workers = append(d.workers, &blockDecoder{desk: desk{own: d.opts.Codecs != nil ||
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

// DecodeItems decodes items [from, to) of the chunk at the beginning of src into dst, touching only
// the blocks that hold them, and returns how many bytes that were. An item has the frame's typesize
// if the options give one, else the chunk's.
func (d *Decoder) DecodeItems(dst, src []byte, from, to int) (int, error) {
	h, err := ParseHeader(src)
	if err != nil {
		return 0, err
	}
	size := int64(cmp.Or(max(0, d.opts.FrameTypeSize), int(h.TypeSize)))
	if from < 0 || to < from || int64(to) > int64(h.NBytes)/size {
		return 0, fmt.Errorf("decode items %d to %d of %d: %w", from, to, int64(h.NBytes)/size, cairn.ErrBounds)
	}
	lo, hi := int(int64(from)*size), int(int64(to)*size)
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
		d.reader.first, d.reader.end = l.holding(lo), l.holding(hi-1)+1
	}
	err = d.reader.decode()
	d.span.dst = nil
	return err
}

// DecodeBlocks decodes the blocks of the chunk at the beginning of src for which want is true, or
// all if want is nil, and hands them to sink. h is the chunk's header, as ParseHeader returned it.
// want is indexed by block number; blocks beyond its end are not wanted. Blocks are cut as Layout
// says.
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

// discard takes blocks and forgets them.
type discard struct{}

func (discard) Dst(int, int) []byte { return nil }

func (discard) Put(int, []byte) {}
