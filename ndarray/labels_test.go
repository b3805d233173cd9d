package ndarray

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
)

// labelled is a source of another package with labels.
type labelled struct {
	Source
	l Labels
}

func (s labelled) Labels() (Labels, error) { return s.l, nil }

func manyAttributes() meta.Map {
	m := meta.Map{{Key: "_FillValue", Value: 0.5}, {Key: "units", Value: "K"}}
	for i := range 20 {
		m = append(m, meta.Pair{Key: fmt.Sprintf("attribute %d of quite a long name, for a metalayer", i),
			Value: int64(i)})
	}
	return append(m, meta.Pair{Key: "list", Value: []any{int64(1), "two", nil, meta.Map{{Key: "a", Value: true}}}})
}

// sameLabels compares labels, whose attributes may have another order.
func sameLabels(a, b Labels) bool {
	if !slices.Equal(a.Dims, b.Dims) || len(a.Attributes) != len(b.Attributes) {
		return false
	}
	for _, p := range a.Attributes {
		if v, ok := b.Attributes.Get(p.Key.(string)); !ok || !reflect.DeepEqual(v, p.Value) {
			return false
		}
	}
	return true
}

func TestLabels(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.b2nd")
	a, err := Create[int32](path, Shape{3, 4}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if l, err := a.Labels(); err != nil || l.Dims != nil || l.Attributes != nil {
		t.Errorf("labels of a new array: %v %v", l, err)
	}
	for _, l := range []Labels{
		{Dims: []string{"x", ""}, Attributes: meta.Map{{Key: "units", Value: "m"}}},
		{Dims: []string{"time", "x"}, Attributes: manyAttributes()},
		{Attributes: meta.Map{{Key: "a", Value: int64(1)}}},
		{},
		{Dims: []string{"time", "x"}, Attributes: manyAttributes()},
	} {
		if err := a.SetLabels(l); err != nil {
			t.Fatal(err)
		}
		if got, err := a.Labels(); err != nil || !sameLabels(got, l) {
			t.Errorf("labels %v, want %v: %v", got, l, err)
		}
	}
	if err := a.SetLabels(Labels{Dims: []string{"x"}}); !errors.Is(err, cairn.ErrBounds) {
		t.Errorf("one name for two dimensions: %v", err)
	}
	check(t, a.Frame().SetVL("raw", []byte{0xc1}), a.Commit(t.Context()), a.Close())
	u, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	want := Labels{Dims: []string{"time", "x"}, Attributes: manyAttributes()}
	if got, err := u.Labels(); err != nil || !sameLabels(got, want) {
		t.Errorf("labels %v, want %v: %v", got, want, err)
	}
	checkLabelsOfViews(t, u, want)
}

// checkLabelsOfViews copies views of an array with the dimensions time and x, and of a source with
// its labels.
func checkLabelsOfViews(t *testing.T, u *Untyped, want Labels) {
	other := labelled{Items(make([]int8, 12), Shape{3, 4}), want}
	for name, c := range map[string]struct {
		of   func(v UntypedView) UntypedView
		dims []string
	}{
		"whole":    {func(v UntypedView) UntypedView { return v }, []string{"time", "x"}},
		"sliced":   {func(v UntypedView) UntypedView { return v.Slice(Range(1, 2)) }, []string{"time", "x"}},
		"row":      {func(v UntypedView) UntypedView { return v.Slice(Index(1)) }, []string{"x"}},
		"item":     {func(v UntypedView) UntypedView { return v.Slice(Index(1), Index(0)) }, nil},
		"turned":   {func(v UntypedView) UntypedView { return v.Transpose() }, []string{"x", "time"}},
		"expanded": {func(v UntypedView) UntypedView { return v.ExpandDims(1) }, []string{"time", "", "x"}},
		"joined":   {func(v UntypedView) UntypedView { return Concat(0, v, v) }, []string{"time", "x"}},
		"broadcast": {func(v UntypedView) UntypedView { return v.Broadcast(Shape{2, 3, 4}) }, []string{"",
			"time", "x"}},
	} {
		for kind, src := range map[string]Source{"array": u, "source": other} {
			v := c.of(ViewOf(src))
			l, err := v.Labels()
			if err != nil || !slices.Equal(l.Dims, c.dims) {
				t.Errorf("%s of %s: %q, want %q: %v", name, kind, l.Dims, c.dims, err)
			}
			made, err := Copy(t.Context(), v, nil)
			if err != nil {
				t.Errorf("%s of %s: %v", name, kind, err)
				continue
			}
			got, err := made.Labels()
			if err != nil || !sameLabels(got, Labels{Dims: c.dims, Attributes: want.Attributes}) {
				t.Errorf("copy of %s of %s: %v, want %q: %v", name, kind, got, c.dims, err)
			}
			_ = made.Close()
		}
	}
}

func TestAttributesAreSetOneByOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.b2nd")
	a, err := Create[int32](path, Shape{3, 4}, nil)
	check(t, err)
	check(t, a.SetLabels(Labels{Dims: []string{"time", ""}, Attributes: manyAttributes()}), a.Frame().SetVL("raw", []byte{0xc1}))
	want := Labels{Dims: []string{"time", ""}, Attributes: manyAttributes()}

	// In place: one with a metalayer of its own, and two that share one.
	for _, p := range []meta.Pair{{Key: "units", Value: "m"}, {Key: "_FillValue", Value: 1.5}, {Key: "list", Value: "b"}} {
		check(t, a.SetAttribute(p.Key.(string), p.Value))
		i := slices.IndexFunc(want.Attributes, func(q meta.Pair) bool { return q.Key == p.Key })
		want.Attributes[i].Value = p.Value
	}

	// New ones, while there is room for a metalayer each, and beyond.
	check(t, a.SetAttribute("valid_range", []float64{-2, 50}), a.SetAttribute("flags", []string{"a", "b"}),
		a.SetAttribute("grid", [][]int{{1, 2}, {3}}), a.SetAttribute("nothing", nil),
		a.SetAttribute("nested", map[string]any{"x": map[string]float64{"y": 0.5}}))
	want.Attributes = append(want.Attributes, meta.Map{{Key: "valid_range", Value: []any{-2.0, 50.0}},
		{Key: "flags", Value: []any{"a", "b"}},
		{Key: "grid", Value: []any{[]any{int64(1), int64(2)}, []any{int64(3)}}}, {Key: "nothing", Value: nil},
		{Key: "nested", Value: meta.Map{{Key: "x", Value: meta.Map{{Key: "y", Value: 0.5}}}}}}...)
	for i := range 20 {
		name := fmt.Sprint("n", i)
		check(t, a.SetAttribute(name, i))
		want.Attributes = append(want.Attributes, meta.Pair{Key: name, Value: int64(i)})
	}
	for _, name := range []string{"units", "list", "n3", "_FillValue", "n19"} {
		check(t, a.DeleteAttribute(name))
		want.Attributes = slices.DeleteFunc(want.Attributes, func(p meta.Pair) bool { return p.Key == name })
	}
	check(t, a.Close())

	u, err := Open(path, nil)
	check(t, err)
	defer u.Close()
	if got, err := u.Labels(); err != nil || !sameLabels(got, want) {
		t.Errorf("labels %v, want %v: %v", got, want, err)
	}
	if raw, err := u.Frame().VL("raw"); err != nil || len(raw) != 1 {
		t.Errorf("bytes of another program are %x now: %v", raw, err)
	}
	if err := u.SetAttribute("units", "m"); !errors.Is(err, cairn.ErrReadOnly) {
		t.Errorf("an attribute of a read-only array: %v", err)
	}
}

