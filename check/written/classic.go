package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/cairn-go/cairn/netcdf"
)

// The types of the classic formats: the first six are in all of them.
var classicTypes = []string{"byte", "char", "short", "int", "float", "double", "ubyte", "ushort", "uint", "int64",
	"uint64"}

// drawClassic draws what a file of a classic format has.
func drawClassic(rng *rand.Rand, f netcdf.Format) *netcdf.Group {
	types := classicTypes[:6]
	if f == netcdf.Data64 {
		types = classicTypes
	}

	root := &netcdf.Group{Attributes: drawAttributes(rng, types, nil)}
	for k := range rng.IntN(5) {
		root.Dimensions = append(root.Dimensions, &netcdf.Dimension{Name: drawName(rng, "d", k), Len: 1 + rng.Int64N(7)})
	}
	unlimited := -1
	if rng.IntN(3) > 0 {
		d := &netcdf.Dimension{Name: "time", Unlimited: true, Len: rng.Int64N(12)}
		if rng.IntN(8) == 0 {
			d.Len = 300 + rng.Int64N(3000)
		}
		unlimited = rng.IntN(len(root.Dimensions) + 1)
		root.Dimensions = append(root.Dimensions[:unlimited:unlimited], append([]*netcdf.Dimension{d},
			root.Dimensions[unlimited:]...)...)
	}

	for k := range rng.IntN(7) {
		v := &netcdf.Variable{Name: drawName(rng, "v", k), Type: netcdf.TypeNamed(types[rng.IntN(len(types))])}
		if unlimited >= 0 && rng.IntN(2) == 0 {
			v.Dimensions = append(v.Dimensions, root.Dimensions[unlimited])
		}
		for range rng.IntN(4) {
			if d := rng.IntN(len(root.Dimensions) + 1); d < len(root.Dimensions) && d != unlimited {
				v.Dimensions = append(v.Dimensions, root.Dimensions[d])
			}
		}
		v.Attributes = drawAttributes(rng, types, v.Type)
		root.Variables = append(root.Variables, v)
	}
	return root
}

// drawName draws a name that no other number has.
func drawName(rng *rand.Rand, prefix string, k int) string {
	odd := []string{"", "_", "-x", ".y", " z", "+", "@", "é", "日本", "#1", "(m)", ":0", "\\", "'", "\""}
	return fmt.Sprintf("%s%s%d", prefix, odd[rng.IntN(len(odd))*rng.IntN(2)], k)
}

// drawAttributes draws attributes, of a variable of a type, or of the file if that is nil.
func drawAttributes(rng *rand.Rand, types []string, of *netcdf.Type) (list []netcdf.Attribute) {
	if of != nil && of.Name != "char" && of.Name != "string" && rng.IntN(3) == 0 {
		list = append(list, netcdf.Attribute{Name: "_FillValue", Type: of, Value: drawValue(rng, of.Name)})
	}
	for k := range rng.IntN(4) {
		t := netcdf.TypeNamed(types[rng.IntN(len(types))])
		a := netcdf.Attribute{Name: drawName(rng, "a", k), Type: t}

		switch n := 1 + rng.IntN(4); {
		case t.Name == "string":
			a.Value = []any{"tëxt", "", "x"}[:1+n%3]
		case t.Name == "char":
			a.Value = strings.Repeat("tëxt\n\"q\" ", n)[:rng.IntN(5)*n]
			a.Value = strings.ToValidUTF8(a.Value.(string), "")
		case n == 1:
			a.Value = drawValue(rng, t.Name)
		default:
			values := make([]any, n)
			for i := range values {
				values[i] = drawValue(rng, t.Name)
			}
			a.Value = values
		}
		list = append(list, a)
	}
	return list
}

// drawValue draws a number of a type, often one at its bounds.
func drawValue(rng *rand.Rand, t string) any {
	size := map[string]int{"byte": 8, "short": 16, "int": 32, "int64": 64, "ubyte": 8, "ushort": 16, "uint": 32,
		"uint64": 64}[t]
	switch {
	case t == "float":
		return []float32{0, 1.5, -2.25e-30, math.MaxFloat32, float32(math.Inf(1)), float32(math.NaN()), 1e20}[rng.IntN(7)]
	case t == "double":
		return []float64{0, 0.1, -1e300, math.MaxFloat64, math.Inf(-1), math.NaN(), 1e-310}[rng.IntN(7)]
	case t[0] == 'u':
		return rng.Uint64() >> (64 - size) >> (rng.IntN(2) * rng.IntN(size))
	}
	return int64(rng.Uint64()) >> (64 - size) >> (rng.IntN(2) * rng.IntN(size))
}
