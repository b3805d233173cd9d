// Package tiles makes pictures of planes of arrays, in tiles of several resolutions.
//
// A tile has 256 × 256 cells. A cell of levels Y and X stands for a box of 2^Y × 2^X items. It is
// the mean of those that are finite; or, of labels and the like, the item in the middle. Means of
// coarse levels of a large plane come from one pass over its blocks; finer tiles, and small planes,
// are read when they are asked for. Until an exact tile is there, a sampled one shows single items
// from a bounded number of blocks.
package tiles

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/memo"
	"github.com/cairn-go/cairn/ndarray"
)

// Options say what tiles may cost. Zero fields mean defaults.
type Options struct {
	CacheBytes int64 // of tiles that are kept; 0 means 256 MiB
	Workers    int   // goroutines per pass; 0 means one per CPU
	MaxItems   int64 // of a plane that is gone over for exact tiles; 0 means 2^36
	Memory     int64 // of a pass that has several workers; 0 means 512 MiB
	// Take waits until a pass may use some bytes of memory, besides the cache; nil means at once.
	Take func(ctx context.Context, bytes int64) (release func(), err error)
}

// Tiles makes tiles and keeps them. All methods may be called concurrently.
type Tiles struct {
	cache    *memo.Cache[sized]
	workers  int
	maxItems int64
	memory   int64
	take     func(context.Context, int64) (func(), error)
	passes   chan struct{} // passes over large planes: one at a time, which takes all processors
	reads    chan struct{} // anything smaller
}

// smallBytes is what may be decoded for an exact tile at once.
const smallBytes = 256 << 20

// A sized value of the cache knows its memory.
type sized interface{ bytes() int64 }

// New returns tiles with an empty cache.
func New(o Options) *Tiles {
	kept := memo.Options[sized]{Most: cmp.Or(max(o.CacheBytes, 0), 256<<20), Size: sized.bytes}
	t := &Tiles{cache: memo.New(kept), workers: o.Workers, maxItems: 1 << 36,
		memory: 512 << 20, take: o.Take,
		passes: make(chan struct{}, 1), reads: make(chan struct{}, 4)}
	if o.MaxItems > 0 {
		t.maxItems = o.MaxItems
	}
	if o.Memory > 0 {
		t.memory = o.Memory
	}
	return t
}

// An Array is what tiles are made of.
type Array struct {
	ndarray.Source
	Key     string // names the array and its version
	Nearest bool   // cells are the items in their middles
	Release func() // is called once, when the array is needed no longer
}

// A Tile is a picture of a part of a plane.
type Tile struct {
	NY, NX  int
	Values  []float64 // rows first; NaN where there is no number
	Exact   bool      // otherwise the values are samples
	Samples int       // how many different ones
}

func (t *Tile) bytes() int64 { return int64(8*len(t.Values)) + 256 }

// Range returns the least and the largest finite value, or false if there is none.
func (t *Tile) Range() (low, high float64, ok bool) {
	for _, v := range t.Values {
		if v-v != 0 { // NaN and the infinities
			continue
		}
		if !ok {
			low = v
			high = v
			ok = true
		}
		low, high = min(low, v), max(high, v)
	}
	return low, high, ok
}

