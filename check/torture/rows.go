package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// Processes append numbered rows to one array and read it: those of testdata/rows.py, and these.

// rowsVerb and watchVerb as the first argument make this program a process that appends rows or
// reads them.
const (
	rowsVerb  = "append-rows"
	watchVerb = "follow-rows"
)

const (
	rowItems  = 8
	rowChunk  = 16 // rows of a chunk
	rowsFirst = 4  // rows of zeros at the beginning
)

// createRows makes the array.
func createRows(name string, sparse bool) error {
	a, err := ndarray.Create[int64](name, ndarray.Shape{rowsFirst, rowItems}, &ndarray.Options{
		ChunkShape: ndarray.Shape{rowChunk, rowItems}, BlockShape: ndarray.Shape{4, rowItems}, Codec: codecs.LZ4, Sparse: sparse, Locking: true,
	})
	if err != nil {
		return err
	}
	return a.Close()
}

// openRows opens the array for one of several processes.
func openRows(name string, mode ndarray.Mode) (ndarray.Array[int64], error) {
	return ndarray.OpenAs[int64](name, &ndarray.OpenOptions{Mode: mode, Locking: true, Workers: 1,
		Commits: frame.Commits{Durability: lax}})
}

// growTo resizes an array to the given number of rows, as the C library does. The caller has the
// lock.
func growTo(u *ndarray.Untyped, rows int64) error {
	f := u.Frame()
	ctx := context.Background()
	content, err := f.Layer(meta.LayerB2ND)
	if err != nil {
		return err
	}
	m, err := meta.ParseB2ND(content)
	if err != nil {
		return err
	}

	m.Shape[0] = rows
	if more := (rows+rowChunk-1)/rowChunk - int64(f.NumChunks()); more > 0 {
		if err := f.AppendSpecial(ctx, chunk.SpecialZeros, more*int64(f.ChunkSize())); err != nil {
			return err
		}
	}

	if err := f.SetMeta(meta.LayerB2ND, m.Append(nil)); err != nil {
		return err
	}
	_, err = u.Refresh(ctx)
	return err
}

// appendRows appends rows and commits them: as the C library does, under a lock that is taken
// before, or at times in a transaction, which takes it by itself.
func appendRows(a ndarray.Array[int64], writer, first, more int64) error {
	ctx := context.Background()
	if first%4 == 1 {
		return a.Atomically(ctx, func() error { return a.Append(ctx, 0, rowsOf(writer, first, more)) })
	}
	if err := a.Untyped.Lock(ctx); err != nil {
		return err
	}
	if err := stageRows(a, writer, first, more); err != nil {
		return err
	}
	return a.Commit(ctx)
}

// stageRows appends rows without a commit. The caller has the lock.
func stageRows(a ndarray.Array[int64], writer, first, more int64) error {
	u := a.Untyped
	old := u.Shape()[0]
	if err := growTo(u, old+more); err != nil {
		return err
	}
	return a.Write(context.Background(), rowsOf(writer, first, more), ndarray.Range(old, old+more))
}

func rowsOf(writer, first, more int64) []int64 {
	rows := make([]int64, more*rowItems)
	for i := range rows {
		rows[i] = writer<<32 | first + int64(i/rowItems)
	}
	return rows
}

// followRows is a reading process.
func followRows(name string, span time.Duration) error {
	a, err := openRows(name, ndarray.ReadOnly)
	if err != nil {
		return err
	}

	var looks, last int
	for end := time.Now().Add(span); time.Now().Before(end); looks++ {
		rows, err := a.Read(context.Background())
		if err == nil {
			_, err = countRows(rows)
		}
		if len(rows) < last {
			err = errors.Join(err, fmt.Errorf("%d items after %d", len(rows), last))
		}
		if err != nil {
			return errors.Join(fmt.Errorf("look %d: %w", looks, err), a.Close())
		}
		last = len(rows)
		// leave a gap: system locks are not fair, so continuous readers would keep writers out
		time.Sleep(2 * time.Millisecond)
	}

	fmt.Println(looks)
	return a.Close()
}

// countRows returns the number of rows of each writer, and checks that they are complete and in
// order.
func countRows(items []int64) (map[int]int, error) {
	counts := map[int]int{}
	for i := 0; i+rowItems <= len(items); i += rowItems {
		mark := items[i]
		row := i / rowItems
		for _, item := range items[i:][:rowItems] {
			if item != mark {
				return nil, fmt.Errorf("row %d is %x: %w", row, items[i:][:rowItems], errDiffers)
			}
		}

		if row < rowsFirst {
			if mark != 0 {
				return nil, fmt.Errorf("row %d is %x: %w", row, mark, errDiffers)
			}
			continue
		}

		writer := int(mark >> 32)
		number := int(uint32(mark))
		if counts[writer]++; number != counts[writer] || mark == 0 {
			return nil, fmt.Errorf("row %d is number %d of writer %d after %v: %w", row, number, writer, counts, errDiffers)
		}
	}
	return counts, nil
}
