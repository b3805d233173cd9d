package ndarray

import (
	"math"
	"slices"
	"testing"
)

// float16Value computes the value of a Float16 in another way than Float32 does.
func float16Value(h Float16) float64 {
	sign := 1.0
	if h.Bits()&float16Sign != 0 {
		sign = -1
	}
	exponent, fraction := int(h.Bits()>>10&0x1f), float64(h.Bits()&0x3ff)
	switch {
	case exponent == 0:
		return sign * math.Ldexp(fraction, -24)
	case exponent < 31:
		return sign * math.Ldexp(1024+fraction, exponent-25)
	case fraction == 0:
		return math.Inf(int(sign))
	}
	return math.NaN()
}

func TestEveryFloat16(t *testing.T) {
	for bits := range 1 << 16 {
		h := Float16FromBits(uint16(bits))
		f := h.Float32()
		if want := float16Value(h); float64(f) != want && !(math.IsNaN(want) && f != f) {
			t.Fatalf("%#x is %v, want %v", bits, f, want)
		}
		if math.Signbit(float64(f)) != (h.Bits()&float16Sign != 0) {
			t.Fatalf("%#x: the sign is lost", bits)
		}
		if back := Float16From(f); back != h {
			t.Fatalf("%#x is %v, which is %#x", bits, f, back.Bits())
		}
	}
}

// Values between two neighbours round to the nearer one, the midpoint to the even one.
func TestFloat16Rounding(t *testing.T) {
	for bits := range uint16(float16Infinity) {
		low, high := Float16FromBits(bits), Float16FromBits(bits+1)
		middle := float32((float16Value(low) + float16Value(high)) / 2)
		if high.Bits() == float16Infinity {
			middle = 65520
		}
		even := low
		if bits&1 != 0 {
			even = high
		}
		for _, c := range []struct {
			f    float32
			want Float16
		}{{math.Nextafter32(middle, 0), low}, {middle, even}, {math.Nextafter32(middle, 1e9), high}} {
			if got := Float16From(c.f); got != c.want {
				t.Fatalf("%v is %#x, want %#x", c.f, got.Bits(), c.want.Bits())
			}
			if got := Float16From(-c.f); got.Bits() != c.want.Bits()|float16Sign {
				t.Fatalf("%v is %#x, want %#x", -c.f, got.Bits(), c.want.Bits()|float16Sign)
			}
		}
	}
	if got := Float16From(math.Float32frombits(0x7f80_0001)); got.Bits() != 0x7c01 {
		t.Errorf("a NaN with a small payload is %#x", got.Bits())
	}
	if got := Float16From(math.MaxFloat32); got.Bits() != float16Infinity {
		t.Errorf("the largest float32 is %#x", got.Bits())
	}
}

func float16s(bits ...uint16) (s []Float16) {
	for _, b := range bits {
		s = append(s, Float16FromBits(b))
	}
	return s
}

func TestFloat16Arrays(t *testing.T) {
	a, err := FromSlice(float16s(0x3c00, 0xc000, 0x7c00, 1), Shape{4}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if a.DType().String() != "<f2" {
		t.Errorf("dtype %s", a.DType().String())
	}
	if _, err := As[uint16](a.Untyped); err == nil {
		t.Error("floats are taken for integers")
	}
	if err := a.Untyped.Fill(t.Context(), 1.5, Index(1)); err != nil {
		t.Fatal(err)
	}
	if err := a.Untyped.Fill(t.Context(), Float16FromBits(0x4000), Index(2)); err != nil {
		t.Fatal(err)
	}
	if got, err := a.Read(t.Context()); err != nil || !slices.Equal(got, float16s(0x3c00, 0x3e00, 0x4000, 1)) {
		t.Errorf("%x: %v", got, err)
	}
	big, err := NewUntyped(">f2", Shape{2}, &Options{Fill: -2})
	if err != nil {
		t.Fatal(err)
	}
	defer big.Close()
	b, err := As[Float16](big)
	if err != nil {
		t.Fatal(err)
	}
	if h, err := b.At(1); err != nil || h.Float32() != -2 {
		t.Errorf("%v: %v", h.Float32(), err)
	}
	if o, err := New[Float16](Shape{1}, &Options{Fill: Float16From(1)}); err != nil {
		t.Errorf("ones: %v", err)
	} else if h, err := o.At(0); err != nil || h != Float16From(1) {
		t.Errorf("one is %v: %v", h, err)
	}
	if u, err := New[uint16](Shape{1}, nil); err != nil || u.DType().String() != "<u2" {
		t.Errorf("uint16: %v", err)
	}
}
