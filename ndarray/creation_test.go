package ndarray

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// numpyCase is NumPy's result for some arguments: see testdata/numpy/creation.py.
type numpyCase struct {
	Kind, DType string
	Args        []float64
	Count       int64
	CRC         uint32
}

func numpyCases(t *testing.T, name string) []numpyCase {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "numpy", name))
	if err != nil {
		t.Fatal(err)
	}
	var cases []numpyCase
	if err := json.Unmarshal(raw, &cases); err != nil || len(cases) < 100 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	return cases
}

// made checks the outcome of a case.
func made[T Element](t *testing.T, c numpyCase, a Array[T], err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%+v: %v", c, err)
	}
	raw, err := a.Untyped.Read(t.Context())
	if err != nil || a.Len() != c.Count || crc32.ChecksumIEEE(raw) != c.CRC {
		values, _ := a.Read(t.Context())
		t.Errorf("%+v: %d items %v…, %v", c, a.Len(), values[:min(len(values), 8)], err)
	}
	if err := a.Abort(); err != nil {
		t.Fatal(err)
	}
}

func checkReal[T Real](t *testing.T, c numpyCase, o *Options) {
	t.Helper()
	switch c.Kind {
	case "arange":
		a, err := Arange(t.Context(), "", T(c.Args[0]), T(c.Args[1]), T(c.Args[2]), nil, o)
		made(t, c, a, err)
	case "linspace":
		a, err := Linspace[T](t.Context(), "", c.Args[0], c.Args[1], Shape{int64(c.Args[2])}, c.Args[3] != 0, o)
		made(t, c, a, err)
	}
}

func TestCreationEqualsNumPys(t *testing.T) {
	for i, c := range numpyCases(t, "creation.json") {
		o := &Options{Workers: 1 + i%3, Codec: codecs.LZ4}
		if i%2 == 0 {
			o.ChunkShape, o.BlockShape = Shape{37}, Shape{10}
		}
		check := map[string]func(*testing.T, numpyCase, *Options){
			"i1": checkReal[int8], "i2": checkReal[int16], "i4": checkReal[int32], "i8": checkReal[int64],
			"u1": checkReal[uint8], "u2": checkReal[uint16], "u4": checkReal[uint32], "u8": checkReal[uint64],
			"f4": checkReal[float32], "f8": checkReal[float64],
		}[c.DType]
		if c.Kind != "eye" {
			check(t, c, o)
		}
	}
}

func TestArangeOfManyDimensionsAndOfWholeRanges(t *testing.T) {
	ctx := t.Context()
	a, err := Arange(ctx, "", int32(5), 5+4*6*7, 1, Shape{4, 6, 7}, &Options{ChunkShape: Shape{3, 4, 5}, BlockShape: Shape{2, 2, 3}})
	if err != nil {
		t.Fatal(err)
	}
	values, err := a.Read(ctx)
	for i, v := range values {
		if int(v) != 5+i {
			t.Fatalf("item %d is %d", i, v)
		}
	}
	if err != nil || len(values) != 4*6*7 {
		t.Fatal(len(values), err)
	}
	b, err := Arange(ctx, "", int64(math.MinInt64), math.MaxInt64, 1<<62, nil, nil)
	if err != nil || b.Len() != 4 {
		t.Fatalf("%d items, %v", b.Len(), err)
	}
	if v, err := b.At(3); v != 1<<62 || err != nil {
		t.Fatal(v, err)
	}
	for _, err := range []error{
		second(Arange(ctx, "", 0, int32(5), 0, nil, nil)), second(Arange(ctx, "", 0, int32(5), 1, Shape{2, 3}, nil)),
		second(Arange(ctx, "", 0, math.Inf(1), 1, nil, nil)), second(Arange(ctx, "", 0, math.NaN(), 1, nil, nil)),
		second(Arange[uint64](ctx, "", 0, math.MaxUint64, 1, nil, nil)),
	} {
		if !errors.Is(err, cairn.ErrBounds) {
			t.Errorf("error %v", err)
		}
	}
}

func second[A any](_ A, err error) error { return err }

