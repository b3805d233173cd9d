package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/cairn-go/cairn/bench/data"
	"github.com/cairn-go/cairn/npy"
)

var errNoData = errors.New("no .npy files in the data directory")

// readNPY reads an .npy file.
func readNPY(path string) (*data.Set, error) {
	a, err := npy.Open(path, nil)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	d := a.DType()
	s := &data.Set{Name: strings.TrimSuffix(filepath.Base(path), ".npy"), DType: d.String(),
		Shape: a.Shape(), TypeSize: d.Size()}
	size := int64(d.Size())
	for _, n := range s.Shape {
		size *= n
	}
	s.Bytes = make([]byte, size)
	if err := a.ReadBytes(context.Background(), s.Bytes, make([]int64, len(s.Shape)), s.Shape); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}
