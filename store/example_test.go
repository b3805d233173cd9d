package store_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/store"
)

// A tree is written once, and read by anyone who knows Blosc2: here, or with blosc2.open in Python.
func Example() {
	dir, err := os.MkdirTemp("", "cairn-*")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx, path := context.Background(), filepath.Join(dir, "weather.b2z")

	w, err := store.Create(path, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer w.Abort() // does nothing after Close
	u, err := w.CreateArray("/surface/temperature", "<f4", ndarray.Shape{365, 90, 180}, &ndarray.Options{Fill: 15})
	if err != nil {
		log.Fatal(err)
	}
	if err := u.Close(); err != nil {
		log.Fatal(err)
	}
	if err := w.SetAttribute("/surface", "source", "made up"); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}

	s, err := store.Open(path, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	for l := range s.Leaves() {
		kind, err := s.Kind(l.Key)
		fmt.Println(l.Key, kind, err)
	}
	notes, err := s.Attributes("/surface")
	fmt.Println(notes, err)
	temperature, err := s.Array("/surface/temperature")
	if err != nil {
		log.Fatal(err)
	}
	defer temperature.Close()
	a, err := ndarray.As[float32](temperature)
	if err != nil {
		log.Fatal(err)
	}
	days, err := a.Read(ctx, ndarray.To(3), ndarray.Index(45), ndarray.Index(0))
	fmt.Println(days, err)
	// Output:
	// /surface/temperature array <nil>
	// [{source made up}] <nil>
	// [15 15 15] <nil>
}
