package compute

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute/internal/expr"
	"github.com/cairn-go/cairn/compute/internal/kernel"
	"github.com/cairn-go/cairn/internal/cf/cftime"
	"github.com/cairn-go/cairn/internal/suggest"
)

// check fails for names of no array, constant or function, before anything is read.
func (b *binder) check(ctx context.Context, n *expr.Node) error {
	args := n.Args
	switch n.Kind {
	case expr.Name:
		if _, ok := b.sources[n.Text]; ok {
			return nil
		}
		if _, ok := kernel.Constant(n.Text); ok {
			return nil
		}
		if _, err := b.coordinate(ctx, n.Text); errors.Is(err, cairn.ErrNotFound) {
			return b.at(n, b.unknown(n, err))
		}
	case expr.Call:
		if _, ok := b.reductions[n.Text]; ok || n.Text == indexName || slices.Contains(groupFunctions, n.Text) ||
			alongFunctions[n.Text] != nil {
			r, _ := b.reductions[n.Text]
			more := 1
			if r.two {
				more = 2
			}
			args = args[:min(more, len(args))] // the others are options
			for _, k := range n.Keys {
				if k.Name == "weights" || k.Name == "x" {
					args = append(slices.Clip(args), k.Value)
				}
			}
		} else if !isPart(n.Text) && !slices.Contains(kernel.Functions(), n.Text) {
			return b.at(n, unknownFunction(n.Text))
		}
	}

	for _, a := range args {
		if err := b.check(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

// unknownFunction is the error for a name of no function. It matches cairn.ErrNotFound.
type unknownFunction string

func (e unknownFunction) Error() string {
	return fmt.Sprintf("no function is named %q%s", string(e), meant(string(e)))
}

func (e unknownFunction) Unwrap() error { return cairn.ErrNotFound }

// unknown is the error for a name of no array, and of no coordinates for the reason why.
func (b *binder) unknown(n *expr.Node, why error) error {
	text := fmt.Sprintf("no array is named %q", n.Text)
	if len(b.sources) > 0 {
		text += ", but " + strings.Join(slices.Sorted(maps.Keys(b.sources)), ", ")
	}
	if b.options.Coordinate == nil {
		return fmt.Errorf("%s: %w", text, why)
	}
	return fmt.Errorf("%s; %w", text, why)
}

// synonyms are names that other programs have for functions.
var synonyms = map[string]string{
	"avg": "mean", "average": "mean", "stdev": "std", "stddev": "std", "variance": "var",
	"total": "sum", "product": "prod", "ln": "log", "pow": "power", "if": "where",
}

// meant proposes the function whose name is near a name, or lists some whose names contain it or
// begin like it; the nearest if there are none, or too many.
func meant(name string) string {
	all := slices.Sorted(slices.Values(slices.Concat(kernel.Functions(), []string{indexName}, groupFunctions,
		cftime.PartNames(), slices.Collect(maps.Keys(alongFunctions)), slices.Collect(maps.Keys(reductions())))))

	if other, ok := synonyms[strings.ToLower(name)]; ok && slices.Contains(all, other) {
		return "; did you mean " + other + "?"
	}

	if question := suggest.Question(name, all); question != "" {
		return question
	}

	var close []string
	for _, f := range all {
		if strings.Contains(f, name) || len(f) > 2 && strings.Contains(name, f) ||
			len(name) > 2 && strings.HasPrefix(f, name[:3]) {
			close = append(close, f)
		}
	}

	if len(close) == 0 || len(close) > 8 {
		close = suggest.Nearest(name, all, 5)
	}
	return ", but " + strings.Join(close, ", ")
}
