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

// staysPacked reports whether the result of a node stands for what its values do, if one is packed:
// only if all are, in the same way.
func staysPacked(n *expr.Node, values []*term) bool {
	if n.Kind != expr.Call || !slices.Contains(keepsPacking, n.Text) {
		return false
	}
	return !slices.ContainsFunc(values, func(a *term) bool {
		return slices.Contains(ordered, n.Text) && isReversed(a) || !samePacking(a, values[0])
	})
}

// samePacking reports whether the items of two values stand for the same numbers.
func samePacking(a, b *term) bool {
	for _, name := range []string{"scale_factor", "add_offset"} {
		v, _ := a.attributes.Get(name)
		w, _ := b.attributes.Get(name)
		if !reflect.DeepEqual(v, w) {
			return false
		}
	}
	return true
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
	sign := n.Kind == expr.Unary && (n.Text == "+" || n.Text == "-")
	if !sum && !sign && (n.Kind != expr.Call || !slices.Contains(keepsQuantity, n.Text)) {
		return nil
	}
	values := slices.Clone(args)
	if n.Text == "where" && len(args) == 3 {
		values = values[1:]
	}
	if !sum {
		isNumber := func(a *term) bool { return a.simple && a.source == nil }
		values = slices.DeleteFunc(values, isNumber)
	}
	if len(values) == 0 || slices.ContainsFunc(values, isPacked) && !staysPacked(n, values) {
		return nil
	}
	shared := slices.Clone(values[0].attributes)
	for _, a := range values[1:] {
		shared = slices.DeleteFunc(shared, func(p meta.Pair) bool {
			return !slices.ContainsFunc(a.attributes, func(q meta.Pair) bool { return reflect.DeepEqual(p, q) })
		})
	}
	return shared
}
