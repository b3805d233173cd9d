package npy

import (
	"context"
	"math"

	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/strided"
	"github.com/cairn-go/cairn/storage"
)

// layerFile is the layer of errors about the items of a file.
const layerFile = "npy file"

// items are the bytes of the items of an array.
type items interface {
	// readBox reads the items of a box into dst, in the order of the file.
	readBox(ctx context.Context, dst []byte, l strided.Layout, start, stop []int64) error
}

// fileItems are the items of a file. Their size has been checked.
type fileItems struct {
	strided.File
	file storage.File
}

func (f fileItems) readBox(ctx context.Context, dst []byte, l strided.Layout, start, stop []int64) error {
	workers := 1
	if far, ok := f.File.File.(interface{ Requests() int }); !ok || far.Requests() == 0 {
		workers = parallel.WorkersIn(ctx, 0)
	}
	return f.ReadBoxBy(ctx, workers, dst, l, start, stop)
}

// lend returns n bytes at an offset as memory of the file, and a function that ends their use; nil
// if the file has no memory to lend.
func (f fileItems) lend(off, n int64) (*lentItems, func()) {
	l, ok := f.file.(storage.Lender)
	if !ok || n > math.MaxInt {
		return nil, nil
	}

	data := l.Lease(f.Base+off, int(n))
	if data == nil {
		return nil, nil
	}
	return &lentItems{data, off}, l.Release
}

// lentItems are items in memory.
type lentItems struct {
	data []byte
	off  int64 // of data, from the first item
}

func (m *lentItems) readBox(ctx context.Context, dst []byte, l strided.Layout, start, stop []int64) error {
	return l.Walk(start, stop, func(r strided.Rows) error {
		r.Copy(dst, m.data[r.Off-m.off:])
		dst = dst[r.Count*r.Run:]
		return ctx.Err()
	})
}
