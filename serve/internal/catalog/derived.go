package catalog

import "sync"

// A derived has values that were computed of an open array.
type derived struct {
	mu     sync.Mutex
	values map[string]any
}

// Derived returns the value of a name that was computed of the array, and computes it if there is
// none yet. It is kept as long as the array is open, which is longer than until it is released, and
// shared by all who use it.
func (a *Array) Derived(name string, compute func() (any, error)) (any, error) {
	if a.derived == nil {
		return compute()
	}

	a.derived.mu.Lock()
	defer a.derived.mu.Unlock()

	if v, ok := a.derived.values[name]; ok {
		return v, nil
	}

	v, err := compute()
	if err != nil {
		return v, err
	}

	if a.derived.values == nil {
		a.derived.values = map[string]any{}
	}

	a.derived.values[name] = v
	return v, nil
}
