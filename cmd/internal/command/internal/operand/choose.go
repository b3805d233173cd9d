package operand

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/data"
	"github.com/cairn-go/cairn/internal/errkind"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/internal/show/item"
	"github.com/cairn-go/cairn/ndarray"
)

// Choose returns an error that lists the arrays among which to choose: those with some keys, or
// all.
func (o *Opened) Choose(ctx context.Context, keys []string) error {
	switch {
	case !o.Format.Trees || slices.Equal(o.Keys(), []string{""}):
		return fmt.Errorf("%s is a single array, without %q: %w", o.Name, o.Key, cairn.ErrNotFound)
	case len(o.Keys()) == 0:
		return fmt.Errorf("%s holds no arrays: %w", o.Name, cairn.ErrNotFound)
	case len(keys) > 0:
		return choice(ctx, o.Name, o.Tree, keys)
	}

	if _, err := o.Find(ctx, o.Key); err != nil && !errors.Is(err, cairn.ErrNotFound) {
		return o.explain(err)
	}

	var b strings.Builder
	fmt.Fprintf(&b, "%s has no array %q; it holds", o.Name, o.Key)
	listArrays(ctx, &b, o.Tree, o.Keys())
	return fmt.Errorf("%s: %w", b.String(), cairn.ErrNotFound)
}

// ErrSeveral is matched by errors for a tree with several arrays where one is wanted.
var ErrSeveral = errors.New("several arrays")

// choice returns the error for a tree with several arrays, one of which the user must choose.
func choice(ctx context.Context, name string, tree ndarray.Tree, keys []string) error {
	meant := data.Of(ctx, tree, keys)
	what := arrays(len(keys))
	if others := len(keys) - len(meant); others > 0 {
		what = fmt.Sprintf("%s, and %d with coordinates and the like", arrays(len(meant)), others)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s holds %s; name one as %s%s%s:", name, what, name, place.Mark, meant[0])
	listArrays(ctx, &b, tree, meant)
	return errkind.Mark(errkind.Mark(errors.New(b.String()), ErrSeveral), cairn.ErrNotFound)
}

func arrays(n int) string {
	if n == 1 {
		return "1 array"
	}
	return fmt.Sprintf("%d arrays", n)
}

// listArrays writes the first arrays of a list with their shapes and dtypes.
func listArrays(ctx context.Context, b *strings.Builder, tree ndarray.Tree, keys []string) {
	const most = 10
	for i, key := range keys[:min(most, len(keys))] {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(" " + key)
		src, err := tree.Open(ctx, key)
		if err != nil {
			continue
		}
		fmt.Fprintf(b, " (%s, %s)", item.Shape(src.Shape()), src.DType())
		_ = CloseSource(src)
	}

	if len(keys) > most {
		fmt.Fprintf(b, " and %d more", len(keys)-most)
	}
}
