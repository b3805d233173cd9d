package ndarray

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
)

func TestViewsKeepTheirFirstError(t *testing.T) {
	a, err := New[int32](Shape{4, 5}, nil)
	if err != nil {
		t.Fatal(err)
	}
	other, err := New[float32](Shape{4, 5}, nil)
	if err != nil {
		t.Fatal(err)
	}
	whole := a.Untyped.View()
	for name, v := range map[string]UntypedView{
		"index":             whole.Slice(Index(4)),
		"selectors":         whole.Slice(All, All, All),
		"order too short":   whole.Transpose(0),
		"order with repeat": whole.Transpose(0, 0),
		"order beyond":      whole.Transpose(0, 2),
		"flip":              whole.Flip(2),
		"squeeze":           whole.Squeeze(0),
		"squeeze beyond":    whole.Squeeze(-3),
		"expand":            whole.ExpandDims(4),
		"broadcast":         whole.Broadcast(Shape{4, 6}),
		"narrow broadcast":  whole.Broadcast(Shape{5}),
		"negative shape":    whole.Broadcast(Shape{-1, 4, 5}),
		"huge broadcast":    whole.Broadcast(Shape{math.MaxInt64, 4, 5}),
		"concat":            Concat(0, whole, whole.Transpose()),
		"concat of dims":    Concat(0, whole, whole.Slice(Index(0))),
		"concat axis":       Concat(2, whole, whole),
		"concat of none":    Concat(0),
		"concat of errors":  Concat(0, whole, whole.Slice(Index(4))),
		"stack axis":        Stack(-4, whole, whole),
	} {
		err := v.Err()
		if !errors.Is(err, cairn.ErrBounds) {
			t.Errorf("%s: %v, want ErrBounds", name, err)
		}
		late := v.Transpose().Flip().Squeeze().ExpandDims(0).Broadcast(nil).Slice(All)
		if late.Err() == nil || late.Err().Error() != err.Error() {
			t.Errorf("%s: %v became %v", name, err, late.Err())
		}
		if late.Shape() != nil || late.Len() != 0 || late.TypeSize() != 0 {
			t.Errorf("%s: shape %v", name, late.Shape())
		}
		for method, err := range map[string]error{
			"ReadInto":     late.ReadInto(t.Context(), nil),
			"ReadBox":      late.ReadBytes(t.Context(), nil, nil, nil),
			"ReadStrided":  late.ReadStrided(t.Context(), nil, nil),
			"WriteStrided": late.WriteStrided(t.Context(), nil, nil),
			"Write":        late.Write(t.Context(), nil),
			"Fill":         late.Fill(t.Context(), 1),
		} {
			if !errors.Is(err, cairn.ErrBounds) {
				t.Errorf("%s: %s: %v", name, method, err)
			}
		}
		for _, err := range late.Values(t.Context()) {
			if !errors.Is(err, cairn.ErrBounds) {
				t.Errorf("%s: items: %v", name, err)
			}
		}
	}
	if err := Concat(0, whole, other.Untyped.View()).Err(); !errors.Is(err, cairn.ErrType) {
		t.Errorf("concatenation of two dtypes: %v", err)
	}
	if _, err := ViewAs[int64](whole); !errors.Is(err, cairn.ErrType) {
		t.Errorf("view as another type: %v", err)
	}
	if _, err := (View[int32]{}).Read(t.Context()); err == nil || (View[int32]{}).Err() == nil {
		t.Error("the zero view reads")
	}
}

