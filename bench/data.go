package main

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"path/filepath"
	"sort"
)

// A dataSet is items to compress, in C order.
type dataSet struct {
	name     string
	dtype    string // in NumPy's syntax
	typeSize int
	shape    []int64
	data     []byte
	cube     bool // the generated array
}

// dataSets returns the generated data sets and the .npy files of the data directory.
func (c *config) dataSets() ([]*dataSet, error) {
	var out []*dataSet
	if c.made {
		out = generated(c.size)
	}
	if c.data == "" {
		return out, nil
	}
	found, err := readDir(c.data)
	return append(out, found...), err
}

func readDir(dir string) ([]*dataSet, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.npy"))
	if err != nil {
		return nil, err
	}
	sort.Strings(paths)
	var out []*dataSet
	for _, p := range paths {
		s, err := readNPY(p)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		return nil, errNoData
	}
	return out, nil
}

// generated returns five data sets of size bytes each: a counter, a random walk, a smooth field,
// photon counts, and mostly zeros.
func generated(size int) []*dataSet {
	rng := rand.New(rand.NewPCG(1, 2))
	level := 0.0
	walk := func(i int, b []byte) {
		level += rng.NormFloat64()
		binary.LittleEndian.PutUint64(b, math.Float64bits(level))
	}
	photons := func(i int, b []byte) {
		n, p := 0, rng.Float64()
		for limit := math.Exp(-1.5); p > limit; n++ {
			p *= rng.Float64()
		}
		binary.LittleEndian.PutUint16(b, uint16(n))
	}
	sparse := func(i int, b []byte) {
		if rng.IntN(100) == 0 {
			binary.LittleEndian.PutUint64(b, math.Float64bits(rng.NormFloat64()))
		}
	}
	return []*dataSet{
		fill("arange.i8", "<i8", 8, int64(size/8), func(i int, b []byte) { binary.LittleEndian.PutUint64(b, uint64(i)) }),
		fill("walk.f8", "<f8", 8, int64(size/8), walk),
		fill("smooth.f4", "<f4", 4, int64(size/4), smoothItem(rng, 1024)),
		fill("photon.u2", "<u2", 2, int64(size/2), photons),
		fill("sparse.f8", "<f8", 8, int64(size/8), sparse),
	}
}

// cube returns the smooth field with three equal sides.
func cube(side int) *dataSet {
	s := fill("smooth.f4", "<f4", 4, int64(side)*int64(side)*int64(side), smoothItem(rand.New(rand.NewPCG(1, 2)), side))
	s.shape, s.cube = []int64{int64(side), int64(side), int64(side)}, true
	return s
}

// smoothItem returns a function for the items of a field with rows of width items: waves, and noise
// in the last digits.
func smoothItem(rng *rand.Rand, width int) func(i int, b []byte) {
	return func(i int, b []byte) {
		x, y := float64(i%width), float64(i/width)
		v := 280 + 10*math.Sin(x/97)*math.Cos(y/151) + rng.NormFloat64()/200
		binary.LittleEndian.PutUint32(b, math.Float32bits(float32(v)))
	}
}

// fill returns a data set whose items put writes one by one.
func fill(name, dtype string, typeSize int, count int64, put func(i int, b []byte)) *dataSet {
	s := &dataSet{name: name, dtype: dtype, typeSize: typeSize, shape: []int64{count}, data: make([]byte, int(count)*typeSize)}
	for i := range int(count) {
		put(i, s.data[i*typeSize:][:typeSize])
	}
	return s
}
