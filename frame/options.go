package frame

import (
	"fmt"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/internal/metalist"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/shuffle"
	"github.com/cairn-go/cairn/storage"
)

// Mode says what an opened frame is for.
type Mode uint8

// The modes.
const (
	ReadOnly Mode = iota
	ReadWrite
)

// Options say how a frame is created. Nil and the zero value mean: contiguous, bytes, Zstd, level
// 5, byte shuffle, and a chunk size that the first chunk decides.
type Options struct {
	chunk.Engine
	Commits

	TypeSize  int            // bytes per item; 0 means 1
	Codec     codecs.Codec   // zero means Zstd
	Level     int            // 1 to 9; 0 means 5; chunk.Stored means no compression
	Filters   []shuffle.Spec // nil means shuffle.Byte; see chunk.Options
	Split     chunk.SplitMode
	BlockSize int  // decoded bytes per block; 0 lets each chunk choose
	ChunkSize int  // decoded bytes of every chunk but the last; 0 means that the first one decides
	Dict      bool // make a dictionary for each chunk; see chunk.Options

	Sparse    bool         // a directory with a file per chunk
	Overwrite bool         // replace what has the name at the first Commit, instead of failing
	Meta      []meta.Layer // fixed metalayers; the contents are copied

	Workers int        // blocks of a chunk that are encoded or decoded at the same time; 0 means 1
	FS      storage.FS // where; nil means the operating system's files

	Verify  VerifyMode // when chunks are compared with their checksums
	Locking bool       // share the frame with other processes; see [OpenOptions]

	LockTimeout time.Duration // the longest that a call waits for the lock; see [OpenOptions]
}

// OpenOptions say how a frame is opened. Nil and the zero value open for reading.
type OpenOptions struct {
	chunk.Engine
	Commits // from then on

	Mode   Mode
	Offset int64 // where in the file the frame begins; only for reading
	// blocks of a chunk that are decoded, or encoded, at the same time; 0 means 1
	Workers int
	FS      storage.FS // where; nil means the operating system's files

	Verify VerifyMode // when chunks are compared with their checksums

	// Sweep removes, when the frame is opened for writing, what writers left that were killed:
	// temporary files and directories of this name, chunk files that belong to no chunk, bytes
	// behind the frame. It is for callers who know that nobody else has the frame open for writing
	// or is making one of this name.
	Sweep bool

	// Map reads chunks of a contiguous frame from a mapping of its file into memory, so that the
	// system reads only the pages that are needed, and nothing is copied; only for reading. Where
	// files cannot be mapped it changes nothing. It is for files that nobody makes shorter while
	// they are open: then reads fail as usual if it happened before, but a read that it happens to
	// kills the process (SIGBUS). Writers of this package shorten files only behind the frame, but
	// C-Blosc2 and tools that rewrite a file in place do. The file is mapped until Close, and until
	// the last [Lease] is released.
	Map bool

	// Locking makes this handle one of several, in this process and others, that take turns in
	// changing the frame: see [Frame.Lock]. All of them must ask for it. C-Blosc2 takes part if it
	// is asked to. It leaves two small files beside the frame, or in the directory of a sparse
	// one. It is not for network file systems.
	Locking bool

	// LockTimeout is the longest that a call waits for the lock, whatever its context says; it then
	// fails with an error matching [cairn.ErrLocked]. 0 means as long as the context says: without
	// an end for Open and Close, which have none. Close waits only if something is staged, and then
	// drops it if it fails; so whoever wants a context there commits before.
	LockTimeout time.Duration
}

// opening returns the options that open the frame again.
func (o *Options) opening() *OpenOptions {
	return &OpenOptions{
		Mode: ReadWrite, Workers: o.Workers, Engine: o.Engine, FS: o.FS,
		Verify: o.Verify, Commits: o.Commits, LockTimeout: o.LockTimeout,
	}
}

// chunkOptions returns the part that concerns single chunks.
func (o *Options) chunkOptions() chunk.Options {
	return chunk.Options{
		TypeSize: o.TypeSize, Codec: o.Codec, Level: o.Level, Filters: o.Filters, Split: o.Split,
		BlockSize: o.BlockSize, Dict: o.Dict, Workers: o.Workers, Engine: o.Engine,
	}
}