func TestConstantArrays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.b2nd")
	ones, err := Create[bool](path, Shape{30, 40}, &Options{Fill: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := ones.Close(); err != nil {
		t.Fatal(err)
	}
	a, err := OpenAs[bool](path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if values, err := a.Read(t.Context()); err != nil || slices.Contains(values, false) {
		t.Fatal(values, err)
	}
	if _, err := Create[int8](path, Shape{3}, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over another file: %v", err)
	}
	kinds := func(a Array[float64], err error) string {
		if err != nil {
			t.Fatal(err)
		}
		s := ""
		for c, err := range a.Chunks(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			s += c.Kind.String() + " "
		}
		return s
	}
	got := ""
	for _, o := range []Options{{}, {Fill: math.NaN()}, {Uninit: true}, {Fill: 1.5}} {
		o.ChunkShape = Shape{2}
		got += kinds(New[float64](Shape{3}, &o))
	}
	if got != "zeros zeros nan nan uninit uninit value value " {
		t.Error(got)
	}
}

// TestFromFunc checks that fn is called once per item, whatever the number of workers, and that the
// file is the same.
func TestFromFunc(t *testing.T) {
	shape := Shape{61, 47, 5}
	var first []byte
	for _, workers := range []int{1, 2, 3, 8} {
		var calls atomic.Int64
		a, err := FromFunc(t.Context(), "", shape, func(at []int64) uint32 {
			calls.Add(1)
			// does not compress: blocks are encoded a second time
			return uint32(at[0]*10000+at[1]*100+at[2]) * 2654435761
		}, &Options{ChunkShape: Shape{10, 20, 5}, BlockShape: Shape{3, 7, 5}, Workers: workers, Filters: []shuffle.Spec{shuffle.None}})
		if err != nil {
			t.Fatal(err)
		}
		if calls.Load() != a.Len() {
			t.Errorf("%d calls for %d items", calls.Load(), a.Len())
		}
		at := make([]int64, 3)
		for value, err := range a.Values(t.Context()) {
			if want := uint32(at[0]*10000+at[1]*100+at[2]) * 2654435761; err != nil || value != want {
				t.Fatalf("at %v: %d, want %d, %v", at, value, want, err)
			}
			advance(at, make([]int64, 3), shape)
		}
		raw, err := a.Bytes()
		if err != nil || first != nil && !bytes.Equal(raw, first) {
			t.Fatalf("%d workers: another file, %v", workers, err)
		}
		first = raw
	}
}

func TestFailedCreationLeavesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.b2nd")
	refuse := errors.New("refused")
	_, err := FromBoxes(t.Context(), path, Shape{100}, func(_ []int16, start, _ []int64) error {
		if start[0] == 50 {
			return refuse
		}
		return nil
	}, &Options{ChunkShape: Shape{10}})
	if !errors.Is(err, refuse) {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	_, err = FromFunc(ctx, path, Shape{100}, func([]int64) int8 {
		if calls++; calls == 15 {
			cancel()
		}
		return 1
	}, &Options{ChunkShape: Shape{10}, Workers: 1})
	if !errors.Is(err, context.Canceled) || calls > 20 {
		t.Fatalf("%d calls, %v", calls, err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("there is a file: %v", err)
	}
}

func TestLike(t *testing.T) {
	for _, o := range []*Options{
		{ChunkShape: Shape{10, 20}, BlockShape: Shape{5, 5}, Codec: codecs.LZ4HC, Level: 9, Filters: []shuffle.Spec{shuffle.Delta, shuffle.Bit}},
		{Codec: codecs.BloscLZ, Level: chunk.Stored, Filters: []shuffle.Spec{shuffle.None}, Split: chunk.SplitNever},
		nil,
	} {
		u, err := NewUntyped("<f4", Shape{100, 200}, o)
		if err != nil {
			t.Fatal(err)
		}
		like, err := NewUntyped("<f4", Shape{100, 200}, Like(u))
		if err != nil {
			t.Fatal(err)
		}
		a, b := u.Info(), like.Info()
		if a.Codec != b.Codec || a.Level != b.Level || a.Pipeline != b.Pipeline || a.Split != b.Split || a.ChunkSize != b.ChunkSize ||
			!slices.Equal(u.chunkShape(), like.chunkShape()) || !slices.Equal(u.blockShape(), like.blockShape()) {
			t.Errorf("%+v became %+v", a, b)
		}
	}
}
