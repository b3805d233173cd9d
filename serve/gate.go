package serve

import (
	"context"
	"net/http"
	"sync"

	"github.com/cairn-go/cairn/serve/internal/api"
	"github.com/cairn-go/cairn/serve/internal/limits"
)

// A gate bounds the requests in progress: of all together, and of each client with those that wait.
// A client gets a quota of memory of its own, so that it cannot take that of all others. Requests
// whose clients read slowly leave the gate before they end, and have bounds of their own.
type gate struct {
	slots     chan struct{}
	perClient int
	quota     func() *limits.Quota
	slow      *limits.Slow

	mu      sync.Mutex
	clients map[string]*client
}

// A client is where requests in progress come from.
type client struct {
	requests int // that have not left the gate
	all      int
	memory   *limits.Client
}

func (g *gate) init(all, perClient int, quota func() *limits.Quota, slow *limits.Slow) {
	g.slots = make(chan struct{}, all)
	g.perClient = perClient
	g.quota = quota
	g.slow = slow
	g.clients = map[string]*client{}
}

// A visit is a request that has passed the gate.
type visit struct {
	*limits.Request
	gate  *gate
	name  string
	from  *client
	mu    sync.Mutex
	aside bool // it has left the gate
	done  bool
}

// enter waits for a place. end is called when a write of the answer is to fail. The caller calls
// finish when the request is answered.
func (g *gate) enter(ctx context.Context, name string, end func()) (*visit, error) {
	g.mu.Lock()
	c := g.clients[name]
	if c == nil {
		c = &client{memory: limits.NewClient(g.quota())}
		g.clients[name] = c
	}

	if c.requests >= g.perClient {
		g.mu.Unlock()
		return nil, api.Failed(http.StatusTooManyRequests, "too many requests of this client at a time")
	}

	c.requests++
	c.all++
	g.mu.Unlock()

	v := &visit{Request: c.memory.NewRequest(end), gate: g, name: name, from: c}
	select {
	case g.slots <- struct{}{}:
		return v, nil
	case <-ctx.Done():
		g.mu.Lock()
		c.requests--
		g.mu.Unlock()
		g.leave(name, c)
		return nil, ctx.Err()
	}
}

// setAside lets a request leave the gate because its client is slow. It reports false if there is
// no room for it now.
func (v *visit) setAside() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.aside || v.done {
		return true
	}
	if !v.gate.slow.SetAside(v.Request) {
		return false
	}

	v.aside = true
	v.pass()
	return true
}

// pass frees the place of a request.
func (v *visit) pass() {
	<-v.gate.slots
	v.gate.mu.Lock()
	v.from.requests--
	v.gate.mu.Unlock()
}

// finish ends a visit.
func (v *visit) finish() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.done = true
	if v.aside {
		v.gate.slow.Leave(v.Request)
	} else {
		v.pass()
	}
	v.gate.leave(v.name, v.from)
}

func (g *gate) leave(name string, c *client) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c.all--; c.all == 0 {
		delete(g.clients, name)
	}
}
