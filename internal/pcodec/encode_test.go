package pcodec

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// arrays returns numbers of a type with properties that modes and differences are for.
func arrays(t Type, n int, seed uint64) map[string][]byte {
	r := rand.New(rand.NewPCG(seed, uint64(t)))
	size := t.Size()
	fill := func(of func(i int) uint64) []byte {
		out := make([]byte, n*size)
		for i := range n {
			putNumber(out, i, size, of(i))
		}
		return out
	}
	number := func(f float64) uint64 { return bitsOf(t, int64(f), f) }

	walk := 0.0
	special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0, 5e-324, 1e-40, 6e-8}
	out := map[string][]byte{
		"noise":    fill(func(int) uint64 { return r.Uint64() }),
		"constant": fill(func(int) uint64 { return number(17) }),
		"walk": fill(func(int) uint64 {
			walk += math.Round(r.NormFloat64() * 3)
			return number(walk)
		}),
		"square":    fill(func(i int) uint64 { return number(float64(i) * float64(i) / 8) }),
		"multiples": fill(func(int) uint64 { return number(float64(r.IntN(1000)) * 35) }),
		"decimals":  fill(func(int) uint64 { return number(float64(r.IntN(100000)) / 100) }),
		"coarse":    fill(func(int) uint64 { return number(r.NormFloat64()) &^ (1<<(size*3) - 1) }),
		"sparse": fill(func(int) uint64 {
			if r.IntN(10) > 0 {
				return 0
			}
			return number(float64(r.IntN(50)))
		}),
		"period": fill(func(i int) uint64 { return uint64(i%37) * 0x9e3779b97f4a7c15 }),
	}
	if t.kind() == floating {
		out["special"] = fill(func(i int) uint64 {
			if r.IntN(20) == 0 {
				return number(special[r.IntN(len(special))])
			}
			return number(float64(r.IntN(1000)) / 10)
		})
	}
	return out
}

// TestEncoder decodes what the encoder made, of all types and at all levels, and checks that it
// uses each mode and kind of differences that it knows.
func TestEncoder(t *testing.T) {
	var d Decoder
	modes := map[mode]int{}
	deltas := map[deltaKind]int{}
	for name, typ := range types {
		for _, n := range []int{0, 1, 2, 7, 255, 256, 257, 2000} {
			for what, src := range arrays(typ, n, 1) {
				level := (n + len(what)) % (maxLevel + 1)
				encoded := NewEncoder(typ, level).Append([]byte("before"), src)
				got := make([]byte, len(src))
				if err := d.Decode(got, encoded[len("before"):]); err != nil {
					t.Fatalf("%s %s, %d numbers at level %d: %v", name, what, n, level, err)
				}
				if !bytes.Equal(got, src) {
					t.Fatalf("%s %s, %d numbers at level %d: other numbers", name, what, n, level)
				}
				count(&d, typ, modes, deltas)
			}
		}
	}
	for _, m := range []mode{classic, intMult, floatMult, floatQuant} {
		if modes[m] == 0 {
			t.Errorf("mode %d was never used", m)
		}
	}
	for _, k := range []deltaKind{noDelta, consecutive, lookback} {
		if deltas[k] == 0 {
			t.Errorf("differences of kind %d were never used", k)
		}
	}
}

// TestEncoderFinds checks sizes that only the right mode and differences give.
func TestEncoderFinds(t *testing.T) {
	const n = 20000
	for _, c := range []struct {
		t    Type
		what string
		bits float64 // of a number, at most
	}{
		{Int64, "constant", 0.1},
		{Int32, "multiples", 10.2},
		{Float64, "multiples", 10.2},
		{Float64, "decimals", 17.3},
		{Float32, "coarse", 20},
		{Float64, "coarse", 40},
		{Int64, "square", 4.3},
		{Int32, "walk", 4},
		{Uint64, "period", 0.5},
		{Float32, "sparse", 1.1},
		{Float64, "noise", 64.02},
	} {
		src := arrays(c.t, n, 2)[c.what]
		size := len(NewEncoder(c.t, DefaultLevel).Append(nil, src))
		if got := float64(size*8) / n; got > c.bits {
			t.Errorf("%s of type %d: %.3f bits a number, want at most %.3f", c.what, c.t, got, c.bits)
		}
	}
}

// TestEncoderChooses checks sizes of what samples mislead about: numbers of which parts have other
// differences, few latents that repeat, and many of which only the first differ.
func TestEncoderChooses(t *testing.T) {
	for _, c := range []struct {
		what  string
		n     int
		bytes int // at most
		of    func(i int) int
	}{
		{"smooth", 1 << 16, 13000, func(i int) int {
			return int(math.Sin(float64(i)/500)*1000 + math.Sin(float64(i)/37)*20)
		}},
		{"period", 200, 215, func(i int) int { return i % 37 * 40503 & 0xffff }},
		{"limited", 1 << 16, 240, func(i int) int { return min(i, 512) * min(i, 512) / 8 }},
		{"step", 1 << 16, 60, func(i int) int { return min(i, 1) }},
	} {
		src := make([]byte, 4*c.n)
		for i := range c.n {
			putNumber(src, i, 4, uint64(c.of(i)))
		}
		if got := len(NewEncoder(Int32, DefaultLevel).Append(nil, src)); got > c.bytes {
			t.Errorf("%s: %d numbers in %d bytes, want at most %d", c.what, c.n, got, c.bytes)
		}
	}
}

// TestChunks encodes more numbers than a chunk has.
func TestChunks(t *testing.T) {
	src := make([]byte, (2*pageNumbers+1)*2)
	for i := range len(src) / 2 {
		binary.LittleEndian.PutUint16(src[2*i:], uint16(i/100))
	}
	e := NewEncoder(Uint16, 3)
	encoded := e.Append(nil, src)
	if again := e.Append(nil, src); !bytes.Equal(again, encoded) {
		t.Error("an encoder that was used gives other bytes")
	}

	got := make([]byte, len(src))
	var d Decoder
	if err := d.Decode(got, encoded); err != nil || !bytes.Equal(got, src) {
		t.Errorf("%d numbers: %v", len(src)/2, err)
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, what := range []string{"walk", "decimals", "noise", "sparse"} {
		for _, typ := range []Type{Float32, Int64} {
			src := arrays(typ, pageNumbers, 3)[what]
			encoded := NewEncoder(typ, DefaultLevel).Append(nil, src)
			b.Run(what+map[Type]string{Float32: "-f4", Int64: "-i8"}[typ], func(b *testing.B) {
				var d Decoder
				got := make([]byte, len(src))
				b.SetBytes(int64(len(src)))
				for b.Loop() {
					if err := d.Decode(got, encoded); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	for _, what := range []string{"walk", "decimals", "noise", "sparse"} {
		for _, typ := range []Type{Float32, Int64} {
			src := arrays(typ, pageNumbers, 3)[what]
			b.Run(what+map[Type]string{Float32: "-f4", Int64: "-i8"}[typ], func(b *testing.B) {
				e := NewEncoder(typ, DefaultLevel)
				var dst []byte
				b.SetBytes(int64(len(src)))
				for b.Loop() {
					dst = e.Append(dst[:0], src)
				}
			})
		}
	}
}
