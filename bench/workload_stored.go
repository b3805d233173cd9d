package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/cairn-go/cairn/bench/data"
	"github.com/cairn-go/cairn/bench/result"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
	"github.com/cairn-go/cairn/zarr"
)

// A layout is one way to store an array in Zarr or HDF5.
type layout struct {
	workload string
	version  int    // of Zarr
	codec    string // as the Python side calls it
	sharded  bool
	filter   string // its name in reports
	level    int
	// what cairn writes where there is no Python; nil if it does not write that
	options *zarr.SaveOptions
}

// zarr compares the readers of Zarr stores, on stores that zarr-python wrote.
func (s *contest) zarr() error {
	lz4 := &zarr.SaveOptions{Codec: codecs.LZ4}
	zstd := &zarr.SaveOptions{Codec: codecs.Zstd, Shuffle: &shuffle.Spec{ID: shuffle.IDBit}}
	plain := &zarr.SaveOptions{Compressor: zarr.Zstd}
	return s.stored([]layout{
		{"zarr", 2, "blosc-lz4", false, "shuffle", 5, lz4},
		{"zarr", 2, "zstd", false, "none", 3, plain},
		{"zarr", 3, "blosc-lz4", false, "shuffle", 5, lz4},
		{"zarr", 3, "blosc-zstd", false, "bitshuffle", 5, zstd},
		{"zarr", 3, "zstd", false, "none", 3, plain},
		{"zarr", 3, "gzip", false, "none", 5, nil},
		{"zarr", 3, "zstd", true, "none", 3, plain},
	})
}

// hdf5 compares the readers of HDF5 files. netCDF4-python wrote them or, for Blosc2 and Zstandard
// with shuffle, h5py.
func (s *contest) hdf5() error {
	return s.stored([]layout{
		{"hdf5", 0, "gzip", false, "shuffle", 4, nil},
		{"hdf5", 0, "zstd", false, "shuffle", 3, nil},
		{"hdf5", 0, "blosc2", false, "shuffle", 5, nil},
		{"hdf5", 0, "contiguous", false, "none", 0, nil},
		{"hdf5", 0, "zstd-alone", false, "none", 3, nil},
	})
}

// String names a layout, as the codec of its measures.
func (l layout) String() string {
	if l.workload == "hdf5" {
		return l.codec
	}
	text := fmt.Sprintf("v%d %s", l.version, l.codec)
	if l.sharded {
		text += ", sharded"
	}
	return text
}

// stored reads arrays in all layouts: whole, planes along each axis, series and boxes. Every
// library returns the items in memory of its own.
func (s *contest) stored(layouts []layout) error {
	sets, err := s.dataSets()
	if err != nil {
		return err
	}

	for _, set := range slices.DeleteFunc(sets, func(d *data.Set) bool { return len(d.Shape) < 2 }) {
		dir, err := os.MkdirTemp("", "cairn-bench-*")
		if err != nil {
			return err
		}

		for _, threads := range s.threads {
			if err == nil {
				err = s.storedWith(set, layouts, dir, threads)
			}
		}
		os.RemoveAll(dir)
		if err != nil {
			return fmt.Errorf("%s: %w", set.Name, err)
		}
	}
	return nil
}

// storedWith reads all layouts of one array with a number of threads. The files stay in dir.
func (s *contest) storedWith(set *data.Set, layouts []layout, dir string, threads int) error {
	python, err := s.startPython(threads)
	if err != nil {
		return err
	}
	if python != nil {
		defer python.close()
		if err := python.load(set); err != nil {
			return err
		}
	}

	// nor does anything else of cairn use more processors
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
	for _, l := range layouts {
		a := &storedArray{contest: s, python: python, set: set, layout: l, threads: threads,
			path: filepath.Join(dir, l.String())}
		if err := a.parts(); err != nil {
			return fmt.Errorf("%v: %w", l, err)
		}
	}
	return nil
}

// storedArray is a file or store with one array, read by several libraries.
type storedArray struct {
	*contest
	python  *snake
	set     *data.Set
	layout  layout
	threads int
	path    string
}

// grids returns the shapes of what has a place of its own, and of inner chunks of shards.
func (a *storedArray) grids() (chunks, inner ndarray.Shape, err error) {
	chunks = ndarray.Shape{32, 128, 128}
	if len(a.set.Shape) != 3 || slices.Min(a.set.Shape) < 16 {
		if chunks, _, err = chosen(a.set.Shape, a.set.TypeSize); err != nil {
			return nil, nil, err
		}
	}
	for i, n := range a.set.Shape {
		chunks[i] = min(chunks[i], n)
		inner = append(inner, (chunks[i]+1)/2)
		if a.layout.sharded {
			chunks[i] = inner[i] * min(4, (n+inner[i]-1)/inner[i])
		}
	}
	return chunks, inner, nil
}

