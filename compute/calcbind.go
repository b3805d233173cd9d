package compute

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute/internal/expr"
	"github.com/cairn-go/cairn/compute/internal/kernel"
	"github.com/cairn-go/cairn/internal/cf/cftime"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A term is a part of an expression with its shape.
type term struct {
	id         int // equal terms have equal ones
	shape      ndarray.Shape
	dims       []string // names of dimensions, or nil
	moved      moved
	attributes meta.Map       // that hold for it
	leaves     []leaf         // what is read to compute it
	source     ndarray.Source // if the term is a source itself
	dates      bool           // it is made of dates of NumPy, of which some may be none
	reads      bool           // items of sources are read beside those that are reduced
	reduces    bool           // there are results of reductions
	simple     bool           // a source, a number or a constant
	build      func(p *program) (kernel.Value, error)
}

// value returns the term's value in a program, where equal terms share one.
func (t *term) value(p *program) (kernel.Value, error) {
	if v, ok := p.values[t.id]; ok {
		return v, nil
	}

	v, err := t.build(p)
	if err != nil {
		return v, err
	}

	p.values[t.id] = v
	return v, nil
}

// A binder gives the parts of an expression their meaning.
type binder struct {
	text    string // the expression that is being bound
	sources map[string]ndarray.Source
	options *CalcOptions
	terms   map[string]*term // by what they are
	last    int              // id of a term
	trial   *program         // for finding dtypes; it reads nothing

	reductions map[string]namedReduction
	calls      []*expr.Node                // of reductions, in all expressions
	passed     map[string]*ndarray.Untyped // results of reductions, by keys
	// through returns the results of a pass of a [Division]; nil means to compute them
	through func(p pass) ([]*ndarray.Untyped, error)

	coordinates map[string]ndarray.Source // that have been found
}

func newBinder(sources map[string]ndarray.Source, o *CalcOptions) *binder {
	return &binder{
		sources: sources, options: o, terms: map[string]*term{}, trial: newProgram(),
		reductions: reductions(), passed: map[string]*ndarray.Untyped{}, coordinates: map[string]ndarray.Source{},
	}
}

// at returns an error with the place of a node.
func (b *binder) at(n *expr.Node, err error) error {
	var placed *expr.Error
	if err == nil || errors.As(err, &placed) {
		return err
	}
	return &expr.Error{Text: b.text, Pos: n.Pos, Err: err}
}

// intern returns the term that is described by parts, which make computes if it is new.
func (b *binder) intern(make func() (*term, error), parts ...any) (*term, error) {
	key := fmt.Sprintf("%q", parts)
	if t, ok := b.terms[key]; ok {
		return t, nil
	}

	t, err := make()
	if err != nil {
		return nil, err
	}

	b.last++
	t.id = b.last

	v, err := t.value(b.trial)
	t.simple = t.simple || v.IsLiteral()
	b.terms[key] = t
	return t, err
}

// bind returns the term of a node.
func (b *binder) bind(ctx context.Context, n *expr.Node) (*term, error) {
	var t *term
	var err error

	switch n.Kind {
	case expr.Name:
		t, err = b.name(ctx, n)
	case expr.Number:
		t, err = b.literal(n.Text, func() (kernel.Value, error) { return kernel.Number(n.Text) })
	case expr.Unary:
		t, err = b.apply(ctx, n, func(v []kernel.Value) (kernel.Value, error) {
			return kernel.Unary(n.Text, v[0])
		})
	case expr.Binary:
		t, err = b.binary(ctx, n)
	case expr.Index, expr.Field:
		t, err = b.part(ctx, n)
	case expr.String:
		err = errText
	case expr.Call:
		t, err = b.call(ctx, n)
	default:
		err = fmt.Errorf("this is no array and no number: %w", cairn.ErrType)
	}
	return t, b.at(n, err)
}

// name returns the term of a source or a constant.
func (b *binder) name(ctx context.Context, n *expr.Node) (*term, error) {
	if src, ok := b.sources[n.Text]; ok {
		return b.reading(ctx, src, "source", n.Text)
	}

	if _, ok := kernel.Constant(n.Text); ok {
		return b.literal(n.Text, func() (kernel.Value, error) {
			v, _ := kernel.Constant(n.Text)
			return v, nil
		})
	}

	src, err := b.coordinate(ctx, n.Text)
	if errors.Is(err, cairn.ErrNotFound) {
		return nil, b.unknown(n, err)
	}
	if err != nil {
		return nil, err
	}
	return b.reading(ctx, src, "coordinate", n.Text)
}

