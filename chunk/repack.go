package chunk

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/osfile/fresh"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/internal/wire"
	"github.com/cairn-go/cairn/shuffle"
)

// A Repacker makes chunks of Blosc1 from blocks of other chunks. It copies the streams of the
// blocks without decoding them. What Blosc1 does not have, runs of one byte value, it encodes. A
// Repacker reuses its memory and must not be used concurrently.
type Repacker struct {
	limits cairn.Limits
	fetch  fetcher
	want   []bool
	space  borrowedSpace
	runs   map[run][]byte
	run    []byte
}

// A run is a stream of size equal bytes for a codec.
type run struct {
	codec codecs.Codec
	size  int
	value byte
}

// maxRuns is how many encoded runs a Repacker keeps: their sizes and values are those of a few
// arrays.
const maxRuns = 64

// NewRepacker returns a Repacker that reads chunks within limits.
func NewRepacker(l cairn.Limits) *Repacker {
	return &Repacker{limits: l.WithDefaults(), runs: map[run][]byte{}}
}

// InBlosc1 reports whether Blosc1 has the filters, and the codec for streams, so that a [Repacker]
// can mostly copy the blocks of chunks that have them. typeSize is the one in their headers.
func InBlosc1(c codecs.Codec, filters shuffle.Pipeline, typeSize int) bool {
	_, ok := blosc1Flags(c, filters, typeSize)
	return ok
}

// blosc1Flags returns the flags of a chunk of Blosc1 with a codec and filters.
func blosc1Flags(c codecs.Codec, filters shuffle.Pipeline, typeSize int) (flags uint8, ok bool) {
	wire := wireOfCodec[c.ID()]

	used := 0
	for _, s := range filters {
		if s == (shuffle.Spec{}) {
			continue
		}
		used++
		f := pipelineFlags(shuffle.Pipeline{s})
		if f == 0 || f == flagDelta || s.Meta != 0 && int(s.Meta) != typeSize {
			return 0, false
		}
	}
	return pipelineFlags(filters) | wire<<wireShift, used <= 1 && wire != wireInCodecByte
}

// AppendAt appends a chunk of Blosc1 that decodes to some blocks of another chunk, in their order.
// That chunk is at offset at of r, and its header is h; AppendAt reads what it needs of it. It
// returns false, and dst as it was, if Blosc1 cannot have these blocks as they are.
func (p *Repacker) AppendAt(dst []byte, h Header, r io.ReaderAt, at int64, blocks []int) ([]byte, bool, error) {
	flags, ok := repackable(&h, blocks)
	if !ok {
		return dst, false, nil
	}
	if err := p.read(&h, r, at, blocks); err != nil {
		return dst, false, err
	}

	l := h.Layout()
	out := Header{Version: versionBlosc1, VersionLZ: 1, Flags: flags, TypeSize: h.TypeSize,
		NBytes: int32(len(blocks) * l.BlockSize), BlockSize: int32(l.BlockSize), CBytes: minHeaderSize}

	begin := len(dst)
	dst, err := p.appendBody(out.Append(dst), begin, &h, blocks)
	if err != nil {
		return dst[:begin], false, err
	}

	if size := len(dst) - begin; size > MaxSize {
		return dst[:begin], false, nil
	}

	binary.LittleEndian.PutUint32(dst[begin+12:], uint32(len(dst)-begin))
	return dst, true, nil
}

// repackable returns the flags of a chunk of Blosc1 with blocks of a chunk, and false if there can
// be none.
func repackable(h *Header, blocks []int) (flags uint8, ok bool) {
	if len(blocks) == 0 || h.check() != nil || h.Version != versionStable || h.Special() != SpecialNone ||
		h.VLBlocks() || h.HasDict() || bloscFlags(h.BloscFlags).instrumented() {
		return 0, false
	}

	l := h.Layout()
	if len(blocks) > MaxSize/2/l.BlockSize {
		return 0, false
	}
	for _, i := range blocks {
		if i < 0 || i >= l.NumBlocks || (i+1)*l.BlockSize > l.NBytes {
			return 0, false
		}
	}

	if h.Memcpyed() {
		return flagMemcpyed, h.CBytes == h.NBytes+int32(h.Size())
	}
	flags, ok = blosc1Flags(h.Codec, h.Pipeline, int(h.TypeSize))
	if !ok || flags&flagBitshuffle != 0 && l.BlockSize/int(h.TypeSize)%8 != 0 {
		return 0, false
	}

	if h.streams(l, 0) == 1 {
		return flags | flagNotSplit, true
	}
	return flags, splitByBlosc1(int(h.TypeSize), l.BlockSize)
}

