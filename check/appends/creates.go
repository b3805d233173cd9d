package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/hdf5/filter"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
	"github.com/cairn-go/cairn/storage"
)

// madeName is the name of files that are made.
const madeName = "made.nc"

// creates crashes what makes files: the name must have nothing, the old file, or the whole new one.
func (c *checker) creates() error {
	kinds := map[string]func(fsys storage.FS, rng *noise) error{"hdf5": createHDF5}
	for _, format := range []netcdf.Format{netcdf.Classic, netcdf.Offset64, netcdf.Data64, netcdf.NetCDF4} {
		kinds[format.String()] = func(fsys storage.FS, items *noise) error { return createNetCDF(fsys, items, format) }
	}
	most := c.makes / len(kinds)
	for kind, create := range kinds {
		for n := 0; n < most && time.Now().Before(c.end); {
			for _, over := range []bool{false, true} {
				done, err := c.create(kind, over, create, most/2)
				if err != nil {
					return fmt.Errorf("%s: %w", kind, err)
				}
				c.Creates[kind] += done
				n += done
			}
		}
	}
	return nil
}

// create crashes the making of a file, over another one or not, in up to so many ways.
func (c *checker) create(kind string, over bool, create func(storage.FS, *noise) error, most int) (n int, err error) {
	r := storagetest.NewRecorder()
	var old []byte
	if over {
		old = bytes.Repeat([]byte("old "), 300)
		if err := put(r, madeName, old); err != nil {
			return 0, err
		}
	}
	settled := r.Len()
	int16s, err := meta.ParseDType("<i2")
	if err != nil {
		return 0, err
	}
	items := &noise{ndarray.Shape{4 + c.rng.Int64N(40), 3 + c.rng.Int64N(20)}, int16s, c.rng}
	if err := create(c.fs(r), items); err != nil {
		return 0, err
	}
	fresh, err := contentOf(r, madeName)
	if err != nil {
		return 0, err
	}
	if err := c.open(kind, fresh); err != nil {
		return 0, err
	}

	log := storagetest.NewLog(r.Ops())
	sweep := storagetest.Sweep{Seed: c.rng.Uint64(), Subsets: 6, Samples: 16, Durable: settled}
	all := slices.Collect(log.Crashes(sweep, settled, len(log.Ops)))
	step := max(1, len(all)/most)
	for i := c.rng.IntN(step); i < len(all) && n < most; i += step {
		n++
		crash := all[i]
		acknowledged := crash.At == len(log.Ops) && crash.Model != storagetest.Torn
		left, err := contentOf(log.Image(crash), madeName)
		if text := wrongFile(left, err, old, fresh, acknowledged); text != "" {
			c.Lost++
			c.Failures.Add(failure{kind, crash.String() + "\n" + log.Describe(crash), text})
		}
	}
	return n, nil
}

// wrongFile says what is wrong with what a crash has left of a name: it must be the old file or, if
// there was none, nothing, or the fresh one, and that once it was acknowledged.
func wrongFile(left []byte, err error, old, fresh []byte, acknowledged bool) string {
	switch {
	case err == nil && bytes.Equal(left, fresh):
		return ""
	case acknowledged:
		return "the whole file is not there after it was acknowledged"
	case err == nil && old != nil && bytes.Equal(left, old):
		return ""
	case errors.Is(err, fs.ErrNotExist) && old == nil:
		return ""
	case err != nil:
		return err.Error()
	}
	return fmt.Sprintf("neither the old file nor the new one, %d bytes", len(left))
}

// open lets Python open a file that was made.
func (c *checker) open(kind string, b []byte) error {
	name := filepath.Join(c.dir, madeName)
	same := filepath.Join(c.dir, "same-"+madeName)
	if err := errors.Join(os.WriteFile(name, b, 0o666), os.WriteFile(same, b, 0o666)); err != nil {
		return err
	}
	text, err := c.peer.ask(name, same, same, false)
	c.peer.forget()
	if err == nil && text != "ok" {
		c.Lost++
		c.Failures.Add(failure{kind, "none", text})
	}
	return err
}

// contentOf returns the bytes of a file.
func contentOf(fsys storage.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	b := make([]byte, size)
	if _, err := f.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return b, nil
}

func createHDF5(fsys storage.FS, items *noise) error {
	w, err := hdf5.Create(madeName, &hdf5.CreateOptions{FS: fsys, Overwrite: true, Workers: 2})
	if err != nil {
		return err
	}
	o := &hdf5.DatasetOptions{Chunks: ndarray.Shape{4, 3}, Filters: []filter.Filter{{ID: filter.Deflate}}}
	for i := range 3 {
		if err := w.Put(context.Background(), fmt.Sprint("g/", i), items, o); err != nil {
			return errors.Join(err, w.Abort())
		}
		o = nil
	}
	return w.Close()
}

func createNetCDF(fsys storage.FS, items *noise, format netcdf.Format) error {
	root := &netcdf.Group{}
	short := netcdf.TypeNamed("short")
	y := &netcdf.Dimension{Name: "y", Len: items.shape[0], Unlimited: true}
	x := &netcdf.Dimension{Name: "x", Len: items.shape[1]}
	root.Dimensions = []*netcdf.Dimension{y, x}
	for _, name := range []string{"a", "b"} {
		root.Variables = append(root.Variables, &netcdf.Variable{Name: name, Dimensions: root.Dimensions,
			Type: short})
	}

	w, err := netcdf.Create(madeName, root, &netcdf.CreateOptions{FS: fsys, Format: format, Overwrite: true})
	if err != nil {
		return err
	}
	for _, v := range root.Variables {
		if err := w.Put(context.Background(), v.Name, items); err != nil {
			return errors.Join(err, w.Abort())
		}
	}
	return w.Close()
}
