package filter

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
)

// alikeFrames are what the frames around chunks of the same size have in common, for one filter: a
// frame is made of the chunk and this, without another one being built.
type alikeFrames struct {
	filter         Filter
	size           int    // bytes of items
	header, behind []byte // nil until there is a frame
}

// blosc2Encode makes a frame of one chunk, which the registered filter reads too.
func blosc2Encode(w *workspace, f Filter, dst, src []byte) ([]byte, error) {
	o, err := bloscOptions(f)
	if err != nil {
		return nil, err
	}

	a := &w.alike
	if a.header == nil || a.size != len(src) || !slices.Equal(a.filter.Params, f.Params) {
		made, err := buildFrame(f, o, src)
		if err != nil {
			return nil, err
		}
		if o.TypeSize <= largestItem {
			a.learn(f, len(src), made)
		}
		return smaller(made, src), nil
	}

	e, err := w.chunkEncoder(f)
	if err != nil {
		return nil, err
	}
	made, err := e.Append(append(dst[:0], a.header...), src)
	if err != nil {
		return nil, err
	}
	encoded := len(made) - len(a.header)
	h, err := chunk.ParseHeader(made[len(a.header):])
	if err != nil {
		return nil, err
	}
	if h.Special() != chunk.SpecialNone { // which a frame does not store
		made, err = buildFrame(f, o, src)
		return smaller(made, src), err
	}

	made = append(made, a.behind...)
	binary.BigEndian.PutUint64(made[frameLen:], uint64(len(made)))
	binary.BigEndian.PutUint64(made[frameCBytes:], uint64(encoded))
	return smaller(made, src), nil
}

// largestItem is the most bytes of items whose size chunks state as it is.
const largestItem = 255

// smaller returns what was made of src, or nil if that is not smaller.
func smaller(made, src []byte) []byte {
	if len(made) >= len(src) {
		return nil
	}
	return made
}

// learn remembers what is around the chunk of a frame.
func (a *alikeFrames) learn(f Filter, size int, made []byte) {
	a.header = nil
	header, rest, ok := loneHeader(made)
	if !ok {
		return
	}
	h, err := chunk.ParseHeader(rest)
	if err != nil || h.Special() != chunk.SpecialNone ||
		uint64(h.CBytes) != binary.BigEndian.Uint64(header[frameCBytes:]) {
		return
	}
	*a = alikeFrames{f, size, slices.Clone(header), slices.Clone(rest[h.CBytes:])}
}

// buildFrame makes a frame of one chunk.
func buildFrame(f Filter, o *chunk.Options, src []byte) ([]byte, error) {
	fr, err := frame.New(frameOptions(o, len(src)))
	if err != nil {
		return nil, unsupported(f, "with these parameters cannot be encoded: %v", err)
	}
	defer fr.Close()
	if _, err := fr.Append(context.Background(), src); err != nil {
		return nil, err
	}
	return fr.Bytes()
}

// frameOptions returns the options of a frame for one chunk of size bytes.
func frameOptions(o *chunk.Options, size int) *frame.Options {
	return &frame.Options{
		TypeSize: o.TypeSize, Codec: o.Codec, Level: o.Level, Filters: o.Filters, ChunkSize: size,
		Commits: frame.Commits{Deterministic: true},
	}
}
