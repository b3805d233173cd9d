package demo

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
)

// A setting is a way to compress.
type setting struct {
	codec   codecs.Codec
	level   int
	name    string // of the filters
	filters []shuffle.Spec
}

// settings are those that the demo compares.
func settings() []setting {
	bytes := []shuffle.Spec{shuffle.Byte}
	bits := []shuffle.Spec{shuffle.Bit}
	return []setting{
		{codecs.BloscLZ, 5, "shuffle", bytes},
		{codecs.LZ4, 5, "shuffle", bytes},
		{codecs.LZ4, 5, "bitshuffle", bits},
		{codecs.Zlib, 5, "shuffle", bytes},
		{codecs.Zstd, 1, "shuffle", bytes},
		{codecs.Zstd, 5, "shuffle", bytes},
		{codecs.Zstd, 5, "bitshuffle", bits},
		{codecs.Zstd, 5, "trunc_prec:8, shuffle", []shuffle.Spec{shuffle.TruncPrec(8), shuffle.Byte}},
	}
}

// measure stores and reads values with a setting.
func (d *demo) measure(ctx context.Context, s setting, values []float32, days int) error {
	a, err := ndarray.New[float32](ndarray.Shape{int64(days), lats, lons}, &ndarray.Options{
		Codec: s.codec, Level: s.level, Filters: s.filters, Workers: d.Workers,
		ChunkShape: ndarray.Shape{slabDays, 60, 120}, BlockShape: ndarray.Shape{8, 30, 60}})
	if err != nil {
		return err
	}
	defer a.Close()

	begin := time.Now()
	if err := a.Write(ctx, values); err != nil {
		return err
	}
	storing := time.Since(begin)
	stored, err := a.Bytes()
	if err != nil {
		return err
	}

	begin = time.Now()
	got, err := a.Read(ctx)
	if err != nil {
		return err
	}
	reading := time.Since(begin)

	worst := 0.0
	for i, v := range got {
		worst = max(worst, math.Abs(float64(v-values[i])))
	}
	note := ""
	if worst > 0 {
		note = fmt.Sprintf("  error at most %.3f", worst)
	}

	size := int64(4 * len(values))
	d.printf("  %-7v  %5d  %-21s  %5.2f  %11s  %11s%s\n", s.codec, s.level, s.name,
		float64(size)/float64(len(stored)), rate(size, storing), rate(size, reading), note)
	return nil
}
