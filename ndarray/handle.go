package ndarray

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/shuffle"
)

// settings are what opening and creating an array have in common.
type settings struct {
	workers int
	limits  cairn.Limits
	codecs  *codecs.Registry
	filters *shuffle.Registry

	name     string // for errors; may be empty
	readOnly bool
}

// newUntyped makes an array of a frame that has the metalayer of one.
func newUntyped(f *frame.Frame, s settings) (*Untyped, error) {
	m, err := arrayLayer(f)
	if err != nil {
		return nil, err
	}
	part, err := geometry(m, f.TypeSize())
	if err != nil {
		return nil, &cairn.CorruptError{Layer: "b2nd metalayer", Chunk: -1, Offset: -1, Reason: "geometry", Err: err}
	}
	u := &Untyped{frame: f, part: part, dtypeText: m.DType, limits: s.limits.WithDefaults(), workers: s.workers, name: s.name, readOnly: s.readOnly}
	if u.dtypeText == "" {
		u.dtypeText = fmt.Sprintf("|S%d", f.TypeSize())
	}
	u.dtype, u.dtypeErr = meta.ParseDType(u.dtypeText)
	u.encode = encodeOptions(f.Info(), s)
	u.encode.BlockSize, u.encode.BlockShape = int(part.BlockSize), m.BlockShape
	u.decode = chunk.DecodeOptions{Limits: s.limits, Codecs: s.codecs, FilterSet: s.filters, FrameTypeSize: f.TypeSize(), BlockShape: m.BlockShape}
	return u, nil
}

// encodeOptions returns what the frame says about new chunks.
func encodeOptions(info frame.Info, s settings) chunk.Options {
	o := chunk.Options{
		TypeSize: info.TypeSize, FrameTypeSize: info.TypeSize, Codec: info.Codec, CodecMeta: info.CodecMeta, Level: info.Level,
		Filters: info.Pipeline[:], Split: info.Split, Codecs: s.codecs, FilterSet: s.filters,
	}
	if info.Level == 0 {
		o.Level = chunk.Stored
	}
	return o
}

// inArray puts the name of the array before an error.
func (u *Untyped) inArray(err error) error {
	if err == nil || u.name == "" {
		return err
	}
	return fmt.Errorf("%s: %w", u.name, err)
}

// hostSwap returns by what width bytes change their order between the file and Go values.
func (u *Untyped) hostSwap() int { return swapWidth(u.dtype, hostBigEndian()) }

// snapshot returns the state that a read works on: the current one, or while a write runs that from before it.
func (u *Untyped) snapshot() *frame.View {
	u.state.Lock()
	defer u.state.Unlock()
	if u.stable != nil {
		return u.stable
	}
	return u.frame.View()
}

// beginWrite waits for other writes to end and returns the state that this one starts from, which reads see until endWrite.
func (u *Untyped) beginWrite() (*frame.View, error) {
	if u.readOnly {
		return nil, u.inArray(fmt.Errorf("write: %w", cairn.ErrReadOnly))
	}
	// Chunks of another size would make memory of a number that nothing has proven, and a frame that is no array any more.
	if size := int64(u.frame.ChunkSize()); size > 0 && size != u.part.ChunkSize {
		return nil, u.inArray(cairn.Corruptf("b2nd metalayer", -1, "chunks have %d bytes, the frame header says %d", u.part.ChunkSize, size))
	}
	u.writing.Lock()
	u.state.Lock()
	defer u.state.Unlock()
	u.stable = u.frame.View()
	return u.stable, nil
}

func (u *Untyped) endWrite() {
	u.state.Lock()
	u.stable = nil
	u.state.Unlock()
	u.writing.Unlock()
}

// Bytes returns the frame as one piece of memory, with what is staged, wherever the array is: it can be sent, or embedded
// in something else. The caller owns it. For large arrays in files that is much memory.
func (u *Untyped) Bytes() ([]byte, error) {
	u.writing.Lock()
	defer u.writing.Unlock()
	return u.frame.Bytes()
}

// Commit makes everything that was staged durable, all or nothing.
func (u *Untyped) Commit(ctx context.Context) error {
	u.writing.Lock()
	defer u.writing.Unlock()
	return u.frame.Commit(ctx)
}

// Close commits what was staged and releases the array. No other call may be running, and none may follow.
func (u *Untyped) Close() error { return u.frame.Close() }

// Abort drops what was staged since the last commit and releases the array. An array that was never committed leaves nothing.
func (u *Untyped) Abort() error { return u.frame.Abort() }
