package ndarray

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
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
		{[]string{"x", ""}, meta.Map{{Key: "units", Value: "m"}}},
		{[]string{"time", "x"}, manyAttributes()},
		{nil, meta.Map{{Key: "a", Value: int64(1)}}},
		{},
		{[]string{"time", "x"}, manyAttributes()},
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
	want := Labels{[]string{"time", "x"}, manyAttributes()}
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
			if err != nil || !sameLabels(got, Labels{c.dims, want.Attributes}) {
				t.Errorf("copy of %s of %s: %v, want %q: %v", name, kind, got, c.dims, err)
			}
			_ = made.Close()
		}
	}
}
