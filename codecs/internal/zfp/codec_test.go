package zfp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	cairn "github.com/cairn-go/cairn"
)

// kinds are ways to fill a block: functions from coordinates to values.
var kinds = []struct {
	name  string
	value func(r *rand.Rand, x []float64) float64
}{
	{"smooth", func(_ *rand.Rand, x []float64) float64 { return wave(x) }},
	{"noise", func(r *rand.Rand, _ []float64) float64 { return r.NormFloat64() }},
	{"sparse", func(r *rand.Rand, x []float64) float64 { return wave(x) * float64(r.IntN(9)/8) }},
	{"large", func(_ *rand.Rand, x []float64) float64 { return -wave(x) * 1e37 }},
	{"small", func(_ *rand.Rand, x []float64) float64 { return wave(x) * 1e-25 }},
	{"levels", func(r *rand.Rand, x []float64) float64 { return math.Round(20*wave(x)) * float64(1+r.IntN(2)) }},
	{"bits", nil},
	{"odd", func(r *rand.Rand, x []float64) float64 {
		return []float64{math.NaN(), math.Inf(1), math.Inf(-1), 5e-324, 1e-39, 1e308, 0, wave(x)}[r.IntN(60)/8]
	}},
	{"zeros", func(*rand.Rand, []float64) float64 { return 0 }},
}

func wave(x []float64) float64 {
	v := 0.0
	for i, c := range x {
		v += math.Sin(c*0.3/float64(1+i) + float64(i))
	}
	return v
}

// block returns a block of one of the kinds.
func block(kind int, shape []int32, typeSize int, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, uint64(kind)))
	items := 1
	for _, n := range shape {
		items *= int(n)
	}
	out := make([]byte, items*typeSize)
	x := make([]float64, len(shape))
	for i := range items {
		for k, rest := len(shape)-1, i; k >= 0; k-- {
			x[k], rest = float64(rest%int(shape[k])), rest/int(shape[k])
		}
		bits := r.Uint64()
		if f := kinds[kind].value; f != nil && typeSize == 4 {
			bits = uint64(math.Float32bits(float32(f(r, x))))
		} else if f != nil {
			bits = math.Float64bits(f(r, x))
		}
		if typeSize == 4 {
			binary.LittleEndian.PutUint32(out[4*i:], uint32(bits))
		} else {
			binary.LittleEndian.PutUint64(out[8*i:], bits)
		}
	}
	return out
}

// A sampleCase is a set of parameters for a codec.
type sampleCase struct {
	mode      Mode
	parameter uint8
	shape     []int32
	typeSize  int
}

func (c sampleCase) String() string {
	return fmt.Sprintf("mode %d, parameter %d, shape %v, float%d", c.mode, c.parameter, c.shape, 8*c.typeSize)
}

func (c sampleCase) codec(t testing.TB) *Codec {
	t.Helper()
	codec, err := New(c.mode, c.parameter, c.shape, c.typeSize)
	if err != nil {
		t.Fatalf("%v: %v", c, err)
	}
	return codec
}

// drawCase returns a random case whose block has sides up to 9, or up to 40 in one dimension.
func drawCase(r *rand.Rand) sampleCase {
	c := sampleCase{mode: Mode(r.IntN(3)), typeSize: 4 + 4*r.IntN(2), shape: make([]int32, 1+r.IntN(4))}
	for i := range c.shape {
		c.shape[i] = 1 + r.Int32N([]int32{40, 20, 9, 9}[len(c.shape)-1])
	}
	switch c.mode {
	case Accuracy:
		c.parameter = uint8(int8(r.IntN(14) - 10))
	case Precision:
		c.parameter = uint8(r.IntN(45))
	case Rate:
		c.parameter = uint8(r.IntN(101))
	}
	if r.IntN(5) == 0 {
		c.parameter = uint8(r.Uint32())
	}
	return c
}

