package minmax

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/internal/test/asmtest"
)

func TestOf(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		check(t, func() int8 { return int8(r.Uint32()) })
		check(t, func() uint8 { return uint8(r.Uint32()) })
		check(t, func() int16 { return int16(r.Uint32()) })
		check(t, func() uint16 { return uint16(r.Uint32()) })
		check(t, func() int32 { return int32(r.Uint32()) })
		check(t, func() uint32 { return r.Uint32() })
		check(t, func() float32 { return float32(r.NormFloat64()) })
	})
}

// check puts an extreme at each place of slices of all short lengths.
func check[T Number](t *testing.T, next func() T) {
	t.Helper()
	for n := 1; n < 300; n++ {
		values := make([]T, n)
		for i := range values {
			values[i] = next()
		}
		for i := range values {
			if n > 70 && i%7 > 0 && i > 10 && i < n-10 {
				continue
			}
			before := values[i]
			for _, v := range []T{next() / 2, 0, slices.Min(values), slices.Max(values)} {
				values[i] = v
				least, most := Of(values)
				if low, high := slices.Min(values), slices.Max(values); least != low || most != high {
					t.Fatalf("%T: %d values from %v to %v, not from %v to %v", v, n, low, high, least, most)
				}
			}
			values[i] = before
		}
	}
}

func TestFloats(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		inf := float32(math.Inf(1))
		zero := float32(0)
		for _, n := range []int{1, 15, 16, 17, 40, 100} {
			for i := range n {
				values := make([]float32, n)
				for _, c := range []struct{ v, least, most float32 }{
					{-zero, 0, 0}, {inf, 0, inf}, {-inf, -inf, 0},
					{-1e-45, -1e-45, 0}, {1e-45, 0, 1e-45}, {-3e38, -3e38, 0},
				} {
					values[i] = c.v
					least, most := Of(values)
					if n > 1 && (least != c.least || most != c.most) {
						t.Fatalf("%v among %d zeros: from %v to %v", c.v, n-1, least, most)
					}
				}
				values[i] = float32(math.Copysign(0, -1))
				least, most := Of(values)
				if !math.Signbit(float64(least)) || n > 1 && math.Signbit(float64(most)) {
					t.Fatalf("-0 among %d zeros: from %v to %v", n-1, least, most)
				}
				for _, bits := range []uint32{nan, 0xffc00000, 0x7f800001, 0xff800001, math.MaxUint32, math.MaxInt32} {
					values[i] = math.Float32frombits(bits)
					if least, most := Of(values); least == least || most == most {
						t.Fatalf("NaN %x: from %v to %v", bits, least, most)
					}
				}
			}
		}
	})
}

func FuzzOf(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4})
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < 4 {
			return
		}
		compare(t, b, func(p []byte) uint8 { return p[0] })
		compare(t, b, func(p []byte) int8 { return int8(p[0]) })
		compare(t, b, func(p []byte) uint16 { return uint16(p[0]) | uint16(p[1])<<8 })
		compare(t, b, func(p []byte) int16 { return int16(p[0]) | int16(p[1])<<8 })
		compare(t, b, word)
		compare(t, b, func(p []byte) int32 { return int32(word(p)) })
		compare(t, b, func(p []byte) float32 { return math.Float32frombits(word(p)) })
	})
}

func word(p []byte) uint32 {
	return uint32(p[0]) | uint32(p[1])<<8 | uint32(p[2])<<16 | uint32(p[3])<<24
}

// compare compares the kernel with plain Go.
func compare[T Number](t *testing.T, b []byte, at func([]byte) T) {
	var values []T
	for ; len(b) >= 4; b = b[1:] {
		values = append(values, at(b))
	}
	least, most := Of(values)
	low, high := generic(values)
	same := func(a, b T) bool { return a == b || a != a && b != b }
	if !same(least, low) || !same(most, high) {
		t.Fatalf("%T: from %v to %v, plain Go says from %v to %v", low, least, most, low, high)
	}
}

func BenchmarkOf(b *testing.B) {
	b.Run("int8", bench[int8])
	b.Run("int16", bench[int16])
	b.Run("float32", bench[float32])
}

func bench[T Number](b *testing.B) {
	values := make([]T, 16384)
	for i := range values {
		values[i] = T(i % 100)
	}
	for name, of := range map[string]func([]T) (T, T){"kernel": Of[T], "plain": generic[T]} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				of(values)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/16384, "ns/item")
		})
	}
}
