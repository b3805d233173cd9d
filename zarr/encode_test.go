package zarr

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/cairn-go/cairn/shuffle"
)

// TestDeflatedChunksAreThoseOfTheStandardLibrary decodes chunks that compress, and chunks that are
// stored in one block or several.
func TestDeflatedChunksAreThoseOfTheStandardLibrary(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 3*mostStored+1)
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	for _, c := range []Compressor{Gzip, Zlib} {
		e, err := (&packing{kind: c, level: 5, filter: shuffle.None, item: 1}).encoder()
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, 5, 1000, mostStored, mostStored + 1, 2 * mostStored, len(noise)} {
			for _, items := range [][]byte{noise[:n], make([]byte, n)} {
				b, err := e.encode(items)
				if err != nil {
					t.Fatal(err)
				}
				var r io.Reader
				if c == Gzip {
					r, err = gzip.NewReader(bytes.NewReader(b))
				} else {
					r, err = zlib.NewReader(bytes.NewReader(b))
				}
				if err != nil {
					t.Fatalf("%v of %d bytes: %v", c, n, err)
				}
				if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, items) {
					t.Errorf("%v of %d bytes: %v", c, n, err)
				}
			}
		}
	}
}
