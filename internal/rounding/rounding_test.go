package rounding

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/meta"
)

func dtypeOf(t testing.TB, text string) meta.DType {
	t.Helper()
	d, err := meta.ParseDType(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func rounderOf(t testing.TB, dtype string, attributes meta.Map, b Bound) *Rounder {
	t.Helper()
	r, err := New(dtypeOf(t, dtype), attributes, b)
	if err != nil {
		t.Fatalf("%s, %v: %v", dtype, b, err)
	}
	return r
}

func attribute(name string, value any) meta.Map { return meta.Map{{Key: name, Value: value}} }

// stepOf returns the logarithm of the step to which a bound lets a number be rounded, worked out
// from the number itself.
func stepOf(b Bound, f floats, v float64) (log int, all bool) {
	v = math.Abs(v)
	_, e := math.Frexp(v)
	e--
	normal := e >= 1-f.bias
	exact := func(v float64) *big.Float { return new(big.Float).SetPrec(2000).SetFloat64(v) }
	limit := exact(v)
	switch b.Rule {
	case Bits:
		return max(e, 1-f.bias) - int(b.Value), false
	case Absolute:
		limit = exact(b.Value)
	case Relative:
		limit.Mul(limit, exact(b.Value))
	case Digits: // half of the last digit
		tens, _ := new(big.Float).SetInt64(1).SetPrec(2000), 0
		ten := exact(10)
		for tens.Cmp(limit) > 0 {
			tens.Quo(tens, ten)
		}
		for new(big.Float).Mul(tens, ten).Cmp(limit) <= 0 {
			tens.Mul(tens, ten)
		}
		for range int(b.Value) - 1 {
			tens.Quo(tens, ten)
		}
		limit = tens.Quo(tens, exact(2))
	}
	if b.Rule != Absolute && !normal {
		return 0, true
	}
	return limit.MantExp(nil), false // the step is twice the largest power of two in the limit
}

// checkItem compares the rounding of a number with what the bound asks for.
func checkItem(t *testing.T, b Bound, f floats, was, is float64) {
	t.Helper()
	if was == 0 || was-was != 0 {
		if is != was && is == is {
			t.Fatalf("%v: %g became %g", b, was, is)
		}
		return
	}
	step, all := stepOf(b, f, was)
	if all {
		if is != was {
			t.Fatalf("%v: %g, which is not normal, became %g", b, was, is)
		}
		return
	}

	// In units of the step, which may be too small for a float64, it is the nearest integer.
	unit := math.Ldexp(was, -step/2)
	unit = math.Ldexp(unit, -(step - step/2))
	want := math.RoundToEven(unit)
	got := math.Ldexp(math.Ldexp(is, -step/2), -(step - step/2))
	if got == want {
		return
	}
	finer := math.RoundToEven(2 * unit)
	switch {
	case is == was && math.IsInf(f.limit(math.Ldexp(want, step)), 0): // it would overflow
	case b.Rule == Relative && 2*got == finer: // near the number from which on steps are coarser
	case b.Rule == Digits && (8*got == math.RoundToEven(8*unit) || 16*got == math.RoundToEven(16*unit)):
	default:
		t.Fatalf("%v: %g became %g, which is %g steps of 2**%d, want %g", b, was, is, got, step, want)
	}
}

// limit returns v, or infinity if it exceeds the largest number of the format.
func (f floats) limit(v float64) float64 {
	if math.Abs(v) >= math.Ldexp(1, f.bias+1) {
		return math.Inf(1)
	}
	return v
}

// allBounds are bounds of all rules for a format.
func allBounds(f floats) []Bound {
	var all []Bound
	for n := 1; n <= f.mantissa; n++ {
		all = append(all, Bound{Bits, float64(n)})
	}
	for n := 1; n <= min(f.mantissa/3+1, mostDigits); n++ {
		all = append(all, Bound{Digits, float64(n)})
	}
	for _, v := range []float64{0.9, 0.5, 0.3, 0.1, 1e-2, 1.9e-3, 1e-3, 1.0 / 1024, 1e-4, 1e-7, 1e-16, 1e-300} {
		all = append(all, Bound{Relative, v})
	}
	for _, v := range []float64{1e300, 1e5, 65504, 1000, 3, 1, 0.75, 0.5, 0.01, 1e-3, 6e-8, 3e-8, 1e-8, 1e-40, 1e-310, 5e-324} {
		all = append(all, Bound{Absolute, v})
	}
	return all
}

// TestHalfs rounds all floats of 16 bits.
func TestHalfs(t *testing.T) {
	f := floatsOf(2)
	items := make([]byte, 2<<16)
	for i := range 1 << 16 {
		binary.LittleEndian.PutUint16(items[2*i:], uint16(i))
	}
	for k, b := range allBounds(f) {
		rounded := bytes.Clone(items)
		r := rounderOf(t, "<f2", nil, b)
		if err := r.Round(rounded); err != nil {
			t.Fatal(err)
		}
		absolute := 0.0
		for i := range 1 << 16 {
			was := f.value(uint64(i))
			bits := binary.LittleEndian.Uint16(rounded[2*i:])
			is := f.value(uint64(bits))
			if was != was && int(bits) != i {
				t.Fatalf("%v: NaN %#x became %#x", b, i, bits)
			}
			if i%8 == k%8 || was-was != 0 { // the exact steps of some
				checkItem(t, b, f, was, is)
			}
			if was-was == 0 {
				absolute = max(absolute, math.Abs(was-is))
			}
		}
		if have, _ := r.Errors(); have != absolute {
			t.Errorf("%v: the largest error is %g, said to be %g", b, absolute, have)
		}
		again := bytes.Clone(rounded)
		if err := r.Round(again); err != nil || !bytes.Equal(again, rounded) {
			t.Errorf("%v: items change when they are rounded again (%v)", b, err)
		}
	}
}

// draw returns a float of any exponent, with few or many bits, near a power of ten, or special.
func draw(random *rand.Rand, f floats) float64 {
	size := f.mantissa + f.exponent + 1
	bits := random.Uint64() >> (64 - size)
	switch random.IntN(6) {
	case 0:
		bits &= math.MaxUint64 << random.IntN(f.mantissa)
	case 1:
		bits |= 1<<random.IntN(f.mantissa) - 1
	case 2: // an ordinary number
		bits = uint64(f.bias+random.IntN(24)-12)<<f.mantissa | bits&(1<<f.mantissa-1)
	case 3:
		v := math.Pow(10, float64(random.IntN(60)-30))
		if f.mantissa == 23 {
			bits = uint64(math.Float32bits(float32(v)))
		} else if f.mantissa == 52 {
			bits = math.Float64bits(v)
		}
		bits += uint64(random.IntN(9)) - 4
	}
	return f.value(bits & (1<<size - 1))
}

// TestDrawn rounds drawn floats of 32 and 64 bits, in both byte orders.
func TestDrawn(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for _, size := range []int{4, 8} {
		f := floatsOf(size)
		for _, b := range allBounds(f) {
			little := make([]byte, 256*size)
			big := make([]byte, len(little))
			was := make([]float64, 256)
			for i := range was {
				was[i] = draw(random, f)
				bits := math.Float64bits(was[i])
				if size == 4 {
					bits = uint64(math.Float32bits(float32(was[i])))
				}
				govalue.Number{Size: size}.PutBits(little[size*i:], bits)
				govalue.Number{Size: size, BigEndian: true}.PutBits(big[size*i:], bits)
			}

			r := rounderOf(t, fmt.Sprintf("<f%d", size), nil, b)
			other := rounderOf(t, fmt.Sprintf(">f%d", size), nil, b)
			if err := errors.Join(r.Round(little), other.Round(big)); err != nil {
				t.Fatal(err)
			}
			for i, v := range was {
				bits := (govalue.Number{Size: size}).Bits(little[size*i:])
				if other := (govalue.Number{Size: size, BigEndian: true}).Bits(big[size*i:]); other != bits {
					t.Fatalf("%v: %g becomes %#x and %#x", b, v, bits, other)
				}
				checkItem(t, b, f, v, f.value(bits))
			}

			again := bytes.Clone(little)
			if err := r.Round(again); err != nil || !bytes.Equal(again, little) {
				t.Errorf("%v: items change when they are rounded again (%v)", b, err)
			}
		}
	}
}

// TestIntegers rounds all integers of 16 bits that are packed.
func TestIntegers(t *testing.T) {
	const factor = 0.001
	for _, c := range []struct {
		dtype string
		bound float64
		step  float64
	}{{"<i2", 0.01, 16}, {"<u2", 0.01, 16}, {">i2", 0.0079, 8}, {"<i2", 0.0004, 0}, {"<u2", 0.001, 2}, {"<i2", 100, 1 << 15}} {
		r := rounderOf(t, c.dtype, attribute("scale_factor", factor), Bound{Absolute, c.bound})
		for i := range 1 << 16 {
			item := make([]byte, 2)
			r.item.PutBits(item, uint64(i))
			if err := r.Round(item); err != nil {
				t.Fatal(err)
			}
			was := r.number(uint64(i))
			is := r.number(r.item.Bits(item))
			want := was
			if c.step > 0 {
				want = c.step * math.RoundToEven(was/c.step)
			}
			overflow := want > 65535 || r.signed && want > 32767
			if overflow {
				want = was
			}
			if is != want || math.Abs(is-was)*factor > c.bound {
				t.Fatalf("%v: %g became %g, want %g", c, was, is, want)
			}
		}
		absolute, _ := r.Errors()
		if c.step > 0 && (absolute > c.bound || absolute < c.bound/4 && c.bound < 1) {
			t.Errorf("%v: largest error %g", c, absolute)
		}
	}
}

// TestExactItems rounds items next to missing and valid ones.
func TestExactItems(t *testing.T) {
	attributes := meta.Map{{Key: "_FillValue", Value: float32(1e20)}, {Key: "missing_value", Value: -9999.0},
		{Key: "valid_max", Value: 101.2}}
	r := rounderOf(t, "<f4", attributes, Bound{Absolute, 1})
	nan := math.Float32frombits(0x7fc12345)
	inf := float32(math.Inf(-1))
	was := []float32{1e20, -9999, -9998.5, 101.1, 99.4, 5.2, nan, inf, 300.7}
	want := []float32{1e20, -9999, -9998, 101.1, 100, 6, nan, inf, 300}
	items, err := binary.Append(nil, binary.LittleEndian, was)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Round(items); err != nil {
		t.Fatal(err)
	}
	wanted, err := binary.Append(nil, binary.LittleEndian, want)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(items, wanted) {
		got := make([]float32, len(was))
		if _, err := binary.Decode(items, binary.LittleEndian, got); err != nil {
			t.Fatal(err)
		}
		t.Errorf("got  %v\nwant %v", got, want)
	}

	packed := meta.Map{{Key: "_FillValue", Value: int64(-32)}, {Key: "add_offset", Value: 5.0}}
	r = rounderOf(t, "|i1", packed, Bound{Absolute, 8})
	small := []byte{0xe0, 0xe1, 0xe9, 0, 7, 8, 9, 24, 127} // -32, -31, -23, …
	if err := r.Round(small); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(small, []byte{0xe0, 0xe1, 0xf0, 0, 0, 0, 16, 32, 127}) {
		t.Errorf("integers became %#x", small)
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		dtype      string
		attributes meta.Map
		bound      Bound
		want       error
	}{
		{"<f4", nil, Bound{Absolute, 0}, cairn.ErrInvalid},
		{"<f4", nil, Bound{Absolute, math.NaN()}, cairn.ErrInvalid},
		{"<f4", nil, Bound{Absolute, math.Inf(1)}, cairn.ErrInvalid},
		{"<f4", nil, Bound{Relative, 1}, cairn.ErrInvalid},
		{"<f4", nil, Bound{Relative, -1}, cairn.ErrInvalid},
		{"<f4", nil, Bound{Digits, 1.5}, cairn.ErrInvalid},
		{"<f4", nil, Bound{Digits, 0}, cairn.ErrInvalid},
		{"<f4", nil, Bound{Bits, 24}, cairn.ErrInvalid},
		{"<f4", nil, Bound{Bits, 53}, cairn.ErrInvalid},
		{"<f4", nil, Bound{9, 1}, cairn.ErrInvalid},
		{"<i4", nil, Bound{Absolute, 1}, cairn.ErrType},
		{"|b1", nil, Bound{Absolute, 1}, cairn.ErrType},
		{"<c8", nil, Bound{Absolute, 1}, cairn.ErrType},
		{"<M8[s]", nil, Bound{Absolute, 1}, cairn.ErrType},
		{"<U8", nil, Bound{Absolute, 1}, cairn.ErrType},
		{"<i2", attribute("scale_factor", 0.0), Bound{Absolute, 1}, cairn.ErrType},
		{"<i2", attribute("scale_factor", 2.0), Bound{Relative, 0.1}, cairn.ErrType},
		{"<i2", append(attribute("scale_factor", 2.0), attribute("flag_meanings", "a b")...), Bound{Absolute, 1}, cairn.ErrType},
		{"<f4", attribute("add_offset", 2.0), Bound{Relative, 0.1}, cairn.ErrType},
	} {
		if _, err := New(dtypeOf(t, c.dtype), c.attributes, c.bound); !errors.Is(err, c.want) {
			t.Errorf("%s, %v, %v: %v", c.dtype, c.attributes, c.bound, err)
		}
	}
}

func BenchmarkRound(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, size := range []int{4, 8} {
		items := make([]byte, 1<<20)
		for i := 0; i < len(items); i += size {
			v := 280 + 10*random.NormFloat64()
			bits := math.Float64bits(v)
			if size == 4 {
				bits = uint64(math.Float32bits(float32(v)))
			}
			govalue.Number{Size: size}.PutBits(items[i:], bits)
		}
		for _, bound := range []Bound{{Bits, 9}, {Absolute, 0.01}, {Relative, 1e-4}, {Digits, 4}} {
			b.Run(fmt.Sprintf("f%d/%v", size, bound), func(b *testing.B) {
				r := rounderOf(b, fmt.Sprintf("<f%d", size), nil, bound)
				scratch := make([]byte, len(items))
				b.SetBytes(int64(len(items)))
				for b.Loop() {
					copy(scratch, items)
					if err := r.Round(scratch); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
