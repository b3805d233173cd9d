package zarr

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
)

// stored returns the documents and chunks of a view as a store of one array, and counts the chunks
// that were recoded.
func stored(t *testing.T, v *View, version int) (fsys fstest.MapFS, recoded, all int) {
	t.Helper()
	fsys = fstest.MapFS{}
	names := []string{nameV3}
	if version == 2 {
		names = []string{nameArrayV2, nameAttributesV2}
	}
	for _, name := range names {
		doc, err := v.Document(name)
		if err != nil {
			t.Fatal(err)
		}
		fsys[path.Join("s", name)] = &fstest.MapFile{Data: doc}
	}
	at := make([]int64, len(v.count))
	for range volume(v.count) {
		all++
		b, again, err := v.AppendChunk(t.Context(), []byte("x"), version, at)
		if err != nil {
			t.Fatal(err)
		}
		if again {
			recoded++
		}
		key := viewKey(version, at)
		if got, where, ok := v.ParseKey(key); !ok || got != version || !slices.Equal(where, at) && len(at) > 0 {
			t.Fatalf("key %q is %v of version %d, %v", key, where, got, ok)
		}
		if len(b) > 1 {
			fsys["s/"+key] = &fstest.MapFile{Data: b[1:]}
		}
		for d := len(at) - 1; d >= 0; d-- {
			if at[d]++; at[d] < v.count[d] {
				break
			}
			at[d] = 0
		}
	}
	return fsys, recoded, all
}

func viewKey(version int, at []int64) string {
	key, separator := "c", "/"
	if version == 2 {
		key, separator = "", "."
	}
	for i, n := range at {
		if i > 0 || version == 3 {
			key += separator
		}
		key += fmt.Sprint(n)
	}
	if len(at) == 0 && version == 2 {
		key = "0"
	}
	return key
}

// checkView compares what Zarr reads of a view with the array.
func checkView(t *testing.T, src ndarray.Source, version int) (recoded, all int) {
	t.Helper()
	v, err := NewView(t.Context(), src, nil)
	if err != nil {
		t.Fatal(err)
	}
	fsys, recoded, all := stored(t, v, version)
	s, err := OpenFS(fsys, "s", nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := s.Array(t.Context(), "/")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a.Shape(), src.Shape()) || !a.DType().Equal(src.DType()) {
		t.Fatalf("%v of %v, want %v of %v", a.Shape(), a.DType(), src.Shape(), src.DType())
	}
	if !bytes.Equal(readAll(t, a), readSource(t, src)) {
		t.Fatalf("items of %v in chunks of %v differ (version %d)", src.Shape(), v.Chunks(), version)
	}
	return recoded, all
}

// viewData fills items: with few values, zeros, runs of bytes and noise by turns.
func viewData(r *rand.Rand, n, item int) []byte {
	b := make([]byte, n*item)
	for i := range b {
		switch i / item / 500 % 4 {
		case 0:
			b[i] = byte(i / item)
		case 1:
			if i%item == 0 {
				b[i] = byte(r.Uint32())
			}
		case 2:
			b[i] = byte(7 * (i % item))
		case 3:
			b[i] = byte(r.Uint32())
		}
	}
	return b
}

// The blocks of arrays are copied whatever the codec and filter are that Blosc1 has too.
func TestViewsCopyBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, c := range []codecs.Codec{codecs.BloscLZ, codecs.LZ4, codecs.LZ4HC, codecs.Zlib, codecs.Zstd} {
		for _, f := range []shuffle.Spec{shuffle.None, shuffle.Byte, shuffle.Bit} {
			for _, level := range []int{chunk.Stored, 1, 9} {
				for _, split := range []chunk.SplitMode{chunk.SplitAlways, chunk.SplitNever} {
					name := fmt.Sprintf("%v/%v/%d/%v", c, f, level, split)
					t.Run(name, func(t *testing.T) {
						u, err := ndarray.CreateUntyped(t.TempDir()+"/a.b2nd", "<i4", ndarray.Shape{100, 70}, &ndarray.Options{Codec: c,
							Filters: []shuffle.Spec{f}, Level: level, Split: split, ChunkShape: ndarray.Shape{64, 64},
							BlockShape: ndarray.Shape{16, 64}})
						if err == nil {
							err = u.WriteBox(t.Context(), viewData(r, 100*70, 4), []int64{0, 0}, []int64{100, 70})
						}
						if err != nil {
							t.Fatal(err)
						}
						defer u.Close()
						for version := 2; version <= 3; version++ {
							if recoded, all := checkView(t, u, version); recoded != 0 {
								t.Errorf("%d of %d chunks were encoded anew", recoded, all)
							}
						}
					})
				}
			}
		}
	}
}

