package store

import (
	"context"
	"testing"

	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/storage"
)

// middle is a section in the middle of a remote object, as a RangeReader.
type middle struct {
	storage.RangeReader
	many manyReader
}

func (m middle) ReadRanges(ctx context.Context, ranges []storage.Range) error {
	return m.many.ReadRanges(ctx, ranges)
}

func TestSectionsReadRanges(t *testing.T) {
	storagetest.RunRanges(t, func(t *testing.T, data []byte) storage.RangeReader {
		fsys := storage.NewMemory()
		check(t, fsys.Mkdir("b"))
		bucket := storage.FSBucket(fsys, "b")
		_, err := bucket.Put(t.Context(), "alone", data, storage.When{})
		check(t, err)
		around := append(append(make([]byte, 77), data...), 1, 2)
		_, err = bucket.Put(t.Context(), "within", around, storage.When{})
		check(t, err)
		f, err := storage.OpenRanges(t.Context(), storage.ObjectRanges(bucket, "within"), nil)
		check(t, err)
		far := section(storage.ReaderFile(f, 1<<40), 77, int64(len(data)), "")
		return middle{storage.ObjectRanges(bucket, "alone"), far.(manyReader)}
	})
}
