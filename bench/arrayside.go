package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/cairn-go/cairn/bench/data"
	"github.com/cairn-go/cairn/ndarray"
)

// mostPuts is the number of boxes written before the array is created again. A frame keeps
// overwritten chunks until it is compacted, so many writes would measure memory allocation instead.
const mostPuts = 4

// An arraySide is an array of cairn; path is empty for one in memory.
type arraySide struct {
	set            *data.Set
	job            job
	chunks, blocks ndarray.Shape
	path           string
	mapped         bool // the file is read through a mapping
	array          *ndarray.Untyped
	reader         *ndarray.Untyped // reads the file; nil until the first read
	buffer         []byte
}

func (a *arraySide) drop() {
	for _, open := range []*ndarray.Untyped{a.reader, a.array} {
		if open != nil {
			open.Abort()
		}
	}
	a.array = nil
	a.reader = nil
}

// forReading returns the array in memory, or the file opened for reading only.
func (a *arraySide) forReading() (*ndarray.Untyped, error) {
	if a.path == "" {
		return a.array, nil
	}
	if a.reader == nil {
		var err error
		if a.reader, err = ndarray.Open(a.path, &ndarray.OpenOptions{Workers: a.job.threads, Map: a.mapped}); err != nil {
			return nil, err
		}
	}
	return a.reader, nil
}

// create makes an array without items.
func (a *arraySide) create() error {
	a.drop()
	var err error
	if a.path == "" {
		a.array, err = ndarray.NewUntyped(a.set.DType, a.set.Shape, a.options())
		return err
	}
	a.array, err = ndarray.CreateUntyped(a.path, a.set.DType, a.set.Shape, a.options())
	return err
}

func (a *arraySide) options() *ndarray.Options {
	o := &ndarray.Options{ChunkShape: a.chunks, BlockShape: a.blocks, Codec: a.job.codec, Level: a.job.optionLevel(),
		Filters: a.job.filters(), Workers: a.job.threads, Overwrite: true}
	if a.path != "" {
		o.FS = unsynced()
	}
	return o
}

// fill writes all items and commits.
func (a *arraySide) fill() error {
	if err := a.array.Write(context.Background(), a.set.Bytes); err != nil {
		return err
	}
	return a.array.Commit(context.Background())
}

// write creates the array from all of the data.
func (a *arraySide) write(reps int) (answer, error) {
	times, err := fastest(reps, func() ([]float64, error) {
		a.drop()
		if a.path != "" { // the C side also removes its file before it takes the time
			if err := os.Remove(a.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
		}

		t, err := since(func() error { // the C side also creates its array in the measured time
			if err := a.create(); err != nil {
				return err
			}
			return a.fill()
		})
		return []float64{t}, err
	})
	if err != nil {
		return answer{}, err
	}

	return answer{times, a.array.Frame().CBytes()}, nil
}

// visit reads or writes a region.
func (a *arraySide) visit(reps int, r region) (answer, error) {
	if n := int(r.bytes(a.set.TypeSize)); cap(a.buffer) < n {
		a.buffer = make([]byte, n)
	}
	buffer := a.buffer[:r.bytes(a.set.TypeSize)]
	reader, err := a.forReading()
	if err != nil {
		return answer{}, err
	}

	work := func() error { return reader.ReadBytes(context.Background(), buffer, r.start, r.stop) }
	piece := a.set.Bytes[:len(buffer)]
	if r.put {
		reps = min(reps, mostPuts)
		if err := a.create(); err != nil {
			return answer{}, err
		}
		if err := a.fill(); err != nil {
			return answer{}, err
		}
		work = func() error {
			if err := a.array.WriteBox(context.Background(), piece, r.start, r.stop); err != nil {
				return err
			}
			if !r.commit {
				return nil
			}
			return a.array.Commit(context.Background())
		}
	}

	took, err := repeated(reps, work)
	if err == nil && !r.put && !bytes.Equal(buffer, r.of(a.set)) {
		err = errChanged
	}
	if err == nil && r.put {
		err = a.array.ReadBytes(context.Background(), buffer, r.start, r.stop)
		if err == nil && !bytes.Equal(buffer, piece) {
			err = errChanged
		}
	}
	return took, err
}
