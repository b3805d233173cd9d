package ndarray

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/errkind"
	"github.com/cairn-go/cairn/internal/rounding"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/shuffle"
	"github.com/cairn-go/cairn/storage"
)

// Options say how an array is created. Nil and the zero value mean: chunk and block shapes that
// suit most reads, Zstd at level 5 after a byte shuffle, zeros everywhere, one contiguous file.
type Options struct {
	chunk.Engine

	// items per dimension of a chunk; nil means automatic: 4 MiB, or 1 MiB for an array that has no
	// items yet, as it will grow; may exceed the array
	ChunkShape Shape
	BlockShape Shape // items per dimension of a block; nil means automatic

	// zero means Zstd; a lossy codec includes its precision: codecs.ZFPAccuracy(-3)
	Codec codecs.Codec
	Level int // 1 to 9; 0 means 5; chunk.Stored means no compression
	// at most six; nil means shuffle.Byte, or none for a lossy codec; use shuffle.None alone for
	// none
	Filters []shuffle.Spec
	Split   chunk.SplitMode // whether blocks are stored as one stream per byte of an item
	// make a dictionary for each chunk: see chunk.Options. C-Blosc2 cannot read boxes of such
	// arrays, only whole chunks
	Dict bool

	// ZarrBlocks makes the file a Zarr array as well: 20 bytes in front of each block make it a
	// chunk of Zarr's codec blosc, to which references can point. Blocks tile chunks; codec and
	// filters are those of Blosc1. Appends and other changes keep the form, in every program that
	// uses this module; chunks that C-Blosc2 writes do not have it
	ZarrBlocks bool

	// Loss rounds all items that this handle writes, within a bound that is checked. Handles that
	// open the array later write items as they are, unless OpenOptions.KeepLoss says otherwise
	Loss Loss

	// value of every item; nil means zero. A number that the dtype can hold, or an item's bytes as
	// the file holds them
	Fill any
	// items are uninitialised: they read as zeros here, as anything in C-Blosc2. Excludes Fill
	Uninit bool

	Sparse bool // a directory with a file per chunk, instead of one file
	// replace an existing file or directory; otherwise that is an error matching fs.ErrExist
	Overwrite bool
	// further metalayers of the frame, at most 15; the array's own comes first
	Meta []meta.Layer
	FS   storage.FS // file system of the path; nil means the operating system's

	// goroutines per call at most, small reads take one; 0 means one per CPU. The bytes written do
	// not depend on it
	Workers int

	// Memory is how many bytes each call may use for the chunks that it makes, besides the write
	// buffer; 0 means 256 MiB, or half of the process's memory limit if that is less. A chunk in
	// the making counts three times its size. If memory is short, a call makes fewer chunks at a
	// time than it has goroutines, but at least one, and encodes several blocks of each at a time.
	Memory int64

	// WriteBehind is the size in bytes of the write buffer. Small writes and appended items stay
	// there as decoded blocks, so that many writes to one chunk cost as much as one. 0 means 16
	// MiB; 1 makes every write encode at once. Reads through the handle see buffered writes. The
	// buffer is flushed, the least recently written chunks first, when it is full, and by Commit,
	// Close, Snapshot and other calls that need the encoded chunks; these calls then return the
	// errors of storage or codec. A write that touches blocks of more than half of the buffer is
	// not buffered. A buffered write may temporarily use as much memory again, to copy blocks that
	// readers have.
	WriteBehind int64

	NoCache bool // keep no decoded blocks: see [SetCacheBytes]

	frame.Commits                  // durability and other properties of commits
	Verify        frame.VerifyMode // when checksums of chunks are verified
	Locking       bool             // share the array with other processes; see [OpenOptions]
	// the longest time that a call waits for the lock; see [frame.OpenOptions]
	LockTimeout time.Duration
}

// validate returns an error for the first field that is invalid for any array. Shapes are checked
// once the array's is known.
func (o *Options) validate() error { return errkind.Invalid(o.fieldError()) }

