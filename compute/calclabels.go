package compute

import (
	"reflect"
	"slices"

	"github.com/cairn-go/cairn/compute/internal/expr"
	"github.com/cairn-go/cairn/meta"
)

// keepsQuantity lists the functions whose results are of the same quantity as their arguments, so
// that attributes such as units still hold.
var keepsQuantity = []string{
	"abs", "absolute", "fabs", "floor", "ceil", "trunc", "rint", "round", "minimum", "maximum", "clip", "where",
	"float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
	"sum", "cumsum", "mean", "std", "min", "max", "amin", "amax", "median", "quantile", "first", "last",
	"nansum", "nanmean", "nanstd", "nanmin", "nanmax", "nanmedian", "nanquantile",
}

// keepsPacking lists those of which that is true of packed items too, which stand for items ×
// scale_factor + add_offset (CF conventions, "Packed Data"): a sum or a deviation of items does not
// stand for that of the numbers.
var keepsPacking = []string{
	"minimum", "maximum", "where", "float32", "float64", "mean", "min", "max", "amin", "amax", "median", "quantile",
	"first", "last", "nanmean", "nanmin", "nanmax", "nanmedian", "nanquantile",
}

// ordered lists those of which it is true only if scale_factor is not negative: otherwise the least
// item stands for the greatest number.
var ordered = []string{
	"minimum", "maximum", "min", "max", "amin", "amax", "quantile", "nanmin", "nanmax", "nanquantile",
}

// staysPacked reports whether the result of a node stands for what packed arguments do.
func staysPacked(n *expr.Node, args []*term) bool {
	return n.Kind == expr.Call && slices.Contains(keepsPacking, n.Text) &&
		!(slices.Contains(ordered, n.Text) && slices.ContainsFunc(args, isReversed))
}

// isReversed reports whether packed items have the reverse order of the numbers.
func isReversed(a *term) bool {
	factor, _ := a.attributes.Get("scale_factor")
	if list, ok := factor.([]any); ok && len(list) == 1 {
		factor = list[0]
	}
	switch v := factor.(type) {
	case float64:
		return v < 0
	case float32:
		return v < 0
	case int64:
		return v < 0
	}
	return false
}

// isPacked reports whether attributes say that items are packed.
func isPacked(a *term) bool {
	return slices.ContainsFunc(a.attributes, func(p meta.Pair) bool {
		return p.Key == "scale_factor" || p.Key == "add_offset"
	})
}

// sharedAttributes returns the attributes that hold for the result of a node: those that all of its
// values have in common, if it leaves them the quantity that they are. Numbers have none, and are
// values like any other except in a sum: a number that is added may change the units.
func sharedAttributes(n *expr.Node, args []*term) meta.Map {
	sum := n.Kind == expr.Binary && (n.Text == "+" || n.Text == "-")
	switch {
	case slices.ContainsFunc(args, isPacked) && !staysPacked(n, args):
		return nil
	case sum:
	case n.Kind == expr.Unary && (n.Text == "+" || n.Text == "-"):
	case n.Kind == expr.Call && slices.Contains(keepsQuantity, n.Text):
		if n.Text == "where" && len(args) == 3 {
			args = args[1:]
		}
	default:
		return nil
	}
	var shared meta.Map
	first := true
	for _, a := range args {
		if a.simple && a.source == nil && !sum {
			continue // a number
		}
		if first {
			shared, first = slices.Clone(a.attributes), false
			continue
		}
		shared = slices.DeleteFunc(shared, func(p meta.Pair) bool {
			return !slices.ContainsFunc(a.attributes, func(q meta.Pair) bool { return reflect.DeepEqual(p, q) })
		})
	}
	return shared
}
