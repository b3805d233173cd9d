package ndarray

import (
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf/labels"
	"github.com/cairn-go/cairn/meta"
)

// labelLayers returns the metalayers with labels, decoded.
func (c *core) labelLayers() (values meta.Map, err error) {
	if errors.Is(c.without, cairn.ErrClosed) {
		return nil, c.without
	}

	layers, err := c.frame.VLLayers()
	if err != nil {
		return nil, c.inArray(err)
	}

	budget := meta.ValueBytes(c.engine.Limits)
	for _, layer := range layers {
		if !labels.Is(layer.Name) {
			continue
		}

		v, err := meta.UnpackWithin(layer.Content, &budget)
		if errors.Is(err, cairn.ErrLimit) {
			return nil, c.inArray(fmt.Errorf("metalayer %q: %w", layer.Name, err))
		}
		if err != nil {
			continue // bytes of another program
		}
		values = append(values, meta.Pair{Key: layer.Name, Value: v})
	}
	return values, nil
}

// Labels are the names of the dimensions of an array, and its attributes. They are kept in
// metalayers of variable length (docs/format/metalayers.md), and survive copies and conversions.
type Labels struct {
	Dims       []string // one per dimension, "" for one without a name; nil if there are none
	Attributes meta.Map // names and values, in order
	// MaxShape is how far a dataset of HDF5 or a variable of NetCDF may grow, -1 for a dimension
	// without bound; nil for what may not. Copies to these formats keep it, those to others do not.
	MaxShape Shape
}
