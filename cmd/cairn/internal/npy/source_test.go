package npy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/cairn-go/cairn/meta"
)

// item returns what the tests store at an index: bytes that tell every item from the others.
func item(index []int64, size int) []byte {
	b := make([]byte, size)
	for i := range b {
		h := uint64(i)
		for _, n := range index {
			h = (h + uint64(n) + 1) * 0x9e3779b97f4a7c15
			h ^= h >> 29
		}
		b[i] = byte(h >> 40)
	}
	return b
}

// items returns the items of a box, the last dimension fastest or the first.
func items(start, stop []int64, size int, fortran bool) []byte {
	var out []byte
	n := len(start)
	at := append([]int64(nil), start...)
	for d := range n {
		if start[d] >= stop[d] {
			return nil
		}
	}
	for {
		out = append(out, item(at, size)...)
		k := 0
		for ; k < n; k++ {
			d := n - 1 - k
			if fortran {
				d = k
			}
			if at[d]++; at[d] < stop[d] {
				break
			}
			at[d] = start[d]
		}
		if k == n {
			return out
		}
	}
}

func header(t testing.TB, size int, fortran bool, shape ...int64) *Header {
	d, err := meta.ParseDType(fmt.Sprintf("|V%d", size))
	if err != nil {
		t.Fatal(err)
	}
	return &Header{DType: d, Fortran: fortran, Shape: shape}
}

func TestFileReadsAnyBoxInEitherOrder(t *testing.T) {
	for _, shape := range [][]int64{{}, {7}, {5, 4}, {1, 6}, {40, 70}, {3, 4, 5}, {4, 1, 3, 2}} {
		for _, size := range []int{1, 3, 4, 8, 16} {
			for _, fortran := range []bool{false, true} {
				h := header(t, size, fortran, shape...)
				zero := make([]int64, len(shape))
				data := append([]byte("head"), items(zero, shape, size, fortran)...)
				s := NewFile(bytes.NewReader(data), 4, h)
				for start, stop := range boxes(shape) {
					want := items(start, stop, size, false)
					got := make([]byte, len(want))
					if err := s.ReadBox(got, start, stop); err != nil {
						t.Fatalf("shape %v size %d: %v", shape, size, err)
					}
					if !bytes.Equal(got, want) {
						t.Fatalf("shape %v size %d fortran %v: box %v to %v differs", shape, size, fortran, start, stop)
					}
				}
			}
		}
	}
}

// boxes yields the whole array, and boxes that touch one, both or neither side of each dimension.
func boxes(shape []int64) func(func(start, stop []int64) bool) {
	return func(yield func(start, stop []int64) bool) {
		for pattern := range 1 << (2 * len(shape)) {
			start, stop := make([]int64, len(shape)), make([]int64, len(shape))
			for d, n := range shape {
				start[d], stop[d] = 0, n
				if pattern>>(2*d)&1 == 1 && n > 1 {
					start[d] = n / 3
				}
				if pattern>>(2*d)&2 == 2 && n > 1 {
					stop[d] = n - n/4
				}
			}
			if !yield(start, stop) {
				return
			}
		}
	}
}

func TestStreamReadsSlabsFrontToBack(t *testing.T) {
	shape := []int64{9, 4, 5}
	for _, fortran := range []bool{false, true} {
		h := header(t, 4, fortran, shape...)
		s := NewStream(bytes.NewReader(items([]int64{0, 0, 0}, shape, 4, fortran)), h)
		slow := 0
		if fortran {
			slow = 2
		}
		for at := int64(0); at < shape[slow]; at += 2 {
			start, stop := []int64{0, 0, 0}, []int64{9, 4, 5}
			start[slow], stop[slow] = at, min(at+2, shape[slow])
			want := items(start, stop, 4, false)
			got := make([]byte, len(want))
			if err := s.ReadBox(got, start, stop); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("fortran %v slab at %d: %v", fortran, at, err)
			}
		}
		if err := s.ReadBox(make([]byte, 4), []int64{0, 0, 0}, []int64{1, 1, 1}); err == nil {
			t.Error("a stream went backwards")
		}
	}
}

func TestTruncatedItems(t *testing.T) {
	h := header(t, 4, false, 10, 10)
	data := make([]byte, 399)
	dst := make([]byte, 400)
	start, stop := []int64{0, 0}, []int64{10, 10}
	if err := NewFile(bytes.NewReader(data), 0, h).ReadBox(dst, start, stop); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("file: %v", err)
	}
	if err := NewStream(bytes.NewReader(data), h).ReadBox(dst, start, stop); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("stream: %v", err)
	}
}

func BenchmarkFortranBox(b *testing.B) {
	const n = 1024
	h := header(b, 4, true, n, n)
	s := NewFile(bytes.NewReader(make([]byte, 4*n*n)), 0, h)
	dst := make([]byte, 4*n*n)
	b.SetBytes(int64(len(dst)))
	for b.Loop() {
		if err := s.ReadBox(dst, []int64{0, 0}, []int64{n, n}); err != nil {
			b.Fatal(err)
		}
	}
}
