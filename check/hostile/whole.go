package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// Calls that go over all there is, whose time a file must not decide on by what it states.

// unpackValues unpacks the metalayers, which share one budget.
func unpackValues(l *tester, s *subject) (uint64, error) {
	f, err := l.opened(s)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	layers, err := f.VLLayers()
	asked := uint64(scratch)
	budget := meta.ValueBytes(limits())
	for _, layer := range append(layers, f.Layers()...) {
		asked += uint64(len(layer.Content))
		if _, failed := meta.UnpackWithin(layer.Content, &budget); err == nil {
			err = failed
		}
	}
	return asked + uint64(meta.ValueBytes(limits())), err
}

// listChunks lists the first chunks of an array, of which there are no more than the frame has.
func listChunks(l *tester, s *subject) (uint64, error) {
	u, err := ndarray.Open("in", l.arrayOptions(s))
	if err != nil {
		return 0, err
	}
	defer u.Close()
	n, have := uint64(0), uint64(u.Frame().NumChunks())
	for _, err := range u.Chunks(context.Background()) {
		if err == nil && n == have {
			err = unsoundError{fmt.Errorf("more chunks than the %d of the frame", have)}
		}
		if n++; err != nil || n == 2000 {
			return scratch + n<<10, err
		}
	}
	return scratch + n<<10, nil
}

// summarize goes over all items of an array. What it decodes has to be in the file.
func summarize(l *tester, s *subject) (uint64, error) {
	u, err := ndarray.Open("in", l.arrayOptions(s))
	if err != nil {
		return 0, err
	}
	defer u.Close()
	if _, err = compute.Summarize(context.Background(), u, nil); errors.Is(err, cairn.ErrType) {
		err = nil // of what has no order there is none
	}
	return 2 * scratch, err
}
