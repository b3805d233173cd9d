package chunk

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/asm/runscan"
	"github.com/cairn-go/cairn/internal/osfile/fresh"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/shuffle"
)

// A BlockSource provides the decoded bytes of a chunk's blocks.
type BlockSource interface {
	// Block returns the bytes of block index, either in scratch or in other memory that already
	// holds them. len(scratch) is the length of the block. The caller does not change the result,
	// and uses it only until the next call with the same scratch. Calls with different scratch may
	// be concurrent.
	Block(scratch []byte, index int) []byte
}

// An Encoder encodes chunks. It reuses its memory from chunk to chunk and shares it with other
// encoders and decoders; while idle it holds hardly any. It must not be used concurrently.
type Encoder struct {
	opts     Options
	params   params
	pipeline shuffle.Pipeline
	workers  []*blockEncoder
	whole    wholeSource
	pieces   vlSource
	training trainer
	watched  cancelable

	first []byte // block 0 of the current chunk
	ref   []byte // delta reference of the current chunk, or nil

	moving   assembler
	rewrite  rewriter
	wrapping table // see wrapBlocks

	lossy   bool     // the codec or a filter loses something
	checker *Decoder // see check; made when it is first needed

	exact *Encoder // for chunks that the codec would destroy, once there was one
}

// NewEncoder returns an encoder for the options, or an error if they are invalid. o may be nil.
func NewEncoder(o *Options) (*Encoder, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}

	o = cmp.Or(o, &Options{})
	e := &Encoder{opts: *o, pipeline: o.Pipeline()}
	e.opts.Filters = slices.Clone(o.Filters)
	e.opts.BlockShape = slices.Clone(o.BlockShape)
	e.opts.Codec = codecs.ByID(e.opts.Codec.ID(), e.opts.Codec.Parameter()) // resolve default

	row, err := e.opts.Codecs.Lookup(e.opts.Codec.ID())
	if err != nil {
		return nil, err
	}
	if err := checkNumbers(&row, e.pipeline, e.opts.Engine.Filters); err != nil {
		return nil, err
	}

	if e.opts.Dict && !row.Dict {
		return nil, fmt.Errorf("chunk options: Dict with codec %s: %w", row.Name, cairn.ErrUnsupported)
	}

	p := params{typeSize: o.resolvedTypeSize(), codec: row, level: o.ResolvedLevel(), split: o.Split,
		blockSize: o.BlockSize, blosc1: o.Blosc1, zarrBlocks: o.ZarrBlocks}

	for _, s := range o.Pipeline() {
		if s.ID == shuffle.IDByte {
			p.shuffled = true
		}
	}
	e.params = p
	e.lossy = row.Lossy || losesPrecision(e.pipeline, e.opts.Engine.Filters)

	for range max(1, e.opts.Workers) {
		w, err := newBlockEncoder(&e.opts, row, e.pipeline)
		if err != nil {
			return nil, err
		}
		e.workers = append(e.workers, w)
	}

	return e, nil
}

// Layout returns how a chunk of nbytes will be divided into blocks.
func (e *Encoder) Layout(nbytes int) Layout { return e.params.plan(nbytes).layout }

// Append encodes src as one chunk and appends it to dst. The chunk has at most len(src)+32 bytes.
// After an error the result is dst.
func (e *Encoder) Append(dst, src []byte) ([]byte, error) {
	e.whole = wholeSource{data: src, blockSize: e.Layout(len(src)).BlockSize}
	dst, err := e.AppendBlocks(dst, len(src), &e.whole)
	e.whole.data = nil
	return dst, err
}

// wholeSource is a chunk in contiguous memory.
type wholeSource struct {
	data      []byte
	blockSize int
}

func (s *wholeSource) Block(scratch []byte, index int) []byte {
	from := index * s.blockSize
	return s.data[from : from+len(scratch)]
}

// AppendBlocks encodes a chunk of nbytes and appends it to dst. The blocks, divided as Layout
// returns, come from src, which may be asked for a block more than once. After an error the result
// is dst.
func (e *Encoder) AppendBlocks(dst []byte, nbytes int, src BlockSource) ([]byte, error) {
	if nbytes < 0 || nbytes > MaxSize {
		return dst, fmt.Errorf("encode chunk: %d bytes: %w: a chunk holds at most %d", nbytes, cairn.ErrBounds, MaxSize)
	}

	done := false
	defer func() { e.release(done) }()
	src, failed := e.rounded(src)
	out, err := e.appendBlocks(dst, nbytes, src)
	done = true
	if err == nil {
		err = failed()
	}
	if err == nil {
		err = e.check(out[len(dst):], src, nil)
	}
	if err != nil {
		return dst, err
	}
	return out, nil
}

