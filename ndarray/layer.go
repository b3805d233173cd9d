package ndarray

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/meta"
)

// layerContent returns the b2nd metalayer of a frame, or that of its predecessor Caterva.
func layerContent(f *frame.Snapshot) ([]byte, error) {
	for _, name := range []string{meta.LayerB2ND, meta.LayerCaterva} {
		content, err := f.Layer(name)
		if errors.Is(err, cairn.ErrNotFound) {
			continue
		}
		return content, err
	}

	if slices.Contains(f.VLNames(), packedName) {
		return nil, fmt.Errorf("the frame holds a packed array, which OpenPacked reads: %w", cairn.ErrNotFound)
	}
	return nil, fmt.Errorf("the frame has no %s metalayer, so it holds no array: %w",
		meta.LayerB2ND, cairn.ErrNotFound)
}

// parseLayer returns the geometry and the dtype that a metalayer describes for items of typeSize
// bytes. Without a dtype items are bytes.
func parseLayer(content []byte, typeSize int) (part *grid.Partition, dtype string, err error) {
	m, err := meta.ParseB2ND(content)
	if err != nil {
		return nil, "", err
	}

	part, err = grid.New(m.Shape, widen(m.ChunkShape), widen(m.BlockShape), int64(typeSize))
	if err != nil {
		return nil, "", &cairn.CorruptError{
			Layer: "b2nd metalayer", Chunk: -1, Offset: -1, Reason: "geometry", Err: err,
		}
	}

	if m.DType == "" {
		m.DType = fmt.Sprintf("|S%d", typeSize)
	}
	return part, m.DType, nil
}

// newLayer returns the metalayer of a geometry, in the current b2nd form.
func newLayer(p *grid.Partition, dtype string) (meta.Layer, error) {
	m := meta.B2ND{
		Shape:      shapeOf(p, p.Shape),
		ChunkShape: narrow(p.Chunk[:p.Dims]),
		BlockShape: narrow(p.Block[:p.Dims]),
		DType:      dtype,
	}
	if err := m.Validate(); err != nil {
		return meta.Layer{}, err
	}
	return meta.Layer{Name: meta.LayerB2ND, Content: m.Append(nil)}, nil
}

// arrayLayer returns the index of the metalayer that describes the array, or -1 if there is none.
func arrayLayer(layers []meta.Layer) int {
	i := slices.IndexFunc(layers, func(l meta.Layer) bool { return l.Name == meta.LayerB2ND })
	if i < 0 {
		i = slices.IndexFunc(layers, func(l meta.Layer) bool { return l.Name == meta.LayerCaterva })
	}
	return i
}

func widen(v []int32) []int64 {
	w := make([]int64, len(v))
	for i, n := range v {
		w[i] = int64(n)
	}
	return w
}

// narrow converts extents that are known to fit.
func narrow(v []int64) []int32 {
	w := make([]int32, len(v))
	for i, n := range v {
		w[i] = int32(n)
	}
	return w
}

// packedName is the metalayer of variable length that describes a packed array. Its content is the
// tuple (kind, shape, dtype): "numpy", "torch" or "tensorflow"; and the dtype as text, or the list
// of fields of a structure (numpy.dtype.descr).
const packedName = "__pack_tensor__"
