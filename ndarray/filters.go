package ndarray

import (
	"fmt"
	"math"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/labels"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/rounding"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/shuffle"
)

// losesPrecision reports whether filters may lose precision. Some chunks of the array may not have
// lost any: incompressible chunks are stored unfiltered.
func (c *core) losesPrecision(filters []shuffle.Spec) bool {
	return slices.ContainsFunc(filters, func(s shuffle.Spec) bool {
		row, err := c.engine.Filters.Lookup(s.ID)
		return err == nil && row.Lossy
	})
}

// filtersFor returns the filters to use instead of a pipeline with a codec and blocks of a
// geometry, and whether they differ from the pipeline.
func (c *core) filtersFor(
	pipeline shuffle.Pipeline, codec codecs.Row, to *grid.Partition,
) (kept []shuffle.Spec, changed bool) {
	blocks := &shuffle.Context{
		TypeSize: c.typeSize(), FrameTypeSize: c.typeSize(), BlockShape: narrow(to.Block[:to.Dims]),
	}
	misfit := func(row shuffle.Row, meta uint8) bool {
		return row.Shaped && row.Check != nil && row.Check(meta, blocks) != nil
	}

	for _, was := range filtersOf(pipeline) {
		s := was
		row, err := c.engine.Filters.Lookup(s.ID)
		if err == nil && row.Keeper != shuffle.IDNone {
			s.ID = row.Keeper
			row, err = c.engine.Filters.Lookup(s.ID)
		}

		if err == nil && (codec.Numbers && row.Recodes || misfit(row, s.Meta)) {
			changed = true
			continue
		}

		changed = changed || s != was
		kept = append(kept, s)
	}
	return kept, changed
}

// checkCodec rejects codecs and filters for numbers if the items are not numbers: they would
// silently destroy them (docs/format/codecs.md).
func checkCodec(d meta.DType, o *Options) error {
	row, err := o.Codecs.Lookup(o.Codec.ID())
	if err != nil {
		return err
	}
	if row.Lossy && (d.Kind() != 'f' || d.BigEndian()) {
		return fmt.Errorf("codec %s takes little-endian floats, not items of dtype %s: %w",
			row.Name, d, cairn.ErrType)
	}

	for _, s := range o.Filters {
		f, err := o.Engine.Filters.Lookup(s.ID)
		switch {
		case err != nil: // the encoder reports it
		case f.Floats && (d.Kind() != 'f' || d.BigEndian()):
			return fmt.Errorf("filter %s takes little-endian floats, not items of dtype %s: %w", s, d, cairn.ErrType)
		case f.Integers && (!wholeNumbers(d.Kind()) || d.BigEndian()):
			return fmt.Errorf("filter %s takes little-endian integers, not items of dtype %s: %w", s, d, cairn.ErrType)
		}
	}
	return nil
}

// wholeNumbers reports whether items of a kind are integers, perhaps with a unit of time.
func wholeNumbers(kind byte) bool {
	return kind == 'i' || kind == 'u' || kind == 'm' || kind == 'M'
}

// lossy reports whether the codec or a filter of the array loses something.
func (c *core) lossy() bool {
	row, err := c.engine.Codecs.Lookup(c.encode.Codec.ID())
	if err == nil && row.Lossy {
		return true
	}
	return c.losesPrecision(c.encode.Filters)
}

// missing returns the items that lossy codecs and filters must not change, besides NaN and
// infinities: NaT, and those that the labels declare as missing.
func (c *core) missing() ([]uint64, error) {
	values, err := c.labelLayers()
	if err != nil {
		return nil, err
	}

	var items []uint64
	kind := c.dtype.Kind()
	if kind == 'm' || kind == 'M' {
		items = append(items, notATime)
	}

	meaning := cf.Of(c.dtype, labels.OfArray().Gather(values))
	for _, n := range meaning.Missing {
		_, _, whole := n.Int()
		if whole || kind == 'f' {
			items = append(items, bitsOf(c.dtype, n))
		}
	}
	return items, nil
}

// bitsOf returns the bits of an item that is a number.
func bitsOf(d meta.DType, n cf.Number) uint64 {
	switch {
	case d.Kind() == 'f' && d.Size() == 8:
		return math.Float64bits(n.Float)
	case d.Kind() == 'f':
		return uint64(math.Float32bits(float32(n.Float)))
	}

	bits, _, _ := n.Int()
	return bits & (1<<(8*d.Size()-1)<<1 - 1)
}

// notATime is NumPy's NaT, as an item of dates or durations has it.
const notATime = 1 << 63

// rounder returns what rounds items of a dtype as a loss says, or nil.
func (l Loss) rounder(d meta.DType, codec codecs.Codec, filters []shuffle.Spec, e chunk.Engine) (*rounder, error) {
	b, err := l.bound()
	if err != nil || b.Rule == rounding.None {
		return nil, err
	}

	c := core{engine: e, encode: chunk.Options{Codec: codec, Filters: filters}}
	if c.lossy() {
		return nil, fmt.Errorf("loss: codec %s or a filter loses something itself, which no bound can be promised for: %w",
			codec, cairn.ErrInvalid)
	}

	// Integers may get their packing later.
	if kind := d.Kind(); kind != 'i' && kind != 'u' {
		if _, err := rounding.New(d, nil, b); err != nil {
			return nil, fmt.Errorf("loss: %w", err)
		}
	}
	r := &rounder{bound: b, largest: l.Largest}
	if rounding.Algorithm(d, b) != "" {
		r.variable = l.Variable
	}
	return r, nil
}

// round returns what rounds the items of an array with some attributes, or nil.
func (r *rounder) round(c *core) (func(items []byte) error, error) {
	if r == nil {
		return nil, nil
	}

	r.mu.Lock()
	defer r.mu.Unlock()
	if r.made == nil {
		values, err := c.labelLayers()
		if err != nil {
			return nil, err
		}
		r.made, err = rounding.New(c.dtype, labels.OfArray().Gather(values), r.bound)
		if err != nil {
			return nil, c.inArray(fmt.Errorf("loss: %w", err))
		}
	}

	made := r.made
	return func(items []byte) error {
		if err := made.Round(items); err != nil {
			return err
		}
		if r.largest != nil {
			r.mu.Lock()
			defer r.mu.Unlock()
			absolute, relative := made.Errors()
			r.largest.Absolute = max(r.largest.Absolute, absolute)
			r.largest.Relative = max(r.largest.Relative, relative)
		}
		return nil
	}, nil
}

// mark stages the attributes that tell the bound.
func (r *rounder) mark(c *core) error {
	if r == nil {
		return nil
	}
	old, err := c.labelLayers()
	if err != nil {
		return err
	}

	layers := labels.OfArray().Spread(rounding.Marked(labels.OfArray().Gather(old), r.bound, r.variable))
	for _, p := range layers {
		raw, err := meta.Pack(p.Value)
		if err != nil {
			return c.inArray(fmt.Errorf("attribute %q: %w", p.Key, err))
		}
		if err := c.frame.SetVL(p.Key.(string), raw); err != nil {
			return c.inArray(err)
		}
	}

	for _, p := range old {
		_, kept := layers.Get(p.Key.(string))
		if name := p.Key.(string); !kept && name != labels.Dims {
			if err := c.frame.DeleteVL(name); err != nil {
				return c.inArray(err)
			}
		}
	}
	return nil
}