func (e *Encoder) appendBlocks(dst []byte, nbytes int, src BlockSource) ([]byte, error) {
	p := e.params.plan(nbytes)
	if err := e.prepare(p, src); err != nil {
		return dst, err
	}
	if out, ok := e.appendConstant(dst, p, src); ok {
		return out, nil
	}
	if p.stored {
		return e.appendStored(dst, p, src, e.storedFlags()), nil
	}

	out, ok, err := e.appendRegular(dst, p, src)
	switch {
	case err != nil:
		return dst, err
	case e.storedStreams() > 0:
		// Encode a chunk without loss behind the chunk that begins at out[start:], or is
		// missing, and keep the smaller one.
		start := len(dst)
		lossy := len(out) - start
		exact, err := e.withoutLoss(p)
		if err != nil || exact.Layout(p.layout.NBytes) != p.layout {
			return out, err
		}

		exact.watched = e.watched
		out, err = exact.AppendBlocks(out, p.layout.NBytes, src)
		if err != nil {
			return out, err
		}

		if size := len(out) - start - lossy; lossy == 0 || size < lossy {
			return out[:start+copy(out[start:], out[start+lossy:])], nil
		}
		return out[:start+lossy], nil
	case !ok: // larger than the data; out is dst with more capacity
		return e.appendStored(out, p, src, e.regularFlags(p)|flagMemcpyed), nil
	}
	return out, nil
}

// prepare checks that the filters accept this chunk, and fetches block 0, which is needed to detect
// constant chunks and as the delta reference.
func (e *Encoder) prepare(p plan, src BlockSource) error {
	if err := e.checkZarrBlocks(p); err != nil {
		return err
	}

	w := e.workers[0]
	if err := w.begin(p.typeSize); err != nil {
		return fmt.Errorf("encode chunk: %w", err)
	}
	if err := w.chain.Validate(&w.ctx); err != nil {
		return fmt.Errorf("encode chunk: %w", err)
	}
	if p.layout.NumBlocks == 0 {
		return nil
	}

	from, to := p.layout.Block(0)
	w.space.first = slab.Resize(w.space.first, to-from)
	e.first = src.Block(w.space.first, 0)
	if p.stored || !w.chain.Has(shuffle.IDDelta) {
		return nil
	}

	var err error
	e.ref, err = w.chain.Reference(&w.space.ref, e.first, &w.ctx)
	return err
}

// release drops references to the caller's memory and returns the workspaces to the pool, but not
// after a panic, when a codec may be in an undefined state.
func (e *Encoder) release(done bool) {
	e.first = nil
	e.ref = nil
	for _, w := range e.workers {
		w.release(done)
	}
}

func (e *Encoder) header(p plan, flags uint8) Header {
	h := Header{
		Version: versionStable, VersionLZ: 1, Flags: flags, TypeSize: uint8(p.typeSize),
		NBytes: int32(p.layout.NBytes), BlockSize: int32(p.layout.BlockSize),
		Pipeline: e.pipeline, Codec: e.opts.Codec,
	}
	if e.opts.Blosc1 {
		h.Version = versionBlosc1
	}
	if p.layout.cuts != nil {
		h.Version = versionVL
		h.Flags2 = flag2VLBlocks
		h.BlockSize = int32(p.layout.NumBlocks)
	}
	return h
}

// storedFlags returns the flags of a chunk that is stored without trying to compress it.
func (e *Encoder) storedFlags() uint8 {
	if e.opts.Blosc1 {
		return flagMemcpyed
	}
	return flagsExtended | flagMemcpyed
}

func (e *Encoder) regularFlags(p plan) uint8 {
	f := pipelineFlags(e.pipeline)
	if !e.opts.Blosc1 {
		f = f&flagDelta | flagsExtended
	}
	if !p.split {
		f |= flagNotSplit
	}
	return f | e.params.codec.WireCode<<wireShift
}

// appendStored appends a memcpyed chunk.
func (e *Encoder) appendStored(dst []byte, p plan, src BlockSource, flags uint8) []byte {
	h := e.header(p, flags)
	h.CBytes = int32(h.Size() + p.layout.NBytes)
	dst = fresh.Grow(dst, int(h.CBytes))
	dst = h.Append(dst)
	for i := range p.layout.NumBlocks {
		from, to := p.layout.Block(i)
		at := len(dst)
		dst = dst[:at+to-from]
		room := dst[at:]
		if block := src.Block(room, i); &block[0] != &room[0] {
			copy(room, block)
		}
	}
	return dst
}

// appendRegular appends a chunk of compressed blocks. ok is false if it would be larger than the
// stored data.
func (e *Encoder) appendRegular(dst []byte, p plan, src BlockSource) (out []byte, ok bool, err error) {
	h := e.header(p, e.regularFlags(p))
	dict, err := e.buildDict(p, src)
	if err != nil {
		return dst, false, fmt.Errorf("encode chunk: %w", err)
	}

	for _, w := range e.workers {
		w.stored = 0
	}

	start := len(dst)
	n := p.layout.NumBlocks
	limit := p.layout.NBytes + h.Size() // maximum encoded size
	body := h.Size() + 4*n
	if p.layout.cuts != nil || p.lead > 0 {
		limit = body + 4 + maxDictSize + p.place(n) // it cannot be stored
	}

	if dict != nil {
		h.BloscFlags |= bloscFlagDict
		body += 4 + len(dict)
	}
	if body > limit {
		return dst, false, nil
	}

	// One worker writes each block right behind the one before, and may exceed the limit by a
	// block before it notices. Several need a place of maximum size for every block.
	alone := len(e.workers) == 1 || n == 1
	if alone {
		dst = fresh.Grow(dst, limit+p.place(1))
	} else {
		dst = fresh.Grow(dst, body+p.place(n))
	}

	out = dst[:start+body]
	if dict != nil {
		at := start + h.Size() + 4*n
		binary.LittleEndian.PutUint32(out[at:], uint32(len(dict)))
		copy(out[at+4:], dict)
	}

	if alone {
		out, err = e.encodeInPlace(out, start, limit, p, src)
	} else {
		out, err = e.encodeParallel(out, start, limit, p, src)
	}

	if err == errTooLarge {
		return dst, false, nil
	}
	if err != nil {
		return dst, false, fmt.Errorf("encode chunk: %w", err)
	}

	h.CBytes = int32(len(out) - start)
	h.Append(out[:start])
	e.wrapBlocks(out[start:], &h, p)
	return out, true, nil
}

