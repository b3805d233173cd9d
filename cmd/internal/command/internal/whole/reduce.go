package whole

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/cf/joins"
	"github.com/cairn-go/cairn/ndarray"
)

// A Reduction makes one item of those along some dimensions, in each array that has these.
type Reduction struct {
	Weights  *Weights // of cells, or nil
	Ops      []string // as the flag of the command has them
	KeepDims bool     // with one item
	Least    int64    // items that can be reduced; 0 means 1
	// Expression returns an operation over some axes as an expression of x.
	Expression func(op string, axes []int) (string, error)
	Options    compute.CalcOptions
	Groups     *Groups // of dimensions, or nil
	// Windows are those along the dimensions, which then stay as they are, or nil.
	Windows *Window

	pool joins.Pool
	mu   sync.Mutex
	ends []func() error // of what was found near arrays
}

// Close closes what is open.
func (r *Reduction) Close() {
	r.pool.Close()
	for _, end := range r.ends {
		_ = end()
	}
}

// An Operand is an array with dimensions that are reduced.
type Operand struct {
	Key  string
	Role cf.Role
	Axes []int
	// Near returns an array that is near, or nil.
	Near coords.Lookup
	// Open opens the values of the array; end closes them.
	Open joins.Opener
}

// Results returns the keys of what becomes of an array, with the operation of each: its own key, or
// with several operations one such as tas_mean for each. What is there for the sake of others keeps
// its key.
func (r *Reduction) Results(a *Operand) (keys, ops []string) {
	if len(r.Ops) == 1 || a.aside() {
		return []string{a.Key}, r.Ops[:1]
	}
	for _, op := range r.Ops {
		keys = append(keys, a.Key+"_"+strings.ReplaceAll(op, ":", "-"))
	}
	return keys, r.Ops
}

// ErrGone is the error for coordinates, and bounds of them, of which a reduction leaves nothing.
var ErrGone = errors.New("there are no coordinates of what is reduced")

// Of returns what becomes of an array by an operation. It is computed when it is read.
//
// Coordinates of dimensions that stay with one item are the mean of those that were there, and
// their bounds those of the first and the last one.
func (r *Reduction) Of(ctx context.Context, a *Operand, op string) (ndarray.Source, error) {
	src, end, err := a.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer end()

	if d := src.DType(); d.IsStruct() || !strings.ContainsRune("biufcmM", rune(d.Kind())) {
		if a.aside() {
			return nil, ErrGone
		}
		return nil, fmt.Errorf("items of dtype %s cannot be reduced: %w", d, cairn.ErrType)
	}
	labels, err := ndarray.LabelsOf(src)
	if err != nil {
		return nil, err
	}
	beside, err := r.besides(ctx, a, src, labels)
	if err != nil {
		return nil, err
	}
	text, err := r.textOf(a, op, src)
	if err != nil {
		return nil, err
	}
	if beside.weights == nil {
		text = strings.ReplaceAll(text, WeightsArgument, "")
	}

	// Without items, an array of few items has the dtype and the labels of the result.
	t, err := calc(ctx, text, &outline{Source: src, shape: r.few(a, src.Shape(), op), labels: labels},
		beside.options(r.Options, true))
	if errors.Is(err, cairn.ErrType) && a.aside() {
		return nil, ErrGone
	}
	if err != nil {
		return nil, err
	}

	result := &outline{Source: t, labels: r.labels(a, op, t, labels, beside.weights)}
	chunks, blocks := src.Grid()
	shape := r.Groups.shape(labels.Dims, src.Shape())
	result.chunks = r.without(a.Axes, within(chunks, shape))
	result.blocks = r.without(a.Axes, within(blocks, shape))
	result.shape = r.without(a.Axes, shape)

	late, err := r.pool.Late(a.Key, result, func(ctx context.Context) (ndarray.Source, func(), error) {
		src, end, err := a.Open(ctx)
		if err != nil {
			return nil, nil, err
		}
		var scratch Scratch
		o := beside.options(r.Options, false)
		o.Scratch = scratch.New
		e, err := calc(ctx, text, src, o)
		if err != nil {
			end()
			return nil, nil, errors.Join(err, scratch.Close())
		}
		return e, func() { _ = scratch.Close(); end() }, nil
	})
	if err != nil {
		return nil, err
	}
	return r.Windows.Cut(late, a.Axes)
}

// aside reports whether an array is there for the sake of others.
func (a *Operand) aside() bool { return a.Role == cf.Coordinate || a.Role == cf.Bounds }