func TestAttributesThatCannotBe(t *testing.T) {
	a, err := New[int8](Shape{1}, nil)
	check(t, err)
	defer a.Abort()
	check(t, a.SetAttribute("units", "m"))
	for name, value := range map[string]any{"": 1, "_ARRAY_DIMENSIONS": "x", "_attributes": 1, "times": make(chan int), "text": "\xff"} {
		if err := a.SetAttribute(name, value); !errors.Is(err, cairn.ErrInvalid) {
			t.Errorf("attribute %q: %v", name, err)
		}
	}
	for _, name := range []string{"unit", "", "_attributes"} {
		if err := a.DeleteAttribute(name); !errors.Is(err, cairn.ErrNotFound) {
			t.Errorf("deleting %q: %v", name, err)
		}
	}
	s, err := a.Snapshot(t.Context())
	check(t, err)
	if err := s.SetAttribute("units", "km"); !errors.Is(err, cairn.ErrReadOnly) {
		t.Errorf("an attribute of a snapshot: %v", err)
	}
	if l, err := a.Labels(); err != nil || !sameLabels(l, Labels{Attributes: meta.Map{{Key: "units", Value: "m"}}}) {
		t.Errorf("attributes after failures: %v %v", l, err)
	}
}

func TestAttributesAreSetConcurrently(t *testing.T) {
	a, err := New[int8](Shape{1}, nil)
	check(t, err)
	defer a.Abort()
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if err := a.SetAttribute(fmt.Sprint("_", i), i); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if l, err := a.Labels(); err != nil || len(l.Attributes) != 20 {
		t.Errorf("20 attributes were set, there are %v: %v", l.Attributes, err)
	}
}
