// Package readahead fetches the bytes that jobs need before these begin, for files that are read by
// requests over a network. Requests then arrive while earlier bytes are decoded, and jobs whose
// bytes lie near each other share a request.
package readahead

import (
	"context"
	"iter"
	"sort"
	"sync"

	"github.com/cairn-go/cairn/internal/parallel"
)

// The limits of a Group.
const (
	Gap  = 64 << 10 // unneeded bytes between extents that are fetched together
	Most = 8 << 20  // bytes that are fetched together, unless one job needs more
)

// Memory is how many bytes are fetched and not used yet, at most.
const Memory = 64 << 20

// A Group is consecutive jobs [First, Last) whose bytes [Off, End) are fetched together. It is
// empty for a job that reads for itself.
type Group struct {
	First, Last int
	Off, End    int64
}

// Groups groups jobs whose extents are given in the order of the jobs: an offset and a number of
// bytes, which is 0 if a job needs none, and negative if it reads for itself.
func Groups(extents iter.Seq2[int64, int64]) []Group {
	var groups []Group
	open := false // whether the last group may grow
	jobs := 0

	for off, n := range extents {
		jobs++
		switch {
		case open && n >= 0 && groups[len(groups)-1].grow(off, n):
		case n < 0 && jobs > 1 && !open: // jobs that read for themselves need not be told apart
			groups[len(groups)-1].Last++
		default:
			groups = append(groups, Group{jobs - 1, jobs, off, off + max(0, n)})
			open = n >= 0
		}
	}
	return groups
}

// grow adds the extent of the next job, and reports false if that is too far away.
func (g *Group) grow(off, n int64) bool {
	switch {
	case n == 0:
	case g.End == g.Off:
		g.Off = off
		g.End = off + n
	case off < g.End || off-g.End > Gap || off+n-g.Off > Most:
		return false
	default:
		g.End = off + n
	}
	g.Last++
	return true
}

// A Load fetches the bytes of a group, and keeps them until release is called.
type Load func(ctx context.Context, g Group) (release func(), err error)

// A Reader loads groups in their order. Jobs must be begun in such an order that those before the
// lowest one that has not ended have all been begun, as loops of package parallel do. The methods
// of a nil Reader do nothing.
type Reader struct {
	load     Load
	groups   []Group
	requests int
	memory   int64
	ctx      context.Context
	cancel   context.CancelFunc

	mu     sync.Mutex
	moved  sync.Cond       // next has grown
	next   int             // the first group that is not loading yet
	flying int             // groups that are loading
	held   int64           // bytes of groups that are loading or loaded
	loads  map[int]*loaded // by group
	closed bool
}

// A loaded group is loading, or its jobs have not all ended.
type loaded struct {
	wait    func() // until it is loaded
	done    bool
	release func()
	err     error
	left    int // jobs that have not ended
}

// New starts loading groups, in as many loads at the same time as requests allows, and as far ahead
// as memory allows. It returns nil if there is nothing to load. Close must be called.
func New(ctx context.Context, groups []Group, requests int, memory int64, load Load) *Reader {
	any := false
	for _, g := range groups {
		any = any || g.End > g.Off
	}
	if !any {
		return nil
	}

	r := &Reader{load: load, groups: groups, requests: max(1, requests), memory: memory, loads: map[int]*loaded{}}
	r.ctx, r.cancel = context.WithCancel(ctx)
	r.moved.L = &r.mu

	r.mu.Lock()
	defer r.mu.Unlock()
	r.advance()
	return r
}

// advance starts the loads that the limits allow. A group that is larger than the memory is loaded
// alone.
func (r *Reader) advance() {
	for ; r.next < len(r.groups) && !r.closed; r.next++ {
		g := r.groups[r.next]
		size := g.End - g.Off
		if size == 0 {
			continue
		}
		if r.flying == r.requests || r.held > 0 && r.held+size > r.memory {
			return
		}

		l := &loaded{left: g.Last - g.First}
		r.loads[r.next] = l
		r.flying++
		r.held += size

		l.wait = parallel.Start(func() {
			done := false
			defer func() {
				// Record that a load has ended. It did not return if it panicked.
				r.mu.Lock()
				defer r.mu.Unlock()

				r.flying--
				l.done = true
				if !done || l.release == nil {
					l.release = func() {}
				}
				if l.left == 0 && !r.closed {
					r.drop(g, l)
				}

				r.advance()
				r.moved.Broadcast()
			}()
			l.release, l.err = r.load(r.ctx, g)
			done = true
		})
	}
}

// drop releases the bytes of a loaded group that no job needs any more.
func (r *Reader) drop(g Group, l *loaded) {
	delete(r.loads, r.group(g.First))
	l.release()
	r.held -= g.End - g.Off
}

// group returns the index of the group of a job.
func (r *Reader) group(job int) int {
	return sort.Search(len(r.groups), func(i int) bool { return r.groups[i].Last > job })
}

// Begin waits until the bytes of a job are loaded, and returns the error of loading them. End must
// be called after it, also after an error.
func (r *Reader) Begin(job int) error {
	if r == nil {
		return nil
	}

	i := r.group(job)
	if r.groups[i].End == r.groups[i].Off {
		return nil
	}

	r.mu.Lock()
	for r.loads[i] == nil && !r.closed {
		r.moved.Wait()
	}
	l := r.loads[i]
	r.mu.Unlock()

	if l == nil {
		return context.Canceled
	}
	l.wait()
	return l.err
}

// End says that a job no longer needs its bytes.
func (r *Reader) End(job int) {
	if r == nil {
		return
	}

	i := r.group(job)
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.loads[i]
	if l == nil {
		return
	}

	if l.left--; l.left > 0 {
		return
	}
	if l.done {
		r.drop(r.groups[i], l)
	}

	r.advance()
	r.moved.Broadcast()
}

// Close ends all loads, and waits for them. No job may begin any more.
func (r *Reader) Close() {
	if r == nil {
		return
	}

	r.cancel()
	r.mu.Lock()
	r.closed = true
	var left []*loaded
	for _, l := range r.loads {
		left = append(left, l)
	}
	r.moved.Broadcast()
	r.mu.Unlock()

	for _, l := range left {
		l.wait()
		l.release()
	}
}
