package ndarray_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
)

var ctx = context.Background()

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// table makes a small array: 3 rows of 0 to 3, 10 to 13 and 20 to 23.
func table() ndarray.Array[int32] {
	a, err := ndarray.FromSlice([]int32{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23}, ndarray.Shape{3, 4}, nil)
	must(err)
	return a
}

func Example() {
	dir, err := os.MkdirTemp("", "cairn")
	must(err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "temp.b2nd")

	a, err := ndarray.Create[float32](path, ndarray.Shape{2, 3}, nil)
	must(err)
	defer a.Abort() // does nothing after Close
	must(a.Write(ctx, []float32{1, 2, 3}, ndarray.Index(0)))
	must(a.Set(7.5, 1, -1))
	must(a.Close())

	b, err := ndarray.OpenAs[float32](path, nil)
	must(err)
	defer b.Close()
	values, err := b.Read(ctx)
	must(err)
	fmt.Println(b.Shape(), values)
	// Output: [2 3] [1 2 3 0 0 7.5]
}

func ExampleCreate() {
	dir, err := os.MkdirTemp("", "cairn")
	must(err)
	defer os.RemoveAll(dir)

	a, err := ndarray.Create[float32](filepath.Join(dir, "temp.b2nd"), ndarray.Shape{365, 721, 1440}, &ndarray.Options{
		ChunkShape: ndarray.Shape{1, 721, 1440}, BlockShape: ndarray.Shape{1, 64, 1440},
		Codec: codecs.LZ4, Level: 5, Filters: []shuffle.Spec{shuffle.Byte}, Fill: -1.5,
	})
	must(err)
	defer a.Abort()
	must(a.Fill(ctx, 20, ndarray.Index(31)))
	before, err := a.At(30, 0, 0)
	must(err)
	day, err := a.At(31, 720, 1439)
	must(err)
	fmt.Println(before, day, a.NumChunks())
	must(a.Close())
	// Output: -1.5 20 365
}

func ExampleCreateUntyped() {
	dir, err := os.MkdirTemp("", "cairn")
	must(err)
	defer os.RemoveAll(dir)

	u, err := ndarray.CreateUntyped(filepath.Join(dir, "names"), "|S4", ndarray.Shape{3}, &ndarray.Options{Sparse: true})
	must(err)
	defer u.Abort()
	must(u.Fill(ctx, []byte("none")))
	must(u.Write(ctx, []byte("Ada\x00"), ndarray.Index(1)))
	items, err := u.Read(ctx)
	must(err)
	fmt.Printf("%s %q\n", u.DType().String(), items)
	must(u.Close())
	// Output: |S4 "noneAda\x00none"
}

func ExampleNew() {
	a, err := ndarray.New[uint16](ndarray.Shape{2, 2}, &ndarray.Options{Fill: 5})
	must(err)
	values, err := a.Read(ctx)
	must(err)
	fmt.Println(values)
	// Output: [5 5 5 5]
}

func ExampleNewUntyped() {
	u, err := ndarray.NewUntyped(">i2", ndarray.Shape{2}, &ndarray.Options{Fill: 258})
	must(err)
	items, err := u.Read(ctx)
	must(err)
	fmt.Println(items)
	// Output: [1 2 1 2]
}

func ExampleFromSlice() {
	a, err := ndarray.FromSlice([]float64{1, 2, 3, 4}, ndarray.Shape{2, 2}, nil)
	must(err)
	column, err := a.Read(ctx, ndarray.All, ndarray.Index(1))
	must(err)
	fmt.Println(column)
	// Output: [2 4]
}

func ExampleFromBytes() {
	m := table()
	frame, err := m.Bytes()
	must(err)
	u, err := ndarray.FromBytes(bytes.Clone(frame), nil)
	must(err)
	defer u.Close()
	fmt.Println(u.Shape(), u.DType().String())
	// Output: [3 4] <i4
}

func ExampleOpenReader() {
	m := table()
	frame, err := m.Bytes()
	must(err)
	u, err := ndarray.OpenReader(bytes.NewReader(frame), int64(len(frame)), nil)
	must(err)
	defer u.Close()
	a, err := ndarray.As[int32](u)
	must(err)
	v, err := a.At(-1, -1)
	must(err)
	fmt.Println(v)
	// Output: 23
}

func ExampleOpenFS() {
	dir, err := os.MkdirTemp("", "cairn")
	must(err)
	defer os.RemoveAll(dir)
	m := table()
	frame, err := m.Bytes()
	must(err)
	must(os.WriteFile(filepath.Join(dir, "table.b2nd"), frame, 0o644))

	u, err := ndarray.OpenFS(os.DirFS(dir), "table.b2nd", nil)
	must(err)
	defer u.Close()
	fmt.Println(u.Shape())
	// Output: [3 4]
}

