package frame

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/shuffle"
)

// A state is the immutable contents of a frame at one time. It is safe for concurrent use, and
// valid until the frame is closed.
type state struct {
	env    *env
	shown  *atomic.Pointer[Snapshot] // see snapshot; each state that was newest has its own
	source source
	head   format.Header // NBytes and CBytes include staged changes; FrameLen is of the last commit

	index  index.Index
	layers []meta.Layer // fixed
	vl     []meta.Layer // of variable length; contents are chunks

	// bytes of the chunks in the index, with footers in a contiguous frame; or unknownLive
	live    int64
	cover   *cover // nil without checksums
	last    int64  // decoded bytes of the last chunk; 0 if unknown
	blocks  uint8  // whether chunks have blocks of variable length: see usesVL
	touched bool   // the data differ from those of the last commit
	// identifies the state in the files from which it was read; nil for a state that this handle
	// made
	mark *mark
	ctx  context.Context // of the call for which it is used, or nil: see within
}

// A draft is a state under construction, a modified copy of another one. Only the change that makes
// it has access to it. Once its state is published, it must not be changed.
type draft struct{ state }

// draft returns a copy of v to modify. It shares with v what is never modified in place: the index,
// the contents of metalayers, and the source.
func (v *state) draft() *draft {
	d := &draft{*v}
	d.layers = slices.Clone(v.layers)
	d.vl = slices.Clone(v.vl)
	return d
}

// unknownLive is state.live for frames of another writer.
const unknownLive = -1

// Info describes a frame as a whole.
type Info struct {
	Generation string // "current", or the first version with the layout, such as "2.0.0-beta.2"
	Sparse     bool
	Variable   bool // chunks have individual sizes
	VLBlocks   bool // chunks have blocks of individual sizes, according to the header
	Version    int  // of the frame format
	HeaderLen  int64
	FrameLen   int64 // at the last commit; without the chunk files of a sparse frame

	Verdict Verdict // of header, index and trailer, at the last commit
	Healed  bool    // the header in the file is damaged, and this one is from the commit record
	Seq     uint64  // number of the last commit; 0 if it was another writer's

	NumChunks int
	NBytes    int64
	CBytes    int64
	// bytes of the chunks with their checksums, without dead bytes; -1 for a frame of another
	// writer
	Live int64

	TypeSize  int
	ChunkSize int
	BlockSize int

	// The encoding of new chunks. Existing chunks may have another one.
	Codec    codecs.Codec
	Level    int // 0 (stored) to 9
	Pipeline shuffle.Pipeline
	Split    chunk.SplitMode
	Dict     bool
	// blocks are Zarr chunks as well; see chunk.Options. The frame has a metalayer that says so
	ZarrBlocks bool
}

// info describes the frame.
func (v *state) info() Info {
	h := &v.head
	c := cmp.Or(v.cover, &cover{})
	return Info{
		Verdict: c.verdict, Healed: c.healed, Seq: c.seq,
		Generation: h.Generation.String(), Sparse: h.Sparse(), Variable: h.Variable(), VLBlocks: h.VLBlocks,
		Version: int(h.Version), HeaderLen: h.HeaderLen, FrameLen: h.FrameLen,
		NumChunks: v.index.Len(), NBytes: h.NBytes, CBytes: h.CBytes, Live: v.live,
		TypeSize: int(h.TypeSize), ChunkSize: int(h.ChunkSize), BlockSize: int(h.BlockSize),
		Codec: codecs.ByID(h.Codec, h.CodecMeta), Level: int(h.Level), Pipeline: h.Pipeline,
		Split: h.SplitMode(), Dict: h.Dict, ZarrBlocks: v.env.zarrBlocks,
	}
}

func cloneLayers(layers []meta.Layer) []meta.Layer {
	layers = slices.Clone(layers)
	for i := range layers {
		layers[i].Content = slices.Clone(layers[i].Content)
	}
	return layers
}

