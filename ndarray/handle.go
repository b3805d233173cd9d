package ndarray

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/meta"
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
	}}
	u.without = placeholder(view)
	if !s.readOnly {
		u.behind.budget = behindBytes(s.behind)
		f.Inside().FlushFirst(u.flushNow)
	}
	u.cache = newBlockCache(part, s.cache)
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

// neverOpened returns the array of handles that were neither opened nor created.
func neverOpened() *Untyped {
	u, err := NewUntyped("|u1", Shape{0}, nil)
	if err == nil {
		err = u.Close()
	}
	if err != nil {
		panic(err) // nothing is stored, and no memory to speak of is needed
	}
	u.without = fmt.Errorf("an array that was neither opened nor created: %w", cairn.ErrClosed)
	return u
}

// own returns u, or for the zero [Array] an array that has been closed.
func (u *Untyped) own() *Untyped {
	if u == nil {
		return neverOpened()
	}
	return u
}

// inArray puts the name of the array before an error.
func (u *Untyped) inArray(err error) error {
	if err == nil || u.name == "" {
		return err
	}
	return fmt.Errorf("%s: %w", u.name, err)
}

// noItems returns why the array has no items to read or to write, or nil.
func (u *Untyped) noItems() error { return u.inArray(u.without) }

// beginHeld waits for other writes to end, takes the lock if there is one, and returns the state that
// this write starts from, with what waits in it, which reads see until endWrite. It fails if the array
// has not the geometry any more that the write was made for; part is nil if any will do.
func (u *Untyped) beginHeld(ctx context.Context, part *grid.Partition) (*moment, error) {
	if u.readOnly {
		return nil, u.inArray(fmt.Errorf("write: %w", cairn.ErrReadOnly))
	}
	if err := u.noItems(); err != nil {
		return nil, err
	}
	// Chunks of another size would make memory of a number that nothing has proven, and a frame that is no array any more.
	if size := int64(u.frame.ChunkSize()); size > 0 && size != u.part.ChunkSize {
		return nil, u.inArray(cairn.Corruptf("b2nd metalayer", -1, "chunks have %d bytes, the frame header says %d", u.part.ChunkSize, size))
	}
	u.writing.Lock()
	begun := false
	defer func() {
		if !begun { // by an error, or because storage panicked
			u.writing.Unlock()
		}
	}()
	if err := u.Lock(ctx); err != nil {
		return nil, err
	}
	begun = true
	now, err := u.lookAtNewest(true)
	if err == nil && part != nil && now.part != part {
		err = u.inArray(fmt.Errorf("write: the shape was changed from %v to %v meanwhile: %w", u.vec(part.Shape), u.vec(now.part.Shape), cairn.ErrConflict))
	}
	if err != nil {
		return nil, errors.Join(err, u.endWrite())
	}
	return now, nil
}

// endWrite ends a write. The lock stays if something is staged or waits.
func (u *Untyped) endWrite() error {
	u.state.Lock()
	u.stable = nil
	waits := u.behind.now != nil
	u.state.Unlock()
	defer u.writing.Unlock()
	switch {
	case !u.locking:
		return nil
	case waits && !u.behind.pinned:
		u.behind.pinned = true
		return nil
	}
	return u.frame.Unlock()
}
