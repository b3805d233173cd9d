package api

import (
	"context"
	"net/http"
	"strconv"
	"sync"

	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/internal/show/summary"
	"github.com/cairn-go/cairn/internal/show/viewing"
	"github.com/cairn-go/cairn/ndarray"
)

// A statistics is the answer of Stats.
type statistics struct {
	Shape ndarray.Shape `json:"shape"`
	DType string        `json:"dtype"`
	summary.Numbers
	Finite    *summary.Numbers   `json:"finite,omitempty"` // of finite items, if some are not
	Units     string             `json:"units,omitempty"`
	Histogram *summary.Histogram `json:"histogram,omitempty"`
}

// A statsCache keeps answers by version and selection, and lets few requests at a time compute.
type statsCache struct {
	mu       sync.Mutex
	computed map[string]*statistics
	slots    chan struct{}
}

const (
	mostStats  = 1000
	statsSlots = 2
	// statsBytes is what computing statistics holds besides the scratch of reading.
	statsBytes = 64 << 20
)

func newStatsCache() statsCache {
	return statsCache{computed: map[string]*statistics{}, slots: make(chan struct{}, statsSlots)}
}

// get returns what is kept under a key, or computes and keeps it.
func (c *statsCache) get(ctx context.Context, key string, compute func() (*statistics, error)) (*statistics, error) {
	if s := c.lookup(key); s != nil {
		return s, nil
	}

	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}

	if s := c.lookup(key); s != nil { // another request has computed it meanwhile
		return s, nil
	}

	s, err := compute()
	if err != nil {
		return nil, err
	}

	c.mu.Lock()
	defer c.mu.Unlock()

	if len(c.computed) >= mostStats {
		clear(c.computed)
	}

	c.computed[key] = s
	return s, nil
}

func (c *statsCache) lookup(key string) *statistics {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.computed[key]
}

// Stats answers with statistics of items.
func (a *API) Stats(w http.ResponseWriter, r *http.Request, path string) error {
	const mostBins = 4096
	q, err := query(r, "s", "field", "bins", "raw", "as")
	if err != nil {
		return err
	}

	bins, err := number(q, "bins", 0, 0, mostBins)
	if err != nil {
		return err
	}

	p, err := a.part(r.Context(), path, q)
	if err != nil {
		return err
	}
	defer p.release()

	key := p.from.Version + "-" + hash(p.selection, q.Get("field"), strconv.FormatInt(bins, 10), q.Get("raw"), q.Get("as"))
	if notModified(w, r, key) {
		return nil
	}

	s, err := a.stats.get(r.Context(), key, func() (*statistics, error) {
		ctx, done, err := p.from.Take(r.Context(), a.limits.Memory, statsBytes)
		if err != nil {
			return nil, err
		}
		defer done()
		return statisticsOf(ctx, p, int(bins))
	})
	if err != nil {
		return err
	}
	return writeJSON(w, r, s, "")
}

func statisticsOf(ctx context.Context, p *part, bins int) (*statistics, error) {
	src := ndarray.Source(p.View)
	if p.items == p.from.Bytes()/max(1, int64(p.from.DType().Size())) && p.selection == "" {
		src = p.from.Source // chunk by chunk, without looking into those of one value
	}
	if p.computed || !p.from.Meaning().Plain() || p.View.DType().String() != src.DType().String() {
		src = p.View
	}

	s := &statistics{Shape: p.View.Shape(), DType: p.View.DType().String(), Units: p.Units}
	all, err := compute.Summarize(ctx, src, nil)
	if err != nil {
		s.Numbers, err = summary.OfComplex(ctx, src, 0)
		return s, err
	}

	s.Numbers = summary.Of(all)
	if all.Inf > 0 {
		if src, all, err = finiteOf(ctx, src, s); err != nil {
			return nil, err
		}
	}

	if bins == 0 || all.N == all.NaN {
		return s, nil
	}

	h, err := summary.HistogramOf(ctx, src, bins, all)
	if err != nil {
		return s, ctx.Err() // there are items, such as times, of which there is none
	}

	s.Histogram = h
	return s, nil
}

// finiteOf adds statistics of the items that are finite, and returns these.
func finiteOf(ctx context.Context, src ndarray.Source, s *statistics) (ndarray.Source, compute.Summary, error) {
	src, err := viewing.Finite(src)
	if err != nil {
		return nil, compute.Summary{}, err
	}

	all, err := compute.Summarize(ctx, src, nil)
	if err != nil {
		return nil, all, err
	}

	n := summary.Of(all)
	n.Count = all.N - all.NaN
	n.NaN = 0
	s.Finite = &n
	return src, all, nil
}
