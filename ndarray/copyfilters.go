package ndarray

import (
	"fmt"
	"slices"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/grid"
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
