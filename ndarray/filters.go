package ndarray

import (
	"fmt"
	"math"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/labels"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/shuffle"
)

// settleFilters adjusts the filters of re-encoded chunks if the options leave them open, so that a
// copy never loses precision that the caller did not ask to lose. It rejects codecs for numbers if
// the items are not numbers.
//
//   - ndmean, whose means would be averaged again over other cells, becomes ndcell, which has the
//     same order of items but keeps their values.
//   - ndcell is omitted if the new blocks have fewer items than a cell.
//   - Filters that a codec for numbers does not accept are omitted. If the codec changes from one
//     for numbers to another kind, and no filter is left, the byte shuffle is added.
func (p *copying) settleFilters(info frame.Info) error {
	o, u := &p.options, p.source
	codec, _ := o.codecAndLevel(info)
	to, err := u.engine.Codecs.Lookup(codec.ID())
	if err != nil {
		return nil // the encoder reports the error
	}
	if to.Lossy && codec != info.Codec {
		if err := checkCodec(u.dtype, &Options{Codec: codec, Engine: u.engine}); err != nil {
			return fmt.Errorf("copy: %w", err)
		}
	}
	if p.lossy = to.Lossy; o.Filters != nil {
		p.lossy = p.lossy || u.losesPrecision(o.Filters)
		return nil
	}
	kept, changed := u.filtersFor(info.Pipeline, to, p.to)
	if from, err := u.engine.Codecs.Lookup(info.Codec.ID()); err == nil && from.Lossy && !to.Lossy && len(kept) == 0 {
		kept, changed = []shuffle.Spec{shuffle.Byte}, true
	}
	p.lossy = p.lossy || u.losesPrecision(kept)
	if changed {
		o.Filters = orNone(kept)
	}
	return nil
}

// losesPrecision reports whether filters may lose precision. Some chunks of the array may not have
// lost any: incompressible chunks are stored unfiltered.
func (u *Untyped) losesPrecision(filters []shuffle.Spec) bool {
	return slices.ContainsFunc(filters, func(s shuffle.Spec) bool {
		row, err := u.engine.Filters.Lookup(s.ID)
		return err == nil && row.Lossy
	})
}

// filtersFor returns the filters to use instead of a pipeline with a codec and blocks of a
// geometry, and whether they differ from the pipeline.
func (u *Untyped) filtersFor(
	pipeline shuffle.Pipeline, codec codecs.Row, to *grid.Partition,
) (kept []shuffle.Spec, changed bool) {
	blocks := &shuffle.Context{
		TypeSize: u.TypeSize(), FrameTypeSize: u.TypeSize(), BlockShape: narrow(to.Block[:to.Dims]),
	}
	misfit := func(row shuffle.Row, meta uint8) bool {
		return row.Shaped && row.Check != nil && row.Check(meta, blocks) != nil
	}
	for _, was := range filtersOf(pipeline) {
		s := was
		row, err := u.engine.Filters.Lookup(s.ID)
		if err == nil && row.Keeper != shuffle.IDNone {
			s.ID = row.Keeper
			row, err = u.engine.Filters.Lookup(s.ID)
		}
		if err == nil && (codec.Lossy && row.Recodes || misfit(row, s.Meta)) {
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
		case err != nil: // which the encoder reports
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

// notATime is NumPy's NaT, as an item of dates or durations has it.
const notATime = 1 << 63

// lossy reports whether the codec or a filter of the array loses something.
func (u *handleCore) lossy() bool {
	row, err := u.engine.Codecs.Lookup(u.encode.Codec.ID())
	if err == nil && row.Lossy {
		return true
	}
	for _, s := range u.encode.Filters {
		if row, err := u.engine.Filters.Lookup(s.ID); err == nil && row.Lossy {
			return true
		}
	}
	return false
}

// missing returns the items that lossy codecs and filters must not change, besides NaN and
// infinities: NaT, and those that the labels declare as missing.
func (u *handleCore) missing() ([]uint64, error) {
	values, err := u.labelLayers()
	if err != nil {
		return nil, err
	}

	var items []uint64
	if kind := u.dtype.Kind(); kind == 'm' || kind == 'M' {
		items = append(items, notATime)
	}
	meaning := cf.Of(u.dtype, labels.OfArray().Gather(values))
	for _, n := range meaning.Missing {
		if _, _, whole := n.Int(); whole || u.dtype.Kind() == 'f' {
			items = append(items, bitsOf(u.dtype, n))
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
