// The command writing is the Go side of compare.py: it writes NetCDF-4 and HDF5 files, appends to
// them, and reads boxes of them, and answers each request on standard input with its seconds.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/hdf5/filter"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
	"github.com/cairn-go/cairn/npy"
)

// A request is one line of standard input.
type request struct {
	Do      string // load, write, append or read
	Array   string // the .npy file to load
	Path    string
	NetCDF  bool // NetCDF-4, else HDF5
	Filters []filter.Filter
	Chunks  ndarray.Shape
	Threads int
	Rows    int       // to append, one commit each
	Starts  [][]int64 // of boxes
	Stops   [][]int64
}

// A side has the array that is loaded.
type side struct {
	items ndarray.Source
}

func main() {
	debug.SetGCPercent(100)
	s := &side{}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var r request
		err := json.Unmarshal(in.Bytes(), &r)
		if err == nil {
			runtime.GOMAXPROCS(max(1, r.Threads))
			runtime.GC() // of the last request
			err = s.answer(&r)
		}
		if err != nil {
			log.Fatalf("%s: %v", in.Bytes(), err)
		}
	}
}

func (s *side) answer(r *request) error {
	ctx := context.Background()
	if r.Do == "load" {
		return s.load(r)
	}

	if r.Do == "read" {
		return s.read(ctx, r)
	}
	do := map[string]func(ctx context.Context, r *request) error{"write": s.write, "append": s.appends}[r.Do]
	began := time.Now()
	if err := do(ctx, r); err != nil {
		return err
	}
	fmt.Println(time.Since(began).Seconds())
	return nil
}

// load loads an array into memory.
func (s *side) load(r *request) error {
	raw, err := os.ReadFile(r.Array)
	if err != nil {
		return err
	}
	a, err := npy.OpenReader(bytes.NewReader(raw), int64(len(raw)), nil)
	if err != nil {
		return err
	}

	switch a.DType().String() {
	case "|u1":
		s.items, err = itemsOf[uint8](a)
	case "<u2":
		s.items, err = itemsOf[uint16](a)
	case "<i4":
		s.items, err = itemsOf[int32](a)
	case "<f4":
		s.items, err = itemsOf[float32](a)
	case "<f8":
		s.items, err = itemsOf[float64](a)
	default:
		err = fmt.Errorf("items of dtype %v", a.DType())
	}
	fmt.Println(0)
	return err
}

// itemsOf returns an array as a slice that a program has, as a source.
func itemsOf[T any](a *npy.Array) (ndarray.Source, error) {
	v, err := ndarray.ViewAs[T](a)
	if err != nil {
		return nil, err
	}
	values, err := v.Read(context.Background())
	return ndarray.Items(values, a.Shape()), err
}

// write writes the array as "a".
func (s *side) write(ctx context.Context, r *request) error {
	o := &hdf5.DatasetOptions{Chunks: r.Chunks, Filters: r.Filters}
	if !r.NetCDF {
		w, err := hdf5.Create(r.Path, &hdf5.CreateOptions{Overwrite: true, Workers: r.Threads})
		if err != nil {
			return err
		}
		if err := w.Put(ctx, "a", s.items, o); err != nil {
			return err
		}
		return w.Close()
	}

	t, err := netcdf.TypeOf(s.items.DType())
	if err != nil {
		return err
	}
	root := &netcdf.Group{}
	v := &netcdf.Variable{Name: "a", Type: t}
	for i, n := range s.items.Shape() {
		root.Dimensions = append(root.Dimensions, &netcdf.Dimension{Name: fmt.Sprint("d", i), Len: n})
	}
	v.Dimensions = root.Dimensions
	root.Variables = []*netcdf.Variable{v}
	w, err := netcdf.Create(r.Path, root, &netcdf.CreateOptions{Overwrite: true, Workers: r.Threads,
		Dataset: func(string, *netcdf.Variable) *hdf5.DatasetOptions { return o }})
	if err != nil {
		return err
	}
	if err := w.Put(ctx, "a", s.items); err != nil {
		return err
	}
	return w.Close()
}

// A row is one row of an array, in memory.
type row struct {
	ndarray.Source
	bytes []byte
}

func (r *row) Shape() ndarray.Shape { return ndarray.Shape{1, r.Source.Shape()[1]} }

func (r *row) ReadBytes(_ context.Context, dst []byte, start, _ []int64) error {
	copy(dst, r.bytes[start[1]*int64(r.DType().Size()):])
	return nil
}

// appends appends rows of the array to "a" of a file that is there, and commits each.
func (s *side) appends(ctx context.Context, r *request) error {
	one := &row{s.items, make([]byte, s.items.Shape()[1]*int64(s.items.DType().Size()))}
	rows, commit, done, err := r.appender(ctx)
	if err != nil {
		return err
	}
	stop := s.items.Shape()
	for i := range int64(r.Rows) {
		stop[0] = i + 1
		if err := s.items.ReadBytes(ctx, one.bytes, []int64{i, 0}, stop); err != nil {
			return err
		}
		if err := rows(one); err != nil {
			return err
		}
		if err := commit(ctx); err != nil {
			return err
		}
	}
	return done()
}

// appender opens the file to append to.
func (r *request) appender(ctx context.Context) (rows func(ndarray.Source) error, commit func(context.Context) error,
	done func() error, err error) {
	if r.NetCDF {
		a, err := netcdf.Append(r.Path, &netcdf.AppendOptions{Workers: r.Threads})
		if err != nil {
			return nil, nil, nil, err
		}
		return func(src ndarray.Source) error { return a.AppendRows(ctx, "a", src) }, a.Commit, a.Close, nil
	}
	a, err := hdf5.Append(r.Path, &hdf5.AppendOptions{Workers: r.Threads})
	if err != nil {
		return nil, nil, nil, err
	}
	return func(src ndarray.Source) error { return a.AppendRows(ctx, "a", 0, src) }, a.Commit, a.Close, nil
}

// read reads boxes of "a", each into the same memory.
func (s *side) read(ctx context.Context, r *request) error {
	f, err := hdf5.Open(r.Path, &hdf5.OpenOptions{Workers: r.Threads})
	if err != nil {
		return err
	}
	defer f.Close()
	d, err := f.Dataset(ctx, path.Join("/", "a"))
	if err != nil {
		return err
	}

	var dst []byte
	var began time.Time
	for i, start := range r.Starts {
		n := int64(d.DType().Size())
		for axis, stop := range r.Stops[i] {
			n *= stop - start[axis]
		}
		if i == 0 {
			dst = make([]byte, n)
			began = time.Now()
		}
		if err := d.ReadBytes(ctx, dst, start, r.Stops[i]); err != nil {
			return err
		}
	}
	fmt.Println(time.Since(began).Seconds())
	return nil
}