// Arrays of any geometry, dtype and pipeline are presented as they are.
func TestViewsOfAnything(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	pick := func(of ...int64) int64 { return of[r.IntN(len(of))] }
	copied, total := 0, 0
	for range 150 {
		dtype := []string{"|u1", "|b1", "<i2", ">i4", "<f8", "<c16", "|S5", "<U3", "<M8[s]", "|V300"}[r.IntN(10)]
		d, err := meta.ParseDType(dtype)
		if err != nil {
			t.Fatal(err)
		}
		shape := make(ndarray.Shape, r.IntN(4))
		o := &ndarray.Options{Codec: []codecs.Codec{codecs.LZ4, codecs.Zstd, codecs.BloscLZ}[r.IntN(3)],
			ChunkShape: ndarray.Shape{}, BlockShape: ndarray.Shape{}, Dict: r.IntN(8) == 0,
			Filters: [][]shuffle.Spec{nil, {shuffle.Byte}, {shuffle.Bit}, {shuffle.Delta, shuffle.Byte},
				{shuffle.Byte, shuffle.ByteDelta(0)}}[r.IntN(5)]}
		if o.Codec == codecs.BloscLZ {
			o.Dict = false
		}
		for i := range shape {
			shape[i] = r.Int64N(pick(3, 30, 60))
			o.BlockShape = append(o.BlockShape, 1+r.Int64N(16))
			o.ChunkShape = append(o.ChunkShape, max(o.BlockShape[i], o.BlockShape[i]*pick(1, 2, 3)+pick(0, 0, 1)))
		}
		u, err := ndarray.CreateUntyped(t.TempDir()+"/a.b2nd", dtype, shape, o)
		if err != nil {
			t.Fatalf("%+v: %v", o, err)
		}
		n, _ := grid.Product(shape)
		items := viewData(r, int(n), d.Size())
		if d.Kind() == 'b' {
			for i := range items {
				items[i] &= 1
			}
		}
		if r.IntN(5) > 0 {
			if err := u.WriteBox(t.Context(), items, make([]int64, len(shape)), shape); err != nil {
				t.Fatal(err)
			}
		}
		for version := 2; version <= 3; version++ {
			recoded, all := checkView(t, u, version)
			copied, total = copied+all-recoded, total+all
		}
		u.Close()
	}
	if copied == 0 || copied == total {
		t.Errorf("%d of %d chunks were copied", copied, total)
	}
}

// A grown array has the chunks that it had, and more.
func TestViewsOfGrowingArraysKeepTheirChunks(t *testing.T) {
	u, err := ndarray.CreateUntyped(t.TempDir()+"/a.b2nd", "<f4", ndarray.Shape{10, 50}, &ndarray.Options{ChunkShape: ndarray.Shape{10, 50},
		BlockShape: ndarray.Shape{4, 50}})
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	var want ndarray.Shape
	for k := range 5 {
		v, err := NewView(t.Context(), u, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = v.Chunks()
		}
		if !slices.Equal(v.Chunks(), want) {
			t.Fatalf("chunks %v became %v", want, v.Chunks())
		}
		checkView(t, u, 2+k%2)
		if err := u.Append(t.Context(), 0, viewData(rand.New(rand.NewPCG(1, uint64(k))), 7*50, 4)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestViewKeys(t *testing.T) {
	u, err := ndarray.CreateUntyped(t.TempDir()+"/a.b2nd", "|u1", ndarray.Shape{100, 100}, &ndarray.Options{
		ChunkShape: ndarray.Shape{10, 100}, BlockShape: ndarray.Shape{10, 100}, Filters: []shuffle.Spec{shuffle.Delta}})
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	v, err := NewView(t.Context(), u, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"", "c", "c/", "c/0", "c/0/0/0", "c/00/0", "c/+1/0", "c/-1/0", "c/10/0", "0", "0.", ".0",
		"0.0.0", "0/0", "c/9999999999999999999/0", "10.0", "c.0.0", "C/0/0", "c/0/0/", "zarr.json"} {
		if version, at, ok := v.ParseKey(key); ok {
			t.Errorf("key %q is chunk %v of version %d", key, at, version)
		}
	}
	if _, _, err := v.AppendChunk(t.Context(), nil, 3, []int64{0, 1}); !errors.Is(err, cairn.ErrBounds) {
		t.Errorf("a chunk outside of the grid: %v", err)
	}
}

func readSource(t *testing.T, src ndarray.Source) []byte {
	t.Helper()
	n, _ := grid.Product(src.Shape())
	items := make([]byte, n*int64(src.DType().Size()))
	if err := src.ReadBytes(t.Context(), items, make([]int64, len(src.Shape())), src.Shape()); err != nil {
		t.Fatal(err)
	}
	return items
}