func TestViewsRefuse(t *testing.T) {
	a, err := New[int32](Shape{4, 5}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, v := t.Context(), a.View()
	dst := make([]int32, 20)
	_, atErr := v.At(4, 0)
	for name, err := range map[string]error{
		"short buffer":    v.ReadInto(ctx, dst[:19]),
		"box outside":     v.ReadBox(ctx, dst, []int64{0, 0}, []int64{4, 6}),
		"box of one":      v.ReadBox(ctx, dst, []int64{0}, []int64{4}),
		"short write":     v.Write(ctx, dst[:19]),
		"few strides":     v.ReadStrided(ctx, dst, []int64{5}),
		"long strides":    v.ReadStrided(ctx, dst, []int64{6, 1}),
		"negative":        v.ReadStrided(ctx, dst, []int64{-6, 1}),
		"huge strides":    v.ReadStrided(ctx, dst, []int64{math.MinInt64, 1}),
		"shared items":    v.ReadStrided(ctx, dst, []int64{4, 1}),
		"stride 0":        v.ReadStrided(ctx, dst, []int64{1, 0}),
		"coordinates":     v.Set(1, 0, 0, 0),
		"read beyond":     atErr,
		"write few bytes": v.WriteStrided(ctx, dst[:3], []int64{1, 0}),
	} {
		if !errors.Is(err, cairn.ErrBounds) {
			t.Errorf("%s: %v, want ErrBounds", name, err)
		}
	}
	for name, err := range map[string]error{
		"repeated":     v.Broadcast(Shape{2, 4, 5}).Write(ctx, make([]int32, 40)),
		"filled":       v.Broadcast(Shape{2, 4, 5}).Fill(ctx, 1),
		"concatenated": Concat(0, v, v).Write(ctx, make([]byte, 160)),
		"stacked":      Stack(0, v, v).Fill(ctx, 1),
	} {
		if !errors.Is(err, cairn.ErrReadOnly) {
			t.Errorf("%s: %v, want ErrReadOnly", name, err)
		}
	}
	if _, err := v.Broadcast(Shape{1 << 40, 4, 5}).Read(ctx); !errors.Is(err, cairn.ErrLimit) {
		t.Errorf("read of %d items: %v", int64(20)<<40, err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Read(ctx); !errors.Is(err, cairn.ErrClosed) {
		t.Errorf("a view of a closed array: %v", err)
	}
}

func TestTypedViews(t *testing.T) {
	ctx := t.Context()
	values := make([]int16, 24)
	for i := range values {
		values[i] = int16(i - 5)
	}
	little, err := FromSlice(values, Shape{4, 6}, nil)
	if err != nil {
		t.Fatal(err)
	}
	u, err := NewUntyped(">i2", Shape{4, 6}, nil)
	if err != nil {
		t.Fatal(err)
	}
	big, err := As[int16](u)
	if err != nil {
		t.Fatal(err)
	}
	if err := big.View().Transpose().Write(ctx, values); err != nil {
		t.Fatal(err)
	}
	v, err := ViewAs[int16](Stack(-1, little, big.Slice(All)).Slice(Index(1)))
	if err != nil || !slices.Equal(v.Shape(), Shape{6, 2}) {
		t.Fatalf("%v %v", v.Shape(), err)
	}
	got, err := v.Read(ctx)
	want := []int16{1, -4, 2, 0, 3, 4, 4, 8, 5, 12, 6, 16}
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("%v, want %v (%v)", got, want, err)
	}
	if x, err := v.Flip(0).At(0, -1); err != nil || x != 16 {
		t.Fatalf("%v %v", x, err)
	}
	flipped := big.View().Flip()
	if err := flipped.Set(-300, 0, 0); err != nil {
		t.Fatal(err)
	}
	if err := flipped.Fill(ctx, 77, Index(1), All.Step(5)); err != nil {
		t.Fatal(err)
	}
	got, err = big.Read(ctx)
	if err != nil || got[23] != -300 || got[17] != 77 || got[12] != 77 {
		t.Fatalf("%v %v", got, err)
	}
	var loop []int16
	for x, err := range flipped.Squeeze().ExpandDims(0).Slice(Index(0), Index(1)).Values(ctx) {
		if loop = append(loop, x); err != nil {
			t.Fatal(err)
		}
	}
	slices.Reverse(loop)
	if !slices.Equal(loop, got[12:18]) {
		t.Fatalf("%v, want %v", loop, got[12:18])
	}
	matrix := slices.Repeat([]int16{-1}, 60)
	if err := little.View().ReadStrided(ctx, matrix, []int64{1, -10}); err != nil {
		t.Fatal(err)
	}
	if matrix[50] != values[0] || matrix[53] != values[18] || matrix[0] != values[5] || matrix[4] != -1 {
		t.Fatalf("%v", matrix)
	}
	if err := little.View().WriteStrided(ctx, []int16{1, 2, 3, 4}, []int64{1, 0}); err != nil {
		t.Fatal(err)
	}
	if got, err := little.Read(ctx, All, Index(-1)); err != nil || !slices.Equal(got, []int16{1, 2, 3, 4}) {
		t.Fatalf("%v %v", got, err)
	}
}
