package ndarray

import (
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray/internal/blockcache"
)

// settings are what opening and creating an array have in common.
type settings struct {
	workers int
	memory  int64 // as an option says
	engine  chunk.Engine

	name     string // for errors; may be empty
	readOnly bool
	locking  bool
	behind   int64
	cache    int64
}

// newUntyped makes an array of a frame that has the metalayer of one.
func newUntyped(f *frame.Frame, s settings) (*Untyped, error) {
	view := f.Snapshot()
	content, err := layerContent(view)
	if err != nil {
		return nil, err
	}
	m, err := meta.ParseB2ND(content)
	if err != nil {
		return nil, err
	}
	part, err := geometryOf(m, f.TypeSize())
	if err != nil {
		return nil, err
	}
	s.engine.Limits = s.engine.Limits.WithDefaults()
	u := &Untyped{fixed: fixed{
		frame: f, part: part, dtypeText: dtypeText(m, f), engine: s.engine, workers: s.workers,
		memory: parallel.Memory(s.memory), name: s.name,
		readOnly: s.readOnly, locking: s.locking, total: &total{},
		bytes: govalue.OfBytes(f.TypeSize()),
	}}
	u.without = placeholder(view)
	if !s.readOnly {
		u.behind.budget = behindBytes(s.behind)
		f.Inside().FlushFirst(u.flushNow)
	}
	u.cache = blockcache.New(part.BlockSize, s.cache)
	proxy, err := fetchedOf(view)
	if err != nil {
		return nil, err
	}
	u.last.Store(&moment{part: part, base: part, layer: content, view: view, proxy: proxy})
	u.dtype, u.dtypeErr = parseDType(u.dtypeText, f.TypeSize())
	u.encode = encodeOptions(f.Info(), s)
	u.encode.BlockSize, u.encode.BlockShape = int(part.BlockSize), m.BlockShape
	u.decode = chunk.DecodeOptions{Engine: s.engine, FrameTypeSize: f.TypeSize(), BlockShape: m.BlockShape,
		OldBitshuffle: f.Inside().OldBitshuffle()}
	return u, nil
}

// parseDType reads the dtype of items of a number of bytes, and says why it is opaque if it is.
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

// encodeOptions returns what the frame says about new chunks.
func encodeOptions(info frame.Info, s settings) chunk.Options {
	o := chunk.Options{
		TypeSize: info.TypeSize, FrameTypeSize: info.TypeSize, Codec: info.Codec, Level: info.Level,
		Filters: info.Pipeline[:], Split: info.Split, Engine: s.engine,
	}
	if info.Level == 0 {
		o.Level = chunk.Stored
	}
	row, err := s.engine.Codecs.Lookup(info.Codec.ID())
	o.Dict = info.Dict && err == nil && row.Dict
	return o
}

// inArray puts the name of the array before an error.
func (u *fixed) inArray(err error) error {
	if err == nil || u.name == "" {
		return err
	}
	return fmt.Errorf("%s: %w", u.name, err)
}

// noItems returns why the array has no items to read or to write, or nil.
func (u *fixed) noItems() error { return u.inArray(u.without) }

// fixed is what an array and its snapshots have in common, and what never changes.
type fixed struct {
	frame     *frame.Frame
	name      string // for errors; may be empty
	readOnly  bool
	locking   bool
	part      *grid.Partition // when it was opened; a moment has that of its shape
	dtypeText string
	dtype     meta.DType
	dtypeErr  error // why the text does not describe the items
	without   error // why there are no items to read, or nil
	engine    chunk.Engine
	workers   int
	requests  int   // that may be in flight when chunks are read from afar; 0 for others
	memory    int64 // for chunks that are being made
	encode    chunk.Options
	decode    chunk.DecodeOptions
	cache     *blockcache.Cache // or nil
	total     *total
	bytes     *govalue.Layout // of items as their bytes
}
