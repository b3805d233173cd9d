package golden_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/test/dense"
	"github.com/cairn-go/cairn/internal/test/golden"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
)

// TestGoldenMeans encodes the source of the ndmean goldens and compares the decoded result.
func TestGoldenMeans(t *testing.T) {
	found := 0
	for _, c := range cases(t, golden.B2ND) {
		if !strings.HasPrefix(c.Name, "ndmean-") {
			continue
		}
		found++
		want := open(t, c)
		defer want.Close()
		chunks, blocks := want.Grid()
		got, err := ndarray.NewUntyped(c.DType, c.Shape, &ndarray.Options{
			ChunkShape: chunks, BlockShape: blocks, Codec: codecs.Zstd, Filters: pipelineOf(want),
		})
		if err != nil {
			t.Fatal(err)
		}
		numbers := eighths(c.Shape, c.TypeSize)
		if err := got.Write(context.Background(), numbers); err != nil {
			t.Fatal(err)
		}
		a, b := read(t, want), read(t, got)
		if !bytes.Equal(a, b) || bytes.Equal(b, numbers) {
			t.Errorf("%s: not what the real library makes of the same numbers: %s", c.Name, dense.Differ(b, a))
		}
	}
	if found != 4 {
		t.Errorf("%d goldens, want one for each of 4 numbers of dimensions", found)
	}
}

// TestGoldenCellsAlone decodes a chunk of an array without the array: this succeeds if the shape of
// blocks is given, and otherwise the error names what is missing.
func TestGoldenCellsAlone(t *testing.T) {
	found := 0
	for _, c := range cases(t, golden.B2ND) {
		if !strings.HasPrefix(c.Name, "ndcell-") && !strings.HasPrefix(c.Name, "ndmean-") {
			continue
		}
		found++
		u := open(t, c)
		defer u.Close()
		encoded, err := u.Frame().EncodedChunk(nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]byte, c.ChunkSize)
		if _, err := u.Frame().ReadChunk(context.Background(), want, 0); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, c.ChunkSize)
		if _, err := chunk.NewDecoder(&chunk.DecodeOptions{BlockShape: c.BlockShape}).Decode(got, encoded); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: chunk by itself: %v", c.Name, err)
		}
		if _, err := chunk.NewDecoder(nil).Decode(got, encoded); !errors.Is(err, cairn.ErrUnsupported) || !strings.Contains(err.Error(), "without a shape") {
			t.Errorf("%s: chunk without a shape: %v", c.Name, err)
		}
	}
	if found != 8 {
		t.Errorf("%d goldens, want 8", found)
	}
}

// TestCellFiltersFailInPlainFrames checks that these filters fail in plain frames, whose blocks
// have no shape, as in C-Blosc2.
func TestCellFiltersFailInPlainFrames(t *testing.T) {
	for _, spec := range []shuffle.Spec{shuffle.NDCell(2), shuffle.NDMean(2)} {
		f, err := frame.New(&frame.Options{TypeSize: 4, ChunkSize: 4000, Filters: []shuffle.Spec{spec}})
		if err == nil {
			_, err = f.Append(context.Background(), bytes.Repeat([]byte{1, 2, 3, 4}, 1000))
		}
		if !errors.Is(err, cairn.ErrUnsupported) || !strings.Contains(err.Error(), "without a shape") {
			t.Errorf("%v: %v", spec, err)
		}
	}
}

func open(t *testing.T, c *golden.Case) *ndarray.Untyped {
	t.Helper()
	u, err := ndarray.Open(c.Path(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func read(t *testing.T, u *ndarray.Untyped) []byte {
	t.Helper()
	data, err := u.Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func pipelineOf(u *ndarray.Untyped) []shuffle.Spec {
	var out []shuffle.Spec
	for _, s := range u.Frame().Info().Pipeline {
		if s.ID != shuffle.IDNone {
			out = append(out, s)
		}
	}
	return out
}
