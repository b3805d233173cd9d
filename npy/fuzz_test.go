package npy

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
)

// mostFuzzed is the size of the largest arrays that targets read.
const mostFuzzed = 1 << 16

// expected reports whether an error is one that bad bytes may cause.
func expected(err error) bool {
	return errors.Is(err, cairn.ErrCorrupt) || errors.Is(err, cairn.ErrUnsupported) ||
		errors.Is(err, cairn.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF)
}

// readAll reads an array, and one half of it, which must be the same items.
func readAll(t *testing.T, a *Array) []byte {
	shape := a.Shape()
	size := a.head.size()
	if size > mostFuzzed || len(shape) > 8 {
		return nil
	}
	for _, n := range shape {
		if n > mostFuzzed { // beside a dimension without items
			return nil
		}
	}
	all := make([]byte, size)
	zero := make([]int64, len(shape))
	if err := a.ReadBytes(context.Background(), all, zero, shape); err != nil {
		if !expected(err) {
			t.Fatal(err)
		}
		return nil
	}
	if len(shape) == 0 || size == 0 {
		return all
	}
	start, item := slices.Clone(zero), int64(a.DType().Size())
	part := item
	for d, n := range shape {
		start[d] = n / 2
		part *= n - n/2
	}
	half := make([]byte, part)
	if err := a.ReadBytes(context.Background(), half, start, shape); err != nil {
		t.Fatalf("a part cannot be read: %v", err)
	}
	if want := cut(all, shape, start, item); !bytes.Equal(half, want) {
		t.Fatalf("%v: from %v on the items differ", shape, start)
	}
	return all
}

// cut returns the items from start on of an array in C order.
func cut(data []byte, shape, start []int64, size int64) []byte {
	if len(shape) == 0 {
		return data
	}
	inner := size
	for _, n := range shape[1:] {
		inner *= n
	}
	var out []byte
	for i := start[0]; i < shape[0]; i++ {
		out = append(out, cut(data[i*inner:(i+1)*inner], shape[1:], start[1:], size)...)
	}
	return out
}

// FuzzOpen opens files, reads them in several ways, and writes them again.
func FuzzOpen(f *testing.F) {
	f.Add(fileOf(f, 3, true, 4, 5))
	f.Add(fileOf(f, 4, false, 2, 3, 4))
	f.Add(fileOf(f, 1, true, 0, 9))
	f.Add(fileOf(f, 8, false))
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := OpenReader(bytes.NewReader(b), int64(len(b)), nil)
		if err != nil {
			if !expected(err) {
				t.Fatal(err)
			}
			return
		}
		all := readAll(t, a)
		if all == nil {
			return
		}
		s, err := OpenStream(bytes.NewReader(b), nil)
		if err != nil {
			t.Fatalf("only a stream fails: %v", err)
		}
		same := make([]byte, len(all))
		err = s.ReadBytes(t.Context(), same, make([]int64, len(a.shape)), a.Shape())
		if err != nil || !bytes.Equal(all, same) {
			t.Fatalf("a stream has other items: %v", err)
		}
		var out bytes.Buffer
		if err := Write(t.Context(), &out, a, &SaveOptions{Fortran: a.Fortran(), Memory: 64}); err != nil {
			t.Fatal(err)
		}
		again, err := OpenReader(bytes.NewReader(out.Bytes()), int64(out.Len()), nil)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(readAll(t, again), all) || !slices.Equal(again.Shape(), a.Shape()) {
			t.Fatal("the file that was written differs")
		}
	})
}

// FuzzArchive opens archives and their arrays.
func FuzzArchive(f *testing.F) {
	for _, deflate := range []bool{false, true} {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for i, file := range [][]byte{fileOf(f, 2, true, 3, 4), fileOf(f, 4, false, 7), []byte("text")} {
			method := zip.Store
			if deflate {
				method = zip.Deflate
			}
			w, err := z.CreateHeader(&zip.FileHeader{Name: []string{"a.npy", "g/b.npy", "readme"}[i], Method: method})
			if err == nil {
				_, err = w.Write(file)
			}
			if err != nil {
				f.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	if b, err := os.ReadFile("testdata/object.npy"); err == nil {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		z, err := OpenArchiveReader(bytes.NewReader(b), int64(len(b)), &OpenOptions{Verify: len(b)%2 == 0})
		if err != nil {
			if !expected(err) {
				t.Fatal(err)
			}
			return
		}
		names := z.Names()
		for _, name := range names[:min(len(names), 4)] {
			a, err := z.Array(t.Context(), name)
			if err == nil {
				readAll(t, a)
			} else if !expected(err) {
				t.Fatal(err)
			}
		}
	})
}
