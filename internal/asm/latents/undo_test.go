package latents

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/cairn-go/cairn/internal/test/asmtest"
)

func TestUndo(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		checkUndo[uint8](t)
		checkUndo[uint16](t)
		checkUndo[uint32](t)
		checkUndo[uint64](t)
	})
}

// checkUndo compares with one number after the other.
func checkUndo[L Latent](t *testing.T) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	for n := range 140 {
		size := int(unsafe.Sizeof(L(0)))
		memory := asmtest.NewGuard(t, n*size+1).Tail(n*size, 0)
		latents := unsafe.Slice((*L)(unsafe.Pointer(unsafe.SliceData(memory))), n)
		for i := range latents {
			latents[i] = L(r.Uint64())
		}
		before := slices.Clone(latents)

		Flip(latents)
		for i, l := range latents {
			if l != before[i]^middle[L]() {
				t.Fatalf("%T: %d of %d flipped is %#x from %#x", l, i, n, l, before[i])
			}
		}

		copy(latents, before)
		first := L(r.Uint64())
		shift := uint(r.IntN(width[L]()))
		if n%3 == 0 {
			first = 0
			shift = 0
		}
		Unorder(latents, first, shift)
		for i, l := range latents {
			before := (before[i] + first) << shift
			want := ^before
			if before >= middle[L]() {
				want = before - middle[L]()
			}
			want = want >> shift << shift
			if l != want {
				t.Fatalf("%T: %d of %d has the bits %#x from %#x", l, i, n, l, before)
			}
		}

		copy(latents, before)
		step := L(r.Uint64())
		if n%4 == 0 {
			step = 1
		}
		Multiply(latents, step, first)
		for i, l := range latents {
			if want := before[i]*step + first; l != want {
				t.Fatalf("%T: %d of %d is %#x from %#x times %#x and %#x", l, i, n, l, before[i], step, first)
			}
		}

		checkAdd(t, r, latents, before)
		copy(latents, before)
		sum := L(r.Uint64())
		flip := L(r.Uint64())
		end := Sums(latents, sum, flip)
		for i, l := range latents {
			if l != sum {
				t.Fatalf("%T: sum %d of %d is %#x, not %#x", l, i, n, l, sum)
			}
			sum += before[i] ^ flip
		}
		if end != sum {
			t.Fatalf("%T: the sum of %d is %#x, not %#x", end, n, end, sum)
		}
	}
}

// checkAdd adds others to latents.
func checkAdd[L Latent](t *testing.T, r *rand.Rand, latents, before []L) {
	t.Helper()
	copy(latents, before)
	others := make([]L, len(latents))
	for i := range others {
		others[i] = L(r.Uint64())
	}
	Add(latents, others)
	for i, l := range latents {
		if want := before[i] + others[i]; l != want {
			t.Fatalf("%T: %d of %d is %#x from %#x and %#x", l, i, len(latents), l, before[i], others[i])
		}
	}
}

// TestDecimals compares quotients and products with those of the compiler, of integers of all
// lengths.
func TestDecimals(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(9, 10))
		for n := range 70 {
			for _, by := range []float64{1, 10, 1e3, 1e15, 1e22} {
				wide := make([]uint64, n)
				narrow := make([]uint32, n)
				for i := range wide {
					wide[i] = uint64(int64(r.Uint64()) >> r.IntN(64))
					narrow[i] = uint32(int32(r.Uint32()) >> r.IntN(32))
				}
				first := r.Uint64() >> r.IntN(64)
				offset := r.NormFloat64()
				if n%2 == 0 {
					first = 0
					offset = math.Copysign(0, -1)
				}
				for name, f := range map[string]func(a, b float64) float64{
					"times":      func(a, b float64) float64 { return float64(a * b) },
					"divided by": func(a, b float64) float64 { return float64(a / b) },
				} {
					doubles := slices.Clone(wide)
					singles := slices.Clone(narrow)
					if name == "times" {
						Products(doubles, first, by, offset)
						Products(singles, uint32(first), by, offset)
					} else {
						Quotients(doubles, first, by, offset)
						Quotients(singles, uint32(first), by, offset)
					}
					for i := range wide {
						v := int64(wide[i] + first)
						if want := math.Float64bits(f(float64(v), by) + offset); doubles[i] != want {
							t.Fatalf("%d %s %g plus %g is %#x, want %#x", v, name, by, offset, doubles[i], want)
						}
						w := int32(narrow[i] + uint32(first))
						if want := math.Float32bits(float32(f(float64(w), by) + offset)); singles[i] != want {
							t.Fatalf("%d %s %g plus %g is %#x, want %#x", w, name, by, offset, singles[i], want)
						}
					}
				}
			}
		}
	})
}

