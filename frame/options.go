package frame

import (
	"fmt"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/internal/errkind"
	"github.com/cairn-go/cairn/internal/metalist"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/shuffle"
	"github.com/cairn-go/cairn/storage"
)

// Mode says whether an open frame can be changed.
type Mode uint8

// The modes.
const (
	ReadOnly Mode = iota
	ReadWrite
)

// Options say how a frame is created. Nil and the zero value mean a contiguous frame of items of
// one byte, Zstd at level 5, byte shuffle, and the chunk size of the first chunk.
type Options struct {
	chunk.Engine
	Commits

	TypeSize  int            // bytes per item; 0 means 1
	Codec     codecs.Codec   // zero means Zstd
	Level     int            // 1 to 9; 0 means 5; chunk.Stored means no compression
	Filters   []shuffle.Spec // nil means shuffle.Byte; see chunk.Options
	Split     chunk.SplitMode
	BlockSize int  // decoded bytes per block; 0 lets each chunk choose
	ChunkSize int  // decoded bytes of every chunk but the last; 0 means the size of the first one
	Dict      bool // make a dictionary for each chunk; see chunk.Options

	Sparse    bool         // a directory with a file per chunk
	Overwrite bool         // the first Commit replaces an existing file or frame
	Meta      []meta.Layer // fixed metalayers; the contents are copied

	// Workers is how many blocks of a chunk are encoded or decoded at the same time. 0 means 1, as
	// in [chunk.Options]; only the options of whole arrays mean one per CPU.
	Workers int
	FS      storage.FS // nil means the operating system's files

	Verify  VerifyMode // when chunks are compared with their checksums
	Locking bool       // share the frame with other processes; see [OpenOptions]

	LockTimeout time.Duration // the longest that a call waits for the lock; see [OpenOptions]
}

// OpenOptions say how a frame is opened. Nil and the zero value open for reading.
type OpenOptions struct {
	chunk.Engine
	Commits // for commits through this handle

	Mode   Mode
	Offset int64 // where in the file the frame begins; only for reading
	// number of the commit to read, of a frame in a bucket; 0 means the newest: see [Versions]
	Version int64
	// number of blocks of a chunk to decode or encode at the same time, and of chunks for [Verify];
	// 0 means 1: see [Options]
	Workers int
	FS      storage.FS // nil means the operating system's files

	Verify VerifyMode // when chunks are compared with their checksums

	// Sweep removes what killed writers left behind when the frame is opened for writing: temporary
	// files and directories of this name, unreferenced chunk files, and bytes behind the frame. Set
	// it only if no other handle has the frame open for writing or is creating one of this name.
	Sweep bool

	// Map maps the file of a contiguous frame into memory, so that the system reads only the pages
	// that are needed and nothing is copied. It requires ReadOnly, and has no effect for files that
	// cannot be mapped. The file must not become shorter while it is open: if that happens during a
	// read, the process is killed (SIGBUS); later reads fail as usual. Writers of this package
	// shorten files only behind the frame, but C-Blosc2 and tools that rewrite a file in place may
	// shorten it. The file stays mapped until Close and until the last [Lease] is released.
	Map bool

	// Locking lets several handles, in this process and others, take turns in changing the frame:
	// see [Frame.Lock]. All handles must set it; C-Blosc2 has an option for the same locks. Locking
	// creates two small files beside the frame, or in the directory of a sparse one, which stay. It
	// does not work on network file systems.
	Locking bool

	// LockTimeout is the longest time that a call waits for the lock, in addition to the limit of
	// its context; it then fails with an error matching [cairn.ErrLocked]. With 0, only the context
	// limits the wait, and Open and Close, which have none, may wait forever. Close waits only if
	// there are staged changes, and drops them if it fails; to limit the wait by a context, call
	// Commit first.
	LockTimeout time.Duration
}

// opening returns the options for opening the frame again.
func (o *Options) opening() *OpenOptions {
	return &OpenOptions{
		Mode: ReadWrite, Workers: o.Workers, Engine: o.Engine, FS: o.FS,
		Verify: o.Verify, Commits: o.Commits, LockTimeout: o.LockTimeout,
	}
}

// chunkOptions returns the options for single chunks.
func (o *Options) chunkOptions() chunk.Options {
	return chunk.Options{
		TypeSize: o.TypeSize, Codec: o.Codec, Level: o.Level, Filters: o.Filters, Split: o.Split,
		BlockSize: o.BlockSize, Dict: o.Dict, Workers: o.Workers, Engine: o.Engine,
	}
}

