package limits

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A client that does not read its answers keeps the memory of their requests, and so does one that
// reads slowly. Such requests are set aside: what they have no longer counts as the client's, so
// that its other requests go on as if they were not there. All that are set aside have a share of
// the memory; where it is used up, those end whose clients have taken nothing for long.

// A Client is where requests come from: those of one share a quota of memory.
type Client struct {
	own   *Quota
	aside []*Request // in the order in which they were set aside; protected by Slow
}

// NewClient returns a client of such a quota.
func NewClient(own *Quota) *Client { return &Client{own: own} }

// A Request is a request of a client, and the memory that it has.
type Request struct {
	client *Client
	end    func()       // ends it while it writes
	begun  atomic.Int64 // when the write in progress began, or 0
	ended  bool         // protected by Slow

	mu    sync.Mutex
	parts []*taken
}

// taken is memory that a request has.
type taken struct {
	bytes int64
	slow  *Slow // the share that has it, or nil for the client's own quota
}

// NewRequest returns a request. end is called when a write of its answer is to fail.
func (c *Client) NewRequest(end func()) *Request { return &Request{client: c, end: end} }

type requestKey struct{}

// With returns a context in which the request takes of its client's quota all that it takes of
// another one.
func (r *Request) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

// Writes notes that a write of the answer begins, or that it has ended.
func (r *Request) Writes(begins bool) {
	now := int64(0)
	if begins {
		now = time.Now().UnixNano()
	}
	r.begun.Store(now)
}

// take waits for memory of the client.
func (r *Request) take(ctx context.Context, bytes int64) (release func(), err error) {
	own := r.client.own
	bytes = min(bytes, own.size)
	if _, err := own.take(ctx, bytes); err != nil {
		return nil, err
	}

	part := &taken{bytes: bytes}
	r.mu.Lock()
	r.parts = append(r.parts, part)
	r.mu.Unlock()

	return sync.OnceFunc(func() {
		r.mu.Lock()
		r.parts = slices.DeleteFunc(r.parts, func(p *taken) bool { return p == part })
		slow := part.slow
		r.mu.Unlock()

		if slow != nil {
			slow.give(bytes)
			return
		}
		own.give(bytes)
	}), nil
}

// move lets a share have what the client's quota had, and returns how much. It reports false if
// that is more than the room, and moves nothing.
func (r *Request) move(to *Slow, room int64) (moved int64, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.parts {
		if p.slow == nil {
			moved += p.bytes
		}
	}
	if moved > room {
		return 0, false
	}

	for _, p := range r.parts {
		p.slow = to
	}
	r.client.own.give(moved)
	return moved, true
}

// Slow is the share of the requests that were set aside. The methods may be called by several
// goroutines.
type Slow struct {
	size int64
	most int // requests of one client

	mu      sync.Mutex
	used    int64
	clients map[*Client]bool // those with requests that were set aside
}

// NewSlow returns a share of some bytes, and of so many requests of each client.
func NewSlow(bytes int64, most int) *Slow {
	return &Slow{size: bytes, most: most, clients: map[*Client]bool{}}
}

// stuck is how long a client takes nothing before its request may be ended for the sake of others.
const stuck = 500 * time.Millisecond

// SetAside sets aside a request that writes, once. It reports false if there is no room; then it
// ends another request, if one is stuck, and the caller tries again later.
func (s *Slow) SetAside(r *Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()

	c := r.client
	if len(c.aside) >= s.most {
		c.endOne()
		return false
	}

	moved, ok := r.move(s, s.size-s.used)
	if !ok {
		s.largest().endOne()
		return false
	}

	s.used += moved
	s.clients[c] = true
	c.aside = append(c.aside, r)
	return true
}

// largest returns the client with the most requests that were set aside, or one without any.
func (s *Slow) largest() *Client {
	most := &Client{}
	for c := range s.clients {
		if len(c.aside) > len(most.aside) {
			most = c
		}
	}
	return most
}

// endOne ends the request that has been stuck for longest. One between two writes is not stuck.
func (c *Client) endOne() {
	var oldest *Request
	since := time.Now().Add(-stuck).UnixNano()
	for _, r := range c.aside {
		begun := r.begun.Load()
		if begun != 0 && begun <= since && !r.ended {
			oldest = r
			since = begun
		}
	}
	if oldest != nil {
		oldest.ended = true
		oldest.end()
	}
}

func (s *Slow) give(bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used -= bytes
}

// Leave notes that a request which was set aside is over.
func (s *Slow) Leave(r *Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := r.client
	c.aside = slices.DeleteFunc(c.aside, func(other *Request) bool { return other == r })
	if len(c.aside) == 0 {
		delete(s.clients, c)
	}
}

// beside reports whether requests of the client of a request are set aside.
func (s *Slow) beside(r *Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(r.client.aside) > 0
}

// Piece returns how much of an answer a request should read and write at a time, usually most. A
// client that was slow gets small pieces, since it may keep one for long.
func (s *Slow) Piece(ctx context.Context, most int64) int64 {
	const small = 1 << 20
	if r, ok := ctx.Value(requestKey{}).(*Request); ok && s != nil && s.beside(r) {
		return min(most, small)
	}
	return most
}
