package storage_test

import (
	"testing"

	"github.com/cairn-go/cairn/internal/storagetest"
	"github.com/cairn-go/cairn/storage"
)

// undated hides the times and locks of its files.
type undated struct{ storage.FS }

type undatedFile struct{ storage.File }

func (u undated) Open(name string) (storage.File, error) {
	f, err := u.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return undatedFile{f}, nil
}

func (u undated) Create(name string) (storage.File, error) {
	f, err := u.FS.Create(name)
	if err != nil {
		return nil, err
	}
	return undatedFile{f}, nil
}

func TestBuckets(t *testing.T) {
	t.Run("disk", func(t *testing.T) {
		storagetest.RunBucket(t, func(t *testing.T) storage.Bucket {
			return storage.FSBucket(storage.OS(), t.TempDir())
		})
	})
	t.Run("memory", func(t *testing.T) {
		storagetest.RunBucket(t, func(*testing.T) storage.Bucket { return storage.FSBucket(storage.NewMemory(), ".") })
	})
	t.Run("without times", func(t *testing.T) {
		storagetest.RunBucket(t, func(*testing.T) storage.Bucket {
			return storage.FSBucket(undated{storage.NewMemory()}, ".")
		})
	})
}