func (o *Options) fieldError() error {
	if o == nil {
		return nil
	}

	if o.Fill != nil && o.Uninit {
		return fmt.Errorf("ndarray options: Fill and Uninit exclude each other")
	}
	if len(o.Meta) > o.maxUserLayers() {
		return fmt.Errorf("ndarray options: %d layers in Meta, at most %d are possible", len(o.Meta), o.maxUserLayers())
	}
	for _, layer := range o.Meta {
		if layer.Name == meta.LayerB2ND || layer.Name == meta.LayerCaterva ||
			o.ZarrBlocks && layer.Name == meta.LayerZarrBlocks {
			return fmt.Errorf("ndarray options: Meta has a layer %q, which is the array's own", layer.Name)
		}
	}

	if err := o.Limits.Validate(); err != nil {
		return fmt.Errorf("ndarray options: %w", err)
	}
	if _, err := o.Loss.bound(); err != nil {
		return fmt.Errorf("ndarray options: %w", err)
	}
	if o.Loss.KeepAuto {
		return fmt.Errorf("ndarray options: KeepAuto looks at the items, so it is for copies of a source")
	}
	err := notNegative([]string{"Workers", "Memory", "WriteBehind"}, int64(o.Workers), o.Memory, o.WriteBehind)
	if err != nil {
		return fmt.Errorf("ndarray options: %w", err)
	}

	chunks := &chunk.Options{Codec: o.Codec, Level: o.Level, Filters: o.Filters, Split: o.Split,
		Dict: o.Dict, ZarrBlocks: o.ZarrBlocks}
	return chunks.Validate()
}

// notNegative returns an error for the first of some options that is negative.
func notNegative(names []string, values ...int64) error {
	for i, v := range values {
		if v < 0 {
			return fmt.Errorf("%s is %d, must not be negative", names[i], v)
		}
	}
	return nil
}

// maxUserLayers returns the format's limit for fixed metalayers, less the array's own.
func (o *Options) maxUserLayers() int {
	if o.ZarrBlocks {
		return 14
	}
	return 15
}

// Loss says how items are rounded, so that they compress better; the zero value means not at all.
// At most one of MaxError, MaxRelative, Digits, KeepBits and KeepAuto is set. Floats of 16, 32 and
// 64 bits are rounded to the nearest value with fewer bits of the mantissa, each as coarsely as the
// bound allows, and integers that scale_factor packs to multiples of a power of two. NaN,
// infinities, items that _FillValue or missing_value declare as missing, and fills of whole chunks
// are exact, and valid items stay valid.
//
// Every chunk is decoded and compared before it is kept: [chunk.Engine.Checked] is set. Attributes
// of the array tell the bound, as the CF conventions have it: quantization_nsb for bits,
// quantization_nsd for digits, and for errors quantization_maximum_absolute_error and
// quantization_maximum_relative_error.
type Loss struct {
	MaxError    float64 // the largest error of what items stand for
	MaxRelative float64 // the largest error as a part of what an item stands for, below 1
	Digits      int     // significant decimal digits that are right
	KeepBits    int     // bits of the mantissa that are left
	// KeepAuto keeps as many bits as have 99 % of the information that an item shares with its
	// neighbours along any axis; planning a copy reads 32 MiB of the items for it. Only copies have
	// it
	KeepAuto bool

	// Variable is the name of a variable beside the array that tells how items were rounded, as the
	// CF conventions want it: the attribute quantization gets it, if they have an algorithm for
	// that, which they do for Digits and bits of floats. Whoever sets it stores the variable, an
	// array of any kind with the attributes algorithm (granular_bitround, or for bits bitround) and
	// implementation. Empty means that there is none
	Variable string
	// Largest is where the largest errors are noted while chunks are made; nil means nowhere
	Largest *LossErrors
}

// LossErrors are the largest errors that rounding has made.
type LossErrors struct {
	Absolute float64 // of what items stand for
	Relative float64 // as a part of what an item other than 0 stands for
}

// A rounder rounds the items that are written to an array; nil rounds nothing.
type rounder struct {
	bound    rounding.Bound
	variable string // of attributes, or ""
	largest  *LossErrors

	mu   sync.Mutex
	made *rounding.Rounder // for the attributes that the array has, or nil
}

// set reports whether there is a bound, or will be one.
func (l Loss) set() bool {
	b, err := l.bound()
	return l.KeepAuto || err == nil && b.Rule != rounding.None
}

