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
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
	"github.com/cairn-go/cairn/zarr"
)

// A zarrLayout is one way to store an array in Zarr.
type zarrLayout struct {
	version int
	codec   string // as the Python side calls it
	sharded bool
	// what cairn writes where there is no zarr-python; nil if it does not write that
	options *zarr.SaveOptions
}

// zarrLayouts returns the layouts to read.
func zarrLayouts() []zarrLayout {
	lz4 := &zarr.SaveOptions{Codec: codecs.LZ4}
	zstd := &zarr.SaveOptions{Codec: codecs.Zstd, Shuffle: &shuffle.Spec{ID: shuffle.IDBit}}
	plain := &zarr.SaveOptions{Compressor: zarr.Zstd}
	return []zarrLayout{
		{2, "blosc-lz4", false, lz4}, {2, "zstd", false, plain},
		{3, "blosc-lz4", false, lz4}, {3, "blosc-zstd", false, zstd}, {3, "zstd", false, plain},
		{3, "gzip", false, nil}, {3, "zstd", true, plain},
	}
}

// String names a layout, as the codec of its measures.
func (l zarrLayout) String() string {
	text := fmt.Sprintf("v%d %s", l.version, l.codec)
	if l.sharded {
		text += ", sharded"
	}
	return text
}

// zarr compares the readers of Zarr stores, on stores that zarr-python wrote: the whole array,
// planes along each axis, and boxes. Every library returns the items in memory of its own.
func (s *contest) zarr() error {
	sets, err := s.dataSets()
	if err != nil {
		return err
	}
	sets = slices.DeleteFunc(sets, func(d *data.Set) bool { return len(d.Shape) < 2 })
	for _, set := range sets {
		dir, err := os.MkdirTemp("", "cairn-bench-*")
		if err != nil {
			return err
		}
		for _, threads := range s.threads {
			if err == nil {
				err = s.zarrWith(set, dir, threads)
			}
		}
		os.RemoveAll(dir)
		if err != nil {
			return fmt.Errorf("%s: %w", set.Name, err)
		}
	}
	return nil
}

// zarrWith reads all layouts of one array with a number of threads. The stores stay in dir.
func (s *contest) zarrWith(set *data.Set, dir string, threads int) error {
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
	work := &userWork{contest: s, python: python}
	for _, layout := range zarrLayouts() {
		a := &zarrArray{userWork: work, set: set, layout: layout, threads: threads,
			path: filepath.Join(dir, layout.String())}
		if err := a.parts(); err != nil {
			return fmt.Errorf("%v: %w", layout, err)
		}
	}
	return nil
}

// zarrArray is a store with one array, read by several libraries.
type zarrArray struct {
	*userWork
	set     *data.Set
	layout  zarrLayout
	threads int
	path    string
}

