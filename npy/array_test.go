package npy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
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

// itemsOf returns the items of a box, the last dimension fastest or the first.
func itemsOf(start, stop []int64, size int, fortran bool) []byte {
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

func mustType(t testing.TB, text string) meta.DType {
	t.Helper()
	d, err := meta.ParseDType(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// fileOf returns the file of an array of the test's items.
func fileOf(t testing.TB, size int, fortran bool, shape ...int64) []byte {
	h := Header{DType: mustType(t, fmt.Sprintf("|V%d", size)), Fortran: fortran, Shape: shape}
	return append(h.Append(nil), itemsOf(make([]int64, len(shape)), shape, size, fortran)...)
}

// ways opens a file in all ways that read it in any order.
func ways(t testing.TB, file []byte) map[string]*Array {
	t.Helper()
	memory := storage.NewMemory()
	f, err := memory.Create("x.npy")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(file, 0); err != nil {
		t.Fatal(err)
	}
	all := map[string]*Array{}
	keep := func(name string, a *Array, err error) {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = a
	}
	a, err := OpenReader(bytes.NewReader(file), int64(len(file)), nil)
	keep("reader", a, err)
	a, err = OpenReader(storage.BytesFile(file), int64(len(file)), nil)
	keep("memory", a, err)
	a, err = Open("x.npy", &OpenOptions{FS: memory, Map: true})
	keep("path", a, err)
	ranges, err := storage.OpenRanges(t.Context(), storage.ObjectRanges(storage.FSBucket(memory, "."), "x.npy"), nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err = OpenReader(ranges, int64(len(file)), nil)
	keep("ranges", a, err)
	for _, deflate := range []bool{false, true} {
		var b bytes.Buffer
		err := WriteArchive(t.Context(), &b, func(put PutFunc) error { return put("x", all["reader"]) },
			&SaveOptions{Deflate: deflate, Fortran: all["reader"].Fortran()})
		if err != nil {
			t.Fatal(err)
		}
		z, err := OpenArchiveReader(bytes.NewReader(b.Bytes()), int64(b.Len()), &OpenOptions{Verify: true})
		if err != nil {
			t.Fatal(err)
		}
		a, err := z.Array(t.Context(), "x")
		keep(fmt.Sprintf("archive, deflated %v", deflate), a, err)
		if a.InOrder() != deflate {
			t.Fatal("wrong order")
		}
	}
	return all
}

func TestBoxesInEitherOrder(t *testing.T) {
	for _, shape := range [][]int64{{}, {7}, {5, 4}, {1, 6}, {40, 70}, {3, 4, 5}, {4, 1, 3, 2}, {900, 40, 3}} {
		for _, size := range []int{1, 2, 3, 4, 8, 16} {
			for _, fortran := range []bool{false, true} {
				if len(shape) > 0 && shape[0] == 900 && (size%4 != 0 || testing.Short()) {
					continue // only to have several pieces
				}
				for name, a := range ways(t, fileOf(t, size, fortran, shape...)) {
					for start, stop := range boxes(shape) {
						want := itemsOf(start, stop, size, false)
						got := make([]byte, len(want))
						if err := a.ReadBytes(t.Context(), got, start, stop); err != nil {
							t.Fatalf("%s: shape %v size %d: %v", name, shape, size, err)
						}
						if !bytes.Equal(got, want) {
							t.Fatalf("%s: shape %v size %d fortran %v: box %v to %v differs", name,
								shape, size, fortran, start, stop)
						}
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

func TestStreamsAreReadFrontToBack(t *testing.T) {
	for _, fortran := range []bool{false, true} {
		a, err := OpenStream(bytes.NewReader(fileOf(t, 4, fortran, 9, 4, 5)), nil)
		if err != nil || !a.InOrder() {
			t.Fatal(err)
		}
		slow := 0
		if fortran {
			slow = 2
		}
		shape := a.Shape()
		for at := int64(0); at < shape[slow]; at += 2 {
			start, stop := []int64{0, 0, 0}, []int64{9, 4, 5}
			start[slow], stop[slow] = at, min(at+2, shape[slow])
			want := itemsOf(start, stop, 4, false)
			got := make([]byte, len(want))
			if err := a.ReadBytes(t.Context(), got, start, stop); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("fortran %v slab at %d: %v", fortran, at, err)
			}
		}
		err = a.ReadBytes(t.Context(), make([]byte, 4), []int64{0, 0, 0}, []int64{1, 1, 1})
		if !errors.Is(err, cairn.ErrBounds) {
			t.Errorf("a stream went backwards: %v", err)
		}
	}
}

func TestTruncatedFiles(t *testing.T) {
	file := fileOf(t, 4, false, 10, 10)
	file = file[:len(file)-1]
	_, err := OpenReader(bytes.NewReader(file), int64(len(file)), nil)
	if !errors.Is(err, io.ErrUnexpectedEOF) || !errors.Is(err, cairn.ErrCorrupt) {
		t.Errorf("file: %v", err)
	}
	a, err := OpenStream(bytes.NewReader(file), nil)
	if err != nil {
		t.Fatal(err)
	}
	err = a.ReadBytes(t.Context(), make([]byte, 400), []int64{0, 0}, []int64{10, 10})
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("stream: %v", err)
	}
}

// TestWritingGivesTheSameFile writes sources with chunks in either order, whole and in small boxes.
func TestWritingGivesTheSameFile(t *testing.T) {
	for _, shape := range [][]int64{{}, {0}, {3, 0, 2}, {300}, {37, 41}, {9, 8, 7}, {2, 3, 4, 5}} {
		for _, size := range []int{1, 3, 8} {
			for _, fortran := range []bool{false, true} {
				want := fileOf(t, size, fortran, shape...)
				var sources []ndarray.Source
				a, err := OpenReader(bytes.NewReader(want), int64(len(want)), nil)
				if err != nil {
					t.Fatal(err)
				}
				u, err := ndarray.Copy(t.Context(), a, &ndarray.CopyOptions{ChunkShape: chunksOf(shape)})
				if err != nil {
					t.Fatal(err)
				}
				padded, err := ndarray.Copy(t.Context(), ndarray.Concat(0, atLeast1(u), atLeast1(u)), nil)
				if err != nil {
					t.Fatal(err)
				}
				sources = append(sources, a, u)
				if len(shape) > 0 {
					sources = append(sources, padded.Slice(ndarray.From(shape[0])))
				}
				for i, src := range sources {
					for _, memory := range []int64{0, 100} {
						var got bytes.Buffer
						o := &SaveOptions{Fortran: fortran, Memory: memory}
						if err := Write(t.Context(), &got, src, o); err != nil {
							t.Fatal(err)
						}
						if !bytes.Equal(got.Bytes(), want) && !(fortran && !ordered(shape)) {
							t.Fatalf("shape %v size %d %+v source %d: the file differs", shape, size, o, i)
						}
					}
				}
			}
		}
	}
}

func atLeast1(u *ndarray.Untyped) ndarray.Source {
	if len(u.Shape()) == 0 {
		return u.Slice(ndarray.NewAxis)
	}
	return u
}

func chunksOf(shape []int64) ndarray.Shape {
	c := make(ndarray.Shape, len(shape))
	for d, n := range shape {
		c[d] = max(1, n/3+1)
	}
	return c
}

func TestConcurrentReads(t *testing.T) {
	shape := []int64{60, 50, 4}
	for _, fortran := range []bool{false, true} {
		for name, a := range ways(t, fileOf(t, 4, fortran, shape...)) {
			var all sync.WaitGroup
			for w := range 4 {
				all.Go(func() {
					for k := range int64(30) {
						start, stop := []int64{(k * 7) % 50, int64(w), 0}, []int64{(k*7)%50 + 9, 40, 4}
						want := itemsOf(start, stop, 4, false)
						got := make([]byte, len(want))
						if err := a.ReadBytes(context.Background(), got, start, stop); err != nil ||
							!bytes.Equal(got, want) {
							t.Errorf("%s: box %v to %v: %v", name, start, stop, err)
							return
						}
					}
				})
			}
			all.Wait()
		}
	}
}

func BenchmarkFortranBox(b *testing.B) {
	const n = 1024
	for name, a := range ways(b, fileOf(b, 4, true, n, n)) {
		dst := make([]byte, 4*n*n)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(dst)))
			for b.Loop() {
				if err := a.ReadBytes(b.Context(), dst, []int64{0, 0}, []int64{n, n}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
