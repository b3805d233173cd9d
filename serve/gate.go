package serve

import (
	"context"
	"net/http"
	"sync"

	"github.com/cairn-go/cairn/serve/internal/api"
	"github.com/cairn-go/cairn/serve/internal/limits"
)

// A gate bounds the requests in progress: of all together, and of each client with those that wait.
// A client gets a quota of memory of its own, so that it cannot take that of all others.
type gate struct {
	slots     chan struct{}
	perClient int
	quota     func() *limits.Quota

	mu      sync.Mutex
	clients map[string]*client
}

// A client is where requests in progress come from.
type client struct {
	requests int
	memory   *limits.Quota
}

func (g *gate) init(all, perClient int, quota func() *limits.Quota) {
	g.slots = make(chan struct{}, all)
	g.perClient = perClient
	g.quota = quota
	g.clients = map[string]*client{}
}

// enter waits for a place. The caller calls done when the request is answered.
func (g *gate) enter(ctx context.Context, name string) (with context.Context, done func(), err error) {
	g.mu.Lock()
	c := g.clients[name]
	if c == nil {
		c = &client{memory: g.quota()}
		g.clients[name] = c
	}

	if c.requests >= g.perClient {
		g.mu.Unlock()
		return nil, nil, api.Failed(http.StatusTooManyRequests, "too many requests of this client at a time")
	}

	c.requests++
	g.mu.Unlock()

	select {
	case g.slots <- struct{}{}:
		return limits.WithClient(ctx, c.memory), func() {
			<-g.slots
			g.leave(name, c)
		}, nil
	case <-ctx.Done():
		g.leave(name, c)
		return nil, nil, ctx.Err()
	}
}

func (g *gate) leave(name string, c *client) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c.requests--; c.requests == 0 {
		delete(g.clients, name)
	}
}
