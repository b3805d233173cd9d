package compute

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

func TestSummaries(t *testing.T) {
	nan := float32(math.NaN())
	a := must[ndarray.Array[float32]](t)(ndarray.FromSlice([]float32{nan, 3, -1, 0, nan, 7, 0, 0, 0, 2}, ndarray.Shape{10}, &ndarray.Options{ChunkShape: ndarray.Shape{3}, Workers: 3}))
	var chunks []Summary
	s, err := Summarize(t.Context(), a, func(chunk int64, s Summary) {
		if int(chunk) != len(chunks) {
			t.Errorf("chunk %d after %d", chunk, len(chunks))
		}
		chunks = append(chunks, s)
	})
	if err != nil || s.N != 10 || s.NaN != 2 || s.Zeros != 4 || s.Min != float32(-1) || s.Max != float32(7) ||
		math.Abs(s.Moments.Mean-11.0/8) > 1e-15 {
		t.Fatalf("%+v %v", s, err)
	}
	if want := math.Sqrt((9+1+49+4)/8.0 - 11.0/8*11/8); math.Abs(s.Std()-want) > 1e-12 {
		t.Errorf("std %v, want %v", s.Std(), want)
	}
	if len(chunks) != 4 || chunks[0].Min != float32(-1) || chunks[0].NaN != 1 ||
		chunks[2].Zeros != 3 || chunks[3].N != 1 {
		t.Errorf("%+v", chunks)
	}
}

// TestInfinitiesHaveTheMeanThatNumPyGivesThem summarizes infinities in the first, a middle and the
// last chunk, alone and of both signs: the mean is infinite or NaN, the variance NaN.
func TestInfinitiesHaveTheMeanThatNumPyGivesThem(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		at   map[int]float64
		mean float64
	}{
		{map[int]float64{0: inf}, inf}, {map[int]float64{13: -inf}, -inf}, {map[int]float64{29: inf}, inf},
		{map[int]float64{2: inf, 13: inf, 14: inf}, inf}, {map[int]float64{2: inf, 13: -inf}, math.NaN()},
		{map[int]float64{3: math.MaxFloat64, 20: -math.MaxFloat64}, 0},
	} {
		values := make([]float64, 30)
		for i, v := range c.at {
			values[i] = v
		}
		o := &ndarray.Options{ChunkShape: ndarray.Shape{5}}
		a := must[ndarray.Array[float64]](t)(ndarray.FromSlice(values, ndarray.Shape{30}, o))
		s, err := Summarize(t.Context(), a, nil)
		if err != nil || s.Moments.Mean != c.mean && !(math.IsNaN(s.Moments.Mean) && math.IsNaN(c.mean)) {
			t.Errorf("%v: mean %v, want %v, %v", c.at, s.Moments.Mean, c.mean, err)
		}
		if std := s.Std(); !math.IsNaN(std) && !math.IsInf(std, 0) {
			t.Errorf("%v: std %v", c.at, std)
		}
	}
	fill := must[ndarray.Array[float64]](t)(ndarray.New[float64](ndarray.Shape{8}, &ndarray.Options{
		ChunkShape: ndarray.Shape{4}, Fill: inf}))
	if err := fill.Fill(t.Context(), 1, ndarray.From(4)); err != nil {
		t.Fatal(err)
	}
	if s, err := Summarize(t.Context(), fill, nil); err != nil || s.Moments.Mean != inf || !math.IsNaN(s.Std()) {
		t.Errorf("%+v %v", s, err)
	}
}

func TestHistogramEqualsNumPys(t *testing.T) {
	a := must[ndarray.Array[float64]](t)(ndarray.Linspace[float64](t.Context(), "", -1, 11, ndarray.Shape{121}, true, &ndarray.Options{ChunkShape: ndarray.Shape{50}}))
	got, err := Histogram(t.Context(), a, 7, 0, 10)
	// numpy.histogram(numpy.linspace(-1, 11, 121), 7, (0, 10))[0]
	if want := []int64{15, 14, 14, 15, 14, 14, 15}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, want %v, %v", got, want, err)
	}
	zeros := must[ndarray.Array[uint8]](t)(ndarray.New[uint8](ndarray.Shape{1 << 20}, nil))
	if got, err := Histogram(t.Context(), zeros, 2, 0, 1); err != nil || got[0] != 1<<20 || got[1] != 0 {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := Histogram(t.Context(), zeros, 0, 0, 1); !errors.Is(err, cairn.ErrBounds) {
		t.Error(err)
	}
}
