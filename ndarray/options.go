package ndarray

import (
	"fmt"
	"slices"
	"time"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/shuffle"
	"github.com/cairn-go/cairn/storage"
)

// Options say how an array is created. Nil and the zero value mean: shapes of chunks and blocks
// that suit most reads, Zstd
// at level 5 after a byte shuffle, zeros everywhere, one contiguous file.
type Options struct {
	chunk.Engine

	ChunkShape Shape // items per dimension of a chunk; nil chooses. It may exceed the array's shape
	BlockShape Shape // items per dimension of a block; nil chooses

	// zero means Zstd; one that loses precision says how much: codecs.ZFPAccuracy(-3)
	Codec codecs.Codec
	Level int // 1 to 9; 0 means 5; chunk.Stored means no compression
	// at most six; nil means shuffle.Byte, or none for a lossy codec; shuffle.None alone means none
	Filters []shuffle.Spec
	Split   chunk.SplitMode // whether blocks are stored as one stream per byte of an item
	// make a dictionary for each chunk: see chunk.Options. C-Blosc2 cannot read boxes of such
	// arrays, only whole chunks
	Dict bool

	// value of every item; nil means zero. A number that the dtype can hold, or an item's bytes as
	// the file holds them
	Fill any
	// items have no value yet: they read as zeros here, as anything in C-Blosc2. Not together with
	// Fill
	Uninit bool

	Sparse bool // a directory with a file per chunk, instead of one file
	// replace what has the name; without it that is an error matching fs.ErrExist
	Overwrite bool
	// further metalayers of the frame, 15 at most; the array's own comes first
	Meta []meta.Layer
	FS   storage.FS // where the path is; nil means the operating system

	Workers int // goroutines per call; 0 means one per CPU. What is written does not depend on it

	// Memory is how many bytes calls may take, each, for the chunks that they are making, besides
	// what waits; 0 means 256 MiB, or half of the process's memory limit if that is less. A chunk
	// that is being made counts three times its size. If they do not fit into it, calls make fewer
	// chunks at a time than they have goroutines, one at least, and several blocks of each.
	Memory int64

	// WriteBehind is how many bytes of memory small writes and what is appended may wait in,
	// together with the blocks that they met, so that many writes to one chunk cost as much as one;
	// 0 means 16 MiB, and 1 that every write encodes what it changes. Reads through the handle see
	// what waits. It is flushed, the chunks that were not written to for longest first, when the
	// memory is used up, and by Commit, Close, Snapshot and other calls that need the chunks
	// themselves; errors of storage or of a codec come from those then. A write that meets blocks
	// of more than half of it does not wait; one that waits may take as much again while it is
	// under way, for blocks that readers have.
	WriteBehind int64

	// CacheBytes is how many bytes of decoded blocks the array keeps for itself and its snapshots,
	// so that points and small boxes of blocks that were read before need no decoding. 0 means
	// none, and so does what has no room for four blocks. Reads of more than a quarter of it
	// neither use nor change what is kept.
	CacheBytes int64

	frame.Commits                  // what commits promise
	Verify        frame.VerifyMode // when chunks are compared with their checksums
	Locking       bool             // share the array with other processes; see [OpenOptions]
	// the longest that a call waits for the lock; see [frame.OpenOptions]
	LockTimeout time.Duration
}

// validate names the first field that makes no sense for any array. Shapes are checked when the
// array's is known.
func (o *Options) validate() error {
	if o == nil {
		return nil
	}
	switch {
	case o.Fill != nil && o.Uninit:
		return fmt.Errorf("ndarray options: Fill and Uninit exclude each other")
	case len(o.Meta) > maxUserLayers:
		return fmt.Errorf("ndarray options: %d layers in Meta, at most %d are possible", len(o.Meta), maxUserLayers)
	}
	for _, layer := range o.Meta {
		if layer.Name == meta.LayerB2ND || layer.Name == meta.LayerCaterva {
			return fmt.Errorf("ndarray options: Meta has a layer %q, which is the array's own", layer.Name)
		}
	}
	err := o.Limits.Validate()
	if err == nil {
		err = notNegative([]string{"Workers", "Memory", "WriteBehind", "CacheBytes"},
			int64(o.Workers), o.Memory, o.WriteBehind, o.CacheBytes)
	}
	if err != nil {
		return fmt.Errorf("ndarray options: %w", err)
	}
	return (&chunk.Options{Codec: o.Codec, Level: o.Level, Filters: o.Filters, Split: o.Split,
		Dict: o.Dict}).Validate()
}

