package ndarray

import (
	"fmt"
	"math"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/labels"
	"github.com/cairn-go/cairn/internal/grid"
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
