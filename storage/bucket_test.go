package storage_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cairn-go/cairn/internal/test/storagetest"
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
	t.Run("a folder to be made", func(t *testing.T) {
		storagetest.RunBucket(t, func(*testing.T) storage.Bucket { return storage.FSBucket(storage.NewMemory(), "some/folder") })
		storagetest.RunBucket(t, func(t *testing.T) storage.Bucket {
			return storage.FSBucket(storage.OS(), filepath.Join(t.TempDir(), "some", "folder"))
		})
	})
	t.Run("without times", func(t *testing.T) {
		storagetest.RunBucket(t, func(*testing.T) storage.Bucket {
			return storage.FSBucket(undated{storage.NewMemory()}, ".")
		}, storagetest.Times)
	})
}

// TestOwnNamesOfBuckets puts objects under the names of a bucket's own files.
func TestOwnNamesOfBuckets(t *testing.T) {
	b := storage.FSBucket(storage.OS(), t.TempDir())
	for _, name := range []string{".lock", ".new-x", ".new-/a", ".lock/a"} {
		if _, err := b.Put(t.Context(), name, nil, storage.When{}); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%q: %v", name, err)
		}
	}
	for o, err := range b.List(t.Context(), "") {
		t.Errorf("%v is there, %v", o, err)
	}
}

// TestPutReplacesObjectsWithFutureTimes checks that Put does not wait until the clock has passed
// the time of the object that it replaces.
func TestPutReplacesObjectsWithFutureTimes(t *testing.T) {
	dir := t.TempDir()
	b := storage.FSBucket(storage.OS(), dir)
	old, err := b.Put(t.Context(), "a", []byte("old"), storage.When{})
	if err != nil {
		t.Fatal(err)
	}
	tomorrow := time.Now().Add(24 * time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "a"), tomorrow, tomorrow); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	now, err := b.Put(ctx, "a", []byte("new"), storage.When{})
	if err != nil || now.Version == old.Version {
		t.Fatalf("version %q after %q: %v", now.Version, old.Version, err)
	}
}

// goneFS lists an entry that was removed meanwhile.
type goneFS struct{ fs.FS }

type goneEntry struct{ fs.DirEntry }

func (goneEntry) Info() (fs.FileInfo, error) { return nil, fs.ErrNotExist }

func (g goneFS) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(g.FS, name)
	return append([]fs.DirEntry{goneEntry{}}, entries...), err
}

func TestReadDirLeavesOutWhatIsGone(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "here"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	infos, err := storage.IOFS(goneFS{os.DirFS(dir)}).ReadDir(".")
	if err != nil || len(infos) != 1 || infos[0].Name != "here" {
		t.Errorf("%v %v", infos, err)
	}
}
