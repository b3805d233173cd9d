package command

import (
	"bytes"
	"io"
	"sync/atomic"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
)

// countedReads counts the reads of a reader, and their bytes.
type countedReads struct {
	io.ReaderAt
	reads, bytes atomic.Int64
}

func (c *countedReads) ReadAt(p []byte, off int64) (int, error) {
	c.reads.Add(1)
	c.bytes.Add(int64(len(p)))
	return c.ReaderAt.ReadAt(p, off)
}

// TestLoadReadsLongPieces imports arrays whose lines are longer than the boxes that fit into the
// budget: each byte is read once, and in C order in pieces that hold many lines.
func TestLoadReadsLongPieces(t *testing.T) {
	for _, fortran := range []bool{false, true} {
		shape, chunks := ndarray.Shape{64, 64, 700}, ndarray.Shape{64, 64, 300}
		if fortran {
			shape, chunks = ndarray.Shape{700, 64, 64}, ndarray.Shape{300, 64, 64}
		}
		items := make([]int32, 64*64*700)
		for i := range items {
			items[i] = int32(i)
		}
		want := ndarray.Items(items, shape)
		var file bytes.Buffer
		if err := npy.Write(t.Context(), &file, want, &npy.SaveOptions{Fortran: fortran}); err != nil {
			t.Fatal(err)
		}
		counted := &countedReads{ReaderAt: bytes.NewReader(file.Bytes())}
		a, err := npy.OpenReader(counted, int64(file.Len()), nil)
		if err != nil {
			t.Fatal(err)
		}
		u, err := ndarray.NewUntyped("<i4", shape, &ndarray.Options{ChunkShape: chunks})
		if err != nil {
			t.Fatal(err)
		}
		l := loader{name: "in", workers: 1}
		if err := l.load(t.Context(), u, make([]int64, 3), a); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(bytesIn(t, u), bytesIn(t, want)) {
			t.Errorf("fortran %v: the items differ", fortran)
		}
		if reads, n := counted.reads.Load(), counted.bytes.Load(); !fortran && reads > 64 || n > int64(file.Len())+4096 {
			t.Errorf("fortran %v: %d reads of %d bytes, of a file of %d", fortran, reads, n, file.Len())
		}
	}
}

func bytesIn(t *testing.T, src ndarray.Source) []byte {
	t.Helper()
	b, err := ndarray.ViewOf(src).Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return b
}