// Tile returns a tile of a plane of an array, exact or sampled. Where a sampled one would hardly be
// cheaper, it is exact all the same. Tile releases the array.
func (t *Tiles) Tile(ctx context.Context, a Array, p Plane, at Place, exact bool) (*Tile, error) {
	r, err := newReader(a.Source, p, t.workers)
	if err != nil {
		a.Release()
		return nil, err
	}

	if err := at.check(r.ny, r.nx); err != nil {
		a.Release()
		return nil, err
	}

	base := baseLevels(r.ny, r.nx)
	whole := !a.Nearest && at.Y >= base.Y && at.X >= base.X
	ny, nx := r.extent(at, whole)
	key := keyOf(a, p, at, whole)
	cost := r.cost(ny, nx)
	if a.Nearest {
		cost = r.cost(r.blockY*min(Size, cellsOf(ny, r.blockY)), r.blockX*min(Size, cellsOf(nx, r.blockX)))
	}

	if !exact && cost > smallBytes {
		if _, kept := t.cache.Kept(key); !kept {
			return t.sampled(ctx, a, r, at, keyOf(a, p, at, false)+"s")
		}
	}

	if ny > t.maxItems/nx && (!a.Nearest || cost/r.size > t.maxItems) {
		a.Release()
		return nil, fmt.Errorf("the means of %d × %d items, at most %d are computed: %w", ny, nx, t.maxItems, cairn.ErrLimit)
	}

	entry, err := t.cache.Get(ctx, key, "", a.Release, func(ctx context.Context) (sized, error) {
		slots := t.reads
		if cost > smallBytes {
			slots = t.passes
		}

		s := at
		if whole {
			s = Place{Levels: base}
		}

		cell := cells(ny, s.Y) * cells(nx, s.X)
		r.limitWorkers(cell, t.memory)
		leave, err := t.enter(ctx, slots, r.memory(cell))
		if err != nil {
			return nil, err
		}
		defer leave()

		if whole {
			s := newRaster(base, 0, 0, int(cells(r.ny, base.Y)), int(cells(r.nx, base.X)))
			return s, r.fill(ctx, s)
		}

		fine := at.raster(r.ny, r.nx)
		if a.Nearest {
			_, err = r.sample(ctx, fine, math.MaxInt64)
		} else {
			err = r.fill(ctx, fine)
		}
		return fine.exact(), err
	})
	if err != nil {
		return nil, err
	}

	if fine, ok := entry.Value.(*raster); ok {
		s := at.raster(r.ny, r.nx)
		s.addFiner(fine)
		return s.exact(), nil
	}
	return entry.Value.(*Tile), nil
}

// exact returns the tile of a raster to which all items were added that it stands for.
func (s *raster) exact() *Tile { return &Tile{NY: s.ny, NX: s.nx, Values: s.values(), Exact: true} }

// sampled returns a sampled tile.
func (t *Tiles) sampled(ctx context.Context, a Array, r *reader, at Place, key string) (*Tile, error) {
	entry, err := t.cache.Get(ctx, key, "", a.Release, func(ctx context.Context) (sized, error) {
		r.limitWorkers(Size*Size, t.memory)
		leave, err := t.enter(ctx, t.reads, r.memory(Size*Size))
		if err != nil {
			return nil, err
		}
		defer leave()

		s := at.raster(r.ny, r.nx)
		samples, err := r.sample(ctx, s, r.fewBlocks())
		return &Tile{NY: s.ny, NX: s.nx, Values: s.values(), Samples: samples}, err
	})
	if err != nil {
		return nil, err
	}
	return entry.Value.(*Tile), nil
}

// enter waits until fewer others than slots has room for read, and until the memory is there. leave
// makes room for the next one.
func (t *Tiles) enter(ctx context.Context, slots chan struct{}, bytes int64) (leave func(), err error) {
	select {
	case slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}

	if t.take == nil {
		return func() { <-slots }, nil
	}

	release, err := t.take(ctx, bytes)
	if err != nil {
		<-slots
		return nil, err
	}

	return func() {
		release()
		<-slots
	}, nil
}

// keyOf names a tile, or a plane.
func keyOf(a Array, p Plane, at Place, whole bool) string {
	fixed := slices.Clone(p.At)
	fixed[p.Y] = 0
	fixed[p.X] = 0
	var b strings.Builder
	fmt.Fprint(&b, a.Key, "\x00", p.Y, p.X, fixed, a.Nearest)
	if !whole {
		fmt.Fprint(&b, at)
	}
	return b.String()
}

// extent returns how many items of the plane are read for a tile.
func (r *reader) extent(at Place, whole bool) (ny, nx int64) {
	if whole {
		return r.ny, r.nx
	}
	edgeY := int64(Size) << at.Y
	edgeX := int64(Size) << at.X
	return min(edgeY, r.ny-at.TY*edgeY), min(edgeX, r.nx-at.TX*edgeX)
}
