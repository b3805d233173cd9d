package main

import (
	"context"
	"encoding/binary"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/ndarray"
)

// An array that grows: each step appends some rows one by one. Steps alternate between the ways in
// which rows are buffered; the buffer has room for fewer rows than a step.

// growColumns is how many items of two bytes a row has.
const growColumns = 44

func createGrowing(name string, sparse bool) (*ndarray.Untyped, error) {
	return ndarray.CreateUntyped(name, "<u2", ndarray.Shape{0, growColumns}, &ndarray.Options{
		ChunkShape: ndarray.Shape{16, 15}, BlockShape: ndarray.Shape{8, 15},
		Codec: codecs.LZ4, Sparse: sparse, WriteBehind: mayWait,
	})
}

// mayWait is the size of a buffer for about 30 rows.
const mayWait = 4 << 10

// rowsAfter returns the number of rows after the given number of steps.
func rowsAfter(steps int) int {
	rows := 0
	for n := 1; n <= steps; n++ {
		rows += 1 + n*n%43
	}
	return rows
}

func grownRows(n int) []byte {
	var rows []byte
	for i := range n {
		rows = append(rows, grownRow(i)...)
	}
	return rows
}

func grownRow(i int) []byte {
	row := make([]byte, 0, 2*growColumns)
	for k := range growColumns {
		row = binary.LittleEndian.AppendUint16(row, uint16(i*i+k*i/3))
	}
	return row
}

// grow appends the rows of step n.
func grow(a *ndarray.Untyped, n int) error {
	for i := rowsAfter(n - 1); i < rowsAfter(n); i++ {
		if err := growBy(a, i); err != nil {
			return err
		}
	}
	return nil
}

// growBy appends row i.
func growBy(a *ndarray.Untyped, i int) error {
	ctx, row, at := context.Background(), grownRow(i), int64(i)
	switch i % 3 {
	case 0:
		return a.Append(ctx, 0, row)
	case 1:
		return a.Insert(ctx, 0, at, row)
	}
	if err := a.Resize(ctx, ndarray.Shape{at + 1, growColumns}, nil); err != nil {
		return err
	}
	return a.Write(ctx, row, ndarray.Index(at))
}
