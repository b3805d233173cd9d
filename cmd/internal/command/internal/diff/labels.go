package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/labels"
	"github.com/cairn-go/cairn/internal/derived"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A Change is something about two arrays or groups that differs. A or B is nil if only the other
// has it.
type Change struct {
	Name string `json:"name"`
	A    any    `json:"a"`
	B    any    `json:"b"`
}

// Labels compares the names of dimensions, and the attributes, of two sources.
func Labels(a, b ndarray.Source) ([]Change, error) {
	x, err := ndarray.LabelsOf(a)
	if err != nil {
		return nil, err
	}
	y, err := ndarray.LabelsOf(b)
	if err != nil {
		return nil, err
	}
	var changes []Change
	if !slices.Equal(x.Dims, y.Dims) {
		changes = append(changes, Change{"dimensions", namesOf(x.Dims), namesOf(y.Dims)})
	}
	return append(changes, Attributes(marking(x.Attributes), marking(y.Attributes))...), nil
}

// marking leaves out what changes nothing, and what some formats cannot hold.
func marking(attributes meta.Map) meta.Map {
	return cf.WithoutNaN(attributes, cf.FillValue, cf.MissingValue)
}

func namesOf(dims []string) any {
	if dims == nil {
		return nil
	}
	return strings.Join(dims, ", ")
}

// Attributes compares attributes, whatever their order.
func Attributes(a, b meta.Map) []Change {
	var changes []Change
	for _, p := range a {
		other, ok := b.Get(fmt.Sprint(p.Key))
		switch {
		case !ok:
			changes = append(changes, Change{"attribute " + fmt.Sprint(p.Key), present(p.Value), nil})
		case !same(p.Value, other):
			changes = append(changes, Change{"attribute " + fmt.Sprint(p.Key), present(p.Value), present(other)})
		}
	}

	for _, p := range b {
		if _, ok := a.Get(fmt.Sprint(p.Key)); !ok {
			changes = append(changes, Change{"attribute " + fmt.Sprint(p.Key), nil, present(p.Value)})
		}
	}
	return changes
}

// present distinguishes a value that is null from a missing one.
func present(v any) any {
	if v == nil {
		return json.RawMessage("null")
	}
	return v
}

// Attribute returns the name of the attribute that differs, or "".
func (c Change) Attribute() string {
	name, ok := strings.CutPrefix(c.Name, "attribute ")
	if !ok {
		return ""
	}
	return name
}

// same reports whether two values of attributes are the same, in formats that hold different types
// of numbers: 1 is 1.0, a list of one is what it holds, and a NaN equals a NaN.
func same(a, b any) bool {
	a, b = alone(a), alone(b)
	if x, ok := cf.NumberOf(a); ok {
		y, ok := cf.NumberOf(b)
		return ok && x.Equal(y)
	}

	switch x := a.(type) {
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, same)
	case meta.Map:
		y, ok := b.(meta.Map)
		return ok && len(x) == len(y) && !slices.ContainsFunc(x, func(p meta.Pair) bool {
			other, ok := y.Get(fmt.Sprint(p.Key))
			return !ok || !same(p.Value, other)
		})
	}
	x, errA := meta.Pack(a)
	y, errB := meta.Pack(b)
	return errA == nil && errB == nil && bytes.Equal(x, y)
}

// alone returns what a list of one holds, and tuples as lists.
func alone(v any) any {
	if t, ok := v.(meta.Tuple); ok {
		v = []any(t)
	}
	if list, ok := v.([]any); ok && len(list) == 1 {
		return alone(list[0])
	}
	return v
}

// Layers compares the metalayers of two frames, except those that hold the shape and the labels of
// arrays, and those that no copy has.
func Layers(a, b *frame.Snapshot) ([]Change, error) {
	x, err := layersOf(a)
	if err != nil {
		return nil, err
	}
	y, err := layersOf(b)
	if err != nil {
		return nil, err
	}

	var changes []Change
	for _, l := range x {
		i := slices.IndexFunc(y, func(other meta.Layer) bool { return other.Name == l.Name })
		switch {
		case i < 0:
			changes = append(changes, Change{"metalayer " + l.Name, sizeOf(l), nil})
		case !bytes.Equal(l.Content, y[i].Content):
			changes = append(changes, Change{"metalayer " + l.Name, sizeOf(l), sizeOf(y[i])})
		}
	}

	for _, l := range y {
		if !slices.ContainsFunc(x, func(other meta.Layer) bool { return other.Name == l.Name }) {
			changes = append(changes, Change{"metalayer " + l.Name, nil, sizeOf(l)})
		}
	}
	return changes, nil
}

func layersOf(f *frame.Snapshot) ([]meta.Layer, error) {
	long, err := f.VLLayers()
	if err != nil {
		return nil, err
	}
	fixed := slices.DeleteFunc(f.Layers(), func(l meta.Layer) bool {
		return l.Name == meta.LayerB2ND || l.Name == meta.LayerCaterva
	})
	long = slices.DeleteFunc(long, func(l meta.Layer) bool {
		_, err := meta.Unpack(l.Content)
		return labels.Is(l.Name) && err == nil || derived.IsPlaced(l.Name)
	})
	return append(fixed, long...), nil
}

func sizeOf(l meta.Layer) string { return fmt.Sprintf("%d bytes", len(l.Content)) }
