package frame

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/internal/naming"
)

// env holds what all states of a handle share.
type env struct {
	Commits
	verify   VerifyMode
	name     string // for errors; may be empty
	engine   chunk.Engine
	asked    bool // whether the caller chose Limits.MaxIndex
	workers  int
	shape    []int32 // shape of a block in items, from the b2nd metalayer
	typeSize int
	oldBits  bool // the frame is of an old generation, with another bitshuffle
	// new chunks have the form of chunk.Options.ZarrBlocks, as a metalayer says
	zarrBlocks bool
	fixed      bool // opened by OpenReader
	closed     atomic.Bool
	// all bytes are in memory that only this handle writes to, so they need no check
	private   bool
	sources   atomic.Uint64 // the last number given to a source: see identity
	readers   atomic.Int64  // reads through the Frame in progress
	bytesRead atomic.Int64  // of chunks: see inside.Chunks
	decodings sync.Pool     // of *decoding
	packers   sync.Pool     // of *indexPacker
	buffers   sync.Pool     // of *buffer; see bufferPool
	parts     sync.Pool     // of *withHead
	heads     heads
	retired   []*retiredFile // protected by the frame's mutex
}

// decoding is the decoder and memory of one read.
type decoding struct {
	decoder *chunk.Decoder
	*buffer
	want []bool // blocks
}

func (e *env) decodeOptions() *chunk.DecodeOptions {
	return &chunk.DecodeOptions{
		Workers: e.workers, Engine: e.engine, FrameTypeSize: e.typeSize, BlockShape: e.shape,
		OldBitshuffle: e.oldBits,
	}
}

// newEncoder returns an encoder for chunks of a frame with header h.
func (e *env) newEncoder(h *format.Header, workers int, exact []uint64) (*chunk.Encoder, error) {
	o := h.ChunkOptions()
	o.Workers = workers
	o.Engine = e.engine
	o.BlockShape = e.shape
	o.FrameTypeSize = e.typeSize
	o.ZarrBlocks = e.zarrBlocks
	o.Exact = exact
	return chunk.NewEncoder(&o)
}

// indexLimits returns the limits for decoding an index.
func (e *env) indexLimits() index.Limits {
	return index.Limits{Limits: e.engine.Limits, Asked: e.asked}
}

func (e *env) getDecoding() *decoding {
	d, ok := e.decodings.Get().(*decoding)
	if !ok {
		d = &decoding{decoder: chunk.NewDecoder(e.decodeOptions())}
	}
	d.buffer = e.takeBuffer()
	return d
}

func (e *env) putDecoding(d *decoding) {
	e.returnBuffer(d.buffer)
	d.buffer = nil
	e.decodings.Put(d)
}

func (e *env) borrowPacker() *index.Packer {
	if p, ok := e.packers.Get().(*index.Packer); ok {
		return p
	}
	return &index.Packer{}
}

// open fails if the handle is closed.
func (e *env) open() error {
	if e.closed.Load() {
		return e.place(fmt.Errorf("frame: %w", cairn.ErrClosed))
	}
	return nil
}

// place puts the name of the frame before an error.
func (e *env) place(err error) error { return naming.In(e.name, err) }

// buffer is memory for one encoded chunk that is written or read.
type buffer struct{ buf []byte }

// buffers holds idle buffers, so that short-lived frames need not allocate and clear new ones
// (docs/decisions/0006-pooled-workspaces.md).
var buffers sync.Pool // of *buffer

// takeBuffer returns a buffer from the pool.
func (e *env) takeBuffer() *buffer {
	if b, ok := e.bufferPool().Get().(*buffer); ok {
		return b
	}
	return &buffer{}
}

// returnBuffer puts a buffer into the pool. The caller must not use it afterwards.
func (e *env) returnBuffer(b *buffer) { e.bufferPool().Put(b) }

// bufferPool returns the pool for buffers: the frame's own if codecs or filters of the caller may
// see the memory.
func (e *env) bufferPool() *sync.Pool {
	if e.engine.Codecs != nil || e.engine.Filters != nil {
		return &e.buffers
	}
	return &buffers
}
