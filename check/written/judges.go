package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
)

// judgeField has NCO and GDAL, which has no CDF-5, read a packed field over time, latitudes and
// longitudes.
func (c *counts) judgeField(path string, format netcdf.Format, packed []int16, shape ndarray.Shape) error {
	// NCO prints items as they are stored.
	out, ran, err := c.run("ncks", "-H", "-C", "-s", "%d\n", "-v", "t2m", path)
	if ran && err == nil {
		err = sameWords("ncks", strings.Fields(string(out)), words(packed))
	}
	if format == netcdf.Data64 {
		return err
	}

	source := `NETCDF:"` + path + `":t2m`
	out, ran, shown := c.run("gdalinfo", "-json", source)
	if ran && shown == nil {
		var is struct {
			Size  []int64
			Bands []any
		}
		shown = json.Unmarshal(out, &is)
		if shown == nil && (!slices.Equal(is.Size, []int64{shape[2], shape[1]}) || int64(len(is.Bands)) != shape[0]) {
			shown = fmt.Errorf("gdalinfo: %v, %d bands, of a field of shape %v", is.Size, len(is.Bands), shape)
		}
	}

	// GDAL has the north above, so rows are compared as a whole.
	out, ran, told := c.run("gdal_translate", "-q", "-of", "XYZ", "-b", "1", source, "/vsistdout/")
	if ran && told == nil {
		var values []string
		for line := range strings.Lines(string(out)) {
			if fields := strings.Fields(line); len(fields) == 3 {
				values = append(values, fields[2])
			}
		}
		want := words(packed[:shape[1]*shape[2]])
		slices.Sort(values)
		slices.Sort(want)
		told = sameWords("gdal_translate", values, want)
	}
	return errors.Join(err, shown, told)
}

// words returns numbers as text.
func words[T any](values []T) (all []string) {
	for _, v := range values {
		all = append(all, fmt.Sprint(v))
	}
	return all
}

func sameWords(by string, got, want []string) error {
	if !slices.Equal(got, want) {
		return fmt.Errorf("%s: %.100q, want %.100q", by, got, want)
	}
	return nil
}

// octave writes matrices, and compares what Octave loads.
func (c *counts) octave(dir string, k int) error {
	const every = 40
	if k%every != 0 {
		return nil
	}
	rng := rand.New(rand.NewPCG(c.Seed, uint64(k)+1<<42))
	path := filepath.Join(dir, fmt.Sprintf("octave%d.h5", k))
	w, err := hdf5.Create(path, nil)
	if err != nil {
		return err
	}
	if c.one < 0 {
		defer os.Remove(path)
	}

	rows := 1 + rng.Int64N(5)
	columns := 2 + rng.Int64N(5)
	numbers := make([]float64, rows*columns)
	counts := make([]int32, rows*columns)
	for i := range numbers {
		numbers[i] = float64(rng.IntN(2000)-1000) / 8
		counts[i] = int32(rng.Uint32())
	}
	shape := ndarray.Shape{rows, columns}
	err = errors.Join(w.Put(context.Background(), "a", ndarray.Items(numbers, shape), nil),
		w.Put(context.Background(), "b", ndarray.Items(counts, shape), &hdf5.DatasetOptions{Chunks: ndarray.Shape{1, 2}}), w.Close())
	if err != nil {
		return err
	}

	// The first index of a matrix runs fastest, so it is read transposed, and printed in our order.
	script := fmt.Sprintf("s = load('-hdf5', '%s'); printf('%%g ', s.a); printf('%%d ', s.b);", path)
	out, ran, err := c.run("octave", "--no-gui", "-q", "--no-init-file", "--eval", script)
	if !ran || err != nil {
		return err
	}
	return sameWords("octave", strings.Fields(string(out)), append(words(numbers), words(counts)...))
}
