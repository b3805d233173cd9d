package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/bench/data"
	"github.com/cairn-go/cairn/bench/result"
	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
	"github.com/cairn-go/cairn/npy"
	"github.com/cairn-go/cairn/zarr"
)

// A written is a way in which a peer writes a file.
type written struct {
	name    string   // in reports
	format  string   // how cairn opens it
	flag    string   // the peer that writes it
	options string   // of its function, in JSON; the rest are its defaults
	by      []string // the peers that read it
}

// writtenFiles are what the workload reads reads.
func writtenFiles() []written {
	hdf := []string{"h5py"}
	net := []string{"h5py", "netcdf4"}
	z := []string{"zarr", "zarrs", "tensorstore"}
	b := []string{"python"}
	return []written{
		{"npy", "npy", "numpy", `{}`, []string{"numpy"}},
		{"hdf5 contiguous", "hdf5", "h5py", `{}`, hdf},
		{"hdf5 chunks", "hdf5", "h5py", `{"chunks": [16, 128, 128]}`, hdf},
		{"hdf5 gzip", "hdf5", "h5py", `{"compression": "gzip", "shuffle": true, "chunks": [16, 128, 128]}`, hdf},
		{"hdf5 lzf", "hdf5", "h5py", `{"compression": "lzf"}`, hdf},
		{"hdf5 zstd", "hdf5", "h5py", `{"plugin": "Zstd", "chunks": [16, 128, 128]}`, hdf},
		{"hdf5 blosc2", "hdf5", "h5py", `{"plugin": "Blosc2", "chunks": [16, 128, 128]}`, hdf},
		{"netcdf", "netcdf", "netcdf4", `{"compression": "zlib", "chunksizes": [16, 128, 128]}`, net},
		{"netcdf own chunks", "netcdf", "netcdf4", `{"compression": "zlib"}`, net},
		{"zarr 2", "zarr", "zarr", `{"zarr_format": 2, "blosc": "lz4", "chunks": [32, 128, 128]}`, z},
		{"zarr 3", "zarr", "zarr", `{"zarr_format": 3}`, z},
		{"zarr 3 shards", "zarr", "zarr", `{"zarr_format": 3, "chunks": [16, 64, 64], "shards": [64, 256, 256]}`, z},
		{"b2nd", "b2nd", "python", `{}`, b},
		{"b2nd lz4", "b2nd", "python", `{"codec": "LZ4"}`, b},
	}
}

// mostPlanes is how many planes are read along the first axis, and twice as many as along the next,
// for some readers decode all chunks of a plane each time.
const mostPlanes = 32

// reads compares whole reads into new memory, and loops over planes, of files that the peers wrote.
// Each library opens a file with its defaults. cairn also competes with itself on one goroutine.
func (s *contest) reads() error {
	sets, err := s.dataSets()
	if err != nil {
		return err
	}

	for _, set := range slices.DeleteFunc(sets, func(d *data.Set) bool { return len(d.Shape) != 3 }) {
		dir, err := os.MkdirTemp("", "cairn-bench-*")
		if err != nil {
			return err
		}
		for _, threads := range s.threads {
			if err == nil {
				err = s.readsWith(set, dir, threads)
			}
		}
		if err = errors.Join(err, os.RemoveAll(dir)); err != nil {
			return fmt.Errorf("%s: %w", set.Name, err)
		}
	}
	return nil
}

func (s *contest) readsWith(set *data.Set, dir string, threads int) error {
	python, err := s.startPython(threads)
	if err != nil || python == nil {
		return err
	}
	defer python.close()
	if err := python.load(set); err != nil {
		return err
	}

	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
	for _, w := range writtenFiles() {
		if !s.has[w.flag] || s.files != "" && !slices.Contains(strings.Split(s.files, ","), w.name) {
			continue
		}
		f := &readFile{contest: s, written: w, python: python, set: set, threads: threads,
			path: filepath.Join(dir, w.name)}
		if err := f.all(); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
	}
	return nil
}

// readFile is a file that several libraries read.
type readFile struct {
	*contest
	written
	python  *snake
	set     *data.Set
	threads int
	path    string
}

// all writes the file, unless it is there, and reads it in all ways.
func (f *readFile) all() error {
	if _, err := os.Stat(f.path); err != nil {
		var done answer
		if err := f.python.request(&done, map[string]any{"do": "reads-write", "library": f.flag, "path": f.path,
			"options": f.options}); err != nil {
			return err
		}
	}

	whole := regions(f.set.Shape)[0]
	passes := []string{"first pass", "second pass"}
	if err := f.contend([]string{"read whole"}, whole, []region{whole}); err != nil {
		return err
	}
	if f.format == "npy" || !f.planes {
		return nil
	}

	for axis, n := range f.set.Shape {
		var planes []region
		for i := range min(n, mostPlanes>>axis) {
			p := region{start: slices.Clone(whole.start), stop: slices.Clone(whole.stop)}
			p.start[axis] = i
			p.stop[axis] = i + 1
			planes = append(planes, p)
		}
		var ops []string
		for _, pass := range passes {
			ops = append(ops, fmt.Sprintf("planes along axis %d, %s", axis, pass))
		}
		if err := f.contend(ops, planes[0], planes); err != nil {
			return err
		}
	}
	return f.ownWorkers()
}

