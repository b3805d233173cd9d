package zarr_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/zarr"
)

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx, path := context.Background(), filepath.Join(dir, "run.zarr")

	w, err := zarr.Create(path, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer w.Abort() // does nothing after Close
	values, err := ndarray.FromSlice([]float32{280, 281, 282, 283, 284, 285}, ndarray.Shape{2, 3}, nil)
	if err != nil {
		log.Fatal(err)
	}
	labels := &ndarray.Labels{Dims: []string{"time", "x"}, Attributes: meta.Map{{Key: "units", Value: "K"}}}
	if err := w.Put(ctx, "/day1/t2m", values, &zarr.SaveOptions{Labels: labels}); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}

	s, err := zarr.Open(path, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	a, err := s.Array(ctx, "/day1/t2m")
	if err != nil {
		log.Fatal(err)
	}
	view, err := ndarray.ViewAs[float32](a)
	if err != nil {
		log.Fatal(err)
	}
	column, err := view.Read(ctx, ndarray.All, ndarray.Index(1))
	l, _ := a.Labels() // there is no error
	fmt.Println(column, l.Dims, err)
	// Output: [281 284] [time x] <nil>
}
