package golden_test

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/derived"
	"github.com/cairn-go/cairn/internal/test/golden"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
)

// goldenChanges are the options of copies, besides none.
var goldenChanges = map[string]ndarray.CopyOptions{
	"as it is":    {},
	"again":       {Recode: true},
	"sparse":      {Sparse: new(true)},
	"contiguous":  {Sparse: new(false)},
	"lz4":         {Codec: codecs.LZ4},
	"zlib":        {Codec: codecs.Zlib, Level: 1},
	"zstd 6":      {Codec: codecs.Zstd, Level: 6},
	"stored":      {Level: chunk.Stored},
	"no filter":   {Filters: []shuffle.Spec{shuffle.None}},
	"bitshuffle":  {Codec: codecs.BloscLZ, Filters: []shuffle.Spec{shuffle.Bit}},
	"auto shapes": {AutoShapes: true},
	"zstd, auto":  {Codec: codecs.Zstd, AutoShapes: true},
}

// TestGoldenArrayCopies checks that a copy has the items and the metalayers of the array whatever
// its options, unless its plan lists losses.
func TestGoldenArrayCopies(t *testing.T) {
	lossy := 0
	for _, c := range cases(t, golden.B2ND) {
		u, err := ndarray.Open(c.Path(), nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := u.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for name, o := range goldenChanges {
			row, _ := (*codecs.Registry)(nil).Lookup(u.Info().Codec.ID())
			if row.Lossy && o.Filters != nil && o.Codec == codecs.Default && o.Filters[0] != shuffle.None {
				continue
			}
			p, err := ndarray.PlanCopy(u, &o)
			if err != nil {
				t.Errorf("%s, %s: %v", c.Name, name, err)
				continue
			}
			lossy += checkGoldenCopy(t, c.Name+", "+name, p, &o, u, want)
		}
		u.Close()
	}
	if lossy == 0 {
		t.Error("no copy of an array of zfp loses anything")
	}
}

// checkGoldenCopy copies as planned and compares. It returns 1 if items may differ.
func checkGoldenCopy(t *testing.T, what string, p *ndarray.CopyPlan, o *ndarray.CopyOptions,
	u *ndarray.Untyped, want []byte) int {
	t.Helper()
	v, err := ndarray.Copy(context.Background(), u, o)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return 0
	}
	defer v.Abort()
	got, err := v.Read(context.Background())
	if err != nil || len(got) != len(want) || v.DType().String() != u.DType().String() ||
		!slices.Equal(v.Shape(), u.Shape()) {
		t.Errorf("%s: %v, or another shape or dtype", what, err)
		return 0
	}
	sameLayers(t, what, u.Frame(), v.Frame())
	if p.Lossy {
		return 1
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: items differ", what)
	}
	return 0
}

// sameLayers compares metalayers byte for byte, except that of the array, which contains the chunk
// shape. A copy omits metalayers about files beside the array.
func sameLayers(t *testing.T, what string, f, g *frame.Frame) {
	t.Helper()
	array := func(l meta.Layer) bool { return l.Name == meta.LayerB2ND || l.Name == meta.LayerCaterva }
	same := func(x, y meta.Layer) bool { return x.Name == y.Name && bytes.Equal(x.Content, y.Content) }
	if x, y := slices.DeleteFunc(f.Layers(), array), slices.DeleteFunc(g.Layers(), array); !slices.EqualFunc(x, y, same) {
		t.Errorf("%s: metalayers %v, want %v", what, y, x)
	}
	x, err := f.VLLayers()
	if err != nil {
		t.Fatal(err)
	}
	x = slices.DeleteFunc(x, func(l meta.Layer) bool { return derived.IsPlaced(l.Name) })
	if y, err := g.VLLayers(); err != nil || !slices.EqualFunc(x, y, same) {
		t.Errorf("%s: metalayers of variable length %v, want %v (%v)", what, y, x, err)
	}
}

// TestGoldenFrameCopies is the same test for frames, including sparse ones and those with blocks of
// variable length.
func TestGoldenFrameCopies(t *testing.T) {
	dir := t.TempDir()
	for _, c := range cases(t, golden.Frame) {
		f, err := frame.Open(c.Path(), &frame.OpenOptions{Offset: c.Offset})
		if err != nil {
			t.Fatal(err)
		}
		want := frameChunks(t, c.Name, f)
		for name, o := range goldenChanges {
			if o.AutoShapes || o.Sparse != nil && c.ChunkCount > 100 ||
				c.DecodedSize > 300<<10 && o.Codec != codecs.LZ4 {
				continue
			}
			what, path := c.Name+", "+name, ""
			fo := &frame.CopyOptions{Codec: o.Codec, Level: o.Level, Filters: o.Filters, Recode: o.Recode,
				Sparse: o.Sparse, Overwrite: true}
			g, err := frame.NewCopy(t.Context(), f.Snapshot(), fo)
			if o.Sparse != nil {
				path = filepath.Join(dir, "copy.b2frame")
				if err = frame.Copy(t.Context(), path, f.Snapshot(), fo); err == nil {
					g, err = frame.Open(path, nil)
				}
			}
			if err != nil {
				t.Errorf("%s: %v", what, err)
				continue
			}
			truncates := slices.ContainsFunc(c.Filters, func(f [2]int) bool { return f[0] == int(shuffle.IDTruncPrec) || f[0] == int(shuffle.IDIntTrunc) })
			if got := frameChunks(t, what, g); !slices.EqualFunc(got, want, bytes.Equal) && !truncates {
				t.Errorf("%s: chunks differ", what)
			}
			sameLayers(t, what, f, g)
			g.Abort()
		}
		f.Close()
	}
}

// frameChunks returns the decoded chunks.
func frameChunks(t *testing.T, what string, f *frame.Frame) [][]byte {
	t.Helper()
	var all [][]byte
	for i := range f.NumChunks() {
		info, err := f.Chunk(i)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		b := make([]byte, info.NBytes)
		if _, err := f.ReadChunk(context.Background(), b, i); err != nil {
			t.Fatalf("%s: chunk %d: %v", what, i, err)
		}
		all = append(all, b)
	}
	return all
}
