package ndarray

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/meta"
)

var (
	_ Source = &Untyped{}
	_ Source = Array[float32]{}
	_ Source = UntypedView{}
	_ Source = View[float32]{}
)

// passOver visits the blocks of a source in the file's byte order.
func passOver(ctx context.Context, src Source, block func(b *inside.Block) error) error {
	return ViewOf(src).Inside().Visit(ctx, &inside.Visitor{Block: block})
}

func nothing(*inside.Block) error { return nil }

// someoneElses is a source of another package that embeds one of this package.
type someoneElses struct {
	Array[uint16]
	chunks Shape
	reads  int
	broken error
}

func (s *someoneElses) Grid() (chunks, blocks Shape) { return s.chunks, nil }

func (s *someoneElses) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	if s.reads++; s.broken != nil {
		return s.broken
	}
	err := s.Array.ReadBytes(ctx, dst, start, stop)
	for i := range dst {
		dst[i] ^= 0xff
	}
	return err
}

// TestViewsOfOtherSources reads boxes, steps, lists and transposed parts of a source of another
// package.
func TestViewsOfOtherSources(t *testing.T) {
	rnd, ctx, reads := rand.New(rand.NewPCG(13, 1)), t.Context(), 0
	for round := range 60 {
		shape := randomShape(rnd)
		u, err := NewUntyped([]string{"<u2", ">u2"}[round%2], shape, nil)
		check(t, err)
		a, err := As[uint16](u)
		check(t, err)
		values := make([]uint16, a.Len())
		for i := range values {
			values[i] = uint16(i * 7)
		}
		check(t, a.Write(ctx, values))
		src := &someoneElses{Array: a}
		if round%3 > 0 {
			for _, n := range shape {
				src.chunks = append(src.chunks, 1+rnd.Int64N(n+3))
			}
		}
		theirs, err := ViewAs[uint16](src)
		check(t, err)
		ours := a.View()
		for range 4 {
			selectors := randomSelectors(rnd, shape)
			x, err := theirs.Slice(selectors...).Transpose().Read(ctx)
			y, want := ours.Slice(selectors...).Transpose().Read(ctx)
			if (err == nil) != (want == nil) {
				t.Fatalf("round %d: %v: %v, %v", round, selectors, err, want)
			}
			for i := range y {
				y[i] ^= 0xffff
			}
			if !slices.Equal(x, y) {
				t.Fatalf("round %d: shape %v, chunks %v, %v:\n%v, want\n%v", round, shape, src.chunks,
					selectors, x, y)
			}
		}
		reads += src.reads
	}
	if reads == 0 {
		t.Error("views passed by the source's own method")
	}
}

// TestOtherSourcesAreNotTrusted makes views of inconsistent sources.
func TestOtherSourcesAreNotTrusted(t *testing.T) {
	a, err := FromSlice([]uint16{1, 2, 3, 4}, Shape{2, 2}, nil)
	check(t, err)
	for _, chunks := range []Shape{{2}, {0, 2}, {-1, 2}} {
		if err := ViewOf(&someoneElses{Array: a, chunks: chunks}).Err(); !errors.Is(err, cairn.ErrBounds) {
			t.Errorf("chunks %v: %v", chunks, err)
		}
	}
	broken := errors.New("broken")
	v := ViewOf(&someoneElses{Array: a, broken: broken})
	if _, err := v.Slice(All.Step(2)).Read(t.Context()); !errors.Is(err, broken) {
		t.Error(err)
	}
	if err := v.Fill(t.Context(), 1); !errors.Is(err, cairn.ErrReadOnly) {
		t.Error(err)
	}
}

// TestGridsAndDTypesOfViews checks Grid and DType of views.
func TestGridsAndDTypesOfViews(t *testing.T) {
	a, err := New[int32](Shape{100, 60}, &Options{ChunkShape: Shape{20, 30}, BlockShape: Shape{10, 15}})
	check(t, err)
	for _, c := range []struct {
		src  Source
		want string
	}{
		{a, "[20 30] [10 15] <i4"},
		{a.View().Transpose(), "[30 20] [15 10] <i4"},
		{a.Slice(All.Step(-4), NewAxis, Indices([]int64{3, 1})), "[5 1 30] [2 1 15] <i4"},
		{a.Slice(Index(3)), "[30] [15] <i4"},
	} {
		chunks, blocks := c.src.Grid()
		if got := fmt.Sprint(chunks, blocks, " ", c.src.DType()); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
	var none UntypedView
	if chunks, _ := none.Grid(); chunks != nil || !none.DType().Equal(meta.DType{}) {
		t.Error("a view of nothing says what it is")
	}
	raw := make([]byte, 8)
	check(t, a.Slice(From(1)).ReadBytes(t.Context(), raw, []int64{0, 0}, []int64{2, 1}))
	if !bytes.Equal(raw, make([]byte, 8)) {
		t.Error(raw)
	}
}