// read reads the parts of a chunk that the blocks are in.
func (p *Repacker) read(h *Header, r io.ReaderAt, at int64, blocks []int) error {
	if most := min(p.limits.MaxChunk, p.limits.MaxAlloc); int64(h.CBytes) > most {
		return fmt.Errorf("repack chunk: %d bytes, the most is %d: %w", h.CBytes, most, cairn.ErrLimit)
	}

	f := &p.fetch
	l := h.Layout()
	if !h.Memcpyed() {
		if err := checkTable(h, l.NumBlocks, int(h.CBytes)); err != nil {
			return err
		}
	}

	end := slices.Max(blocks) + 1
	p.want = slices.Grow(p.want[:0], end)[:end]
	clear(p.want)
	for _, i := range blocks {
		p.want[i] = true
	}

	c := chunkReader{header: *h, layout: l, end: end, want: p.want}
	if err := f.plan(&c, r, at); err != nil {
		return err
	}
	return f.readParts(cancelable{}.context(), r, at)
}

// appendBody appends what follows the header: the offsets of the blocks and their streams, or the
// bytes of stored blocks.
func (p *Repacker) appendBody(dst []byte, begin int, h *Header, blocks []int) ([]byte, error) {
	src := p.fetch.buf
	gap := p.fetch.gap
	l := h.Layout()

	if h.Memcpyed() {
		payload := src[h.Size():]
		for _, i := range blocks {
			from, to := l.Block(i)
			dst = append(dst, payload[from-gap:to-gap]...)
		}
		return dst, nil
	}

	t := &p.fetch.table
	if err := t.read(h, src, int(h.CBytes), l.NumBlocks); err != nil {
		return dst, err
	}

	offsets := len(dst)
	size := 4 * len(blocks)
	for _, i := range blocks {
		from, to := t.block(i)
		size += to - from
	}
	dst = fresh.Grow(dst, min(size, int(h.CBytes)+4*len(blocks)))[:offsets+4*len(blocks)]

	done := false
	defer func() { p.space.release(done) }()
	for k, i := range blocks {
		binary.LittleEndian.PutUint32(dst[offsets+4*k:], uint32(len(dst)-begin))
		from, to := t.block(i)
		var err error
		if dst, err = p.appendStreams(dst, h, src[:to-gap], from-gap); err != nil {
			return dst, wire.Moved(err, int64(gap))
		}
	}

	done = true
	return dst, nil
}

// appendStreams appends the streams of a block, which begin at an offset of src.
func (p *Repacker) appendStreams(dst []byte, h *Header, src []byte, at int) ([]byte, error) {
	l := h.Layout()
	count := h.streams(l, 0)
	n := l.BlockSize / count

	for range count {
		if at+4 > len(src) {
			return dst, cairn.Corruptf(layerChunk, int64(at), "a stream begins where its block ends")
		}
		size := int(int32(binary.LittleEndian.Uint32(src[at:])))
		if size <= 0 {
			var err error
			if dst, err = p.appendRun(dst, h, src[at+4:], size, n); err != nil {
				return dst, err
			}
			at += 4
			if size < 0 {
				at++
			}
			continue
		}

		if size > n || size > len(src)-at-4 {
			return dst, cairn.Corruptf(layerChunk, int64(at), "a stream of %d bytes does not fit into its block", size)
		}
		dst = append(dst, src[at:at+4+size]...)
		at += 4 + size
	}
	return dst, nil
}

// appendRun appends a stream of n equal bytes. size is what stands for it in the chunk, and token
// what follows that.
func (p *Repacker) appendRun(dst []byte, h *Header, token []byte, size, n int) ([]byte, error) {
	if size < -255 || size < 0 && (len(token) == 0 || token[0]&runToken == 0) {
		return dst, cairn.Corruptf(layerChunk, -1, "a stream of size %d is no run", size)
	}

	key := run{h.Codec, n, byte(-size)}
	stream, ok := p.runs[key]
	if !ok {
		row, err := (*codecs.Registry)(nil).Lookup(h.Codec.ID())
		if err != nil {
			return dst, err
		}
		if stream, err = p.encodeRun(&row, key); err != nil {
			return dst, err
		}
		if len(p.runs) >= maxRuns {
			clear(p.runs)
		}
		p.runs[key] = stream
	}
	return append(dst, stream...), nil
}

func (p *Repacker) encodeRun(row *codecs.Row, key run) ([]byte, error) {
	e, err := p.space.acquire().encoder(row, codecs.Params{Level: 1, TypeSize: 1})
	if err != nil {
		return nil, err
	}

	p.run = slab.Resize(p.run, key.size)
	for i := range p.run {
		p.run[i] = key.value
	}

	stream := make([]byte, 4+key.size)
	size, err := e.Encode(stream[4:3+key.size], p.run)
	if err != nil {
		return nil, err
	}
	if size == 0 { // such a short run does not become shorter
		size = copy(stream[4:], p.run)
	}
	binary.LittleEndian.PutUint32(stream, uint32(size))
	return slices.Clip(slices.Clone(stream[:4+size])), nil
}
