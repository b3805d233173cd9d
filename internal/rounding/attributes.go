package rounding

import (
	"slices"

	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/meta"
)

// Attributes of variables that were rounded: those of the CF conventions, section 8.4, those of the
// same kind for bounds that they do not have, and what NetCDF's own functions ask for.
const (
	container   = "quantization" // names a variable that says how
	nsb         = "quantization_nsb"
	nsd         = "quantization_nsd"
	absolute    = "quantization_maximum_absolute_error"
	relative    = "quantization_maximum_relative_error"
	netcdfBits  = "_QuantizeBitRoundNumberOfSignificantBits"
	netcdfGroom = "_QuantizeBitGroomNumberOfSignificantDigits"
	netcdfDigit = "_QuantizeGranularBitRoundNumberOfSignificantDigits"
)

// all are the names of attributes about rounding.
var all = []string{container, nsb, nsd, absolute, relative, netcdfBits, netcdfGroom, netcdfDigit}

// Algorithm returns the name that the CF conventions have for how items of a dtype are rounded to a
// bound, or "": they know floats with a number of bits, or of digits that the dtype has.
func Algorithm(d meta.DType, b Bound) string {
	sure := map[int]float64{2: 3, 4: 7, 8: 15} // digits
	switch {
	case !Rounds(d, nil): // which only floats are without attributes
		return ""
	case b.Rule == Bits:
		return "bitround"
	case b.Rule == Digits && b.Value <= sure[d.Size()]:
		return "granular_bitround"
	}
	return ""
}

// Described returns the attributes of a variable that tells how items were rounded, which the
// attribute quantization names.
func Described(algorithm, implementation string) meta.Map {
	return meta.Map{{Key: "algorithm", Value: algorithm}, {Key: "implementation", Value: implementation}}
}

// Marked returns attributes with those of a bound, in place of others about rounding. If variable
// is not empty, it is the name of one with the attributes of Described.
func Marked(attributes meta.Map, b Bound, variable string) meta.Map {
	kept := slices.DeleteFunc(slices.Clone(attributes), func(p meta.Pair) bool {
		name, _ := p.Key.(string)
		return slices.Contains(all, name)
	})
	if variable != "" {
		kept = append(kept, meta.Pair{Key: container, Value: variable})
	}
	return append(kept, b.attributes()...)
}

func (b Bound) attributes() meta.Map {
	switch b.Rule {
	case Absolute:
		return meta.Map{{Key: absolute, Value: b.Value}}
	case Relative:
		return meta.Map{{Key: relative, Value: b.Value}}
	case Digits:
		return meta.Map{{Key: nsd, Value: int64(b.Value)}}
	case Bits:
		return meta.Map{{Key: nsb, Value: int64(b.Value)}, {Key: netcdfBits, Value: int64(b.Value)}}
	}
	return nil
}

// BoundOf returns the bound to which attributes say that items were rounded, or None. If there are
// several, it is the first of an absolute error, a relative one, digits and bits.
func BoundOf(attributes meta.Map) Bound {
	for _, c := range []struct {
		name string
		rule Rule
	}{{absolute, Absolute}, {relative, Relative}, {nsd, Digits}, {nsb, Bits}} {
		v, _ := attributes.Get(c.name)
		if list, ok := v.([]any); ok && len(list) == 1 {
			v = list[0]
		}
		n, ok := cf.NumberOf(v)
		if b := (Bound{c.rule, n.Float}); ok && b.Validate() == nil {
			return b
		}
	}
	return Bound{}
}
