package compute

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// lineOptions give arrays of the dimension x coordinates, and groups 0 1 2 0 1 2 and so on.
func lineOptions(t *testing.T) *CalcOptions {
	return &CalcOptions{
		By: func(_ context.Context, _ string, dims []string, shape ndarray.Shape) ([]Groups, error) {
			axis := slices.Index(dims, "x")
			g := Groups{Axis: axis, Of: make([]int, shape[axis]), Count: 4}
			for i := range g.Of {
				g.Of[i] = i % g.Count
			}
			return []Groups{g}, nil
		},
		Coordinate: func(_ context.Context, name string, _ []string, shape ndarray.Shape) (ndarray.Source, error) {
			if name != "x" {
				return nil, cairn.ErrNotFound
			}
			values := make([]float64, shape[len(shape)-1])
			for i := range values {
				values[i] = float64(i * i)
			}
			return must[ndarray.Array[float64]](t)(ndarray.FromSlice(values, ndarray.Shape{int64(len(values))}, nil)), nil
		},
	}
}

func TestCalcAlongAnAxis(t *testing.T) {
	nan := math.NaN()
	ctx := t.Context()
	x := must[ndarray.Array[float32]](t)(ndarray.FromSlice([]float32{1, 4, float32(nan), float32(nan), 8, 3, 2, float32(nan)},
		ndarray.Shape{8}, &ndarray.Options{ChunkShape: ndarray.Shape{3}}))
	if err := x.SetLabels(ndarray.Labels{Dims: []string{"x"}}); err != nil {
		t.Fatal(err)
	}
	i := must[ndarray.Array[int16]](t)(ndarray.FromSlice([]int16{3, 1, 4, 1, 5, 9}, ndarray.Shape{2, 3}, nil))
	at := must[ndarray.Array[float64]](t)(ndarray.FromSlice([]float64{-1, 0, 0.5, 4, 20.5, 49, 50}, ndarray.Shape{7}, nil))
	sources := map[string]ndarray.Source{"x": x, "i": i, "at": at}

	for text, want := range map[string][]float64{
		"nanmean(x, window=2, min_count=1)":              {1, 2.5, 4, nan, 8, 5.5, 2.5, 2},
		"mean(x, 'x', window=2)":                         {nan, 2.5, nan, nan, nan, 5.5, 2.5, nan},
		"sum(i, axis=1, window=2)":                       {nan, 4, 5, nan, 6, 14},
		"amax(i, 1, window=3, center=True, min_count=1)": {3, 4, 4, 5, 9, 9},
		"nanany(x, 0, window=3, min_count=1)":            {1, 1, 1, 1, 1, 1, 1, 1},
		"count(x, 0, window=3, min_count=1)":             {1, 2, 2, 1, 1, 2, 3, 2},
		"nanmedian(x, window=3, min_count=2)":            {nan, 2.5, 2.5, nan, nan, 5.5, 3, 2.5},
		"nanquantile(x, 0.25, window=2)":                 {nan, 1.75, nan, nan, nan, 4.25, 2.25, nan},
		"nansum(x, window=2) + nanmax(x, window=2)":      {nan, 9, nan, nan, nan, 19, 8, nan},
		"nansum(x, 'x', by='four', window=3)":            {12 + 7, 12 + 2 - 3 + 3, 9, 11},
		"nanmax(x, by='four', window=2, each=True)":      {9, 9, 4, 2, 9, 9, 4, 2},
		"diff(i)[0]":             nil,
		"diff(i, axis=1)":        {-2, 3, 4, 4},
		"diff(i, 2, 1)":          {5, 0},
		"diff(i, 3, 1)":          {},
		"diff(i > 2, axis=0)":    {1, 1, 0},
		"diff(x)":                {3, nan, nan, nan, -5, -1, nan},
		"shift(i, 1, axis=1)":    {nan, 3, 1, nan, 1, 5},
		"shift(i, -1, axis=0)":   {1, 5, 9, nan, nan, nan},
		"shift(x, 9)":            {nan, nan, nan, nan, nan, nan, nan, nan},
		"shift(x, 1)":            {nan, 1, 4, nan, nan, 8, 3, 2},
		"ffill(x)":               {1, 4, 4, 4, 8, 3, 2, 2},
		"ffill(x, limit=1)":      {1, 4, 4, nan, 8, 3, 2, 2},
		"bfill(x, 'x', limit=1)": {1, 4, nan, 8, 8, 3, 2, nan},
		"bfill(i, 0)":            {3, 1, 4, 1, 5, 9},
		"interpolate_na(x, use_coordinate=False)":        {1, 4, 4 + 4./3, 4 + 8./3, 8, 3, 2, nan},
		"interpolate_na(x)":                              {1, 4, 4.8, 4 + 32./15, 8, 3, 2, nan},
		"interpolate_na(x, limit=1)":                     {1, 4, 4.8, nan, 8, 3, 2, nan},
		"interp(x, 'x', (0, 0.5, 1, 25, 30.5, 36))":      {1, 2.5, 4, 3, 2.5, 2},
		"interp(x, 'x', at)":                             {nan, 1, 2.5, nan, 5.5, nan, nan},
		"interp(x, at=(0.5, 0.6, -1), method='nearest')": {1, 4, nan},
		"interp(i, 1, 0.5)":                              {2, 3},
		"nancumsum(x)":                                   {1, 5, 5, 5, 13, 16, 18, 18},
		"cumprod(i, axis=1)":                             {3, 3, 12, 1, 5, 45},
	} {
		e, err := Calc(ctx, text, sources, lineOptions(t))
		if want == nil {
			if err == nil {
				t.Errorf("%s has a result", text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}

		v := must[ndarray.Array[float64]](t)(asFloats(ctx, e))
		got := must[[]float64](t)(v.Read(ctx))
		same := func(a, b float64) bool { return a == b || a != a && b != b || math.Abs(a-b) < 1e-6 }
		if text == "nansum(x, 'x', by='four', window=3)" || text == "nanmax(x, by='four', window=2, each=True)" {
			want = windowsOfFour(text)
		}
		if !slices.EqualFunc(got, want, same) {
			t.Errorf("%s = %v, want %v", text, got, want)
		}
	}
}

// windowsOfFour returns the results of windows of the groups {1, 8}, {4, 3}, {2} and {}.
func windowsOfFour(text string) []float64 {
	if text[3] == 's' {
		return []float64{9 + 7, 9 + 7 + 2, 7 + 2, 2 + 9}
	}
	return []float64{8, 8, 4, 2, 8, 8, 4, 2}
}

func asFloats(ctx context.Context, src ndarray.Source) (ndarray.Array[float64], error) {
	e, err := castTo(ctx, src, "float64", nil)
	if err != nil {
		return ndarray.Array[float64]{}, err
	}
	u, err := ndarray.Copy(ctx, ndarray.ViewOf(e), nil)
	if err != nil {
		return ndarray.Array[float64]{}, err
	}
	return ndarray.As[float64](u)
}

func TestMistakesAlongAnAxis(t *testing.T) {
	x := must[ndarray.Array[float64]](t)(ndarray.FromSlice(make([]float64, 6), ndarray.Shape{2, 3}, nil))
	for _, text := range []string{
		"mean(x, window=2)", "mean(x, axis=(0, 1), window=2)", "mean(x, axis=0, window=0)", "mean(x, axis=0, window=2.5)",
		"mean(x, axis=0, center=True)", "mean(x, axis=0, window=2, min_count=3)", "mean(x, axis=0, window=2, min_count=0)",
		"argmax(x, axis=0, window=2)", "first(x, axis=0, window=2)", "mean(x, axis=0, window=2, keepdims=True)",
		"diff(x)", "diff(x, n=-1, axis=0)", "diff(x, n=1000, axis=0)", "diff(x, 1, 0, 0)", "diff(x, 1, n=1, axis=0)",
		"shift(x, 1, axis=2)", "ffill(x, axis=0, limit=0)", "interpolate_na(x, 0, use_coordinate=1)",
		"interp(x, axis=0)", "interp(x, 0, (1, 'a'))", "interp(x, 0, 1, method='cubic')", "interp(x, 0, x)", "ffill(x, 0, n=1)",
		"diff()", "ffill(1j*x, axis=0)", "nansum(x, 0, window=2, by='a')",
	} {
		if _, err := Calc(t.Context(), text, map[string]ndarray.Source{"x": x}, nil); err == nil {
			t.Errorf("%s has a result", text)
		}
	}
	_, err := Calc(t.Context(), "ffil(x, axis=0)", map[string]ndarray.Source{"x": x}, nil)
	if !errors.Is(err, ErrSyntax) {
		t.Errorf("an unknown function: %v", err)
	}
}

// Gaps that are longer than a step are filled as those within one.
func TestFillInSteps(t *testing.T) {
	ctx := t.Context()
	nan := math.NaN()
	const rows, columns = 300, 5
	values := make([]float64, rows*columns)
	for i := range values {
		row, column := i/columns, i%columns
		values[i] = nan
		if column < 4 && row%(7+60*column) == 3 {
			values[i] = float64(row * row)
		}
	}

	for name, f := range map[string]Filling{
		"forwards": {}, "backwards": {Backward: true}, "linear": {Linear: true}, "limited": {Limit: 9}, "limited linear": {Limit: 70, Linear: true},
	} {
		var first []byte
		for _, chunk := range []ndarray.Shape{{rows, columns}, {1, columns}, {40, 2}} {
			a := must[ndarray.Array[float64]](t)(ndarray.FromSlice(values, ndarray.Shape{rows, columns},
				&ndarray.Options{ChunkShape: chunk}))
			u := must[*ndarray.Untyped](t)(Fill(ctx, "", a, f, &ndarray.Options{Memory: 4096, Workers: 2}))
			got := must[[]byte](t)(u.Read(ctx))
			if first == nil {
				first = got
			}
			if !slices.Equal(got, first) {
				t.Errorf("%s: in chunks of %v the result differs", name, chunk)
			}
		}
		if name != "linear" {
			continue
		}

		got := must[[]float64](t)(must[ndarray.Array[float64]](t)(floatArray(first, ndarray.Shape{rows, columns})).Read(ctx))
		for i, v := range got {
			row, column := i/columns, i%columns
			step := 7 + 60*column
			low := (row-3+step)/step*step - step + 3
			want := nan
			if column < 4 && low >= 3 && (low+step < rows || low == row) {
				want = float64(low*low) + float64((2*low+step)*(row-low))
			}
			if v != want && (v == v || want == want) {
				t.Fatalf("linear: %v at %d, %d, want %v", v, row, column, want)
			}
		}
	}

}

func floatArray(raw []byte, shape ndarray.Shape) (ndarray.Array[float64], error) {
	u, err := ndarray.NewUntyped("<f8", shape, nil)
	if err != nil {
		return ndarray.Array[float64]{}, err
	}
	if err := u.Write(context.Background(), raw); err != nil {
		return ndarray.Array[float64]{}, err
	}
	return ndarray.As[float64](u)
}

// Windows take memory for the rows of a window, not for those of the array.
func TestWindowAllocs(t *testing.T) {
	a := must[ndarray.Array[float64]](t)(ndarray.New[float64](ndarray.Shape{200000, 8}, &ndarray.Options{
		ChunkShape: ndarray.Shape{2000, 8}}))
	if err := a.Fill(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	bytes := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			u := must[*ndarray.Untyped](t)(Rolling(t.Context(), "", a, "mean", Window{Items: 100},
				&ndarray.Options{Memory: 1 << 20, Workers: 1}))
			u.Abort()
		}
	}).AllocedBytesPerOp()
	if bytes > 6<<20 { // the result is compressed
		t.Errorf("%d bytes are allocated for windows of an array of 12.8 MB", bytes)
	}
}
