package store

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
)

// counted counts reads.
type counted struct {
	io.ReaderAt
	reads atomic.Int64
}

func (c *counted) ReadAt(dst []byte, off int64) (int, error) {
	c.reads.Add(1)
	return c.ReaderAt.ReadAt(dst, off)
}

// TestOpeningReadsManyMembersAtATime checks that an archive of many small members is listed without
// a read for each, which later changes of its bytes do not outlive.
func TestOpeningReadsManyMembersAtATime(t *testing.T) {
	const leaves = 400
	name := filepath.Join(t.TempDir(), "a.b2z")
	e, err := Create(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Abort()
	for i := range leaves {
		a, err := ndarray.FromSlice([]int16{int16(i)}, ndarray.Shape{1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Put(t.Context(), fmt.Sprintf("/a%d", i), a, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}

	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	c := &counted{ReaderAt: bytes.NewReader(raw)}
	s, err := OpenReader(c, int64(len(raw)), name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n := c.reads.Load(); n > leaves/4 {
		t.Errorf("%d reads for %d members", n, leaves)
	}
}

// TestWindow compares reads by a window with those of what it reads, back and forth, to the end.
func TestWindow(t *testing.T) {
	raw := make([]byte, 200_000)
	for i := range raw {
		raw[i] = byte(i * i >> 7)
	}
	plain := bytes.NewReader(raw)
	w := &window{r: plain}
	check := func(size int, off int64) {
		t.Helper()
		got := make([]byte, size)
		want := make([]byte, size)
		n, err := w.ReadAt(got, off)
		m, wantErr := plain.ReadAt(want, off)
		if n != m || (n < size) != (wantErr != nil) || (err == nil) != (wantErr == nil) || !bytes.Equal(got, want) {
			t.Fatalf("%d bytes at %d: %d, %v, want %d, %v", size, off, n, err, m, wantErr)
		}
	}

	end := w.visit()
	for off := int64(0); off < int64(len(raw))+5000; off += 431 {
		check(30, off)
		check(1000, off+7)
		check(5000, off)
		check(30, off/2)
	}

	// What was read before is not kept.
	end()
	raw[100]++
	check(30, 90)
}
