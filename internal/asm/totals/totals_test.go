package totals

import (
	"math"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/internal/test/asmtest"
)

// extreme returns n numbers, all of them v.
func extreme[T Integer | Float](n int, v T) []T {
	values := make([]T, n)
	for i := range values {
		values[i] = v
	}
	return values
}

func TestInts(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		checkInts(t, math.MinInt8, int8(math.MaxInt8))
		checkInts(t, 0, uint8(math.MaxUint8))
		checkInts(t, math.MinInt16, int16(math.MaxInt16))
		checkInts(t, 0, uint16(math.MaxUint16))
		checkInts(t, math.MinInt32, int32(math.MaxInt32))
		checkInts(t, 0, uint32(math.MaxUint32))
	})
}

// checkInts adds the lowest and the highest numbers, of which partial sums overflow first.
func checkInts[T Integer](t *testing.T, low, high T) {
	t.Helper()
	for _, n := range []int{0, 1, 15, 16, 17, 63, 64, 65, 128, 1000, maxBytes - 1, maxBytes + 77, 3*maxBytes + 5} {
		for _, v := range []T{low, high, low + 1, high - 1, 1} {
			if got := Ints(extreme(n, v)); got != int64(n)*int64(v) {
				t.Fatalf("%T: %d times %d is %d", v, n, v, got)
			}
		}
	}
}

func TestFloats(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		for n := range 200 {
			a, b := make([]float32, n), make([]float64, n)
			for i := range n {
				b[i] = math.Sin(float64(i)) * math.Pow(10, float64(i%30))
				a[i] = float32(b[i])
			}
			if got, want := Floats(a), plain(a); got != want {
				t.Fatalf("%d float32: %v, not %v", n, got, want)
			}
			if got, want := Floats(b), plain(b); got != want {
				t.Fatalf("%d float64: %v, not %v", n, got, want)
			}
		}
	})
}

func TestColumns(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		for width := range 22 {
			for rows := range 20 {
				checkColumns[float32](t, width, rows, width+3)
				checkColumns[float64](t, width, rows, width)
			}
		}
	})
}

func checkColumns[T Float](t *testing.T, width, rows, pitch int) {
	t.Helper()
	values := make([]T, max(0, (rows-1)*pitch+width))
	for i := range values {
		values[i] = T(math.Sin(float64(i)) * math.Pow(10, float64(i%30)))
	}
	got := make([]float64, width)
	for k := range got {
		got[k] = float64(k)
	}
	want := append([]float64(nil), got...)
	n := Columns(got, values, rows, pitch)

	for k := range want[:n] {
		at := func(row int) float64 { return float64(values[row*pitch+k]) }
		row := 0
		for ; row+8 <= rows; row += 8 {
			first := (at(row) + at(row+1)) + (at(row+2) + at(row+3))
			want[k] += first + ((at(row+4) + at(row+5)) + (at(row+6) + at(row+7)))
		}
		for ; row < rows; row++ {
			want[k] += at(row)
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%T: %d rows of %d: %v, not %v", values, rows, width, got, want)
	}
}

func TestTwice(t *testing.T) {
	odd := []float64{1, 1e300, math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN(), -1e-300, math.Pi, 0}
	asmtest.EachTier(t, func(t *testing.T) {
		for n := range 40 {
			high, low := make([]float64, n), make([]float64, n)
			wantHigh, wantLow := make([]float64, n), make([]float64, n)
			for turn := range 20 {
				v := make([]float64, n)
				for i := range v {
					// rounded, as the product is not to be fused with the sums
					v[i] = float64(odd[(i*7+turn)%len(odd)] * math.Sin(float64(turn+i)))
					wantHigh[i], wantLow[i] = twice(wantHigh[i], wantLow[i], v[i])
				}
				Twice(high, low, v)
			}
			for i := range n {
				if !same(high[i], wantHigh[i]) || !same(low[i], wantLow[i]) {
					t.Fatalf("sum %d of %d: %v and %v, not %v and %v", i, n, high[i], low[i], wantHigh[i], wantLow[i])
				}
			}
		}
	})
}

func same(a, b float64) bool { return a == b || a != a && b != b }

// twice adds a value to a sum and to what rounding has lost, found with the larger of both first.
func twice(high, low, v float64) (float64, float64) {
	sum := high + v
	a, b := high, v
	if math.Abs(a) < math.Abs(b) {
		a, b = b, a
	}
	if lost := b - (sum - a); lost == lost && !math.IsInf(sum, 0) {
		low += lost
	}
	return sum, low
}

// plain is Floats without kernels.
func plain[T Float](values []T) float64 {
	var p [8]float64
	n := len(values) &^ 7
	floats(values[:n], &p)
	for _, v := range values[n:] {
		p[0] += float64(v)
	}
	return ((p[0] + p[1]) + (p[2] + p[3])) + ((p[4] + p[5]) + (p[6] + p[7]))
}

func FuzzTotals(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4})
	f.Fuzz(func(t *testing.T, b []byte) {
		compare(t, b, func(p []byte) uint8 { return p[0] })
		compare(t, b, func(p []byte) int8 { return int8(p[0]) })
		compare(t, b, func(p []byte) uint16 { return uint16(word(p)) })
		compare(t, b, func(p []byte) int16 { return int16(word(p)) })
		compare(t, b, word)
		compare(t, b, func(p []byte) int32 { return int32(word(p)) })
		var values []float32
		for ; len(b) >= 4; b = b[1:] {
			values = append(values, math.Float32frombits(word(b)))
		}
		got, want := Floats(values), plain(values)
		if got != want && (got == got || want == want) {
			t.Fatalf("%v, not %v", got, want)
		}
	})
}

func word(p []byte) uint32 {
	return uint32(p[0]) | uint32(p[1])<<8 | uint32(p[2])<<16 | uint32(p[3])<<24
}

// compare compares the kernel with plain Go.
func compare[T Integer](t *testing.T, b []byte, at func([]byte) T) {
	var values []T
	for ; len(b) >= 4; b = b[1:] {
		values = append(values, at(b))
	}
	if got, want := Ints(values), ints(values); got != want {
		t.Fatalf("%T: %d, not %d", values[0], got, want)
	}
}

func BenchmarkInts(b *testing.B) {
	b.Run("int8", benchInts[int8])
	b.Run("int16", benchInts[int16])
}

func benchInts[T Integer](b *testing.B) {
	values := extreme(16384, T(3))
	for name, of := range map[string]func([]T) int64{"kernel": Ints[T], "plain": ints[T]} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				of(values)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/16384, "ns/item")
		})
	}
}

func BenchmarkFloats(b *testing.B) {
	values := extreme(1024, float32(3))
	for name, of := range map[string]func([]float32) float64{"kernel": Floats[float32], "plain": plain[float32]} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				of(values)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1024, "ns/item")
		})
	}
}
