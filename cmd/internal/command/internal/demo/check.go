package demo

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"time"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/progress"
	"github.com/cairn-go/cairn/ndarray"
)

// readBack reads parts of the array and the whole of it, and compares them with what was stored.
func (d *demo) readBack(ctx context.Context) error {
	a, err := ndarray.OpenAs[float32](d.arrayPath(), &ndarray.OpenOptions{Workers: d.Workers})
	if err != nil {
		return err
	}
	defer a.Close()

	d.printf("\nRead back and compared\n")
	day := d.mapDay()
	to := min(d.mapDay()+60, d.Days)
	region := []ndarray.Selector{ndarray.Range(int64(day), int64(to)), ndarray.Range(30, 60), ndarray.Range(100, 140)}
	for _, part := range []struct {
		name      string
		selectors []ndarray.Selector
		want      func() ([]float32, error)
	}{
		{"one day", []ndarray.Selector{ndarray.Index(int64(day))},
			func() ([]float32, error) { return d.generate(ctx, nil, day, day+1) }},
		{"one place", []ndarray.Selector{ndarray.All, ndarray.Index(placeRow), ndarray.Index(placeCol)},
			func() ([]float32, error) { return d.series, nil }},
		{"a region", region, func() ([]float32, error) { return d.region(ctx, day, to, 30, 60, 100, 140) }},
	} {
		begin := time.Now()
		got, err := a.Read(ctx, part.selectors...)
		elapsed := time.Since(begin)
		if err != nil {
			return err
		}

		want, err := part.want()
		if err != nil {
			return err
		}
		if !slices.Equal(got, want) {
			return fmt.Errorf("demo: %s differs from what was stored", part.name)
		}
		d.printf("  %-10s  %10s  in %8s  equal\n", part.name, progress.Size(int64(4*len(got))), seconds(elapsed))
	}

	return d.readAll(ctx, a)
}

// readAll reads the whole array and compares its checksum.
func (d *demo) readAll(ctx context.Context, a ndarray.Array[float32]) error {
	slab := make([]float32, min(slabDays, d.Days)*lats*lons)
	sum := uint32(0)
	var elapsed time.Duration

	err := d.slabs(func(from, to int) error {
		slab = slab[:(to-from)*lats*lons]
		begin := time.Now()
		err := a.ReadBox(ctx, slab, []int64{int64(from), 0, 0}, []int64{int64(to), lats, lons})
		elapsed += time.Since(begin)
		sum = addSum(sum, slab)
		return err
	})
	if err != nil {
		return err
	}

	if sum != d.sum {
		return fmt.Errorf("demo: the array has checksum %08x, want %08x", sum, d.sum)
	}
	d.printf("  everything  %10s  in %8s  checksum equal  (%s)\n",
		progress.Size(d.size()), seconds(elapsed), rate(d.size(), elapsed))
	return nil
}

// region generates a part of some days again.
func (d *demo) region(ctx context.Context, from, to, row0, row1, col0, col1 int) ([]float32, error) {
	all, err := d.generate(ctx, nil, from, to)
	var part []float32
	for day := range to - from {
		for row := row0; row < row1; row++ {
			at := (day*lats + row) * lons
			part = append(part, all[at+col0:at+col1]...)
		}
	}
	return part, err
}

// addSum continues a checksum with the bits of values.
func addSum(sum uint32, values []float32) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	var buf [4096]byte

	for len(values) > 0 {
		n := min(len(values), len(buf)/4)
		for i, v := range values[:n] {
			binary.LittleEndian.PutUint32(buf[4*i:], math.Float32bits(v))
		}
		sum = crc32.Update(sum, table, buf[:4*n])
		values = values[n:]
	}
	return sum
}

// seconds returns a duration with three digits.
func seconds(t time.Duration) string {
	if t < time.Second {
		return fmt.Sprintf("%.3g ms", t.Seconds()*1000)
	}
	return fmt.Sprintf("%.3g s", t.Seconds())
}

// rate returns bytes per second.
func rate(size int64, t time.Duration) string {
	return progress.Size(int64(float64(size)/max(t.Seconds(), 1e-9))) + "/s"
}
