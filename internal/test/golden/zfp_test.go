package golden_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/test/dense"
	"github.com/cairn-go/cairn/internal/test/golden"
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

// TestGoldenZFP encodes the contents of the zfp goldens and compares the chunks. Where zfp does not
// make a block smaller, the real library stores it, and cairn may encode the chunk without loss.
func TestGoldenZFP(t *testing.T) {
	found, better := 0, 0
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
			b, err := got.Frame().EncodedChunk(nil, i)
			if err != nil {
				t.Fatal(err)
			}
			if h, err := chunk.ParseHeader(b); err == nil && h.Codec == codecs.Zstd && len(b) < len(a) {
				better++
				continue
			}
			if !bytes.Equal(a, b) {
				t.Errorf("%s: chunk %d is not what the real library makes of the same data: %s",
					c.Name, i, dense.Differ(b, a))
			}
		}
	}
	if better > 2 {
		t.Errorf("%d chunks are without zfp", better)
	}
	if found != 24 {
		t.Errorf("%d goldens, want one for each of 3 codecs, 4 numbers of dimensions and 2 types", found)
	}
}
