package compute

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn/compute/internal/expr"
	"github.com/cairn-go/cairn/compute/internal/kernel"
	"github.com/cairn-go/cairn/ndarray"
)

// pass returns the result of a reduction of a source, whose items have kind k. The pass that
// computes it also computes the other reductions of the same argument over the same axes, wherever
// they are in the expressions; their results wait until they are bound.
func (b *binder) pass(ctx context.Context, n *expr.Node, r *bound, src ndarray.Source,
	k kernel.Kind) (*ndarray.Untyped, error) {
	if r.pick == nil {
		if b.through != nil {
			return nil, fmt.Errorf("%s cannot be merged from pieces: %w", r.name, ErrIndivisible)
		}
		return r.run(ctx, reduceCall{src, *r.o, r.q, k})
	}

	key := fmt.Sprint(r.key()...)
	if u, ok := b.passed[key]; ok {
		return u, nil
	}

	f, err := familyOf(src, r.name)
	if err != nil {
		return nil, err
	}

	if src, f, err = b.familyBeside(ctx, r, src, f); err != nil {
		return nil, err
	}
	own := r.pick(&f, k)
	if own == nil && r.weights != nil {
		return nil, noWeights(r.name)
	}
	if own == nil {
		return nil, typeError(r.name, src.DType())
	}

	keys := []string{key}
	all := []request{{own, r.o}}

	// Reductions of the same source over the same axes are computed in one pass.
	for _, m := range b.calls {
		other, key := b.beside(ctx, n, m, r)
		if other == nil || slices.Contains(keys, key) {
			continue
		}
		if of := other.pick(&f, k); of != nil {
			keys = append(keys, key)
			all = append(all, request{of, other.o})
		}
	}

	results, err := b.run(ctx, own, src, all)
	if err != nil && len(all) > 1 && ctx.Err() == nil && b.through == nil {
		// The error may be that of another reduction, and is reported when that is bound.
		keys = keys[:1]
		all = all[:1]
		results, err = b.run(ctx, own, src, all)
	}

	if err != nil {
		return nil, err
	}

	for i, u := range results {
		b.passed[keys[i]] = u
	}
	return results[0], nil
}

// familyBeside returns the family of what a reduction takes, and the source of its items.
func (b *binder) familyBeside(ctx context.Context, r *bound, src ndarray.Source, f family) (ndarray.Source, family, error) {
	s := r.with
	if r.weights != nil {
		s = r.weights
	}
	if s == nil {
		return src, f, nil
	}
	other, err := b.sourceOf(s.term)
	if err != nil {
		return nil, f, err
	}
	if r.weights != nil {
		return (&Weights{other, s.axes}).family(ctx, src, &f, r.o.Memory)
	}
	return relatedFamily(ctx, r.name, src, other, s.axes, r.o.Memory)
}

// run computes requests in one pass.
func (b *binder) run(ctx context.Context, own reduction, src ndarray.Source, all []request) ([]*ndarray.Untyped, error) {
	p, err := own.pass(ctx, src, all)
	if err != nil {
		return nil, err
	}

	if b.through != nil {
		return b.through(p)
	}
	return p.results(ctx)
}

// beside returns the reduction of node m and its key, if one pass can compute it and r, the
// reduction of node n.
func (b *binder) beside(ctx context.Context, n, m *expr.Node, r *bound) (*bound, string) {
	if m == n || b.reductions[m.Text].pick == nil || len(m.Args) == 0 || !m.Args[0].Equal(n.Args[0]) {
		return nil, ""
	}

	other, err := b.boundTo(ctx, m)
	if err != nil || other.pick == nil || other.window != r.window ||
		!slices.Equal(other.o.Axes, r.o.Axes) || other.o.KeepDims != r.o.KeepDims || other.by != r.by ||
		other.of.id != r.of.id || other.weights.id() != r.weights.id() || other.with.id() != r.with.id() {
		return nil, "" // an error is reported when m is bound
	}
	return other, fmt.Sprint(other.key()...)
}

// reductionCalls appends the calls of reductions within a node.
func (b *binder) reductionCalls(calls []*expr.Node, n *expr.Node) []*expr.Node {
	if _, ok := b.reductions[n.Text]; ok && n.Kind == expr.Call {
		calls = append(calls, n)
	}

	for _, a := range n.Args {
		calls = b.reductionCalls(calls, a)
	}
	return calls
}
