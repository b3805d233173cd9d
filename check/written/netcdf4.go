package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/hdf5/filter"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
)

// drawNetCDF4 draws a group of a NetCDF-4 file, whose variables have its dimensions and those of
// the groups around it.
func drawNetCDF4(rng *rand.Rand, name string, around []*netcdf.Dimension, users []*netcdf.Type, depth int) *netcdf.Group {
	types := append([]string{"string"}, classicTypes...)
	g := &netcdf.Group{Name: name, Attributes: drawAttributes(rng, types, nil)}
	if depth == 0 && rng.IntN(3) == 0 {
		users = drawUserTypes(rng)
		g.Types = users
	}
	for k := range rng.IntN(5) {
		d := &netcdf.Dimension{Name: drawName(rng, strings.Repeat("d", depth+1), k), Len: 1 + rng.Int64N(7), Unlimited: rng.IntN(3) == 0}
		if d.Unlimited && rng.IntN(4) == 0 {
			d.Len = 0
		}
		g.Dimensions = append(g.Dimensions, d)
	}

	dims := append(around[:len(around):len(around)], g.Dimensions...)
	for k := range rng.IntN(6) {
		v := &netcdf.Variable{Name: drawName(rng, "v", k), Type: netcdf.TypeNamed(types[rng.IntN(len(types))])}
		for range rng.IntN(4) {
			if len(dims) > 0 {
				v.Dimensions = append(v.Dimensions, dims[rng.IntN(len(dims))])
			}
		}
		v.Attributes = drawAttributes(rng, types, v.Type)
		g.Variables = append(g.Variables, v)
	}

	drawUserVariables(rng, g, users, dims)

	// Some have the name of a dimension, and are its coordinates or not.
	for _, d := range g.Dimensions {
		v := &netcdf.Variable{Name: d.Name, Type: netcdf.TypeNamed(types[rng.IntN(len(types))])}
		switch rng.IntN(5) {
		case 0:
			v.Dimensions = []*netcdf.Dimension{d}
		case 1:
			v.Dimensions = []*netcdf.Dimension{d, g.Dimensions[rng.IntN(len(g.Dimensions))]}
		case 2:
		default:
			continue
		}
		g.Variables = append(g.Variables, v)
	}

	for k := range rng.IntN(3 - depth) {
		g.Groups = append(g.Groups, drawNetCDF4(rng, drawName(rng, "g", k), dims, users, depth+1))
	}
	return g
}

// stored draws how variables are stored.
func stored(rng *rand.Rand) func(string, *netcdf.Variable) *hdf5.DatasetOptions {
	return func(_ string, v *netcdf.Variable) *hdf5.DatasetOptions {
		if rng.IntN(2) == 0 || len(v.Dimensions) == 0 {
			return nil
		}
		o := &hdf5.DatasetOptions{}
		for _, n := range v.Shape() {
			o.Chunks = append(o.Chunks, 1+rng.Int64N(max(1, n)))
		}
		for _, id := range []filter.ID{filter.Shuffle, filter.Deflate, filter.Fletcher32} {
			if rng.IntN(2) == 0 {
				o.Filters = append(o.Filters, filter.Filter{ID: id})
			}
		}
		return o
	}
}

// drawTexts draws the items of a variable of strings.
func drawTexts(rng *rand.Rand, v *netcdf.Variable) (ndarray.Source, []string) {
	n := int64(1)
	for _, extent := range v.Shape() {
		n *= extent
	}
	texts := make([]string, n)
	for i := range texts {
		texts[i] = strings.Repeat(fmt.Sprintf("é%d ", rng.IntN(1000)), rng.IntN(3))
	}
	a, err := ndarray.FromSlice(texts, v.Shape(), nil)
	if err != nil {
		panic(err)
	}
	return a, texts
}
