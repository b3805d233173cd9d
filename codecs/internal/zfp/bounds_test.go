package zfp

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// regular lists the kinds without numbers that are infinite, NaN, or too small for zfp.
var regular = []int{0, 1, 2, 3, 4, 5}

// numbersOf converts a block to numbers.
func numbersOf(b []byte, typeSize int) []float64 {
	out := make([]float64, len(b)/typeSize)
	for i := range out {
		if typeSize == 4 {
			out[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
		} else {
			out[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		}
	}
	return out
}

// through encodes and decodes a block and returns the numbers before and after, and the size of the
// stream.
func through(t *testing.T, c sampleCase, src []byte) (before, after []float64, size int) {
	t.Helper()
	codec := c.codec(t)
	stream := make([]byte, 70*len(src)+5000)
	size = codec.Encode(stream, src)
	back := make([]byte, len(src))
	if err := codec.Decode(back, stream[:size]); size == 0 || err != nil {
		t.Fatalf("%v: %d bytes, %v", c, size, err)
	}
	return numbersOf(src, c.typeSize), numbersOf(back, c.typeSize), size
}

func largest(numbers []float64) float64 {
	most := 0.0
	for _, v := range numbers {
		most = max(most, math.Abs(v))
	}
	return most
}

func largestError(a, b []float64) float64 {
	most := 0.0
	for i := range a {
		most = max(most, math.Abs(a[i]-b[i]))
	}
	return most
}

// unit returns the maximum error of numbers up to most that is due to zfp's integers, which have
// two bits fewer than the type and lose two more per dimension.
func unit(most float64, typeSize, dims int) float64 {
	_, e := math.Frexp(most)
	return math.Ldexp(1, e-8*typeSize+2+2*dims)
}

// TestBounds checks that no error exceeds the parameter's bound plus the precision of the integers,
// and that at least one error exceeds a quarter of each bound.
func TestBounds(t *testing.T) {
	for mode, bound := range map[Mode]func(parameter uint8, most float64) float64{
		Accuracy:  func(p uint8, _ float64) float64 { return math.Pow10(int(int8(p))) },
		Precision: func(p uint8, most float64) float64 { return math.Ldexp(most, -int(p)) },
	} {
		r := rand.New(rand.NewPCG(7, uint64(mode)))
		worst := 0.0
		for i := range 600 {
			c := drawCase(r)
			c.mode, c.parameter = mode, uint8(r.IntN(40))
			if mode == Accuracy {
				c.parameter -= 30
			}
			before, after, _ := through(t, c, block(regular[i%len(regular)], c.shape, c.typeSize, uint64(i)))
			off, most := largestError(before, after), largest(before)
			allowed := max(bound(c.parameter, most), unit(most, c.typeSize, len(c.shape)))
			if off > allowed {
				t.Errorf("%v: a number is off by %g, at most %g is allowed", c, off, allowed)
			}
			if most > 0 {
				worst = max(worst, off/allowed)
			}
		}
		if worst < 0.25 {
			t.Errorf("mode %d: errors are at most %g of what is allowed; is the bound the right one?", mode, worst)
		}
	}
}

// TestRateSize checks that all cells have the same number of bits, and at least those of the
// exponent.
func TestRateSize(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for i := range 300 {
		c := drawCase(r)
		c.mode = Rate
		cells := 1
		for _, n := range c.shape {
			cells *= (int(n) + 3) / 4
		}
		// In hundredths of a bit, so that rounding is exact.
		perCell := max((8*c.typeSize<<(2*len(c.shape))*int(c.parameter)+50)/100, 1+exponentBits(c.typeSize))
		want := (cells*perCell + 63) / 64 * 8
		if _, _, size := through(t, c, block(i%len(kinds), c.shape, c.typeSize, uint64(i))); size != want {
			t.Errorf("%v: %d bytes, want %d", c, size, want)
		}
	}
}

// TestOdd checks that one number that is not finite, or is too small to be scaled, spoils its cell.
// The expected results are those of the real library on an x86 processor.
func TestOdd(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	negative := float32(math.Copysign(0, -1))
	for _, c := range []struct{ in, want [4]float32 }{
		{[4]float32{nan, nan, nan, nan}, [4]float32{}},
		{[4]float32{1, nan, 1, 1}, [4]float32{1, -4, 1, 1}},
		{[4]float32{inf, 0, 0, 0}, [4]float32{-2, 0, 0, 0}},
		{[4]float32{2, inf, 3, 4}, [4]float32{-2, -2, -2, -2}},
		{[4]float32{0, 0, nan, 0}, [4]float32{}},
		{[4]float32{1e-39, 1e-39, 1e-39, 1e-39}, [4]float32{negative, negative, negative, negative}},
		{[4]float32{1e-30, 2e-30, 3e-30, 4e-30}, [4]float32{1.0000000031710769e-30, 2.0000000063421537e-30, 3.0000000095132306e-30, 4.0000000126843074e-30}},
	} {
		src, want := make([]byte, 16), make([]byte, 16)
		for i := range c.in {
			binary.LittleEndian.PutUint32(src[4*i:], math.Float32bits(c.in[i]))
			binary.LittleEndian.PutUint32(want[4*i:], math.Float32bits(c.want[i]))
		}
		codec := sampleCase{Precision, 20, []int32{4}, 4}.codec(t)
		stream, got := make([]byte, 100), make([]byte, 16)
		if err := codec.Decode(got, stream[:codec.Encode(stream, src)]); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%v: %v, want %v (%v)", c.in, numbersOf(got, 4), c.want, err)
		}
	}
}
