package axes

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/cairn-go/cairn/internal/test/asmtest"
)

func TestSum(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		checkSum[uint8](t)
		checkSum[uint16](t)
		checkSum[uint32](t)
		checkSum[uint64](t)
	})
}

// checkSum sums along axes of all short lengths, and some long ones.
func checkSum[T Number](t *testing.T) {
	t.Helper()
	const most = 5000
	r := rand.New(rand.NewPCG(1, 2))
	size := int(unsafe.Sizeof(T(0)))
	guard := asmtest.NewGuard(t, most*size)
	for _, outer := range []int{0, 1, 2, 3, 7, 40} {
		for _, length := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17, 31, 33, 100, 1000} {
			for _, inner := range []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 19, 31, 32, 33, 70, 256} {
				n := outer * length * inner
				if n > most {
					continue
				}
				checkShape[T](t, guard, r, outer, length, inner)
			}
		}
	}
}

func checkShape[T Number](t *testing.T, guard *asmtest.Guard, r *rand.Rand, outer, length, inner int) {
	t.Helper()
	n := outer * length * inner
	size := int(unsafe.Sizeof(T(0)))
	memory := guard.Tail(n*size, 0)
	if r.IntN(2) == 0 {
		memory = guard.Head(n*size, 0)
	}
	numbers := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(memory))), n)
	for i := range numbers {
		numbers[i] = T(r.Uint64())
	}

	want := slices.Clone(numbers)
	for o := range outer {
		for k := 1; k < length; k++ {
			for i := range inner {
				at := (o*length+k)*inner + i
				want[at] += want[at-inner]
			}
		}
	}
	Sum(numbers, length, inner)
	if !slices.Equal(numbers, want) {
		t.Fatalf("%T: other sums along the second axis of %d, %d, %d", T(0), outer, length, inner)
	}
	if !guard.Intact() {
		t.Fatalf("%T: writes behind the numbers of %d, %d, %d", T(0), outer, length, inner)
	}
}

func BenchmarkSum(b *testing.B) {
	b.Run("8", benchSum[uint8])
	b.Run("16", benchSum[uint16])
	b.Run("32", benchSum[uint32])
	b.Run("64", benchSum[uint64])
}

func benchSum[T Number](b *testing.B) {
	for name, shape := range map[string][2]int{
		"row": {20000, 1}, "short": {3, 1}, "rows": {49, 1}, "colors": {256, 3},
		"inner=8": {20, 8}, "inner=16": {20, 16}, "inner=49": {20, 49}, "inner=100": {20, 100}, "inner=1000": {20, 1000},
	} {
		numbers := make([]T, 20000/shape[0]/shape[1]*shape[0]*shape[1])
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Sum(numbers, shape[0], shape[1])
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(numbers)), "ns/number")
		})
	}
}