// parts writes the file, unless it is there, and reads parts of it.
func (a *storedArray) parts() error {
	leaf, inner, err := a.grids()
	if err != nil {
		return err
	}
	made, err := a.make(leaf, inner)
	if err != nil || !made {
		return err
	}
	if a.layout.sharded {
		leaf = inner
	}

	array, done, err := a.open()
	if err != nil {
		return err
	}
	defer done()

	series := regions(a.set.Shape)[0]
	series.op = "series along axis 0"
	series.start = slices.Clone(series.start)
	series.stop = slices.Clone(series.stop)
	for i, n := range a.set.Shape[1:] {
		series.start[i+1] = n / 2
		series.stop[i+1] = n/2 + 1
	}
	for _, r := range append(regions(a.set.Shape), series) {
		if r.put || r.op == "point" {
			continue
		}
		places := a.places(r, leaf)
		m := &result.Measure{Workload: a.layout.workload, Op: r.op, Data: a.set.Name, Place: "disk",
			Codec: a.layout.String(), Level: a.layout.level, Filter: a.layout.filter, Threads: a.threads,
			TypeSize: a.set.TypeSize, Bytes: r.bytes(a.set.TypeSize)}
		m.Latency = m.Bytes < int64(len(a.set.Bytes))
		contenders := averaged(places, func(place region) []contender {
			return []contender{{result.Cairn, func(reps int) (answer, error) { return a.read(array, reps, place) }}}
		})
		if err := a.compete(a.rounds, []*result.Measure{m}, append(contenders, a.libraries(places)...)...); err != nil {
			return fmt.Errorf("%s: %w", r.op, err)
		}
	}
	return nil
}

// places returns the part at two places, for none of the libraries keeps chunks. They begin at one
// third and two thirds of a chunk, as the beginning of a chunk is cheap to read.
func (a *storedArray) places(r region, chunk ndarray.Shape) []region {
	places := r.spread(a.set.Shape)
	if len(places) > 1 {
		places = places[1:3]
	}
	for spot := range places {
		for axis, n := range a.set.Shape {
			p := &places[spot]
			extent := p.stop[axis] - p.start[axis]
			size := chunk[axis]
			p.start[axis] = min(p.start[axis]/size*size+size*int64(spot+1)/3, n-extent)
			p.stop[axis] = p.start[axis] + extent
		}
	}
	return places
}

// make has Python write the file, or cairn if that is not there. It reports whether there is one.
func (a *storedArray) make(chunks, inner ndarray.Shape) (bool, error) {
	if _, err := os.Stat(a.path); err == nil {
		return true, nil
	}

	if a.python != nil && (a.has["zarr"] || a.layout.workload != "zarr") {
		var done answer
		return true, a.python.request(&done, map[string]any{"do": "store-write", "format": a.layout.workload,
			"path": a.path, "codec": a.layout.codec, "version": a.layout.version, "typesize": a.set.TypeSize,
			"chunks": chunks, "inner": inner, "sharded": a.layout.sharded})
	}

	if a.layout.options == nil {
		return false, nil
	}
	o := *a.layout.options
	o.Version = a.layout.version
	o.Chunks = chunks
	o.NoShards = !a.layout.sharded
	if a.layout.sharded {
		o.Chunks = inner
		o.Shards = chunks
	}

	u, err := ndarray.NewUntyped(a.set.DType, a.set.Shape, nil)
	if err != nil {
		return false, err
	}
	defer u.Abort()
	if err := u.Write(context.Background(), a.set.Bytes); err != nil {
		return false, err
	}
	return true, zarr.Save(context.Background(), a.path, u, &o)
}

// open opens the file with cairn.
func (a *storedArray) open() (ndarray.Source, func() error, error) {
	ctx := context.Background()
	if a.layout.workload == "zarr" {
		store, err := zarr.Open(a.path, &zarr.OpenOptions{Workers: a.threads})
		if err != nil {
			return nil, nil, err
		}
		array, err := store.Array(ctx, "/")
		return array, store.Close, err
	}
	f, err := hdf5.Open(a.path, &hdf5.OpenOptions{Workers: a.threads})
	if err != nil {
		return nil, nil, err
	}
	array, err := f.Dataset(ctx, "a")
	return array, f.Close, err
}

// read reads a region with cairn.
func (a *storedArray) read(array ndarray.Source, reps int, r region) (answer, error) {
	var got []byte
	runtime.GC() // do not measure the collection of earlier garbage
	took, err := repeated(reps, func() error {
		got = make([]byte, r.bytes(a.set.TypeSize))
		return array.ReadBytes(context.Background(), got, r.start, r.stop)
	})
	if err == nil && len(got) == len(a.set.Bytes) && !bytes.Equal(got, a.set.Bytes) ||
		len(got) < len(a.set.Bytes) && !bytes.Equal(got, r.of(a.set)) {
		err = errChanged
	}
	return took, err
}

// libraries returns the contenders of the Python side that read the format.
func (a *storedArray) libraries(places []region) []contender {
	var out []contender
	for _, p := range peers() {
		if a.python == nil || !p.in(a.layout.workload) || !a.has[p.flag] {
			continue
		}
		if a.layout.codec == "blosc2" && p.name == result.NetCDF4 {
			continue // it does not know the filter
		}

		fields := boxes(places)
		fields["do"] = "store-read"
		fields["library"] = p.name
		fields["path"] = a.path
		fields["version"] = a.layout.version
		fields["threads"] = a.threads
		out = append(out, contender{p.name, func(reps int) (answer, error) {
			fields["reps"] = reps
			var got answer
			return got, a.python.request(&got, fields)
		}})
	}
	return out
}
