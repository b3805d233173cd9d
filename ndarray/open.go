package ndarray

import (
	"fmt"
	"io"
	"io/fs"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray/internal/blockcache"
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
	if err == nil {
		u.place = "reader"
		u.name = naming.Reader(r)
	}
	return u, err
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

// OpenAs opens the array at path with items of type T: [Open] and [As] in one call.
func OpenAs[T any](path string, o *OpenOptions) (Array[T], error) {
	return typed[T](Open(path, o))
}

// opened returns the array in a frame that was just opened; after an error it closes the frame.
func opened(f *frame.Frame, err error, o *OpenOptions, name string, write bool) (*Untyped, error) {
	if err != nil {
		return nil, err
	}
	if o == nil {
		o = &OpenOptions{}
	}
	var u *Untyped
	err = notNegative([]string{"WriteBehind", "CacheBytes"}, o.WriteBehind, o.CacheBytes)
	if err == nil {
		u, err = newUntyped(f, handleCore{name: name, workers: o.Workers, memory: parallel.Memory(0),
			engine: o.Engine, readOnly: !write, locking: o.Locking,
			requests: f.Inside().Requests()}, o.WriteBehind, o.CacheBytes, o.Cache)
	}
	if err != nil {
		f.Close()
		if name != "" {
			err = naming.Call("open", name, err)
		}
		return nil, err
	}
	return u, nil
}

// newUntyped returns the array that a frame with an array metalayer holds. of has the fields that
// do not follow from the frame; buffer and cache are sizes from the options.
func newUntyped(f *frame.Frame, of handleCore, buffer, cache int64, shared *Cache) (*Untyped, error) {
	view, typeSize := f.Inside().Newest(), f.TypeSize()
	content, err := layerContent(view)
	if err != nil {
		return nil, err
	}

	u := &Untyped{handleCore: of}
	if u.part, u.dtypeText, err = parseLayer(content, typeSize); err != nil {
		return nil, err
	}
	u.frame, u.total, u.bytes = f, &sharedStats{}, govalue.OfBytes(typeSize)

	u.engine.Limits = u.engine.Limits.WithDefaults()
	u.without = checkPlaceholder(view)
	if !u.readOnly {
		u.buffer.budget = bufferBytes(buffer)
		f.Inside().FlushFirst(u.flushNow)
	}

	if in := f.Inside(); in.Removes() {
		u.unhold = func() error {
			in.EndRead()
			return nil
		}
	}

	u.cache = newCache(shared, u.part.BlockSize, cache)
	proxy, err := fetchedOf(view)
	if err != nil {
		return nil, err
	}

	u.last.Store(&state{part: u.part, base: u.part, layer: content, view: view, proxy: proxy})
	u.dtype, u.dtypeErr = parseDType(u.dtypeText, typeSize)

	blocks := narrow(u.part.Block[:u.part.Dims])
	u.encode = encodeOptions(f.Info(), u.engine)
	u.encode.BlockSize, u.encode.BlockShape = int(u.part.BlockSize), blocks
	u.decode = chunk.DecodeOptions{Engine: u.engine, FrameTypeSize: typeSize, BlockShape: blocks,
		OldBitshuffle: f.Inside().OldBitshuffle()}
	return u, nil
}

// parseDType parses the dtype of items of a number of bytes. If the dtype is opaque, it also
// returns the reason.
func parseDType(text string, size int) (meta.DType, error) {
	d, err := meta.ParseDType(text)
	if err == nil && d.Size() != size {
		err = fmt.Errorf("dtype %q has %d bytes, but items have %d: %w", text, d.Size(), size, cairn.ErrType)
	}
	if err != nil {
		return meta.Opaque(text, size), err
	}
	return d, nil
}

// encodeOptions returns the options for encoding new chunks of a frame.
func encodeOptions(info frame.Info, e chunk.Engine) chunk.Options {
	o := chunk.Options{
		TypeSize: info.TypeSize, FrameTypeSize: info.TypeSize, Codec: info.Codec, Level: info.Level,
		Filters: info.Pipeline[:], Split: info.Split, Engine: e, ZarrBlocks: info.ZarrBlocks,
	}
	if info.Level == 0 {
		o.Level = chunk.Stored
	}
	row, err := e.Codecs.Lookup(info.Codec.ID())
	o.Dict = info.Dict && err == nil && row.Dict
	return o
}

// inArray puts the name of the array before an error.
func (u *handleCore) inArray(err error) error { return naming.In(u.name, err) }

// noItems returns the error for an array without readable items, or nil.
func (u *handleCore) noItems() error { return u.inArray(u.without) }

// handleCore are the immutable fields that an array and its snapshots share.
type handleCore struct {
	frame     *frame.Frame
	name      string // for errors; may be empty
	place     string // what String says instead of an empty name; "" is memory
	readOnly  bool
	locking   bool
	part      *grid.Partition // at opening; a state has its own, for its shape
	dtypeText string
	dtype     meta.DType
	dtypeErr  error // why the text does not describe the items
	without   error // why items cannot be read, or nil
	engine    chunk.Engine
	workers   int
	requests  int   // in flight at most when chunks are read remotely; 0 for local files
	memory    int64 // bytes for chunks that are being made
	encode    chunk.Options
	decode    chunk.DecodeOptions
	cache     *blockcache.Cache // or nil
	total     *sharedStats
	bytes     *govalue.Layout // layout of items as bytes
	unhold    func() error    // see hold; nil if chunks that are read cannot be removed
}
