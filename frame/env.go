package frame

import (
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/storage"
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
func (e *env) newEncoder(h *format.Header, workers int, exact []uint64,
	round func([]byte) error) (*chunk.Encoder, error) {
	o := h.ChunkOptions()
	o.Workers = workers
	o.Engine = e.engine
	o.BlockShape = e.shape
	o.FrameTypeSize = e.typeSize
	o.ZarrBlocks = e.zarrBlocks
	o.Exact = exact
	o.Round = round
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

// A head is the beginning of a stored chunk: its header and as much of its offset table as fits. A
// read of a part of a chunk needs the head first, and often the next read is of the same chunk. A
// handle therefore caches some heads, so that a part takes a single read.
type head struct {
	key inside.ChunkKey
	raw []byte // must not be modified
}

// heads is the cache of heads of a handle. Each key has one possible slot.
type heads [64]atomic.Pointer[head]

func (h *heads) slot(key inside.ChunkKey) *atomic.Pointer[head] {
	return &h[key.Hash()*0x9e37_79b9_7f4a_7c15>>58]
}

// identity gives a source a number that is unique in its handle, and counts how often each entry
// was reused. The zero value has no number yet.
type identity struct {
	own atomic.Uint64

	mu          sync.RWMutex
	generations map[int64]uint64 // how often the content of an entry was removed
}

// number returns the number of the source. If it has none yet, it gets the one after last.
func (d *identity) number(last *atomic.Uint64) uint64 {
	if n := d.own.Load(); n > 0 {
		return n
	}
	d.own.CompareAndSwap(0, last.Add(1))
	return d.own.Load()
}

// renew gives the source of another handle a number of this one.
func (d *identity) renew(last *atomic.Uint64) { d.own.Store(last.Add(1)) }

func (d *identity) generation(entry int64) uint64 {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.generations[entry]
}

// changed records that the content of an entry was removed.
func (d *identity) changed(entry int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.generations == nil {
		d.generations = map[int64]uint64{}
	}
	d.generations[entry]++
}

// retiredFile is a file that was replaced by another. It is closed when no state refers to it, or
// with the frame.
type retiredFile struct {
	file   storage.File
	once   sync.Once
	closed atomic.Bool
}

func (r *retiredFile) close() error {
	var err error
	r.once.Do(func() {
		err = r.file.Close()
		r.closed.Store(true)
	})
	return err
}

func newEnv(name string, o *OpenOptions) *env {
	e := &env{
		Commits: o.Commits, verify: o.Verify,
		name: name, workers: o.Workers, engine: o.Engine, asked: o.Limits.MaxIndex != 0,
	}
	e.engine.Limits = o.Limits.WithDefaults()
	return e
}

// parentDir returns the directory of path, also if path ends with a slash.
func parentDir(path string) string { return filepath.Dir(filepath.Clean(path)) }

// memoryName is the file name of a frame in memory.
const memoryName = "frame"