// grids returns the shapes of what has a key of its own, and of inner chunks of shards.
func (a *zarrArray) grids() (chunks, inner ndarray.Shape, err error) {
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

// parts writes the store, unless it is there, and reads parts of it.
func (a *zarrArray) parts() error {
	made, err := a.make()
	if err != nil || !made {
		return err
	}

	store, err := zarr.Open(a.path, &zarr.OpenOptions{Workers: a.threads})
	if err != nil {
		return err
	}
	defer store.Close()
	array, err := store.Array(context.Background(), "/")
	if err != nil {
		return err
	}

	leaf, inner, err := a.grids()
	if err != nil {
		return err
	}
	if a.layout.sharded {
		leaf = inner
	}

	for _, r := range regions(a.set.Shape) {
		if r.put || r.op == "point" {
			continue
		}
		var starts, stops [][]int64
		var each [][]contender
		for _, place := range a.places(r, leaf) {
			starts, stops = append(starts, place.start), append(stops, place.stop)
			read := func(reps int) (answer, error) { return a.read(array, reps, place) }
			each = append(each, []contender{{result.Cairn, read}})
		}

		m := &result.Measure{Workload: "zarr", Op: r.op, Data: a.set.Name, Place: "disk",
			Codec: a.layout.String(), Level: a.level(), Filter: a.filter(), Threads: a.threads,
			TypeSize: a.set.TypeSize, Bytes: r.bytes(a.set.TypeSize)}
		m.Latency = m.Bytes < int64(len(a.set.Bytes))
		contenders := append(averaged(each), a.libraries(starts, stops)...)
		if err := a.compete(a.rounds, []*result.Measure{m}, contenders...); err != nil {
			return fmt.Errorf("%s: %w", r.op, err)
		}
	}
	return nil
}

// level returns the level of a layout.
func (a *zarrArray) level() int {
	if a.layout.codec == "zstd" {
		return 3
	}
	return 5
}

// places returns the part at two places, for none of the libraries keeps chunks. They begin at one
// third and two thirds of a chunk, as the beginning of a chunk is cheap to read.
func (a *zarrArray) places(r region, chunk ndarray.Shape) []region {
	places := r.spread(a.set.Shape)
	if len(places) > 1 {
		places = places[1:3]
	}
	for spot := range places {
		for axis, n := range a.set.Shape {
			p := &places[spot]
			extent, size := p.stop[axis]-p.start[axis], chunk[axis]
			p.start[axis] = min(p.start[axis]/size*size+size*int64(spot+1)/3, n-extent)
			p.stop[axis] = p.start[axis] + extent
		}
	}
	return places
}

// filter names the filter of a layout.
func (a *zarrArray) filter() string {
	switch a.layout.codec {
	case "blosc-lz4":
		return "shuffle"
	case "blosc-zstd":
		return "bitshuffle"
	}
	return "none"
}

// make has zarr-python write the store, or cairn if that is not there. It reports whether there is
// a store.
func (a *zarrArray) make() (bool, error) {
	if _, err := os.Stat(a.path); err == nil {
		return true, nil
	}

	chunks, inner, err := a.grids()
	if err != nil {
		return false, err
	}

	if a.python != nil && a.has["zarr"] {
		var done answer
		return true, a.python.request(&done, map[string]any{"do": "store-write", "path": a.path,
			"codec": a.layout.codec, "version": a.layout.version, "typesize": a.set.TypeSize,
			"chunks": chunks, "inner": inner, "sharded": a.layout.sharded})
	}

	if a.layout.options == nil {
		return false, nil
	}
	o := *a.layout.options
	o.Version, o.Chunks, o.NoShards = a.layout.version, chunks, !a.layout.sharded
	if a.layout.sharded {
		o.Chunks, o.Shards = inner, chunks
	}

	u, err := ndarray.NewUntyped(a.set.DType, a.set.Shape, nil)
	if err != nil {
		return false, err
	}
	defer u.Abort()

	whole := regions(a.set.Shape)[0]
	if err := u.WriteBox(context.Background(), a.set.Bytes, whole.start, whole.stop); err != nil {
		return false, err
	}
	return true, zarr.Save(context.Background(), a.path, u, &o)
}

// read reads a region with cairn.
func (a *zarrArray) read(array *zarr.Array, reps int, r region) (answer, error) {
	var got []byte
	runtime.GC() // do not measure the collection of earlier garbage
	times, err := fastest(reps, func() ([]float64, error) {
		t, err := since(func() error {
			got = make([]byte, r.bytes(a.set.TypeSize))
			return array.ReadBytes(context.Background(), got, r.start, r.stop)
		})
		return []float64{t}, err
	})
	if err == nil && len(got) == len(a.set.Bytes) && !bytes.Equal(got, a.set.Bytes) ||
		len(got) < len(a.set.Bytes) && !bytes.Equal(got, r.of(a.set)) {
		err = errChanged
	}
	return answer{Seconds: times}, err
}

// libraries returns the contenders of the Python side that read Zarr.
func (a *zarrArray) libraries(starts, stops [][]int64) []contender {
	var out []contender
	for _, p := range peers() {
		if a.python == nil || !p.zarr || !a.has[p.flag] {
			continue
		}
		fields := map[string]any{"do": "store-read", "library": p.name, "starts": starts, "stops": stops,
			"path": a.path, "version": a.layout.version, "threads": a.threads}
		out = append(out, contender{p.name, func(reps int) (answer, error) {
			fields["reps"] = reps
			var got answer
			return got, a.python.request(&got, fields)
		}})
	}
	return out
}
