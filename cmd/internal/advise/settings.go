package advise

import (
	"slices"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
)

// encodings returns all codecs, levels and filters to try, the faster ones first.
func (r *run) encodings() []Setting {
	size := r.src.DType().Size()
	lists := [][]shuffle.Spec{{shuffle.None}, {shuffle.Bit}}
	if size > 1 {
		lists = append(lists, []shuffle.Spec{shuffle.Byte})
	}
	if size <= maxPlanes {
		lists = append(lists, []shuffle.Spec{shuffle.Byte, shuffle.ByteDelta(uint8(size))})
	}
	if r.Precision != 0 {
		for i := range lists {
			lists[i] = append([]shuffle.Spec{shuffle.TruncPrec(r.Precision)}, lists[i]...)
		}
	}

	var all []Setting
	for _, level := range []int{1, 3, 5, 7, 9} {
		for _, row := range codecs.Rows() {
			if row.ID == codecs.Numeric.ID() {
				all = append(all, Setting{Codec: codecs.Numeric, Level: level, Filters: lists[0]})
				continue
			}
			if row.Legacy || row.Lossy || row.Shaped {
				continue
			}
			for _, filters := range lists {
				all = append(all, Setting{Codec: codecs.ByID(row.ID, 0), Level: level, Filters: filters})
			}
		}
	}
	return all
}

// maxPlanes is the size of the largest items whose bytes are worth a delta each.
const maxPlanes = 16

// A grid is shapes of chunks and blocks.
type grid struct{ chunks, blocks ndarray.Shape }

// plan makes the shapes to try. The first one is likely to suit the access.
func (r *run) plan() error {
	shape := r.src.Shape()
	item := int64(r.src.DType().Size())
	auto, err := r.automatic()
	if err != nil {
		return err
	}

	grids := []grid{auto}
	if r.Access != nil {
		grids = nil
		for _, block := range []int64{64 << 10, 16 << 10, 256 << 10} {
			blocks := fit(r.Access, shape, item, block)
			grids = append(grids, grid{fit(blocks, shape, item, 64*block), blocks})
		}
		grids = append(grids, auto)
	} else if len(shape) > 0 {
		for _, share := range []int64{4, 1} { // a quarter of the automatic block, and four times
			size := bytesOf(auto.blocks, item) * 4 / (share * share)
			blocks := fit(auto.blocks, auto.chunks, item, max(item, size))
			grids = append(grids, grid{auto.chunks, blocks})
		}
	}

	if chunks, blocks := r.src.Grid(); len(chunks) == len(shape) && chunks != nil && !slices.Contains(chunks, 0) &&
		bytesOf(chunks, item) <= maxRegion {
		if len(blocks) != len(chunks) || slices.Contains(blocks, 0) {
			blocks = fit(chunks, chunks, item, 64<<10)
		}
		grids = append(grids, grid{chunks, blocks})
	}

	for _, g := range grids {
		for d := range g.blocks {
			g.blocks[d] = min(g.blocks[d], g.chunks[d])
		}
		same := func(o grid) bool { return slices.Equal(o.chunks, g.chunks) && slices.Equal(o.blocks, g.blocks) }
		if !slices.ContainsFunc(r.shapes, same) {
			r.shapes = append(r.shapes, g)
		}
	}
	return nil
}

// automatic returns the shapes that an array gets which says nothing about them.
func (r *run) automatic() (grid, error) {
	u, err := ndarray.NewUntyped(r.src.DType().String(), r.src.Shape(), &ndarray.Options{Uninit: true})
	if err != nil {
		return grid{}, err
	}
	chunks, blocks := u.Grid()
	return grid{chunks, blocks}, u.Close()
}

// fit returns a shape of about size bytes within another: from is halved along its longest
// dimensions, or doubled along those that are the smallest part of the whole.
func fit(from, within ndarray.Shape, item, size int64) ndarray.Shape {
	got := slices.Clone(from)
	for d := range got {
		got[d] = max(1, min(got[d], within[d]))
	}

	for bytesOf(got, item) > size {
		longest := 0
		for d := range got {
			if got[d] > got[longest] {
				longest = d
			}
		}
		if len(got) == 0 || got[longest] == 1 {
			break
		}
		got[longest] = (got[longest] + 1) / 2
	}

	for bytesOf(got, item) <= size/2 {
		next := -1
		least := 2.0
		for d := range got {
			if share := float64(got[d]) / float64(within[d]); got[d] < within[d] && share < least {
				next = d
				least = share
			}
		}
		if next < 0 {
			break
		}
		got[next] = min(2*got[next], within[next])
	}
	return got
}

// bytesOf returns the bytes of a box, or very many.
func bytesOf(shape ndarray.Shape, item int64) int64 {
	const most = 1 << 60
	n := item
	for _, extent := range shape {
		if extent > 0 && n > most/extent {
			return most
		}
		n *= extent
	}
	return n
}
