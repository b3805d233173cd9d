package npy_test

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
)

// An array goes into a file of NumPy, and a part of it comes back.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "npy")
	check(err)
	defer os.RemoveAll(dir)
	path := dir + "/x.npy"
	values, err := ndarray.FromSlice([]int16{1, 2, 3, 4, 5, 6}, ndarray.Shape{2, 3}, nil)
	check(err)
	check(npy.Save(ctx, path, values, &npy.SaveOptions{Fortran: true}))

	a, err := npy.Open(path, nil)
	check(err)
	defer a.Close()
	fmt.Println(a.DType(), a.Shape(), a.Fortran())
	v, err := ndarray.ViewAs[int16](a)
	check(err)
	row, err := v.Slice(ndarray.Index(1)).Read(ctx)
	check(err)
	fmt.Println(row)
	// Output:
	// <i2 [2 3] true
	// [4 5 6]
}

// Several arrays go into one archive, which numpy.load opens.
func ExampleWriteArchive() {
	ctx := context.Background()
	time, err := ndarray.FromSlice([]int64{10, 20}, ndarray.Shape{2}, nil)
	check(err)
	depth, err := ndarray.FromSlice([]float32{0.5}, ndarray.Shape{1}, nil)
	check(err)
	var file bytes.Buffer
	err = npy.WriteArchive(ctx, &file, func(put npy.PutFunc) error {
		if err := put("time", time); err != nil {
			return err
		}
		return put("depth", depth)
	}, nil)
	check(err)

	z, err := npy.OpenArchiveReader(bytes.NewReader(file.Bytes()), int64(file.Len()), nil)
	check(err)
	fmt.Println(z.Names())
	a, err := z.Array(ctx, "time")
	check(err)
	v, err := ndarray.ViewAs[int64](a)
	check(err)
	values, err := v.Read(ctx)
	fmt.Println(values, err)
	// Output:
	// [time depth]
	// [10 20] <nil>
}

// Items without a header are read if their dtype and shape are known.
func ExampleOpenReader_raw() {
	h := npy.Header{DType: ndarray.Items([]uint8{0}, ndarray.Shape{1}).DType(), Shape: ndarray.Shape{2, 2}}
	items := []byte{1, 2, 3, 4}
	a, err := npy.OpenReader(bytes.NewReader(items), int64(len(items)), &npy.OpenOptions{Raw: &h})
	check(err)
	column, err := ndarray.ViewOf(a).Read(context.Background(), ndarray.All, ndarray.Index(1))
	fmt.Println(column, err)
	// Output: [2 4] <nil>
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
