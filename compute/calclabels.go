package compute

import (
	"reflect"
	"slices"

	"github.com/cairn-go/cairn/compute/internal/expr"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/meta"
)

// keepsQuantity lists the functions whose results are of the same quantity as their arguments, so
// that attributes such as units still hold.
var keepsQuantity = []string{
	"abs", "absolute", "fabs", "floor", "ceil", "trunc", "rint", "round", "minimum", "maximum", "clip", "where",
	"float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
	"sum", "cumsum", "mean", "std", "min", "max", "amin", "amax", "median", "quantile", "first", "last",
	"nansum", "nanmean", "nanstd", "nanmin", "nanmax", "nanmedian", "nanquantile",
	"nancumsum", "diff", "shift", "ffill", "bfill", "interpolate_na", "interp",
}

// resultAttributes returns the attributes that hold for the result of a node. None of items that
// are not the values do; and where values can be missing, so can the result.
func resultAttributes(n *expr.Node, args []*term) meta.Map {
	marked := false
	values := make([]*term, len(args))
	for i, a := range args {
		if cf.HasEncoding(a.attributes) {
			return nil
		}

		value := *a
		var missing bool
		value.attributes, missing = cf.WithoutMissing(a.attributes)
		values[i] = &value
		marked = marked || missing
	}

	shared := sharedAttributes(n, values)
	if marked {
		shared = append(shared, cf.NaNFill(float64Type)...)
	}
	return shared
}

var (
	float64Type = dtypeOf("<f8")
	int64Type   = dtypeOf("<i8")
)

// dtypeOf parses the text of a dtype that there is.
func dtypeOf(text string) meta.DType {
	d, err := meta.ParseDType(text)
	if err != nil {
		panic(err)
	}
	return d
}

// attributesFor returns those of a term as an array of a dtype has them, in which only NaN can mark
// what is missing.
func attributesFor(d meta.DType, attributes meta.Map) meta.Map {
	if cf.HasEncoding(attributes) {
		return attributes // of a source, or of a part of one
	}

	left, marked := cf.WithoutMissing(attributes)
	if marked {
		left = append(left, cf.NaNFill(d)...)
	}
	return left
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

	if len(values) == 0 {
		return nil
	}

	shared := slices.Clone(values[0].attributes)
	for _, a := range values[1:] {
		shared = slices.DeleteFunc(shared, func(p meta.Pair) bool {
			return !slices.ContainsFunc(a.attributes, func(q meta.Pair) bool { return reflect.DeepEqual(p, q) })
		})
	}

	if sum && len(values) == 2 && cf.TimesOf(shared) != nil {
		if n.Text == "+" {
			return nil // which times have no sum
		}
		return cf.Elapsed(shared)
	}
	return shared
}
