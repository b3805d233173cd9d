package ndarray

import (
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray/internal/blockcache"
)

// newUntyped makes an array of a frame that has the metalayer of one. of says what does not follow
// from that, behind and cache are as options say.
func newUntyped(f *frame.Frame, of fixed, buffer, cache int64) (*Untyped, error) {
	view, typeSize := f.Snapshot(), f.TypeSize()
	content, err := layerContent(view)
	if err != nil {
		return nil, err
	}
	u := &Untyped{fixed: of}
	if u.part, u.dtypeText, err = parseLayer(content, typeSize); err != nil {
		return nil, err
	}
	u.frame, u.total, u.bytes = f, &total{}, govalue.OfBytes(typeSize)
	u.engine.Limits = u.engine.Limits.WithDefaults()
	u.without = placeholder(view)
	if !u.readOnly {
		u.buffer.budget = bufferBytes(buffer)
		f.Inside().FlushFirst(u.flushNow)
	}
	u.cache = blockcache.New(u.part.BlockSize, cache)
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
func encodeOptions(info frame.Info, e chunk.Engine) chunk.Options {
	o := chunk.Options{
		TypeSize: info.TypeSize, FrameTypeSize: info.TypeSize, Codec: info.Codec, Level: info.Level,
		Filters: info.Pipeline[:], Split: info.Split, Engine: e,
	}
	if info.Level == 0 {
		o.Level = chunk.Stored
	}
	row, err := e.Codecs.Lookup(info.Codec.ID())
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
