package inside

import "sync"

// Once returns a budget that takes each chunk from another one the first time, and is free for it
// later.
func Once(r Ration) Ration { return &once{of: r, taken: map[int]struct{}{}} }

type once struct {
	of Ration

	mu    sync.Mutex
	taken map[int]struct{}
}

func (o *once) Take(i, size int) error {
	o.mu.Lock()
	_, again := o.taken[i]
	o.taken[i] = struct{}{}
	o.mu.Unlock()

	if again {
		return nil
	}
	return o.of.Take(i, size)
}
