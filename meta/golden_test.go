package meta

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/internal/test/hexdump"
)

// recorded is output of C-Blosc2; testdata/gen_frames.py extracts it from frames.
type recorded struct {
	Library string
	Arrays  []struct {
		Shape                                   []int64
		Chunks, Blocks                          []int32
		DType                                   string
		TypeSize, NChunks, ChunkSize, BlockSize int64
		Content                                 hexdump.Bytes
	}
	Packed []struct {
		Name   string
		Packed hexdump.Bytes
	}
}

func readRecorded(t testing.TB) *recorded {
	t.Helper()
	r := hexdump.Recorded[recorded](t, "testdata/frames.json")
	if len(r.Arrays) < 20 || len(r.Packed) < 10 {
		t.Fatalf("only %d arrays and %d values recorded", len(r.Arrays), len(r.Packed))
	}
	return r
}

func TestB2NDLikeC(t *testing.T) {
	for _, a := range readRecorded(t).Arrays {
		m, err := ParseB2ND(a.Content)
		if err != nil {
			t.Fatalf("%v: %v", a.Shape, err)
		}
		if !slices.Equal(m.Shape, a.Shape) || !slices.Equal(m.ChunkShape, a.Chunks) || !slices.Equal(m.BlockShape, a.Blocks) || m.DType != a.DType || m.Variant != B2NDCurrent || m.Format != 0 {
			t.Errorf("got %+v, want %+v", m, a)
		}
		if d := mustParse(t, m.DType); int64(d.Size()) != a.TypeSize || d.String() != a.DType {
			t.Errorf("%s: dtype %v of %d bytes, want %d", a.DType, d, d.Size(), a.TypeSize)
		}
		fresh := &B2ND{Shape: a.Shape, ChunkShape: a.Chunks, BlockShape: a.Blocks, DType: a.DType}
		if got := fresh.Append(nil); !bytes.Equal(got, a.Content) {
			t.Errorf("%v: wrote\n% x, C-Blosc2 wrote\n% x", a.Shape, got, []byte(a.Content))
		}
		chunk, err := m.ChunkBytes(int(a.TypeSize))
		if err != nil || m.NumChunks() != a.NChunks || chunk != a.ChunkSize {
			t.Errorf("%v: %d chunks of %d bytes, %v, want %d of %d", a.Shape, m.NumChunks(), chunk, err,
				a.NChunks, a.ChunkSize)
		}
	}
}

// TestAnnotatedBytes writes the bytes of C-Blosc2 beside their meanings to testdata/*.txt.
func TestAnnotatedBytes(t *testing.T) {
	r := readRecorded(t)
	var out strings.Builder
	for i, a := range r.Arrays {
		if i%2 == 1 {
			continue // the same shape with another dtype
		}
		fmt.Fprintf(&out, "b2nd metalayer: shape %v, chunks %v, blocks %v, dtype %s\n\n%s\n", a.Shape, a.Chunks, a.Blocks, a.DType, hexdump.Annotate(a.Content, describeB2ND(a.Shape, a.Chunks, a.Blocks, a.DType)))
	}
	hexdump.Golden(t, "testdata/b2nd.txt", out.String())
}

func describeB2ND(shape []int64, chunks, blocks []int32, dtype string) []hexdump.Part {
	parts := []hexdump.Part{{Len: 1, Meaning: "array of 7"}, {Len: 1, Meaning: "version"}, {Len: 1, Meaning: fmt.Sprintf("%d dimensions", len(shape))}, {Len: 1, Meaning: "shape"}}
	for i, n := range shape {
		parts = append(parts, hexdump.Part{Len: 9, Meaning: fmt.Sprintf("  dimension %d: %d", i, n)})
	}
	for _, s := range []struct {
		name  string
		shape []int32
	}{{"chunk shape", chunks}, {"block shape", blocks}} {
		parts = append(parts, hexdump.Part{Len: 1, Meaning: s.name})
		for i, n := range s.shape {
			parts = append(parts, hexdump.Part{Len: 5, Meaning: fmt.Sprintf("  dimension %d: %d", i, n)})
		}
	}
	return append(parts, hexdump.Part{Len: 1, Meaning: "dtype format: NumPy"}, hexdump.Part{Len: 5, Meaning: fmt.Sprintf("string of %d", len(dtype))}, hexdump.Part{Len: len(dtype), Meaning: dtype})
}
