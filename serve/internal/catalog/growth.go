package catalog

import (
	"slices"
	"sync"
	"time"

	"github.com/cairn-go/cairn/ndarray"
)

// growthAge is how long an array counts as growing after it was seen to have grown.
const growthAge = 10 * time.Minute

// A growth knows the shapes that arrays had when they were last asked for.
type growth struct {
	mu   sync.Mutex
	seen map[string]observation
}

type observation struct {
	shape ndarray.Shape
	grown time.Time // when it was first seen in a larger shape than before; zero for never
}

// Growing notes the shape of an array. It reports whether the array has grown in the last ten
// minutes, as far as the catalog was told.
func (c *Catalog) Growing(a *Array) bool {
	g := &c.growth
	shape := a.Shape()
	g.mu.Lock()
	defer g.mu.Unlock()

	now := observation{shape: shape}
	if old, ok := g.seen[a.Path]; ok {
		if now.grown = old.grown; larger(shape, old.shape) {
			now.grown = time.Now()
		}
	}

	if g.seen == nil || len(g.seen) >= maxEntries {
		g.seen = map[string]observation{}
	}

	g.seen[a.Path] = now
	return !now.grown.IsZero() && time.Since(now.grown) < growthAge
}

// larger reports whether a shape has more items along some dimension than another, and fewer along
// none.
func larger(shape, than ndarray.Shape) bool {
	if len(shape) != len(than) || slices.Equal(shape, than) {
		return false
	}
	for i, n := range shape {
		if n < than[i] {
			return false
		}
	}
	return true
}
