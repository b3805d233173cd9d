package golden_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/internal/dense"
	"github.com/cairn-go/cairn/internal/golden"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
)

// eighths generates the contents of the goldens of zfp, as number in testdata/golden/recipe/zfp.py.
func eighths(shape []int64, typeSize int) []byte {
	out := make([]byte, int(dense.Volume(shape))*typeSize)
	for i := range out[:len(out)/typeSize] {
		v, rest := i*i*i%23, i
		for k := len(shape) - 1; k >= 0; k-- {
			c := rest % int(shape[k])
			rest /= int(shape[k])
			v += (k + 2) * c * c
		}
		if i%7 == 0 {
			v = -v
		}
		if typeSize == 4 {
			binary.LittleEndian.PutUint32(out[4*i:], math.Float32bits(float32(v)/8))
		} else {
			binary.LittleEndian.PutUint64(out[8*i:], math.Float64bits(float64(v)/8))
		}
	}
	return out
}

// TestGoldenZFP encodes the contents of the zfp goldens and compares the chunks.
func TestGoldenZFP(t *testing.T) {
	found := 0
	for _, c := range cases(t, golden.B2ND) {
		if !strings.HasPrefix(c.Name, "zfp-") {
			continue
		}
		found++
		want, err := ndarray.Open(c.Path(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer want.Close()
		chunks, blocks := want.Grid()
		got, err := ndarray.NewUntyped(c.DType, c.Shape, &ndarray.Options{
			ChunkShape: chunks, BlockShape: blocks, Level: c.Level,
			Codec: want.Frame().Info().Codec, Filters: []shuffle.Spec{shuffle.None},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := got.Write(context.Background(), eighths(c.Shape, c.TypeSize)); err != nil {
			t.Fatal(err)
		}
		for i := range c.ChunkCount {
			a, err := want.Frame().EncodedChunk(nil, i)
			if err != nil {
				t.Fatal(err)
			}
			if b, err := got.Frame().EncodedChunk(nil, i); err != nil || !bytes.Equal(a, b) {
				t.Errorf("%s: chunk %d is not what the real library makes of the same data: %s (%v)",
					c.Name, i, dense.Differ(b, a), err)
			}
		}
	}
	if found != 24 {
		t.Errorf("%d goldens, want one for each of 3 codecs, 4 numbers of dimensions and 2 types", found)
	}
}
