package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
)

// userDType is the dtype of the compounds that are drawn.
const userDType = "[('a', '<i4'), ('b', '<f8', (2,)), ('c', '|u1')]"

// drawUserTypes draws types that a NetCDF-4 file defines: an enum, a compound, sequences, and
// opaque ones, which only the library of C knows.
func drawUserTypes(rng *rand.Rand) []*netcdf.Type {
	enum := &netcdf.Type{Name: "colour", Class: netcdf.Enum, Size: 4, Base: netcdf.TypeNamed("int"),
		Members: []netcdf.Member{{Name: "red", Value: -1}, {Name: "blue", Value: 70_000}, {Name: "none"}}}
	compound := &netcdf.Type{Name: "pair", Class: netcdf.Compound, Size: 21, Members: []netcdf.Member{
		{Name: "a", Type: netcdf.TypeNamed("int")}, {Name: "b", Type: netcdf.TypeNamed("double"), Shape: []int64{2}},
		{Name: "c", Type: netcdf.TypeNamed("ubyte")}}}
	base := []string{"short", "float", "double", "ubyte", "int64"}[rng.IntN(5)]
	sequence := &netcdf.Type{Name: "ragged", Class: netcdf.VLen, Base: netcdf.TypeNamed(base)}
	opaque := &netcdf.Type{Name: "blob", Class: netcdf.Opaque, Size: 1 + rng.IntN(9)}

	types := []*netcdf.Type{enum, compound, sequence, opaque}
	rng.Shuffle(len(types), func(i, j int) { types[i], types[j] = types[j], types[i] })
	return types[:1+rng.IntN(len(types))]
}

// drawUserVariables adds variables of such types to a group. The library for Python has no opaque
// ones.
func drawUserVariables(rng *rand.Rand, g *netcdf.Group, types []*netcdf.Type, dims []*netcdf.Dimension) {
	for k, t := range types {
		if t.Class == netcdf.Opaque || rng.IntN(3) == 0 {
			continue
		}
		v := &netcdf.Variable{Name: drawName(rng, "user", k), Type: t}
		for range rng.IntN(3) {
			if len(dims) > 0 {
				v.Dimensions = append(v.Dimensions, dims[rng.IntN(len(dims))])
			}
		}
		g.Variables = append(g.Variables, v)
	}
}

// drawUser draws the items of a variable of a type that the file defines, and notes them.
func drawUser(rng *rand.Rand, v *netcdf.Variable, is *wantedVariable) ndarray.Source {
	n := int64(1)
	for _, extent := range v.Shape() {
		n *= extent
	}
	if v.Type.Class == netcdf.VLen {
		texts, lists := drawLists(rng, v.Type.Base.Name, n)
		is.Lists = lists
		return texts.of(v.Shape())
	}

	is.DType = userDType
	if v.Type.Class == netcdf.Enum {
		is.DType = "'<i4'"
	}
	d, err := meta.ParseDType(strings.Trim(is.DType, "'"))
	if err != nil {
		panic(err)
	}
	s := &items{shape: v.Shape(), dtype: d}
	for _, extent := range s.shape {
		s.chunks = append(s.chunks, max(1, min(extent, 1+rng.Int64N(5))))
	}
	if v.Type.Class == netcdf.Enum {
		for range n {
			value := v.Type.Members[rng.IntN(len(v.Type.Members))].Value
			s.data = append(s.data, byte(value), byte(value>>8), byte(value>>16), byte(value>>24))
		}
	} else {
		s.data = drawBytes(rng, d, n)
	}
	is.Items = hex.EncodeToString(s.data)
	return s
}

// listTexts are sequences as text.
type listTexts []string

func (t listTexts) of(shape ndarray.Shape) ndarray.Source {
	a, err := ndarray.FromSlice([]string(t), shape, nil)
	if err != nil {
		panic(err)
	}
	return a
}

// drawLists draws sequences of numbers or texts of a type of NetCDF, as text and as values.
func drawLists(rng *rand.Rand, base string, n int64) (texts listTexts, lists [][]any) {
	for range n {
		list := []any{}

		for range rng.IntN(5) * rng.IntN(4) {
			switch base {
			case "float":
				list = append(list, float64(float32(rng.IntN(2000)-1000)/8))
			case "double":
				list = append(list, float64(rng.IntN(2000)-1000)/1024)
			case "string":
				list = append(list, strings.Repeat("é\"", rng.IntN(3)))
			case "ubyte":
				list = append(list, rng.IntN(256))
			default:
				list = append(list, rng.IntN(65536)-32768)
			}
		}

		text, err := json.Marshal(list)
		if err != nil {
			panic(err)
		}
		texts = append(texts, string(text))
		lists = append(lists, list)
	}
	return texts, lists
}

// drawUserDataset draws a dataset of an HDF5 file whose items are of an enum, sequences, or refer
// to objects, and returns its items.
func drawUserDataset(rng *rand.Rand, is *wantedObject, keys []string) (ndarray.Source, *hdf5.DatasetOptions) {
	o := &hdf5.DatasetOptions{}
	n := int64(1)
	is.Kind = "dataset"
	is.Shape = []int64{}
	for range rng.IntN(3) {
		is.Shape = append(is.Shape, rng.Int64N(7))
		n *= is.Shape[len(is.Shape)-1]
	}
	if rng.IntN(2) == 0 && len(is.Shape) > 0 {
		for _, extent := range is.Shape {
			o.Chunks = append(o.Chunks, 1+rng.Int64N(max(1, extent)))
		}
	}

	switch rng.IntN(4) {
	case 0:
		is.DType = "'<i2'"
		o.Type = &hdf5.Type{Class: hdf5.EnumType, Size: 2, Base: &hdf5.Type{Class: hdf5.IntegerType, Size: 2, Signed: true}}
		is.Enum = map[string]int64{}
		for i := range int64(1 + rng.IntN(5)) {
			name := fmt.Sprintf("né%d", i)
			is.Enum[name] = i*i - 3
			o.Type.Members = append(o.Type.Members, hdf5.Member{Name: name, Value: i*i - 3})
		}
		d, err := meta.ParseDType("<i2")
		if err != nil {
			panic(err)
		}
		s := &items{shape: is.Shape, chunks: o.Chunks, dtype: d, data: drawBytes(rng, d, n)}
		if s.chunks == nil {
			s.chunks = make(ndarray.Shape, len(is.Shape))
			for i := range s.chunks {
				s.chunks[i] = 1
			}
		}
		is.Items = hex.EncodeToString(s.data)
		return s, o
	case 1:
		o.Type = &hdf5.Type{Class: hdf5.ReferenceType, Size: 8}
		texts := make(listTexts, n)
		for i := range texts {
			var want any
			if rng.IntN(4) > 0 {
				texts[i] = keys[rng.IntN(len(keys))]
				want = "ref:" + texts[i]
			}
			is.Values = append(is.Values, want)
		}
		is.HasValues = true
		return texts.of(is.Shape), o
	}

	base := []string{"float", "double", "string", "ubyte", "int64"}[rng.IntN(5)]
	texts, lists := drawLists(rng, base, n)
	of, err := netcdf.TypeNamed(base).HDF5()
	if err != nil {
		panic(err)
	}
	o.Type = &hdf5.Type{Class: hdf5.VariableType, Base: of}
	for _, list := range lists {
		is.Values = append(is.Values, list)
	}
	is.HasValues = true
	return texts.of(is.Shape), o
}
