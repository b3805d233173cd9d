package catalog

import "sync"

// kept are values that belong to an open array.
type kept struct {
	mu     sync.Mutex
	values map[string]any
}

// Keep returns the value of a name that belongs to the array, and makes it if there is none yet. It
// is kept as long as the array is open, which is longer than until it is released, and shared by
// all who use it.
func (a *Array) Keep(name string, make func() (any, error)) (any, error) {
	if a.kept == nil {
		return make()
	}

	a.kept.mu.Lock()
	defer a.kept.mu.Unlock()

	if v, ok := a.kept.values[name]; ok {
		return v, nil
	}

	v, err := make()
	if err != nil {
		return v, err
	}

	if a.kept.values == nil {
		a.kept.values = map[string]any{}
	}

	a.kept.values[name] = v
	return v, nil
}
