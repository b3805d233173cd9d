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

// Calls that process whole files. Their time must not depend on sizes that the file only states.

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

// listChunks lists the first chunks of an array, and checks that there are no more than in the
// frame.
func listChunks(l *tester, s *subject) (uint64, error) {
	u, err := ndarray.Open("in", l.arrayOptions(s))
	if err != nil {
		return 0, err
	}
	defer u.Close()
	n := uint64(0)
	have := uint64(u.Frame().NumChunks())
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

// summarize reads all items of an array, at most as many as the file has.
func summarize(l *tester, s *subject) (uint64, error) {
	u, err := ndarray.Open("in", l.arrayOptions(s))
	if err != nil {
		return 0, err
	}
	defer u.Close()
	if _, err = compute.Summarize(context.Background(), u, nil); errors.Is(err, cairn.ErrType) {
		err = nil // items without an order have no summary
	}
	return 2 * scratch, err
}
