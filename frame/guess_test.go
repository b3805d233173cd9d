package frame

import (
	"bytes"
	"io"
	"testing"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/format"
)

// countingReader counts reads and bytes.
type countingReader struct {
	r            io.ReaderAt
	reads, bytes int
}

func (c *countingReader) ReadAt(p []byte, off int64) (int, error) {
	c.reads++
	c.bytes += len(p)
	return c.r.ReadAt(p, off)
}

func TestSmallChunksAreFetchedByOneRead(t *testing.T) {
	f, err := New(&Options{TypeSize: 4})
	if err != nil {
		t.Fatal(err)
	}
	size := []int{1000, 1000, 1000, 20_000, 30_000, 400}
	for i, n := range size {
		if _, err := f.Append(noContext, ramp(n, i)); err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			if err := f.Commit(noContext); err != nil { // leaves a dead index and trailer behind
				t.Fatal(err)
			}
		}
	}
	large, err := chunk.NewEncoder(&chunk.Options{Level: chunk.Stored})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := f.AppendEncoded(noContext, must(large.Append(nil, make([]byte, 100_000)))); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Commit(noContext); err != nil {
		t.Fatal(err)
	}
	v := f.cur.Load()
	file := v.oneFile()
	r := &countingReader{r: file}
	g, err := OpenReader(r, v.head.FrameLen, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range g.NumChunks() {
		*r = countingReader{r: file}
		got := must(g.EncodedChunk(nil, i))
		if !bytes.Equal(got, must(f.EncodedChunk(nil, i))) {
			t.Fatalf("chunk %d differs", i)
		}
		wantReads, most := 1, len(got)+format.FooterSize
		switch {
		case len(got) > maxGuess:
			wantReads, most = 2, len(got)+format.FooterSize+chunk.HeaderSize
		case i == 1:
			most = maxGuess
		}
		if r.reads != wantReads || r.bytes > most {
			t.Fatalf("chunk %d of %d bytes: %d reads of %d bytes", i, len(got), r.reads, r.bytes)
		}
	}
	mustClose(t, g)
	mustClose(t, f)
}
