package cairnbeam

import (
	"errors"
	"io"
	"slices"
)

// mostOpen is how many things a recent keeps open.
const mostOpen = 16

// recent keeps open what was used last.
type recent[T io.Closer] struct {
	byName map[string]T
	order  []string // of their use, the latest one last
}

// get returns what has a name. If it is not open, open opens it, and what was not used for long is
// closed.
func (r *recent[T]) get(name string, open func() (T, error)) (T, error) {
	if known, ok := r.byName[name]; ok {
		r.order = append(slices.DeleteFunc(r.order, func(n string) bool { return n == name }), name)
		return known, nil
	}
	for len(r.order) >= mostOpen {
		if err := r.drop(r.order[0]); err != nil {
			var none T
			return none, err
		}
	}
	opened, err := open()
	if err != nil {
		return opened, err
	}
	if r.byName == nil {
		r.byName = map[string]T{}
	}
	r.byName[name], r.order = opened, append(r.order, name)
	return opened, nil
}

// drop closes what has a name.
func (r *recent[T]) drop(name string) error {
	known := r.byName[name]
	delete(r.byName, name)
	r.order = slices.DeleteFunc(r.order, func(n string) bool { return n == name })
	return known.Close()
}

// Close closes all.
func (r *recent[T]) Close() error {
	var errs []error
	for len(r.order) > 0 {
		errs = append(errs, r.drop(r.order[0]))
	}
	return errors.Join(errs...)
}
