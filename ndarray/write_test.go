package ndarray

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
)

// expiring is a context that ends after a number of checks.
type expiring struct {
	context.Context
	left int
}

func (c *expiring) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestFailedWritesAreUndone(t *testing.T) {
	a, err := New[int32](Shape{100}, &Options{ChunkShape: Shape{10}, Fill: 7, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := make([]int32, 100)
	for i := range want {
		want[i] = int32(i)
	}
	if err := a.Write(t.Context(), want[:55], To(55)); err != nil {
		t.Fatal(err)
	}
	for i := 55; i < 100; i++ {
		want[i] = 7
	}
	failed := 0
	for looks := range 12 {
		ctx := &expiring{t.Context(), looks}
		if err := a.Write(ctx, make([]int32, 95), Range(2, 97)); err == nil {
			break
		} else if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		failed++
		if got, err := a.Read(t.Context()); err != nil || !slices.Equal(got, want) {
			t.Fatalf("after a write that failed at look %d: %v, %v", looks, got, err)
		}
	}
	if failed < 5 {
		t.Fatalf("only %d writes failed", failed)
	}
}

func TestBuffersAndBoxesMustFit(t *testing.T) {
	a, err := New[int16](Shape{4, 5}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, u := t.Context(), a.Untyped
	for name, err := range map[string]error{
		"short read":       a.ReadInto(ctx, make([]int16, 19)),
		"long read":        a.ReadInto(ctx, make([]int16, 21)),
		"short write":      a.Write(ctx, make([]int16, 19)),
		"short list":       a.Write(ctx, make([]int16, 9), Indices([]int64{0, 2})),
		"long steps":       a.ReadInto(ctx, make([]int16, 11), All.Step(2)),
		"odd bytes":        u.Write(ctx, make([]byte, 39)),
		"box outside":      u.ReadBytes(ctx, make([]byte, 40), []int64{0, 1}, []int64{4, 6}),
		"box of one":       u.WriteBox(ctx, make([]byte, 40), []int64{0}, []int64{4}),
		"backward box":     a.WriteBox(ctx, nil, []int64{2, 0}, []int64{1, 5}),
		"index":            a.Set(1, 4, 0),
		"negative index":   a.Set(1, 0, -6),
		"too few indices":  a.Set(1, 0),
		"too many indices": a.Fill(ctx, 1, Index(0), Index(0), Index(0)),
	} {
		if !errors.Is(err, cairn.ErrBounds) {
			t.Errorf("%s: %v, want ErrBounds", name, err)
		}
	}
	if err := u.Fill(ctx, 1<<20); !errors.Is(err, cairn.ErrType) {
		t.Errorf("fill beyond the type: %v", err)
	}
	if _, err := a.Read(ctx, All.Step(0)); !errors.Is(err, cairn.ErrBounds) {
		t.Errorf("step: %v", err)
	}
	if err := a.Write(ctx, nil, Range(2, 2)); err != nil {
		t.Errorf("empty write: %v", err)
	}
}

func TestReadRefusesMoreThanMaxAlloc(t *testing.T) {
	a, err := New[int64](Shape{1 << 40}, &Options{ChunkShape: Shape{1 << 27}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Read(t.Context()); !errors.Is(err, cairn.ErrLimit) {
		t.Fatalf("read of 8 TiB: %v", err)
	}
	got, err := a.Read(t.Context(), Range(1<<39, 1<<39+3))
	if err != nil || !slices.Equal(got, []int64{0, 0, 0}) {
		t.Fatalf("%v %v", got, err)
	}
}

func TestCreateRefuses(t *testing.T) {
	for _, c := range []struct {
		name  string
		dtype string
		shape Shape
		o     *Options
	}{
		{"unknown dtype", "<q4", Shape{3}, nil},
		{"dtype without bytes", "|S0", Shape{3}, nil},
		{"negative shape", "|u1", Shape{-1}, nil},
		{"too many dimensions", "|u1", make(Shape, 17), nil},
		{"chunk of other dimensions", "|u1", Shape{3}, &Options{ChunkShape: Shape{1, 1}}},
		{"block of other dimensions", "|u1", Shape{3}, &Options{BlockShape: Shape{}}},
		{"negative block", "|u1", Shape{3}, &Options{BlockShape: Shape{-1}}},
		{"zero chunk", "|u1", Shape{3}, &Options{ChunkShape: Shape{0}}},
		{"chunk too large", "|u1", Shape{3}, &Options{ChunkShape: Shape{1 << 31}}},
		{"block too large", "|u1", Shape{1 << 30}, &Options{ChunkShape: Shape{1 << 30}, BlockShape: Shape{1 << 30}}},
		{"too many chunks", "|u1", Shape{1 << 40}, &Options{ChunkShape: Shape{1}}},
		{"fill and uninit", "|u1", Shape{3}, &Options{Fill: 1, Uninit: true}},
		{"fill of another type", "|u1", Shape{3}, &Options{Fill: "x"}},
		{"level", "|u1", Shape{3}, &Options{Level: 10}},
	} {
		if u, err := NewUntyped(c.dtype, c.shape, c.o); err == nil {
			t.Errorf("%s: created %v in %v in %v", c.name, u.Shape(), u.chunkShape(), u.blockShape())
		}
	}
}

func TestBytesDoNotDependOnWorkers(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	values := noise(rnd, 4*40*50*60)
	for _, chunks := range []Shape{{16, 20, 30}, {20, 50, 60}, {40, 50, 60}} {
		var first []byte
		for _, workers := range []int{1, 2, 8} {
			u, err := NewUntyped("<f4", Shape{40, 50, 60}, &Options{ChunkShape: chunks,
				BlockShape: Shape{5, 7, 30}, Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			if err := u.Write(t.Context(), values); err != nil {
				t.Fatal(err)
			}
			if err := u.Write(t.Context(), values[:4*7*50], Range(3, 10), All, Index(9)); err != nil {
				t.Fatal(err)
			}
			b, err := u.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = b
			} else if !bytes.Equal(b, first) {
				t.Fatalf("chunks of %v: %d workers wrote other bytes than one", chunks, workers)
			}
		}
	}
}

func TestSpecialFillsStaySpecial(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want chunk.Special
	}{
		{Options{}, chunk.SpecialZeros},
		{Options{Fill: 0}, chunk.SpecialZeros},
		{Options{Uninit: true}, chunk.SpecialUninit},
		{Options{Fill: 2.5}, chunk.SpecialValue},
		{Options{Fill: nan()}, chunk.SpecialNaN},
	} {
		c.o.ChunkShape, c.o.BlockShape = Shape{4, 4}, Shape{2, 3}
		a, err := New[float64](Shape{6, 9}, &c.o)
		if err != nil {
			t.Fatal(err)
		}
		for i := range int(a.NumChunks()) {
			encoded, err := a.Frame().Snapshot().EncodedChunk(nil, i)
			if err != nil {
				t.Fatal(err)
			}
			if h, err := chunk.ParseHeader(encoded); err != nil || h.Special() != c.want {
				t.Fatalf("%+v: chunk %d is %v, want %v (%v)", c.o, i, h.Special(), c.want, err)
			}
		}
		got, err := a.Read(t.Context(), MustParse("1:5, 3:8")...)
		want := slices.Repeat([]float64{0}, 20)
		if c.want == chunk.SpecialValue {
			want = slices.Repeat([]float64{2.5}, 20)
		}
		if c.want == chunk.SpecialNaN {
			if len(got) != 20 || !slices.ContainsFunc(got, func(v float64) bool { return v != v }) {
				t.Fatalf("%+v: %v", c.o, got)
			}
		} else if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%+v: %v %v", c.o, got, err)
		}
	}
}

func nan() float64 {
	var zero float64
	return zero / zero
}