// bound returns the bound, or none if there is none yet.
func (l Loss) bound() (rounding.Bound, error) {
	var b rounding.Bound
	count := 0
	for _, c := range []rounding.Bound{
		{Rule: rounding.Absolute, Value: l.MaxError}, {Rule: rounding.Relative, Value: l.MaxRelative},
		{Rule: rounding.Digits, Value: float64(l.Digits)}, {Rule: rounding.Bits, Value: float64(l.KeepBits)},
	} {
		if c.Value != 0 {
			b = c
			count++
		}
	}
	if count > 1 || count > 0 && l.KeepAuto {
		return b, fmt.Errorf("loss: several bounds, only one is possible: %w", cairn.ErrInvalid)
	}
	if err := b.Validate(); err != nil {
		return b, fmt.Errorf("loss: %w", err)
	}
	return b, nil
}

// Mode says what a handle may do: read, or read and write.
type Mode = frame.Mode

// The modes of an open array.
const (
	ReadOnly  = frame.ReadOnly
	ReadWrite = frame.ReadWrite
)

// OpenOptions say how an array is opened. Nil and the zero value mean: read-only, from the
// operating system's files, with default limits.
type OpenOptions struct {
	chunk.Engine

	Mode   Mode       // ReadOnly or ReadWrite
	Offset int64      // where the frame begins in the file; only for reading
	FS     storage.FS // file system of the path; nil means the operating system's
	// number of the commit to read, of an array in a bucket; 0 means the newest: see
	// frame.Versions
	Version int64
	// read from a memory mapping of the file, which must not be truncated meanwhile: see
	// frame.OpenOptions
	Map     bool
	Workers int // goroutines per call at most, small reads take one; 0 means one per CPU

	NoCache bool // keep no decoded blocks: see [SetCacheBytes]
	// size in bytes of the write buffer; 0 means 16 MiB: see [Options]
	WriteBehind int64

	// KeepLoss, if not nil, makes the handle round what it writes, as the attributes of the array
	// say at opening that its items were rounded, and is where the largest errors are noted: see
	// [Loss]. It does nothing if they tell no bound, or one that items of the dtype, codec or
	// filters cannot have. Nil writes items as they are, since nobody but their writer may say what
	// they lose. Blocks are rounded as a whole: their other items do not change if cairn has
	// rounded them, or a program that leaves as many bits; others may lose as much once more
	KeepLoss *LossErrors

	frame.Commits                  // properties of later commits
	Verify        frame.VerifyMode // when checksums of chunks are verified
	// remove leftovers of killed writers; no one else may be writing: see frame.OpenOptions
	Sweep bool

	// Locking lets several handles, in this process and others, including C-Blosc2's, take turns in
	// changing the array. All of them must enable it. A write takes the lock, starts from the
	// newest state, and keeps the lock until Commit or Rollback. If the shape is no longer the one
	// that the handle had when the write was called, the write fails with [cairn.ErrConflict] and
	// changes nothing, and the handle gets the new shape. A read shares the lock with other
	// readers, and sees the newest state. The handle is only updated by reads, writes, Lock, Share
	// and Refresh: Shape returns the shape as of the last of these. See [frame.OpenOptions] for
	// what the lock is, and where it works.
	Locking     bool
	LockTimeout time.Duration // the longest that a call waits for the lock; see [frame.OpenOptions]
}

// frame returns the options for opening the frame.
func (o *OpenOptions) frame() *frame.OpenOptions {
	if o == nil {
		return &frame.OpenOptions{}
	}
	return &frame.OpenOptions{
		Mode: o.Mode, Offset: o.Offset, FS: o.FS, Version: o.Version, Map: o.Map,
		Workers: o.Workers, Engine: o.Engine, Verify: o.Verify, Commits: o.Commits, Sweep: o.Sweep,
		Locking: o.Locking, LockTimeout: o.LockTimeout,
	}
}

// filtersOf returns the filters of a pipeline.
func filtersOf(p shuffle.Pipeline) []shuffle.Spec {
	return slices.DeleteFunc(slices.Clone(p[:]), func(s shuffle.Spec) bool { return s.ID == shuffle.None.ID })
}

// orNone returns filters in the form of options, in which an empty list means the default.
func orNone(filters []shuffle.Spec) []shuffle.Spec {
	if len(filters) == 0 {
		return []shuffle.Spec{shuffle.None}
	}
	return slices.Clip(filters)
}
