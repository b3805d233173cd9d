package ndarray_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
)

// checkZarrBlocks checks that every chunk of an array that is not special consists of Zarr chunks.
// It returns how many those are.
func checkZarrBlocks(t *testing.T, u *ndarray.Untyped) (n int) {
	t.Helper()
	f := u.Frame().Snapshot()
	if !f.Info().ZarrBlocks {
		t.Fatal("the array does not have ZarrBlocks")
	}
	for i := range f.NumChunks() {
		b, err := f.EncodedChunk(nil, i)
		if err != nil {
			t.Fatal(err)
		}
		h, err := chunk.ParseHeader(b)
		if err != nil {
			t.Fatal(err)
		}
		if h.Special() != chunk.SpecialNone {
			continue
		}
		blocks, ok, err := chunk.ZarrBlocks(b)
		if err != nil || !ok {
			t.Fatalf("chunk %d does not consist of Zarr chunks: %v", i, err)
		}
		n += len(blocks)
	}
	return n
}

// An array with ZarrBlocks keeps them through everything that changes it.
func TestZarrBlocksStay(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "a.b2nd")
	a, err := ndarray.Create[int32](path, ndarray.Shape{50, 60}, &ndarray.Options{ChunkShape: ndarray.Shape{32, 32},
		BlockShape: ndarray.Shape{8, 16}, Codec: codecs.LZ4, ZarrBlocks: true, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	want := make([]int32, 50*60)
	for i := range want {
		want[i] = int32(i % 200) // bytes above the lowest are zero
		if i >= 1500 {
			want[i] = int32(random.Uint32())
		}
	}
	step := func(what string, err error) {
		t.Helper()
		if err == nil {
			err = a.Commit(ctx)
		}
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		got, err := a.Read(ctx)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%s: other items: %v", what, err)
		}
		if n := checkZarrBlocks(t, a.Untyped); n == 0 {
			t.Fatalf("%s: no blocks", what)
		}
	}
	step("write", a.Write(ctx, want))
	for r := 10; r < 20; r++ {
		for c := 20; c < 30; c++ {
			want[r*60+c] = int32(random.Uint32() % 7)
		}
	}
	box := make([]int32, 0, 100)
	for r := 10; r < 20; r++ {
		box = append(box, want[r*60+20:r*60+30]...)
	}
	step("write a box", a.WriteBox(ctx, box, []int64{10, 20}, []int64{20, 30}))
	rows := make([]int32, 5*60)
	for i := range rows {
		rows[i] = int32(random.Uint32())
	}
	want = append(want, rows...)
	step("append", a.Append(ctx, 0, rows))
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if a, err = ndarray.OpenAs[int32](path, &ndarray.OpenOptions{Mode: ndarray.ReadWrite}); err != nil {
		t.Fatal(err)
	}
	want = append(want, rows...)
	step("append after opening", a.Append(ctx, 0, rows))
	want = want[:45*60]
	step("shrink", a.Resize(ctx, ndarray.Shape{45, 60}, nil))
	checkZarrCopies(ctx, t, a, want)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

// checkZarrCopies checks copies of an array that has ZarrBlocks.
func checkZarrCopies(ctx context.Context, t *testing.T, a ndarray.Array[int32], want []int32) {
	t.Helper()
	on, off := true, false
	for name, o := range map[string]*ndarray.CopyOptions{
		"same": nil, "other chunks": {ChunkShape: ndarray.Shape{48, 50}}, "automatic": {AutoShapes: true},
		"codec": {Codec: codecs.Zstd, Level: 3}, "bitshuffle": {Filters: []shuffle.Spec{shuffle.Bit}},
		"stored": {Level: chunk.Stored},
	} {
		c, err := ndarray.Copy(ctx, a, o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		checkZarrBlocks(t, c)
		plain, err := ndarray.Copy(ctx, c, &ndarray.CopyOptions{ZarrBlocks: &off})
		if err != nil {
			t.Fatal(err)
		}
		if plain.Info().ZarrBlocks || slices.ContainsFunc(plain.Frame().Layers(),
			func(l meta.Layer) bool { return l.Name == meta.LayerZarrBlocks }) {
			t.Errorf("%s: a plain copy has ZarrBlocks", name)
		}
		again, err := ndarray.Copy(ctx, plain, &ndarray.CopyOptions{ZarrBlocks: &on})
		if err != nil {
			t.Fatal(err)
		}
		checkZarrBlocks(t, again)
		values, err := ndarray.As[int32](again)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := values.Read(ctx); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: other items: %v", name, err)
		}
	}
}

func TestZarrBlocksRefuse(t *testing.T) {
	for name, o := range map[string]*ndarray.Options{
		"blocks that do not tile": {ChunkShape: ndarray.Shape{10, 10}, BlockShape: ndarray.Shape{4, 5}},
		"a dictionary":            {Dict: true},
		"a codec of Blosc2":       {Codec: codecs.ZFPRate(50)},
		"bits of 25 items":        {BlockShape: ndarray.Shape{5, 5}, Filters: []shuffle.Spec{shuffle.Bit}},
	} {
		o.ZarrBlocks = true
		if _, err := ndarray.New[float32](ndarray.Shape{100, 100}, o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