// reading returns the term of a source that is read.
func (b *binder) reading(ctx context.Context, src ndarray.Source, key ...any) (*term, error) {
	return b.intern(func() (*term, error) {
		t, err := b.sourceTerm(ctx, src)
		if err != nil {
			return t, err
		}

		t.reads = true
		return t, nil
	}, key...)
}

func (b *binder) literal(text string, value func() (kernel.Value, error)) (*term, error) {
	return b.intern(func() (*term, error) {
		return &term{simple: true, build: func(*program) (kernel.Value, error) { return value() }}, nil
	}, "literal", text)
}

// sourceTerm returns the term of a source.
func (b *binder) sourceTerm(ctx context.Context, src ndarray.Source) (*term, error) {
	dates := isDates(src)
	if dates {
		numbers, err := ofDates(src)
		if err != nil {
			return nil, err
		}
		src = numbers
	}

	l, err := newLeaf(ctx, src)
	if err != nil {
		return nil, err
	}

	t := &term{shape: l.shape(), source: src, dates: dates, simple: true, leaves: []leaf{l}}
	t.build = func(p *program) (kernel.Value, error) { return p.slot(l).value(), nil }

	if labelled, ok := src.(ndarray.Labelled); ok {
		labels, err := labelled.Labels()
		if err != nil {
			return nil, err
		}
		t.dims = labels.Dims
		t.attributes = labels.Attributes
	}
	return t, nil
}

// An operation computes with values.
type operation func(v []kernel.Value) (kernel.Value, error)

// apply returns the term of an operation on the arguments of a node.
func (b *binder) apply(ctx context.Context, n *expr.Node, op operation) (*term, error) {
	args, err := b.bindAll(ctx, n.Args)
	if err != nil {
		return nil, err
	}
	return b.applied(ctx, n, args, op)
}

// bindAll returns the terms of nodes.
func (b *binder) bindAll(ctx context.Context, nodes []*expr.Node) ([]*term, error) {
	args := make([]*term, len(nodes))
	for i, a := range nodes {
		var err error
		if args[i], err = b.bind(ctx, a); err != nil {
			return nil, err
		}
	}
	return args, nil
}

// applied returns the term of the operation of a node on terms.
func (b *binder) applied(ctx context.Context, n *expr.Node, args []*term, op operation) (*term, error) {
	parts := []any{n.Kind, n.Text}
	for _, a := range args {
		parts = append(parts, a.id)
	}

	return b.intern(func() (*term, error) {
		t, err := b.combined(ctx, args, op)
		if err != nil {
			return t, err
		}

		t.attributes = resultAttributes(n, args)
		return t, nil
	}, parts...)
}

// combined returns the term of an operation on terms.
func (b *binder) combined(ctx context.Context, args []*term, op operation) (*term, error) {
	t := &term{}
	args, err := b.aligned(ctx, args)
	if err != nil {
		return nil, err
	}

	if t.shape, err = broadcast(args); err != nil {
		return nil, err
	}

	own := slices.Clone(args)
	for i, a := range args {
		t.reads = t.reads || a.reads
		t.reduces = t.reduces || a.reduces

		// What is smaller than the result is computed once per box, not once per item.
		if !a.simple && !slices.Equal(a.shape, t.shape) {
			e, err := b.expression(a)
			if err != nil {
				return nil, err
			}
			own[i], err = b.intern(func() (*term, error) { return b.sourceTerm(ctx, e) }, "small", a.id)
			if err != nil {
				return nil, err
			}
		}

		for _, l := range own[i].leaves {
			if !slices.Contains(t.leaves, l) {
				t.leaves = append(t.leaves, l)
			}
		}
		t.dims = joinedDims(t.dims, a, len(t.shape))
	}
	if t.moved, err = movedIn(ctx, args, t.shape); err != nil {
		return nil, err
	}

	t.build = func(p *program) (kernel.Value, error) {
		values := make([]kernel.Value, len(own))
		for i, a := range own {
			var err error
			if values[i], err = a.value(p); err != nil {
				return kernel.Value{}, err
			}
		}
		return op(values)
	}
	return t, nil
}

// joinedDims adds the names of a term's dimensions to those of a result, where that has none.
func joinedDims(dims []string, t *term, want int) []string {
	if t.dims == nil {
		return dims
	}

	joined := make([]string, want)
	copy(joined, dims)
	for i, name := range t.dims {
		if k := want - len(t.dims) + i; joined[k] == "" {
			joined[k] = name
		}
	}
	return joined
}

