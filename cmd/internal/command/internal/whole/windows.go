package whole

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/ndarray"
)

// Window says what windows there are along a dimension.
type Window struct {
	Dim      string // "" for that of groups
	Items    int64  // or groups
	Center   bool
	Least    int64 // values of a result; 0 for all
	Complete bool  // only windows that have all of their items

	grouped bool
}

// Parse takes what the flag -window says, such as "time=30", or "5" for groups. axes are those of
// the flag -axis.
func (w *Window) Parse(text string, g *Groups, axes string) error {
	dim, items, ok := strings.Cut(text, "=")
	if !ok {
		items = dim
		dim = ""
	}
	w.Dim = strings.TrimSpace(dim)
	w.grouped = g != nil

	n, err := strconv.ParseInt(strings.TrimSpace(items), 10, 64)
	switch {
	case err != nil || n < 1 || n > maxWindow:
		err = errors.New("write time=30, with a dimension and a number of items")
	case w.grouped && (w.Center || w.Complete):
		err = errors.New("-center and -complete are for windows of items, those of -by are around each group")
	case !w.grouped && w.Dim == "":
		err = fmt.Errorf("write DIM=%d, with the name or the number of a dimension", n)
	case !w.grouped && axes != "" && axes != w.Dim:
		err = fmt.Errorf("windows are along %s, leave out -axis", w.Dim)
	case !w.grouped && w.Least > n:
		err = fmt.Errorf("-min-count is %d, but windows have %d items", w.Least, n)
	}
	if err != nil {
		return fmt.Errorf("-window: %w: %w", err, cairn.ErrInvalid)
	}
	w.Items = n
	return nil
}

// OfItems returns the windows if they are of items, or nil.
func (w *Window) OfItems() *Window {
	if w == nil || w.grouped {
		return nil
	}
	return w
}

// Completed returns expressions of an array along the axis with a number, without the results that
// are not wanted.
func (w *Window) Completed(texts []string, axis string, shape ndarray.Shape) ([]string, error) {
	i, err := strconv.Atoi(axis)
	if w.OfItems() == nil || !w.Complete || err != nil {
		return texts, nil
	}
	if i < 0 {
		i += len(shape)
	}
	if err := w.fits(shape[i]); err != nil {
		return nil, err
	}

	first, stop := w.Kept(shape[i])
	for k, text := range texts {
		texts[k] = fmt.Sprintf("%s[%s%d:%d]", text, strings.Repeat(":, ", i), first, stop)
	}
	return texts, nil
}

// fits fails if no window has all of its items along a dimension.
func (w *Window) fits(extent int64) error {
	if !w.Complete || w.Items <= extent {
		return nil
	}
	return fmt.Errorf("-window %s=%d -complete: the dimension has %d items, so that no window has all of its own; "+
		"take a shorter one, or leave out -complete: %w", w.Dim, w.Items, extent, cairn.ErrBounds)
}

// maxWindow is the maximum number of items of a window.
const maxWindow = 1 << 30

// Arguments returns the arguments that windows are in the call of a reduction, besides the axis.
func (w *Window) Arguments() (args []string) {
	args = append(args, fmt.Sprintf("window=%d", w.Items))
	if w.Center {
		args = append(args, "center=True")
	}
	if w.Least > 0 && !w.grouped {
		args = append(args, fmt.Sprintf("min_count=%d", w.Least))
	}
	return args
}

// before returns how many items of a window are before the one that it belongs to.
func (w *Window) before() int64 {
	if w.Center {
		return w.Items / 2
	}
	return w.Items - 1
}

// Kept returns which items of a dimension have a result.
func (w *Window) Kept(extent int64) (first, stop int64) {
	if !w.Complete {
		return 0, extent
	}
	first = min(w.before(), extent)
	return first, max(first, extent-(w.Items-1-w.before()))
}

// Cut returns an array without the items along some axes that have no result.
func (w *Window) Cut(src ndarray.Source, axes []int) (ndarray.Source, error) {
	if w == nil || !w.Complete || len(axes) == 0 {
		return src, nil
	}
	shape := src.Shape()
	selectors := make([]ndarray.Selector, len(shape))
	for _, axis := range axes {
		if err := w.fits(shape[axis]); err != nil {
			return nil, err
		}
		selectors[axis] = ndarray.Range(w.Kept(shape[axis]))
	}
	view := ndarray.ViewOf(src).Slice(selectors...)
	return view, view.Err()
}

// Bounds returns the bounds of windows, which are those of their first and last items. The bounds
// have the axis of the items and another of 2, which is the last one.
func (w *Window) Bounds(ctx context.Context, bounds ndarray.Source, axis int) (ndarray.Source, error) {
	shape := bounds.Shape()
	last := len(shape) - 1
	extent := shape[axis]
	if shape[last] != 2 || axis == last || extent == 0 {
		return bounds, nil
	}

	ends := map[string]ndarray.Source{}
	for name, offset := range map[string]int64{"a": -w.before(), "b": w.Items - 1 - w.before()} {
		list := make([]int64, extent)
		for i := range list {
			list[i] = min(max(0, int64(i)+offset), extent-1)
		}
		selectors := make([]ndarray.Selector, axis+1)
		selectors[axis] = ndarray.Indices(list)
		view := ndarray.ViewOf(bounds).Slice(selectors...)
		if err := view.Err(); err != nil {
			return nil, err
		}
		ends[name] = view
	}

	e, err := compute.Calc(ctx, fmt.Sprintf("where(index(a, axis=%d) == 0, a, b)", last), ends, nil)
	if err != nil {
		return bounds, nil // of items that cannot be computed with
	}
	labels, err := ndarray.LabelsOf(bounds)
	return &relabelled{e, labels}, err
}
