package npy_test

import (
	"bytes"
	"fmt"

	"github.com/cairn-go/cairn/cmd/cairn/internal/npy"
	"github.com/cairn-go/cairn/meta"
)

func Example() {
	dtype, err := meta.ParseDType(">i2")
	if err != nil {
		panic(err)
	}
	h := npy.Header{DType: dtype, Fortran: true, Shape: []int64{2, 3}}
	file := append(h.Append(nil), 0, 1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6)

	r := bytes.NewReader(file)
	got, base, err := npy.ReadHeader(r)
	if err != nil {
		panic(err)
	}
	row := make([]byte, 3*2)
	err = npy.NewFile(r, base, &got).ReadBox(row, []int64{1, 0}, []int64{2, 3})
	fmt.Println(got.DType, got.Shape, row, err)
	// Output: >i2 [2 3] [0 4 0 5 0 6] <nil>
}