func ExampleOpen() {
	_, err := ndarray.Open("missing.b2nd", nil)
	fmt.Println(errors.Is(err, os.ErrNotExist))
	// Output: true
}

func ExampleAs() {
	u := table().Untyped
	_, err := ndarray.As[float64](u)
	fmt.Println(errors.Is(err, cairn.ErrType))
	fmt.Println(err)
	// Output:
	// true
	// array of dtype <i4, not of Go's float64: type mismatch
}

func ExampleParse() {
	a := table()
	selectors, err := ndarray.Parse("1:, -2")
	must(err)
	values, err := a.Read(ctx, selectors...)
	must(err)
	fmt.Println(values)
	// Output: [12 22]
}

func ExampleArray_ReadInto() {
	a := table()
	row := make([]int32, 4) // used again for every row
	for i := range a.Shape()[0] {
		must(a.ReadInto(ctx, row, ndarray.Index(i)))
		fmt.Println(row)
	}
	// Output:
	// [0 1 2 3]
	// [10 11 12 13]
	// [20 21 22 23]
}

func ExampleArray_Write() {
	a := table()
	must(a.Write(ctx, []int32{-1, -2, -3}, ndarray.All, ndarray.Index(0)))
	values, err := a.Read(ctx, ndarray.All, ndarray.To(2))
	must(err)
	fmt.Println(values)
	// Output: [-1 1 -2 11 -3 21]
}

func ExampleArray_Fill() {
	a := table()
	must(a.Fill(ctx, 9, ndarray.All, ndarray.Range(1, 3)))
	values, err := a.Read(ctx)
	must(err)
	fmt.Println(values)
	// Output: [0 9 9 3 10 9 9 13 20 9 9 23]
}

func ExampleUntyped_WriteBox() {
	u := table().Untyped
	must(u.WriteBox(ctx, []byte{1, 0, 0, 0, 2, 0, 0, 0}, []int64{2, 2}, []int64{3, 4}))
	dst := make([]byte, 8)
	must(u.ReadBytes(ctx, dst, []int64{1, 3}, []int64{3, 4}))
	fmt.Println(dst)
	// Output: [13 0 0 0 2 0 0 0]
}

// By default, the shapes of chunks and blocks are chosen automatically.
func ExampleUntyped_Grid() {
	a, err := ndarray.New[float32](ndarray.Shape{365, 721, 1440}, nil)
	must(err)
	fmt.Println(a.Grid())
	// Output: [64 64 240] [16 16 120]
}

func ExampleVerify() {
	dir, err := os.MkdirTemp("", "cairn")
	must(err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "table.b2nd")
	m := table()
	frame, err := m.Bytes()
	must(err)
	frame[len(frame)-60]++ // within the index
	must(os.WriteFile(path, frame, 0o644))

	_, err = ndarray.Verify(ctx, path, nil)
	fmt.Println(errors.Is(err, cairn.ErrCorrupt))
	// Output: true
}

func ExampleUntyped_Fill() {
	u, err := ndarray.NewUntyped("[('id', '<u2'), ('flag', '|b1')]", ndarray.Shape{2}, nil)
	must(err)
	must(u.Fill(ctx, []byte{1, 2, 1}, ndarray.Index(0)))
	items, err := u.Read(ctx)
	must(err)
	fmt.Println(items)
	// Output: [1 2 1 0 0 0]
}

func ExampleUntyped_Commit() {
	dir, err := os.MkdirTemp("", "cairn")
	must(err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "table.b2nd")

	a, err := ndarray.Create[int8](path, ndarray.Shape{4}, nil)
	must(err)
	must(a.Fill(ctx, 1))
	must(a.Commit(ctx))
	must(a.Fill(ctx, 2)) // never committed
	must(a.Abort())

	b, err := ndarray.OpenAs[int8](path, nil)
	must(err)
	defer b.Close()
	values, err := b.Read(ctx)
	must(err)
	fmt.Println(values)
	// Output: [1 1 1 1]
}

// Changes of single items are fast, because they are buffered until the commit.
func ExampleOptions_writeBehind() {
	ctx := context.Background()
	a, err := ndarray.New[int32](ndarray.Shape{1000, 1000}, &ndarray.Options{WriteBehind: 16 << 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()
	for i := range int64(1000) {
		if err := a.Set(1, i, i); err != nil {
			fmt.Println(err)
			return
		}
	}
	diagonal, err := a.At(500, 500)
	fmt.Println(diagonal, err, a.Commit(ctx))
	// Output: 1 <nil> <nil>
}