// TestToSingles rounds numbers of all sizes.
func TestToSingles(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(11, 12))
		for n := range 30 {
			numbers := make([]uint64, n)
			for i := range numbers {
				numbers[i] = math.Float64bits(math.Ldexp(r.NormFloat64(), r.IntN(320)-160))
			}
			got := slices.Clone(numbers)
			ToSingles(got)
			for i, b := range numbers {
				f := math.Float64frombits(b)
				if want := math.Float64bits(float64(float32(f))); got[i] != want {
					t.Fatalf("%d of %d: %g becomes %#x, want %#x", i, n, f, got[i], want)
				}
			}
		}
	})
}

// TestBytes stores latents and loads them.
func TestBytes(t *testing.T) {
	src := []byte("some bytes, of which the lowest is first")
	checkBytes(t, src, func(b []byte) uint8 { return b[0] })
	checkBytes(t, src, binary.LittleEndian.Uint16)
	checkBytes(t, src, binary.LittleEndian.Uint32)
	checkBytes(t, src, binary.LittleEndian.Uint64)
}

func checkBytes[L Latent](t *testing.T, src []byte, number func([]byte) L) {
	t.Helper()
	size := width[L]() / 8
	latents := make([]L, 4)
	Load(latents, src)
	for i, l := range latents {
		if want := number(src[i*size:]); l != want {
			t.Errorf("%T: latent %d is %#x, want %#x", l, i, l, want)
		}
	}
	dst := make([]byte, 4*size)
	if Store(dst, latents); !bytes.Equal(dst, src[:4*size]) {
		t.Errorf("latents of %d bytes are stored as %q", size, dst)
	}
}

// TestSingles compares with the same sums in other terms.
func TestSingles(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 8))
		for n := range 70 {
			base := math.Ldexp(r.Float64()-0.5, r.IntN(40)-20)
			wide := make([]uint64, n)
			second := make([]uint64, n)
			narrow := make([]uint32, n)
			short := make([]uint32, n)
			numbers := make([]int64, n)
			for i := range numbers {
				// From -1<<24 to 1<<24-1, and of the wide ones twice the bits.
				numbers[i] = int64(r.IntN(1<<25)-1<<24) >> r.IntN(20)
				wide[i] = uint64(numbers[i]<<28) + 1<<63
				narrow[i] = uint32(numbers[i]) + 1<<31
				second[i] = r.Uint64()
				short[i] = r.Uint32()
			}
			large := -1
			if n > 0 && n%3 == 0 {
				large = r.IntN(n)
				narrow[large] = 1<<31 + 1<<24
				wide[large] = 1<<63 - 1 - 1<<53
			}

			done := Singles(narrow, short, float32(base))
			if again := Doubles(wide, second, base); again != done || large >= 0 && done != large || large < 0 && done != n {
				t.Fatalf("%d and %d done of %d, number %d is large", done, again, n, large)
			}
			for i, v := range numbers[:done] {
				f := float32(v)
				d := float64(v << 28)
				if v < 0 {
					f = -float32(^v)
					d = -float64(^(v << 28))
				}
				if v == -1 {
					f = float32(math.Copysign(0, -1))
				}
				p := math.Float32bits(f * float32(base))
				q := math.Float64bits(d * base)
				if p>>31 == 0 {
					p |= 1 << 31
				} else {
					p = ^p
				}
				if q>>63 == 0 {
					q |= 1 << 63
				} else {
					q = ^q
				}
				if got := narrow[i]; got != p+short[i]+1<<31 {
					t.Fatalf("%d times %g in 32 bits is %#x", v, base, got)
				}
				if got := wide[i]; got != q+second[i]+1<<63 {
					t.Fatalf("%d times %g in 64 bits is %#x", v, base, got)
				}
			}
		}
	})
}