func layerNamed(layers []meta.Layer, name string) int {
	return slices.IndexFunc(layers, func(l meta.Layer) bool { return l.Name == name })
}

// withLayer replaces the layer with the name of l by l, or appends l.
func withLayer(layers []meta.Layer, l meta.Layer) []meta.Layer {
	if i := layerNamed(layers, l.Name); i >= 0 {
		layers[i] = l
		return layers
	}
	return append(layers, l)
}

// layer returns the content of a fixed metalayer.
func (v *state) layer(name string) ([]byte, error) {
	if i := layerNamed(v.layers, name); i >= 0 {
		return slices.Clone(v.layers[i].Content), nil
	}
	return nil, v.env.place(fmt.Errorf("metalayer %q: %w", name, cairn.ErrNotFound))
}

// vlValue returns the value of a metalayer of variable length.
func (v *state) vlValue(name string) ([]byte, error) {
	i := layerNamed(v.vl, name)
	if i < 0 {
		return nil, v.env.place(fmt.Errorf("variable-length metalayer %q: %w", name, cairn.ErrNotFound))
	}
	value, err := v.decodeVL(v.vl[i].Content)
	if err != nil {
		return nil, v.env.place(fmt.Errorf("variable-length metalayer %q: %w", name, err))
	}
	return value, nil
}

// vlLayers returns all metalayers of variable length, decoded.
func (v *state) vlLayers() ([]meta.Layer, error) {
	layers := make([]meta.Layer, len(v.vl))
	var total int64
	for i, l := range v.vl {
		// In a hostile trailer, several layers may share one content, so the total is not bounded
		// by the size of the trailer.
		if h, err := v.vlHeader(l.Content); err == nil {
			total += int64(h.NBytes)
		}
		if total > v.env.engine.Limits.MaxMeta {
			return nil, v.env.place(fmt.Errorf("variable-length metalayers of %d bytes: %w: MaxMeta is %d",
				total, cairn.ErrLimit, v.env.engine.Limits.MaxMeta))
		}
		value, err := v.vlValue(l.Name)
		if err != nil {
			return nil, err
		}
		layers[i] = meta.Layer{Name: l.Name, Content: value}
	}
	return layers, nil
}

// vlHeader parses and checks the header of an encoded metalayer of variable length, which is a
// chunk.
func (v *state) vlHeader(encoded []byte) (chunk.Header, error) {
	h, err := chunk.ParseHeader(encoded)
	if err == nil && int64(h.CBytes) != int64(len(encoded)) {
		err = cairn.Corruptf(format.LayerTrailer, -1, "a chunk of %d bytes is stored in %d", h.CBytes, len(encoded))
	}
	return h, err
}

// proveVL decodes a metalayer of variable length without keeping the result.
func (v *state) proveVL(encoded []byte) error {
	h, err := v.vlHeader(encoded)
	if err == nil && h.Special() == chunk.SpecialNone {
		err = v.vlDecoder().DecodeBlocks(h, encoded, nil, nil)
	}
	return err
}

// decodeVL decodes a metalayer of variable length.
func (v *state) decodeVL(encoded []byte) ([]byte, error) {
	h, err := v.vlHeader(encoded)
	if err != nil {
		return nil, err
	}
	if limit := v.env.engine.Limits.MaxMeta; int64(h.NBytes) > limit {
		return nil, fmt.Errorf("%d bytes: %w: MaxMeta is %d", h.NBytes, cairn.ErrLimit, limit)
	}
	if h.Memcpyed() && int64(h.NBytes) > int64(len(encoded)) {
		return nil, cairn.Corruptf("chunk", 4, "states %d uncompressed bytes in a chunk of %d", h.NBytes, len(encoded))
	}
	value := make([]byte, h.NBytes)
	_, err = v.vlDecoder().Decode(value, encoded)
	return value, err
}

func (v *state) vlDecoder() *chunk.Decoder {
	return chunk.NewDecoder(&chunk.DecodeOptions{Engine: v.env.engine})
}