// notNegative names the first of some options that is negative.
func notNegative(names []string, values ...int64) error {
	for i, v := range values {
		if v < 0 {
			return fmt.Errorf("%s is %d, must not be negative", names[i], v)
		}
	}
	return nil
}

// maxUserLayers is the format's number of fixed metalayers less the array's own.
const maxUserLayers = 15

// Mode says what a handle may do.
type Mode = frame.Mode

// The modes of an open array.
const (
	ReadOnly  = frame.ReadOnly
	ReadWrite = frame.ReadWrite
)

// OpenOptions say how an array is opened. Nil and the zero value mean: for reading, from the
// operating system, with default limits.
type OpenOptions struct {
	chunk.Engine

	Mode   Mode       // ReadOnly or ReadWrite
	Offset int64      // where the frame begins in the file; only for reading
	FS     storage.FS // where the path is; nil means the operating system
	// read from a mapping of the file, which nobody may shorten: see frame.OpenOptions
	Map     bool
	Workers int // goroutines per call; 0 means one per CPU

	CacheBytes int64 // bytes of decoded blocks to keep; 0 means none: see [Options]
	// bytes of memory that small writes may wait in; 0 means 16 MiB: see [Options]
	WriteBehind int64

	frame.Commits                  // what commits promise from then on
	Verify        frame.VerifyMode // when chunks are compared with their checksums
	// remove what writers left that were killed; nobody else may be writing: see frame.OpenOptions
	Sweep bool

	// Locking makes this handle one of several, in this process and others, C-Blosc2's included,
	// that take turns in changing the array. All of them must ask for it. A write takes the lock,
	// starts from the newest state, and keeps the lock until Commit or Rollback; if it finds
	// another shape than the handle had when the write was called, it fails with
	// [cairn.ErrConflict], changes nothing, and the handle has the new shape. A read holds the lock
	// together with other readers, and sees the newest state. Between those, and Lock, Share and
	// Refresh, the handle stays as it is: Shape returns what it was the last time. See
	// [frame.OpenOptions] for what the lock is, and where it works.
	Locking     bool
	LockTimeout time.Duration // the longest that a call waits for the lock; see [frame.OpenOptions]
}

// frame returns the options for the frame below.
func (o *OpenOptions) frame() *frame.OpenOptions {
	if o == nil {
		return &frame.OpenOptions{}
	}
	return &frame.OpenOptions{Mode: o.Mode, Offset: o.Offset, FS: o.FS, Map: o.Map, Workers: o.Workers,
		Engine: o.Engine,
		Verify: o.Verify, Commits: o.Commits, Sweep: o.Sweep, Locking: o.Locking, LockTimeout: o.LockTimeout}
}

// Like returns options for a new array that is stored as u is: the same chunk and block shapes,
// codec, filters, and one file or a directory of them. They do for any array of as many dimensions;
// set ChunkShape and BlockShape to nil for others.
func Like(u *Untyped) *Options {
	info := u.Info()
	o := &Options{
		ChunkShape: u.chunkShape(), BlockShape: u.blockShape(),
		Codec: info.Codec, Level: info.Level, Split: info.Split, Sparse: info.Sparse,
		Filters: orNone(filtersOf(info.Pipeline)), Workers: u.workers, Engine: u.engine,
	}
	if info.Level == 0 {
		o.Level = chunk.Stored
	}
	return o
}

// filtersOf returns the filters of a pipeline.
func filtersOf(p shuffle.Pipeline) []shuffle.Spec {
	return slices.DeleteFunc(slices.Clone(p[:]), func(s shuffle.Spec) bool { return s.ID == shuffle.None.ID })
}

// orNone returns filters as options have them, where no filters mean those that suit.
func orNone(filters []shuffle.Spec) []shuffle.Spec {
	if len(filters) == 0 {
		return []shuffle.Spec{shuffle.None}
	}
	return slices.Clip(filters)
}