// Validate names the first field that makes no sense, by an error that matches [cairn.ErrInvalid].
func (o *Options) Validate() error { return errkind.Invalid(o.validate()) }

func (o *Options) validate() error {
	if o == nil {
		return nil
	}
	co := o.chunkOptions()
	if err := co.Validate(); err != nil {
		return err
	}

	if o.ChunkSize < 0 || o.ChunkSize > chunk.MaxSize {
		return fmt.Errorf("frame options: ChunkSize is %d, must be 1 to %d, or 0 to let the first chunk decide",
			o.ChunkSize, chunk.MaxSize)
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

// Validate names the first field that makes no sense, by an error that matches [cairn.ErrInvalid].
func (o *OpenOptions) Validate() error { return errkind.Invalid(o.validate()) }

func (o *OpenOptions) validate() error {
	switch {
	case o == nil:
		return nil
	case o.Mode > ReadWrite:
		return fmt.Errorf("frame open options: Mode is %d, which does not exist", o.Mode)
	case o.Offset < 0:
		return fmt.Errorf("frame open options: Offset is %d, must not be negative", o.Offset)
	case o.Version < 0:
		return fmt.Errorf("frame open options: Version is %d, must not be negative", o.Version)
	case o.Version > 0 && o.Mode == ReadWrite:
		return fmt.Errorf("frame open options: an old Version: %w", cairn.ErrReadOnly)
	case o.Offset > 0 && o.Mode == ReadWrite:
		return fmt.Errorf("frame open options: a frame at an Offset inside of a file: %w", cairn.ErrReadOnly)
	case o.Map && o.Mode == ReadWrite:
		return fmt.Errorf("frame open options: Map is only for reading: %w", cairn.ErrReadOnly)
	case o.Workers < 0:
		return fmt.Errorf("frame open options: Workers is %d, must not be negative", o.Workers)
	}

	return validateShared("frame open options", o.Limits, o.LockTimeout, o.Verify, o.Durability)
}

// validateShared checks the fields that both kinds of options have.
func validateShared(where string, l cairn.Limits, timeout time.Duration, v VerifyMode, d Durability) error {
	switch {
	case timeout < 0:
		return fmt.Errorf("%s: LockTimeout is %v, must not be negative", where, timeout)
	case v > VerifyWhole:
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

// VerifyMode says when chunks that have checksums are compared with them.
type VerifyMode uint8

// The modes.
const (
	// VerifyOnFirstTouch compares a chunk when a handle reads it for the first time. That reads the
	// whole chunk, even if only a part is needed. Chunks of frames made by New are not compared.
	VerifyOnFirstTouch VerifyMode = iota
	// VerifyAlways compares a chunk every time.
	VerifyAlways
	// VerifyOff compares nothing and accepts every valid header, index and trailer. It can open
	// frames whose commit record is damaged.
	VerifyOff
	// VerifyWhole is VerifyOnFirstTouch for reads that need a whole chunk. Reads of single blocks
	// read only these, unverified unless the chunk was compared before. It suits files that are
	// read over a network.
	VerifyWhole
)

// Durability says what a commit waits for. With every durability, a killed process leaves the state
// before or after a commit.
type Durability uint8

// The durabilities.
const (
	// Full means that what was committed survives a loss of power.
	Full Durability = iota
	// Ordered means that a loss of power leaves the state after some commit, but may lose the last
	// ones.
	Ordered
	// None never waits for the disk: a loss of power may damage the frame.
	None
)

// Commits are the options of commits. They are part of the options of frames and arrays. The zero
// value is the safest.
type Commits struct {
	Durability Durability // what a commit waits for
	// Deterministic writes only what C-Blosc2 writes, byte for byte: no checksums, and nothing that
	// would restore torn headers.
	Deterministic bool
	NoCompact     bool // do not compact in Commit or Close
	// NoReuse never stores a chunk where a replaced one was. It is for files that others read
	// without keeping them open, such as clients of NFS 3
	NoReuse bool
	// Atomically runs again if another handle has committed first
	Retry bool
}

// syncs reports whether a sync that durability d and stronger ones need must happen.
func (c Commits) syncs(d Durability) bool { return c.Durability <= d }
