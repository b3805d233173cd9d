// Package data generates arrays of the kinds that scientists keep, from fixed seeds: the same bytes
// on every machine.
//
// Products that are added to something are converted to float64, which keeps a compiler from fusing
// the two operations where the processor could. Functions that Go has in assembly on some machines
// are avoided.
package data

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/npy"
)

// A Set is an array in C order.
type Set struct {
	Name     string
	DType    string // in NumPy's syntax
	TypeSize int
	Shape    []int64
	Bytes    []byte
}

// A Kind is a recipe for an array.
type Kind struct {
	Name string
	Text string // what it stands for

	salt  uint64 // makes other items of the same kind
	items func(rng *rand.Rand, size int) *Set
}

// Make returns an array of at most size bytes, and nearly as many.
func (k Kind) Make(size int) *Set {
	s := k.items(rand.New(rand.NewPCG(1+k.salt, nameHash(k.Name))), size)
	s.Name = k.Name
	return s
}

// nameHash returns a number for a name.
func nameHash(name string) uint64 {
	h := uint64(0)
	for _, c := range []byte(name) {
		h = mix(h + uint64(c))
	}
	return h
}

// Kinds returns the kinds that are always the same, and that the work on speed looks at. The first
// five are regular on purpose: each shows one property alone. [Drawn] returns others.
func Kinds() []Kind {
	return []Kind{
		{"arange.i8", "a counter", 0, counter},
		{"walk.f8", "a random walk", 0, walk},
		{"smooth.f4", "waves with noise in the last digits", 0, smooth},
		{"photon.u2", "Poisson counts", 0, photons},
		{"sparse.f8", "one number in a hundred, else zero", 0, sparse},

		{"temperature.f4", "time × latitude × longitude, rounded to 2 decimals", 0, temperature},
		{"field.f4", "a turbulent 3-D field, full mantissas", 0, turbulence},
		{"ct.u2", "a CT volume, 12 bits with sensor noise", 0, tomography},
		{"landcover.u1", "a map of categories with long runs", 0, landCover},
		{"timestamps.i8", "nanoseconds of a sensor at 100 Hz, with jitter and gaps", 0, timestamps},
		{"prices.f8", "ticks of 0.01 in calm and busy hours", 0, prices},
		{"photo.u1", "an RGB image: edges, texture, noise", 0, photo},
		{"particles.f4", "x, y, z of particles in clusters", 0, particles},

		{"elevation.i2", "fractal terrain with sea, meters", 0, elevation},
		{"genes.i4", "log-normal counts, samples × genes", 0, genes},
		{"spectra.f8", "peaks on a baseline, full mantissas", 0, spectra},
		{"onehot.u1", "categories as one 1 in 32", 0, oneHot},
	}
}

// Write writes the array as an .npy file.
func (s *Set) Write(dir string) error {
	dtype, err := meta.ParseDType(s.DType)
	if err != nil {
		return err
	}
	header := npy.Header{DType: dtype, Shape: s.Shape}
	return os.WriteFile(filepath.Join(dir, s.Name+".npy"), append(header.Append(nil), s.Bytes...), 0o666)
}

// fill returns a set whose items put writes one by one, in order.
func fill(dtype string, shape []int, put func(i int, b []byte)) *Set {
	s := &Set{DType: dtype, TypeSize: int(dtype[2] - '0')}
	count := 1
	for _, n := range shape {
		s.Shape = append(s.Shape, int64(n))
		count *= n
	}
	s.Bytes = make([]byte, count*s.TypeSize)
	for i := range count {
		put(i, s.Bytes[i*s.TypeSize:][:s.TypeSize])
	}
	return s
}

// rows returns a set whose last axis row fills with numbers, which put then stores.
func rows(dtype string, shape []int, row func(at []int, v []float64), put func(b []byte, v float64)) *Set {
	width := shape[len(shape)-1]
	at := make([]int, len(shape)-1)
	v := make([]float64, width)
	return fill(dtype, shape, func(i int, b []byte) {
		if i%width == 0 {
			for rest, axis := i/width, len(at)-1; axis >= 0; axis-- {
				at[axis] = rest % shape[axis]
				rest = rest / shape[axis]
			}
			row(at, v)
		}
		put(b, v[i%width])
	})
}

// grid returns two sides with about the ratio h:w that hold at most count items.
func grid(count, h, w int) (int, int) {
	rows := max(1, int(math.Sqrt(float64(count)*float64(h)/float64(w))))
	return rows, max(1, count/rows)
}

// box returns three sides for at most count items: two equal powers of two, and what remains.
func box(count int) []int {
	side := 1
	for side*side*side < count {
		side *= 2
	}
	return []int{max(1, count/(side*side)), side, side}
}

func putF4(b []byte, v float64) { binary.LittleEndian.PutUint32(b, math.Float32bits(float32(v))) }
func putF8(b []byte, v float64) { binary.LittleEndian.PutUint64(b, math.Float64bits(v)) }
func putI2(b []byte, v float64) { binary.LittleEndian.PutUint16(b, uint16(int16(math.Round(v)))) }
func putU2(b []byte, v float64) { binary.LittleEndian.PutUint16(b, uint16(math.Round(v))) }
func putI8(b []byte, v float64) { binary.LittleEndian.PutUint64(b, uint64(int64(math.Round(v)))) }
func putI4(b []byte, v float64) { binary.LittleEndian.PutUint32(b, uint32(int32(math.Round(v)))) }
func putU1(b []byte, v float64) { b[0] = uint8(min(max(math.Round(v), 0), 255)) }