// contend reads parts, one after the other, as many times as there are names.
func (f *readFile) contend(ops []string, one region, parts []region) error {
	var measures []*result.Measure
	for _, op := range ops {
		measures = append(measures, f.measure(op, one))
	}

	contenders := []contender{{result.Cairn, func(reps int) (answer, error) {
		return f.passes(reps, len(ops), f.threads, parts)
	}}}
	for _, p := range peers() {
		if !slices.Contains(f.by, p.flag) || !f.has[p.flag] {
			continue
		}

		fields := boxes(parts)
		fields["do"] = "reads-passes"
		fields["library"] = p.name
		fields["path"] = f.path
		fields["passes"] = len(ops)
		fields["threads"] = f.threads
		if f.name != "zarr 2" {
			fields["version"] = 3
		}

		contenders = append(contenders, contender{p.name, func(reps int) (answer, error) {
			fields["reps"] = reps
			var got answer
			return got, f.python.request(&got, fields)
		}})
	}
	return f.compete(f.rounds, measures, contenders...)
}

func (f *readFile) measure(op string, part region) *result.Measure {
	return &result.Measure{Workload: "reads", Op: op, Data: f.set.Name, Place: "disk", Codec: f.name,
		Threads: f.threads, TypeSize: f.set.TypeSize, Bytes: part.bytes(f.set.TypeSize),
		Latency: op != "read whole"}
}

// ownWorkers compares cairn's default number of goroutines with one.
func (f *readFile) ownWorkers() error {
	if f.threads == 1 {
		return nil
	}
	for _, r := range regions(f.set.Shape) {
		if r.put || r.op == "read whole" {
			continue
		}
		places := r.spread(f.set.Shape)
		var contenders []contender
		for _, c := range []struct {
			name    string
			workers int
		}{{result.Cairn, 0}, {result.CairnOne, 1}} {
			contenders = append(contenders, contender{c.name, func(reps int) (answer, error) {
				return f.passes(reps, 1, c.workers, places)
			}})
		}
		if err := f.compete(f.rounds, []*result.Measure{f.measure(r.op, r)}, contenders...); err != nil {
			return err
		}
	}
	return nil
}

// passes opens the file and reads parts into new memory, count times, and answers with the time of
// a part in each pass.
func (f *readFile) passes(reps, count, workers int, parts []region) (answer, error) {
	best, err := fastest(reps, func() ([]float64, error) {
		array, done, err := f.open(workers)
		if err != nil {
			return nil, err
		}
		defer done()
		view := ndarray.ViewOf(array)
		runtime.GC() // do not measure the collection of earlier garbage

		var got []byte
		var times []float64
		for range count {
			took, err := since(func() error {
				for _, p := range parts {
					got = nil
					var err error
					if got, err = p.read(view); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return nil, err
			}
			times = append(times, took/float64(len(parts)))
		}

		last := parts[len(parts)-1]
		if len(got) < len(f.set.Bytes) && !bytes.Equal(got, last.of(f.set)) ||
			len(got) == len(f.set.Bytes) && !bytes.Equal(got, f.set.Bytes) {
			return nil, errChanged
		}
		return times, nil
	})
	return answer{Seconds: best}, err
}

// read reads the part into new memory.
func (r region) read(view ndarray.UntypedView) ([]byte, error) {
	var selectors []ndarray.Selector
	for axis := range r.start {
		selectors = append(selectors, ndarray.Range(r.start[axis], r.stop[axis]))
	}
	return view.Read(context.Background(), selectors...)
}

// open opens the file with cairn.
func (f *readFile) open(workers int) (ndarray.Source, func() error, error) {
	ctx := context.Background()
	switch f.format {
	case "npy":
		a, err := npy.Open(f.path, nil)
		if err != nil {
			return nil, nil, err
		}
		return a, a.Close, nil
	case "hdf5":
		file, err := hdf5.Open(f.path, &hdf5.OpenOptions{Workers: workers})
		if err != nil {
			return nil, nil, err
		}
		array, err := file.Dataset(ctx, "a")
		return array, file.Close, err
	case "netcdf":
		file, err := netcdf.Open(f.path, &netcdf.OpenOptions{Workers: workers})
		if err != nil {
			return nil, nil, err
		}
		array, err := file.Open(ctx, "a")
		return array, file.Close, err
	case "zarr":
		store, err := zarr.Open(f.path, &zarr.OpenOptions{Workers: workers})
		if err != nil {
			return nil, nil, err
		}
		array, err := store.Array(ctx, "/")
		return array, store.Close, err
	}

	u, err := ndarray.Open(f.path, &ndarray.OpenOptions{Workers: workers})
	if err != nil {
		return nil, nil, err
	}
	return u, u.Close, nil
}