// Validate names the first field that makes no sense.
func (o *Options) Validate() error {
	if o == nil {
		return nil
	}
	co := o.chunkOptions()
	if err := co.Validate(); err != nil {
		return err
	}
	if o.ChunkSize < 0 || o.ChunkSize > chunk.MaxSize {
		return fmt.Errorf("frame options: ChunkSize is %d, must be 1 to %d, or 0 to let the first chunk decide", o.ChunkSize, chunk.MaxSize)
	}
	if err := metalist.Validate(o.Meta, metalist.MaxLayers); err != nil {
		return fmt.Errorf("frame options: Meta: %w", err)
	}
	if err := validateShared("frame options", o.Limits, o.LockTimeout, o.Verify, o.Durability); err != nil {
		return err
	}
	if limit := o.Limits.WithDefaults().MaxChunk; int64(o.ChunkSize) > limit {
		return fmt.Errorf("frame options: ChunkSize is %d, Limits.MaxChunk %d: %w", o.ChunkSize, limit, cairn.ErrLimit)
	}
	return nil
}

// Validate names the first field that makes no sense.
func (o *OpenOptions) Validate() error {
	switch {
	case o == nil:
		return nil
	case o.Mode > ReadWrite:
		return fmt.Errorf("frame open options: Mode is %d, which does not exist", o.Mode)
	case o.Offset < 0:
		return fmt.Errorf("frame open options: Offset is %d, must not be negative", o.Offset)
	case o.Offset > 0 && o.Mode == ReadWrite:
		return fmt.Errorf("frame open options: a frame at an Offset inside of a file: %w", cairn.ErrReadOnly)
	case o.Map && o.Mode == ReadWrite:
		return fmt.Errorf("frame open options: Map is only for reading: %w", cairn.ErrReadOnly)
	case o.Workers < 0:
		return fmt.Errorf("frame open options: Workers is %d, must not be negative", o.Workers)
	}
	return validateShared("frame open options", o.Limits, o.LockTimeout, o.Verify, o.Durability)
}

// validateShared checks what both kinds of options have.
func validateShared(where string, l cairn.Limits, timeout time.Duration, v VerifyMode, d Durability) error {
	switch {
	case timeout < 0:
		return fmt.Errorf("%s: LockTimeout is %v, must not be negative", where, timeout)
	case v > VerifyOff:
		return fmt.Errorf("%s: Verify is %d, which does not exist", where, v)
	case d > None:
		return fmt.Errorf("%s: Durability is %d, which does not exist", where, d)
	}
	if err := l.Validate(); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	return nil
}

// newHeader returns the header of an empty frame.
func (o *Options) newHeader() format.Header {
	co := o.chunkOptions()
	h := format.Header{
		LayersAt: format.AtLayers, Version: format.VersionFixed, Split: format.SplitByte(o.Split),
		Codec:     o.Codec.ID(),
		CodecMeta: o.Codec.Parameter(),
		Level:     uint8(co.ResolvedLevel()), Pipeline: co.Pipeline(),
		TypeSize: int32(max(1, co.TypeSize)), BlockSize: int32(o.BlockSize),
		ChunkSize: -1, Threads: [2]int16{1, 1}, Dict: o.Dict,
	}
	if o.ChunkSize > 0 {
		h.ChunkSize = int32(o.ChunkSize)
	}
	if o.Sparse {
		h.FrameType = format.TypeSparse
	}
	return h
}

// VerifyMode says when chunks are compared with their checksums, where they have any.
type VerifyMode uint8

// The modes.
const (
	// VerifyOnFirstTouch compares a chunk when it is read for the first time through a handle.
	// Reading a part of a chunk reads all of it then. Chunks that the handle itself committed are
	// not compared, nor those of a frame that New made, which never left this process.
	VerifyOnFirstTouch VerifyMode = iota
	// VerifyAlways compares a chunk every time.
	VerifyAlways
	// VerifyOff compares nothing and believes every header, index and trailer that make sense. It
	// opens frames whose commit record is damaged.
	VerifyOff
)

// Durability says what a commit waits for. Whatever it is, a process that is killed leaves the
// state before a commit or after it.
type Durability uint8

// The durabilities.
const (
	// Full means that what was committed survives a loss of power.
	Full Durability = iota
	// Ordered means that a loss of power leaves the state after some commit, but may lose the last
	// ones.
	Ordered
	// None leaves it to the system when anything reaches the disk: a loss of power may damage the
	// frame.
	None
)

// Commits say what commits promise. They are part of the options of frames and arrays, which hand
// them down as they are. The zero value promises most.
type Commits struct {
	Durability Durability // what a commit waits for
	// Deterministic writes only what C-Blosc2 does, byte for byte: no checksums, nor what heals
	// torn headers.
	Deterministic bool
	NoCompact     bool // never compact by itself, in a commit or Close
}

// syncs reports whether a sync happens that only durabilities of at least d need.
func (c Commits) syncs(d Durability) bool { return c.Durability <= d }
