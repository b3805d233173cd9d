package ndarray

import (
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/meta"
)

// layered is a frame, or a state of one.
type layered interface {
	Layer(name string) ([]byte, error)
}

// layerContent returns the metalayer that makes a frame an array; its name tells b2nd from its
// predecessor.
func layerContent(f layered) ([]byte, error) {
	for _, name := range []string{meta.LayerB2ND, meta.LayerCaterva} {
		content, err := f.Layer(name)
		if errors.Is(err, cairn.ErrNotFound) {
			continue
		}
		return content, err
	}
	return nil, fmt.Errorf("the frame has no %s metalayer, so it holds no array: %w",
		meta.LayerB2ND, cairn.ErrNotFound)
}

// layerName returns the name of the metalayer.
func (at *moment) layerName() string {
	if _, err := at.view.Layer(meta.LayerB2ND); err != nil {
		return meta.LayerCaterva
	}
	return meta.LayerB2ND
}

// dtypeText returns the dtype of an array as its file has it; one without has bytes.
func dtypeText(m *meta.B2ND, f *frame.Frame) string {
	if m.DType == "" {
		return fmt.Sprintf("|S%d", f.TypeSize())
	}
	return m.DType
}

// geometryOf returns the partition that a b2nd metalayer describes for items of typeSize bytes.
func geometryOf(m *meta.B2ND, typeSize int) (*grid.Partition, error) {
	part, err := grid.New(m.Shape, widen(m.ChunkShape), widen(m.BlockShape), int64(typeSize))
	if err != nil {
		return nil, &cairn.CorruptError{Layer: "b2nd metalayer", Chunk: -1, Offset: -1, Reason: "geometry", Err: err}
	}
	return part, nil
}

func widen(v []int32) []int64 {
	w := make([]int64, len(v))
	for i, n := range v {
		w[i] = int64(n)
	}
	return w
}

// narrow is for extents that are known to fit.
func narrow(v []int64) []int32 {
	w := make([]int32, len(v))
	for i, n := range v {
		w[i] = int32(n)
	}
	return w
}
