package joins

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/chunked"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// Few is how many inputs of a join stay open, and how many others a [Pool] has open at a time.
const Few = 8

// A Pool opens sources when their items are read, and keeps few of them open.
type Pool struct {
	mu     sync.Mutex
	recent []*late // those that are open, the last used one last
}

// An Opener opens a source; end closes it.
type Opener func(ctx context.Context) (src ndarray.Source, end func(), err error)

// Late returns a source that is opened when its items are read. It is like src, which open has
// returned and which the caller closes.
func (p *Pool) Late(name string, src ndarray.Source, open Opener) (ndarray.Source, error) {
	l := &late{pool: p, open: open, name: name, shape: src.Shape(), dtype: src.DType()}
	l.chunks, l.blocks = src.Grid()
	var err error
	l.labels, err = ndarray.LabelsOf(src)
	return l, err
}

// Close closes what is open.
func (p *Pool) Close() {
	for _, l := range p.recent {
		l.end()
	}
	p.recent = nil
}

// A late source is one of a pool.
type late struct {
	pool           *Pool
	open           Opener
	name           string
	shape          ndarray.Shape
	dtype          meta.DType
	chunks, blocks ndarray.Shape
	labels         ndarray.Labels

	src   ndarray.Source
	end   func()
	reads int // under way
}

func (l *late) Shape() ndarray.Shape { return slices.Clone(l.shape) }
func (l *late) DType() meta.DType    { return l.dtype }
func (l *late) Grid() (chunks, blocks ndarray.Shape) {
	return slices.Clone(l.chunks), slices.Clone(l.blocks)
}

// Labels returns those of the source.
func (l *late) Labels() (ndarray.Labels, error) { return l.labels, nil }

func (l *late) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	src, err := l.pool.use(ctx, l)
	if err != nil {
		return err
	}
	defer l.pool.release(l)
	return src.ReadBytes(ctx, dst, start, stop)
}

// StoredChunks returns the chunks of the source as they are stored, if it has such. The source is
// open from when a chunk has been found until it has been read.
func (l *late) StoredChunks(ctx context.Context) (*chunked.Stored, error) {
	stored, err := l.stored(ctx)
	if err != nil {
		return nil, err
	}
	defer l.pool.release(l)
	if stored == nil || stored.Find == nil {
		return stored, nil
	}

	late := *stored
	late.Find = func(ctx context.Context, start, stop []int64) (chunked.Place, error) {
		stored, err := l.stored(ctx)
		if err != nil {
			return chunked.Place{}, err
		}
		if stored == nil || stored.Find == nil || !stored.Equal(&late) {
			l.pool.release(l)
			return chunked.Place{}, nil
		}

		place, err := stored.Find(ctx, start, stop)
		if err != nil || place.Source == nil {
			l.pool.release(l)
			return place, err
		}
		done := place.Close
		place.Close = func() error {
			defer l.pool.release(l)
			if done == nil {
				return nil
			}
			return done()
		}
		return place, nil
	}
	return &late, nil
}

// stored opens the source, which the caller releases unless there is an error, and returns its
// chunks.
func (l *late) stored(ctx context.Context) (*chunked.Stored, error) {
	src, err := l.pool.use(ctx, l)
	if err != nil {
		return nil, err
	}
	stored, err := ndarray.ViewOf(src).Inside().StoredChunks(ctx)
	if err != nil {
		l.pool.release(l)
	}
	return stored, err
}

// use opens a source if it is closed, and closes the one that has not been used for longest.
func (p *Pool) use(ctx context.Context, l *late) (ndarray.Source, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.recent, l); i >= 0 {
		p.recent = append(slices.Delete(p.recent, i, i+1), l)
		l.reads++
		return l.src, nil
	}

	idle := slices.IndexFunc(p.recent, func(l *late) bool { return l.reads == 0 })
	if len(p.recent) >= Few && idle >= 0 {
		p.recent[idle].end()
		p.recent = slices.Delete(p.recent, idle, idle+1)
	}

	src, end, err := l.open(ctx)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(src.Shape(), l.shape) || !src.DType().Equal(l.dtype) {
		end()
		return nil, fmt.Errorf("%s has changed meanwhile: %w", l.name, cairn.ErrConflict)
	}

	l.src = src
	l.end = end
	l.reads = 1
	p.recent = append(p.recent, l)
	return src, nil
}

func (p *Pool) release(l *late) {
	p.mu.Lock()
	l.reads--
	p.mu.Unlock()
}
