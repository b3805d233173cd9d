package coords

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/ndarray"
)

// coordinates are those of a dimension of a whole array.
type coordinates struct {
	lookup Lookup
	name   string // of the dimension
	n      int64

	loaded bool
	found  bool
	moved  bool  // they have other values than the stored ones
	fault  error // why the array that was found cannot be used
	view   ndarray.UntypedView
	title  string
	units  string
	around float64 // after how much values stand for the same places again, or 0

	standard string  // the standard name
	axis     cf.Axis // in space and time
	latLon   cf.Axis // Y for latitudes, X for longitudes, or 0
	decoder
}

// load looks the coordinates up, once.
func (c *coordinates) load(ctx context.Context) error {
	if c.loaded {
		return c.fault
	}
	if err := ctx.Err(); err != nil {
		return err
	}

	c.loaded = true
	if c.name == "" || c.lookup == nil {
		return nil
	}

	src, err := c.lookup(ctx, c.name)
	if err != nil {
		c.fault = fmt.Errorf("coordinates of %s: %w", c.name, err)
		return c.fault
	}
	if src == nil {
		return nil
	}

	if err := c.use(src); err != nil {
		c.fault = fmt.Errorf("coordinates of %s: %w", c.name, err)
	}
	return c.fault
}

func (c *coordinates) use(src ndarray.Source) error {
	if shape := src.Shape(); len(shape) != 1 || shape[0] != c.n {
		return fmt.Errorf("the array %s has shape %v, want [%d]: %w", c.name, shape, c.n, cairn.ErrUnsupported)
	}

	labels, err := ndarray.LabelsOf(src)
	if err != nil {
		return err
	}

	m := cf.Of(src.DType(), labels.Attributes)
	d, ok := newDecoder(m)
	if !ok {
		return fmt.Errorf("items of dtype %s are no coordinates: %w", src.DType(), cairn.ErrUnsupported)
	}

	// The CF conventions know no missing coordinates, and fill values of Zarr 2 are often 0.
	d.missing = nil
	c.around = m.Around()
	c.standard = m.StandardName
	c.axis = cf.AxisOf(src.DType(), labels.Attributes)
	c.latLon = cf.LatLon(src.DType(), labels.Attributes)
	c.decoder = d
	c.view = ndarray.ViewOf(src)
	c.found = true
	c.title = m.Title
	c.units = m.Unit
	return nil
}

// stands reports whether a name that is none of a dimension is one of the axis that coordinates run
// along.
func (c *coordinates) stands(name string) bool {
	switch name {
	case "T", "time":
		return c.axis == cf.T
	case "X", "Y", "Z":
		return c.axis == cf.Axis(name[0])
	case "lon", "longitude":
		return c.axis == cf.X && c.around > 0
	case "lat", "latitude":
		return c.axis == cf.Y && (c.standard == "latitude" || cf.SameUnit(c.units, "degrees_north"))
	}
	return false
}

// read reads some items of a view of coordinates.
func (c *coordinates) read(ctx context.Context, view ndarray.UntypedView, start, stop int64) ([]value, error) {
	raw, err := view.Read(ctx, ndarray.Range(start, stop))
	if err != nil {
		return nil, fmt.Errorf("coordinates of %s: %w", c.name, err)
	}

	size := c.number.Size
	values := make([]value, len(raw)/size)
	for i := range values {
		values[i] = c.value(raw[i*size:][:size])
	}
	return values, nil
}

// piece is how many coordinates are read at a time.
const piece = 32 << 10

// scan calls do for all values of an axis in order.
func (x *Axis) scan(ctx context.Context, do func(i int64, v value) error) error {
	for at := int64(0); at < x.Len; at += piece {
		values, err := x.read(ctx, at, min(at+piece, x.Len))
		if err != nil {
			return err
		}
		for i, v := range values {
			if err := do(at+int64(i), v); err != nil {
				return err
			}
		}
	}
	return nil
}
