package store_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/store"
)

// A tree is written once and then read, here by Go; blosc2.open reads it in Python.
func Example() {
	dir, err := os.MkdirTemp("", "cairn-*")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx, path := context.Background(), filepath.Join(dir, "weather.b2z")

	e, err := store.Create(path, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer e.Abort() // does nothing after Close
	a, err := ndarray.New[float32](ndarray.Shape{365, 90, 180}, &ndarray.Options{Fill: 15})
	if err != nil {
		log.Fatal(err)
	}
	err = errors.Join(
		e.Put(ctx, "/surface/temperature", a, nil),
		e.SetAttribute(ctx, "/surface", "source", "made up"),
		e.Close(),
	)
	if err != nil {
		log.Fatal(err)
	}

	s, err := store.Open(path, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	fmt.Println(filepath.Base(s.String()))
	for l := range s.Leaves() {
		kind, err := s.Kind(l.Key)
		fmt.Println(l.Key, kind, err)
	}
	notes, err := s.Attributes(ctx, "/surface")
	fmt.Println(notes, err)
	temperature, err := store.OpenAs[float32](ctx, s, "/surface/temperature")
	if err != nil {
		log.Fatal(err)
	}
	defer temperature.Close()
	days, err := temperature.Read(ctx, ndarray.To(3), ndarray.Index(45), ndarray.Index(0))
	fmt.Println(days, err)
	// Output:
	// weather.b2z: tree store of 1 leaf
	// /surface/temperature array <nil>
	// [{source made up}] <nil>
	// [15 15 15] <nil>
}

// Closing the editor of an archive writes a new archive. Unchanged leaves are copied without
// decoding.
func ExampleEdit() {
	dir, err := os.MkdirTemp("", "cairn-*")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx, path := context.Background(), filepath.Join(dir, "tree.b2z")
	w, err := store.Create(path, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer w.Abort() // does nothing after Close
	numbers, err := ndarray.FromSlice([]int32{1, 2, 3}, ndarray.Shape{3}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer numbers.Close()
	if err := errors.Join(w.Put(ctx, "/a", numbers, nil), w.Put(ctx, "/old/b", numbers, nil), w.Close()); err != nil {
		log.Fatal(err)
	}

	e, err := store.Edit(path, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer e.Abort() // does nothing after Close
	err = errors.Join(
		e.Put(ctx, "/new", numbers, nil),
		e.Delete(ctx, "/old"),
		e.Change(ctx, "/a", func(u *ndarray.Untyped) error { return u.Fill(ctx, 7, ndarray.From(1)) }),
		e.SetAttribute(ctx, "/", "edited", true),
		e.Close(),
	)
	if err != nil {
		log.Fatal(err)
	}

	s, err := store.Open(path, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	for l := range s.Leaves() {
		a, err := store.OpenAs[int32](ctx, s, l.Key)
		if err != nil {
			log.Fatal(err)
		}
		items, err := a.Read(ctx)
		fmt.Println(l.Key, items, err)
		a.Close()
	}
	// Output:
	// /a [1 7 7] <nil>
	// /new [1 2 3] <nil>
}

// A table of python-blosc2 is a group; its columns are leaves.
func ExampleStore_Table() {
	s, err := store.Open("testdata/tables.b2z", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	ctx := context.Background()
	table, err := s.Table(ctx, "/g/table")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(table.Rows, "rows")
	for _, c := range table.Columns[4:7] {
		fmt.Println(c.Name, c.Type, c.Encoding)
	}
	words, missing, err := s.Texts(ctx, &table.Columns[5], 0, 2)
	fmt.Println(words, missing, err)
	x, err := s.Array(ctx, "/g/table/x")
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	fmt.Println(x.Shape(), x.DType().String())
	// Output:
	// 5 rows
	// u utf8 text
	// d dictionary dictionary
	// v vlstring batches
	// [red green] [false false] <nil>
	// [5] <i8
}
