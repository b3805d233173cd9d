package shuffle

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// TestTruncationBounds checks that trunc_prec and int_trunc change no number by more than
// docs/format/filters.md says, and that at least one change is nearly as large.
func TestTruncationBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 36))
	for bits := 1; bits <= 23; bits++ {
		worst := 0.0
		for range 2000 {
			x := math.Float32frombits(r.Uint32())
			if y := truncated32(t, x, uint8(bits)); !math.IsNaN(float64(x)) && !math.IsInf(float64(x), 0) {
				allowed := math.Ldexp(math.Max(math.Abs(float64(x)), 0x1p-126), -bits)
				off := math.Abs(float64(x) - float64(y))
				if off >= allowed || math.Abs(float64(y)) > math.Abs(float64(x)) {
					t.Fatalf("%d bits of %g: %g, off by %g of %g", bits, x, y, off, allowed)
				}
				worst = max(worst, off/allowed)
			}
		}
		if worst < 0.5 && bits < 21 { // few of the last bits are lost
			t.Errorf("%d bits: off by %g of what is allowed at most; is the bound the right one?", bits, worst)
		}
	}
	for bits := 1; bits < 64; bits++ {
		worst := int64(0)
		for range 500 {
			x := int64(r.Uint64())
			var src, dst [8]byte
			binary.LittleEndian.PutUint64(src[:], uint64(x))
			if err := truncation(wholeItem).forward(dst[:], src[:], uint8(-bits), &Context{TypeSize: 8}); err != nil {
				t.Fatal(err)
			}
			off := x - int64(binary.LittleEndian.Uint64(dst[:]))
			if off < 0 || off > int64(1)<<bits-1 {
				t.Fatalf("%d bits cleared of %d: off by %d", bits, x, off)
			}
			worst = max(worst, off)
		}
		if worst < (int64(1)<<bits-1)/2 {
			t.Errorf("%d bits cleared: off by %d at most; is the bound the right one?", bits, worst)
		}
	}
}

// truncated32 returns a number with some of its mantissa bits.
func truncated32(t *testing.T, x float32, bits uint8) float32 {
	t.Helper()
	var src, dst [4]byte
	binary.LittleEndian.PutUint32(src[:], math.Float32bits(x))
	if err := truncation(mantissa).forward(dst[:], src[:], bits, &Context{TypeSize: 4}); err != nil {
		t.Fatal(err)
	}
	return math.Float32frombits(binary.LittleEndian.Uint32(dst[:]))
}