// textOf returns what is done with an array, as an expression of x.
func (r *Reduction) textOf(a *Operand, op string, src ndarray.Source) (string, error) {
	shape := src.Shape()
	last := len(shape) - 1
	switch {
	case a.aside() && len(a.Axes) > 0 && !r.KeepDims, a.Role == cf.Bounds && r.Groups != nil:
		return "", ErrGone
	case a.Role == cf.Coordinate:
		return r.Expression("mean", a.Axes)
	case a.Role != cf.Bounds:
		return r.Expression(op, a.Axes)
	case shape[last] != 2 || slices.Contains(a.Axes, last):
		return "", ErrGone
	}

	first, err := r.Expression("first", a.Axes)
	if err != nil {
		return "", err
	}
	final, err := r.Expression("last", a.Axes)
	return fmt.Sprintf("where(index(%[1]s, axis=%[2]d) == 0, %[1]s, %[3]s)", first, last, final), err
}

func calc(ctx context.Context, text string, src ndarray.Source, o *compute.CalcOptions) (*compute.Expression, error) {
	return compute.Calc(ctx, text, map[string]ndarray.Source{"x": src}, o)
}

// within returns chunks that are no longer than a shape.
func within(chunks, shape ndarray.Shape) ndarray.Shape {
	chunks = slices.Clone(chunks)
	for i, n := range chunks {
		chunks[i] = max(1, min(n, shape[i]))
	}
	return chunks
}

// labels returns the labels of a result.
func (r *Reduction) labels(a *Operand, op string, result *compute.Expression, of ndarray.Labels,
	weights ndarray.Source) ndarray.Labels {
	l, _ := result.Labels() // which never fails
	l.MaxShape = r.growth(a.Axes, r.Groups.growth(of))
	l.Dims = r.Groups.named(l.Dims)
	if a.aside() {
		l.Attributes = of.Attributes
		return l
	}

	var dims []string
	for axis, name := range of.Dims {
		if slices.Contains(a.Axes, axis) || r.Groups.division(name) != nil {
			dims = append(dims, name)
		}
	}
	if of.Dims == nil {
		dims = make([]string, len(a.Axes))
	}
	dims = r.methodDims(dims, weights)
	l.Attributes = cf.WithMethod(l.Attributes, of.Attributes, op, dims)
	return l
}

// growth returns how far a result may grow. Dimensions without bound stay so.
func (r *Reduction) growth(axes []int, of ndarray.Shape) ndarray.Shape {
	if of == nil {
		return nil
	}
	left := ndarray.Shape{}
	for i, n := range of {
		switch {
		case !slices.Contains(axes, i) || r.Windows != nil:
			left = append(left, n)
		case r.KeepDims:
			left = append(left, min(n, 1))
		}
	}
	return left
}

// without returns a shape that is reduced along some axes.
func (r *Reduction) without(axes []int, shape ndarray.Shape) (left ndarray.Shape) {
	left = ndarray.Shape{}
	for i, n := range shape {
		switch {
		case !slices.Contains(axes, i) || r.Windows != nil:
			left = append(left, n)
		case r.KeepDims:
			left = append(left, 1)
		}
	}
	return left
}

// few returns the shape of an array with as few items as can be reduced.
func (r *Reduction) few(a *Operand, of ndarray.Shape, op string) ndarray.Shape {
	shape := make(ndarray.Shape, len(of))
	first := 0
	if len(a.Axes) > 0 {
		first = a.Axes[0]
	}
	for i := range shape {
		shape[i] = 1
		if i == first {
			shape[i] = max(1, r.Least)
		}
		if IsTrend(op) && slices.Contains(a.Axes, i) {
			shape[i] = of[i] // so that its coordinates are known
		}
	}
	return shape
}

// An outline is what an array is apart from its items, which are zeros.
type outline struct {
	ndarray.Source
	shape, chunks, blocks ndarray.Shape
	labels                ndarray.Labels
}

func (o *outline) Shape() ndarray.Shape { return slices.Clone(o.shape) }

func (o *outline) Grid() (chunks, blocks ndarray.Shape) {
	if o.chunks == nil {
		return o.Shape(), o.Shape()
	}
	return slices.Clone(o.chunks), slices.Clone(o.blocks)
}

func (o *outline) Labels() (ndarray.Labels, error) { return o.labels, nil }

func (o *outline) ReadBytes(_ context.Context, dst []byte, _, _ []int64) error {
	clear(dst)
	return nil
}
