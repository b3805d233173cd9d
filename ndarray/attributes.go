package ndarray

import (
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf/labels"
	"github.com/cairn-go/cairn/meta"
)

// allLabels is Labels.
func (a *array) allLabels() (Labels, error) {
	values, err := a.labelLayers()
	if err != nil {
		return Labels{}, err
	}
	dims, _ := values.Get(labels.Dims)
	return Labels{Dims: labels.DimsOf(dims, len(a.shape())), Attributes: labels.OfArray().Gather(values)}, nil
}

// changeAttribute applies a change of an attribute, given the metalayers that have labels.
func (a *array) changeAttribute(name string, change func(layers meta.Map) error) (err error) {
	defer a.noteFailure(&err)
	if err := a.changeable(); err != nil {
		return err
	}

	// Attributes that share a metalayer must not be changed at the same time.
	a.writeMu.Lock()
	defer a.writeMu.Unlock()

	layers, err := a.labelLayers()
	if err != nil {
		return err
	}
	if err := change(layers); err != nil {
		return a.inArray(fmt.Errorf("attribute %q: %w", name, err))
	}

	// Encoders that are made from now on know which items are missing.
	a.forgetAttributes()
	return nil
}

// Labels returns the labels, staged ones included. Attributes are also what other programs keep in
// metalayers of variable length as MessagePack, unless the name begins with "_" or "blosc2".
func (u *Untyped) Labels() (Labels, error) { return u.self().allLabels() }

// SetLabels stages labels in place of those that the array has. Values are those that [meta.Pack]
// accepts. Items that _FillValue or missing_value declare as missing survive lossy codecs and
// filters if they are written later.
func (u *Untyped) SetLabels(l Labels) error { return u.self().setLabels(l) }

// setLabels is SetLabels.
func (a *array) setLabels(l Labels) (err error) {
	defer a.noteFailure(&err)
	if l.Dims != nil && len(l.Dims) != len(a.shape()) {
		return a.inArray(fmt.Errorf("%d names for %d dimensions: %w", len(l.Dims), len(a.shape()), cairn.ErrBounds))
	}

	layers := labels.OfArray().Spread(l.Attributes)
	if l.Dims != nil {
		layers = append(layers, meta.Pair{Key: labels.Dims, Value: labels.Names(l.Dims)})
	}

	// All values are packed before anything changes, since one that cannot be is an error.
	packed := make([][]byte, len(layers))
	for i, p := range layers {
		packed[i], err = meta.Pack(p.Value)
		if err != nil {
			return a.inArray(fmt.Errorf("attribute %q: %w", p.Key, err))
		}
	}

	old, err := a.labelLayers()
	if err != nil {
		return err
	}
	for _, p := range old {
		if err := a.frame.DeleteVL(p.Key.(string)); err != nil {
			return a.inArray(err)
		}
	}
	for i, p := range layers {
		if err := a.frame.SetVL(p.Key.(string), packed[i]); err != nil {
			return a.inArray(err)
		}
	}

	// Encoders that are made from now on know which items are missing.
	a.forgetAttributes()
	return nil
}

// SetAttribute stages an attribute, in place of the one of that name if there is one. Its value is
// anything that [meta.Pack] accepts: a number, a text, a list such as []float64, a map. It is among
// those of [Untyped.Labels], and in the vlmeta of python-blosc2: under its name, or, if that begins
// with "_" or "blosc2" or there are ten others already, in the map vlmeta["_attributes"].
func (u *Untyped) SetAttribute(name string, value any) error {
	a := u.self()
	return a.changeAttribute(name, func(layers meta.Map) error {
		if name == "" || name == labels.Dims || name == labels.Rest {
			return fmt.Errorf("this is no name of an attribute: %w", cairn.ErrInvalid)
		}

		changed := labels.OfArray().Put(layers, name, value)
		raw, err := meta.Pack(changed.Value)
		if err != nil {
			return err
		}
		return a.frame.SetVL(changed.Key.(string), raw)
	})
}

// DeleteAttribute stages the removal of an attribute. It fails with [cairn.ErrNotFound] if there is
// none of that name.
func (u *Untyped) DeleteAttribute(name string) error {
	a := u.self()
	return a.changeAttribute(name, func(layers meta.Map) error {
		layer, rest, ok := labels.OfArray().Drop(layers, name)
		switch {
		case !ok:
			return cairn.ErrNotFound
		case len(rest) == 0:
			return a.frame.DeleteVL(layer)
		}

		raw, err := meta.Pack(rest)
		if err != nil {
			return err
		}
		return a.frame.SetVL(layer, raw)
	})
}

// forgetAttributes makes encoders know, from now on, what the attributes of the array say.
func (a *array) forgetAttributes() {
	a.pool.clear()
	if r := a.rounder; r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.made = nil
	}
}
