package compute

import (
	"math"
	"testing"
	"time"

	"github.com/cairn-go/cairn/ndarray"
)

// TestSummaryOfMillionsOfEqualChunks compares joint with individual summaries of chunks that were
// never written.
func TestSummaryOfMillionsOfEqualChunks(t *testing.T) {
	o := &ndarray.Options{ChunkShape: ndarray.Shape{8, 3}, BlockShape: ndarray.Shape{8, 3}, Fill: 0}
	big, err := ndarray.New[int64](ndarray.Shape{1 << 27, 3}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer big.Close()
	if err := big.Set(5, 1<<26, 1); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	s, err := Summarize(t.Context(), big, nil)
	if err != nil || s.N != 3<<27 || s.Zeros != s.N-1 || s.Min != int64(0) || s.Max != int64(5) || s.Moments.N != s.N {
		t.Errorf("%+v, %v", s, err)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
	small, err := ndarray.New[int64](ndarray.Shape{100_003, 4}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer small.Close()
	for i := range int64(10) {
		if err := small.Set(-i, i*i*1000, i%4); err != nil {
			t.Fatal(err)
		}
	}
	joined, err := Summarize(t.Context(), small, nil)
	if err != nil {
		t.Fatal(err)
	}
	var chunks int64
	single, err := Summarize(t.Context(), small, func(chunk int64, s Summary) {
		if chunk != chunks {
			t.Errorf("chunk %d after %d", chunk, chunks)
		}
		chunks++
	})
	if err != nil || chunks != small.NumChunks() {
		t.Fatalf("%d chunks, %v", chunks, err)
	}
	d := math.Abs(joined.Moments.Mean - single.Moments.Mean)
	if joined.N != single.N || joined.Zeros != single.Zeros || joined.Min != single.Min || d > 1e-18 {
		t.Errorf("%+v together, %+v one by one", joined, single)
	}
}