// encodeInPlace appends all blocks to out in order.
func (e *Encoder) encodeInPlace(out []byte, start, limit int, p plan, src BlockSource) ([]byte, error) {
	w := e.workers[0]
	for i := range p.layout.NumBlocks {
		e.putOffset(out[start:], p, i, len(out)-start)
		err := e.watched.err()
		if err != nil {
			return out, err
		}

		out, err = w.encode(out, e.block(w, p, src, i), p, e.blockRef(i))
		if err != nil {
			return out, err
		}
		if len(out)-start > limit {
			return out, errTooLarge
		}
	}
	return out, nil
}

// encodeParallel encodes blocks on all workers, each at the offset that it would have if all blocks
// before it had their maximum size. Meanwhile, moving closes the gaps.
func (e *Encoder) encodeParallel(out []byte, start, limit int, p plan, src BlockSource) ([]byte, error) {
	workers := e.workers[:min(len(e.workers), p.layout.NumBlocks)]
	for _, w := range workers {
		if err := w.begin(p.typeSize); err != nil {
			return out, err
		}
		if err := w.setDict(e.training.dict); err != nil {
			return out, err
		}
	}

	body := len(out)
	m := &e.moving

	chunk := out[start:]
	m.encoder = e
	m.plan = p
	m.chunk = chunk
	m.body = len(chunk)
	m.limit = limit
	m.sizes = slices.Grow(m.sizes[:0], p.layout.NumBlocks)[:p.layout.NumBlocks]
	for i := range m.sizes {
		m.sizes[i] = -1
	}

	m.next = 0
	m.end = len(chunk)
	m.total = len(chunk)
	m.busy = false

	err := parallel.For(e.watched.context(), len(workers), p.layout.NumBlocks, func(worker, i int) error {
		w := workers[worker]
		at := body + p.place(i)
		streams, err := w.encode(out[at:at:body+p.place(i+1)], e.block(w, p, src, i), p, e.blockRef(i))
		if err != nil {
			return err
		}
		return m.done(i, len(streams))
	})

	m.chunk = nil
	m.encoder = nil
	return out[:start+m.end], err
}

func (e *Encoder) putOffset(chunk []byte, p plan, block, offset int) {
	size := HeaderSize
	if e.opts.Blosc1 {
		size = minHeaderSize
	}
	binary.LittleEndian.PutUint32(chunk[size+4*block:], uint32(offset+p.lead))
}

// block returns the bytes of block i. prepare has fetched block 0.
func (e *Encoder) block(w *blockEncoder, p plan, src BlockSource, i int) []byte {
	if i == 0 {
		return e.first
	}

	from, to := p.layout.Block(i)
	w.space.block = slab.Resize(w.space.block, to-from)
	return src.Block(w.space.block, i)
}

// blockRef returns the delta reference for block i. Block 0 has none, since it is the reference.
func (e *Encoder) blockRef(i int) []byte {
	if i == 0 {
		return nil
	}
	return e.ref
}

// appendConstant appends a special chunk if all items of the chunk are equal. It stops fetching
// blocks at the first difference.
func (e *Encoder) appendConstant(dst []byte, p plan, src BlockSource) ([]byte, bool) {
	width := e.params.typeSize
	if e.opts.NoSpecial || e.opts.Blosc1 || p.layout.NumBlocks == 0 || p.layout.NBytes%width != 0 || p.layout.BlockSize%width != 0 {
		return dst, false
	}
	if !repeats(e.first, width) {
		return dst, false
	}

	value := e.first[:width]
	kind := constantKind(value)
	if kind == SpecialValue && p.layout.NBytes == width {
		return dst, false // a single item; storing it takes no more space
	}

	for i := 1; i < p.layout.NumBlocks; i++ {
		block := e.block(e.workers[0], p, src, i)
		if !bytes.Equal(block[:width], value) || !repeats(block, width) {
			return dst, false
		}
	}

	if kind != SpecialValue {
		value = nil
	}
	return appendSpecial(dst, kind, value, p.layout, p.typeSize), true
}

// repeats reports whether b consists of equal items of the given width.
func repeats(b []byte, width int) bool { return runscan.Repeats(b, width) }
