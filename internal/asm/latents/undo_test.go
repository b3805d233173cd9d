package latents

import (
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
		Unorder(latents)
		for i, l := range latents {
			want := ^before[i]
			if before[i] >= middle[L]() {
				want = before[i] - middle[L]()
			}
			if l != want {
				t.Fatalf("%T: %d of %d has the bits %#x from %#x", l, i, n, l, before[i])
			}
		}

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

// TestProducts compares with the same sums in other terms.
func TestProducts(t *testing.T) {
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