// TestReference compares encoding and decoding with the reference, byte for byte, and the
// beginnings of blocks with whole blocks.
func TestReference(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 300 {
		c := drawCase(r)
		kind := i % len(kinds)
		src := block(kind, c.shape, c.typeSize, uint64(i))
		codec, ref := c.codec(t), newReference(c.mode, c.parameter, c.shape, c.typeSize)
		want := ref.encode(src)
		dst := make([]byte, len(want)+r.IntN(3)*40)
		if n := codec.Encode(dst, src); !bytes.Equal(dst[:n], want) {
			t.Fatalf("%v, %s: %d bytes, or not the same as the reference's %d", c, kinds[kind].name, n, len(want))
		}
		if n := codec.Encode(dst[:len(want)-1], src); n != 0 {
			t.Fatalf("%v: %d bytes fit into %d", c, n, len(want)-1)
		}
		decoded, _ := ref.decode(want)
		got := make([]byte, len(src))
		if err := codec.Decode(got, want); err != nil || !bytes.Equal(got, decoded) {
			t.Fatalf("%v, %s: %v, or other numbers than the reference has", c, kinds[kind].name, err)
		}
		part := make([]byte, r.IntN(len(src)+1))
		if err := codec.DecodeRange(part, want, 0, len(part)); err != nil || !bytes.Equal(part, decoded[:len(part)]) {
			t.Fatalf("%v, %s: the first %d of %d bytes: %v, or other numbers", c, kinds[kind].name, len(part), len(src), err)
		}
		lo := r.IntN(len(src) + 1)
		hi := lo + r.IntN(len(src)+1-lo)
		if r.IntN(2) == 0 {
			lo -= lo % c.typeSize
			hi = min(lo+c.typeSize, len(src))
		}
		part = make([]byte, hi+r.IntN(len(src)+1-hi))
		if err := codec.DecodeRange(part, want, lo, hi); err != nil || !bytes.Equal(part[lo:hi], decoded[lo:hi]) {
			t.Fatalf("%v, %s: bytes %d to %d of %d: %v, or other numbers", c, kinds[kind].name, lo, hi, len(src), err)
		}
	}
}

// TestWrong decodes streams that are too short or too long, and blocks whose length does not match
// the shape.
func TestWrong(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for i := range 40 {
		c := drawCase(r)
		src := block(i%2, c.shape, c.typeSize, uint64(i))
		codec := c.codec(t)
		stream := make([]byte, 70*len(src)+5000)
		stream = stream[:codec.Encode(stream, src)]
		_, used := newReference(c.mode, c.parameter, c.shape, c.typeSize).decode(stream)
		for n := 0; n < len(stream)+20; n += 1 + r.IntN(1+len(stream)/50) {
			in := append(append([]byte(nil), stream...), make([]byte, 20)...)[:n]
			err := codec.Decode(src, in)
			if fits := used <= 8*n && 8*n-used < wordBits; fits != (err == nil) {
				t.Fatalf("%v: %d of %d bytes, %d bits used: %v", c, n, len(stream), used, err)
			}
			if err != nil && !errors.Is(err, cairn.ErrCorrupt) {
				t.Fatal(err)
			}
		}
		for _, n := range []int{0, len(src) - 1, len(src) + 1} {
			if codec.Decode(make([]byte, n), stream) == nil {
				t.Errorf("%v: decodes to %d bytes instead of %d", c, n, len(src))
			}
			if k := codec.Encode(stream, make([]byte, n)); k != 0 {
				t.Errorf("%v: %d bytes instead of %d encode to %d", c, n, len(src), k)
			}
		}
	}
}

// TestNew requests invalid codecs.
func TestNew(t *testing.T) {
	for _, c := range []struct {
		shape    []int32
		typeSize int
		want     error
	}{
		{[]int32{4}, 2, cairn.ErrUnsupported},
		{[]int32{4}, 16, cairn.ErrUnsupported},
		{nil, 4, cairn.ErrUnsupported},
		{[]int32{4, 4, 4, 4, 4}, 4, cairn.ErrUnsupported},
		{[]int32{4, 0}, 4, cairn.ErrCorrupt},
		{[]int32{-4}, 4, cairn.ErrCorrupt},
		{[]int32{1 << 15, 1 << 14}, 4, cairn.ErrCorrupt},
		{[]int32{1 << 30, 1 << 30, 1 << 30, 1 << 30}, 8, cairn.ErrCorrupt},
	} {
		if _, err := New(Rate, 50, c.shape, c.typeSize); !errors.Is(err, c.want) {
			t.Errorf("shape %v of %d bytes: %v, want %v", c.shape, c.typeSize, err, c.want)
		}
	}
	for shape, want := range map[[2]int32]bool{{4, 4}: false, {3, 4}: true, {100, 1}: true} {
		if c, err := New(Rate, 50, shape[:], 4); err != nil || c.Small() != want {
			t.Errorf("shape %v: small is %t (%v)", shape, c.Small(), err)
		}
	}
}

// TestAllocations counts allocations of a codec that is warm.
func TestAllocations(t *testing.T) {
	for _, typeSize := range []int{4, 8} {
		c := sampleCase{Accuracy, 0xfc, []int32{17, 30, 9}, typeSize}
		codec, src := c.codec(t), block(0, c.shape, typeSize, 1)
		dst := make([]byte, len(src))
		n := 0
		if got := testing.AllocsPerRun(5, func() { n = codec.Encode(dst, src) }); got != 0 || n == 0 {
			t.Errorf("float%d: encoding to %d bytes allocates %v times", 8*typeSize, n, got)
		}
		var err error
		if got := testing.AllocsPerRun(5, func() { err = codec.Decode(src, dst[:n]) }); got != 0 || err != nil {
			t.Errorf("float%d: decoding allocates %v times (%v)", 8*typeSize, got, err)
		}
	}
}
