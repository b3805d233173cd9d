package marks

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"github.com/cairn-go/cairn/internal/test/asmtest"
)

func TestReplace(t *testing.T) {
	numbers := []float64{1e20, -9999, 0, math.Copysign(0, -1), math.NaN(), math.Inf(1), 0.1, 1, 2, 3, 5e-324, 1e-40}
	asmtest.EachTier(t, func(t *testing.T) {
		for _, mark := range numbers {
			for n := range 40 {
				check(t, n, 4, mark, numbers)
				check(t, n, 8, mark, numbers)
			}
		}
	})
}

// check compares n floats in both orders with what each of them must become.
func check(t *testing.T, n, size int, mark float64, numbers []float64) {
	t.Helper()
	var little, big, want []byte
	for i := range n {
		v := numbers[i*7%len(numbers)]
		if size == 4 {
			bits := math.Float32bits(float32(v))
			little = binary.LittleEndian.AppendUint32(little, bits)
			big = binary.BigEndian.AppendUint32(big, bits)
			if float64(float32(v)) == mark {
				bits = math.Float32bits(float32(math.NaN()))
			}
			want = binary.LittleEndian.AppendUint32(want, bits)
			continue
		}

		bits := math.Float64bits(v)
		little = binary.LittleEndian.AppendUint64(little, bits)
		big = binary.BigEndian.AppendUint64(big, bits)
		if v == mark {
			bits = math.Float64bits(math.NaN())
		}
		want = binary.LittleEndian.AppendUint64(want, bits)
	}

	Replace(little, size, false, mark)
	Replace(big, size, true, mark)
	if !bytes.Equal(little, want) || !bytes.Equal(big, want) {
		t.Fatalf("%d floats of %d bytes, mark %v:\n%x and\n%x, must be\n%x", n, size, mark, little, big, want)
	}
}

func FuzzReplace(f *testing.F) {
	f.Add([]byte("0123456789abcdef0123456789abcdef0123"), 1.5, true)
	f.Add(make([]byte, 100), 0.0, false)
	f.Fuzz(func(t *testing.T, b []byte, mark float64, bigEndian bool) {
		for _, size := range []int{4, 8} {
			b = b[:len(b)/size*size]
			got := bytes.Clone(b)
			want := bytes.Clone(b)
			Replace(got, size, bigEndian, mark)

			if size == 8 {
				replace64(want, bigEndian, mark)
			} else if float64(float32(mark)) == mark {
				replace32(want, bigEndian, float32(mark))
			} else {
				replace32(want, bigEndian, float32(math.NaN()))
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("%d bytes, mark %v: %x is %x, must be %x", size, mark, b, got, want)
			}
		}
	})
}

func BenchmarkReplace(b *testing.B) {
	items := make([]byte, 64<<10)
	for i := range items {
		items[i] = byte(i * 37)
	}
	b.Run("kernel", func(b *testing.B) {
		b.SetBytes(int64(len(items)))
		for b.Loop() {
			Replace(items, 4, true, 1e20)
		}
	})
	b.Run("plain", func(b *testing.B) {
		b.SetBytes(int64(len(items)))
		for b.Loop() {
			replace32(items, true, 1e20)
		}
	})
}
