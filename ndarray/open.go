package ndarray

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"unicode/utf8"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/cf/labels"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/rounding"
)

// Open opens the array in a file or in a sparse directory. o may be nil. It fails with
// [cairn.ErrNotFound] if the frame exists but holds no array. The caller closes the array.
//
// Some frames of python-blosc2 only describe an array that is stored or computed elsewhere. They
// open with their shape and dtype. Reading items of a lazy array or a reference fails with
// [cairn.ErrUnsupported]; reading items that a proxy has not fetched fails with
// [cairn.ErrNotFound].
func Open(path string, o *OpenOptions) (*Untyped, error) {
	f, err := frame.Open(path, o.frame())
	return opened(f, err, o, path, o != nil && o.Mode == ReadWrite)
}

// OpenReader opens, for reading, the array in a contiguous frame of size bytes in r. r must stay
// usable until Close, and must allow concurrent calls. If r has a method Name, as files have,
// errors name what that returns.
func OpenReader(r io.ReaderAt, size int64, o *OpenOptions) (*Untyped, error) {
	f, err := frame.OpenReader(r, size, o.frame())
	u, err := opened(f, err, o, "", false)
	if err != nil {
		return nil, err
	}
	u.place = "reader"
	u.name = naming.Reader(r)
	return u, nil
}

// OpenFS opens the array with a name in a file system, for reading.
func OpenFS(fsys fs.FS, name string, o *OpenOptions) (*Untyped, error) {
	f, err := frame.OpenFS(fsys, name, o.frame())
	return opened(f, err, o, name, false)
}

// FromBytes opens the array in a contiguous frame in memory. b must not change while the array is
// open. With mode ReadWrite changes are made to a copy, which [Untyped.Bytes] returns.
func FromBytes(b []byte, o *OpenOptions) (*Untyped, error) {
	f, err := frame.FromBytes(b, o.frame())
	return opened(f, err, o, "", o != nil && o.Mode == ReadWrite)
}

// opened returns the array in a frame that was just opened; after an error it closes the frame.
func opened(f *frame.Frame, err error, o *OpenOptions, name string, write bool) (*Untyped, error) {
	if err != nil {
		return nil, err
	}
	if o == nil {
		o = &OpenOptions{}
	}

	fail := func(err error) (*Untyped, error) {
		f.Close()
		if name != "" {
			err = naming.Call("open", name, err)
		}
		return nil, err
	}
	err = notNegative([]string{"WriteBehind"}, o.WriteBehind)
	if err != nil {
		return fail(err)
	}

	of := core{
		name: name, workers: o.Workers, memory: parallel.Memory(0), engine: o.Engine,
		readOnly: !write, locking: o.Locking, requests: f.Inside().Requests(),
	}
	a, err := newArray(f, of, o.WriteBehind, o.NoCache)
	if err == nil && write && o.KeepLoss != nil {
		err = a.keepLoss(o.KeepLoss)
	}
	if err != nil {
		return fail(err)
	}
	return &Untyped{a}, nil
}

// keepLoss makes an array that has just been opened round items as its attributes say.
func (a *array) keepLoss(largest *LossErrors) error {
	values, err := a.labelLayers()
	if err != nil {
		return err
	}

	attributes := labels.OfArray().Gather(values)
	b := rounding.BoundOf(attributes)
	if b.Rule == rounding.None || a.lossy() {
		return nil
	}
	if _, err := rounding.New(a.dtype, attributes, b); err != nil {
		return nil // the attribute is another program's, of items that are not rounded
	}
	a.rounder = &rounder{bound: b, largest: largest}
	a.engine.Checked = true
	a.encode.Checked = true
	return nil
}

// OpenAs opens the array at path with items of type T: [Open] and [As] in one call.
func OpenAs[T any](path string, o *OpenOptions) (Array[T], error) {
	return typed[T](Open(path, o))
}

// Create creates an array of items of type T at path. o may be nil. All items have the fill value
// until they are written. The path is created by the first Commit or Close; Abort leaves nothing,
// and does nothing after Close, so defer Abort and return the result of [Untyped.Close]. An empty
// path is an error: use [New] for arrays in memory.
//
// The dtype follows from T: little-endian, with the fields of a struct packed in order and named as
// in Go or in their tags. A tag may also give the dtype of a field, and must do so for strings:
// `cairn:"name,U20"`, `cairn:"when,M8[s]"`. Times and durations are in nanoseconds by default.
func Create[T any](path string, shape Shape, o *Options) (Array[T], error) {
	dtype, err := dtypeFor[T]()
	if err != nil {
		return Array[T]{}, fmt.Errorf("create array %s: %w", path, err)
	}
	return typed[T](CreateUntyped(path, dtype, shape, o))
}

// New creates an array of items of type T in memory; see [Create].
func New[T any](shape Shape, o *Options) (Array[T], error) {
	dtype, err := dtypeFor[T]()
	if err != nil {
		return Array[T]{}, fmt.Errorf("create array: %w", err)
	}
	return typed[T](NewUntyped(dtype, shape, o))
}

// FromSlice creates an array in memory with a copy of values in C order. len(values) must be the
// number of items in shape. Strings get a dtype that has room for the longest of them.
func FromSlice[T any](values []T, shape Shape, o *Options) (a Array[T], err error) {
	if texts, ok := any(values).([]string); ok {
		a, err = typed[T](NewUntyped(dtypeOfTexts(texts), shape, o))
	} else {
		a, err = New[T](shape, o)
	}
	if err != nil {
		return a, err
	}

	err = orAbort(a.Abort, func() error { return a.Write(context.Background(), values) })
	if err != nil {
		return Array[T]{}, err
	}
	return a, nil
}

// dtypeOfTexts returns a dtype that has room for texts.
func dtypeOfTexts(texts []string) string {
	longest := 1
	for _, text := range texts {
		longest = max(longest, utf8.RuneCountInString(text))
	}
	return "<U" + strconv.Itoa(longest)
}

// CreateUntyped creates an array at path with a dtype in any of the forms that [meta.ParseDType]
// reads; see [Create]. An invalid dtype is an error matching [cairn.ErrType].
func CreateUntyped(path, dtype string, shape Shape, o *Options) (*Untyped, error) {
	return handleOf(create(path, dtype, shape, o, func(fo *frame.Options) (*frame.Frame, error) {
		return frame.Create(path, fo)
	}))
}

// NewUntyped creates an array in memory with a dtype in any of the forms that [meta.ParseDType]
// reads; see [Create].
func NewUntyped(dtype string, shape Shape, o *Options) (*Untyped, error) {
	return handleOf(create("", dtype, shape, o, frame.New))
}