// broadcast returns the shape that NumPy broadcasts the shapes of terms to.
func broadcast(args []*term) (ndarray.Shape, error) {
	shape := ndarray.Shape{}
	for _, a := range args {
		for len(shape) < len(a.shape) {
			shape = slices.Insert(shape, 0, 1)
		}

		for i, n := range a.shape {
			k := len(shape) - len(a.shape) + i
			if shape[k] == 1 {
				shape[k] = n
			} else if n != 1 && n != shape[k] {
				var all []string
				for _, a := range args {
					all = append(all, fmt.Sprint(a.shape))
				}
				return nil, fmt.Errorf("the shapes %s do not fit together: %w",
					strings.Join(all, " and "), cairn.ErrBounds)
			}
		}
	}
	return shape, nil
}

// sourceOf returns a term as a source.
func (b *binder) sourceOf(t *term) (ndarray.Source, error) {
	if t.source != nil {
		return t.source, nil
	}
	return b.expression(t)
}

// part returns the term of a selection, of a field of records, or of what else a name after a point
// stands for: coordinates of an array, and parts of times.
func (b *binder) part(ctx context.Context, n *expr.Node) (*term, error) {
	name, isField := fieldOf(n)
	if !isField {
		src, err := b.viewOf(ctx, n.Args[0])
		if err == nil && src != nil && src.DType().IsStruct() {
			return nil, errRecords(src)
		}
		return b.index(ctx, n)
	}

	src, err := b.viewOf(ctx, n)
	if err != nil {
		return nil, err
	}
	if src != nil {
		return b.intern(func() (*term, error) {
			t, err := b.sourceTerm(ctx, src)
			if err != nil {
				return t, err
			}

			t.moved = cutIn(n, t.dims)
			t.reads = true
			return t, nil
		}, "field", describe(n))
	}

	if name == "dt" && n.Kind == expr.Field {
		return b.bind(ctx, n.Args[0])
	}
	if part, ok := cftime.PartNamed(name); ok && n.Kind == expr.Field {
		return b.datePart(ctx, n, part)
	}
	return nil, fmt.Errorf("%q: what is computed has no fields: %w", name, cairn.ErrNotFound)
}

// index returns the term of a selection.
func (b *binder) index(ctx context.Context, n *expr.Node) (*term, error) {
	of, err := b.bind(ctx, n.Args[0])
	if err != nil {
		return nil, err
	}

	selectors, err := ndarray.Parse(n.Text)
	if err != nil {
		return nil, err
	}

	return b.intern(func() (*term, error) {
		src, err := b.sourceOf(of)
		if err != nil {
			return nil, err
		}

		view := ndarray.ViewOf(src).Slice(selectors...)
		if err := view.Err(); err != nil {
			return nil, err
		}

		t, err := b.sourceTerm(ctx, view)
		if err != nil {
			return t, err
		}

		t.moved = b.cutBy(ctx, of, selectors)
		t.dates = of.dates
		t.reads = of.reads
		t.reduces = of.reduces
		return t, nil
	}, "index", of.id, n.Text)
}

// call returns the term of a function or reduction.
func (b *binder) call(ctx context.Context, n *expr.Node) (*term, error) {
	if _, ok := b.reductions[n.Text]; ok {
		return b.reduction(ctx, n)
	}

	if n.Text == indexName {
		return b.places(ctx, n)
	}
	if _, ok := alongFunctions[n.Text]; ok {
		return b.along(ctx, n)
	}

	if part, ok := cftime.PartNamed(n.Text); ok {
		if len(n.Args) != 1 || len(n.Keys) > 0 {
			return nil, fmt.Errorf("%s takes an array of times and nothing else: %w", n.Text, cairn.ErrBounds)
		}
		return b.datePart(ctx, n, part)
	}

	if len(n.Keys) == 1 && n.Keys[0].Name == "decimals" && (n.Text == "round" || n.Text == "around") {
		plain := *n
		plain.Keys = nil
		plain.Args = append(slices.Clone(n.Args), n.Keys[0].Value)
		n = &plain
	}

	if len(n.Keys) > 0 {
		return nil, &expr.Error{Text: b.text, Pos: n.Keys[0].Pos,
			Err: fmt.Errorf("%s takes no %s=: %w", n.Text, n.Keys[0].Name, cairn.ErrNotFound)}
	}
	return b.apply(ctx, n, func(v []kernel.Value) (kernel.Value, error) { return kernel.Call(n.Text, v...) })
}
