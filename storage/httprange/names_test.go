package httprange

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/store"
)

// TestErrorsNameTheURLOnce opens files that are not there, and reads arrays of which the server
// gives no more than both ends.
func TestErrorsNameTheURLOnce(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.b2nd")
	a, err := ndarray.Arange[int64](t.Context(), name, 0, 1<<20, 1, ndarray.Shape{16, 1 << 16}, &ndarray.Options{
		ChunkShape: ndarray.Shape{1, 1 << 16}, Level: chunk.Stored})
	check(t, err)
	check(t, a.Close())
	data, err := os.ReadFile(name)
	check(t, err)
	s := serve(t, map[string]served{"/a.b2nd": {data: data, tag: `"1"`}})
	s.instead(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("If-Match") == "" {
			return false
		}
		w.WriteHeader(http.StatusForbidden)
		return true
	})
	files, err := NewFS(t.Context(), nil)
	check(t, err)
	defer files.Close()
	link := s.URL + "/a.b2nd"
	once := func(what string, err error) {
		t.Helper()
		if err == nil || strings.Count(err.Error(), s.URL) != 1 {
			t.Errorf("%s: %v", what, err)
		}
	}

	u, err := ndarray.Open(link, &ndarray.OpenOptions{FS: files})
	check(t, err)
	defer u.Close()
	once("a read", u.ReadBytes(t.Context(), make([]byte, 8), []int64{7, 7}, []int64{8, 8}))
	once("a view", u.Slice(ndarray.Index(3)).ReadBytes(t.Context(), make([]byte, 8<<16), []int64{0}, []int64{1 << 16}))
	once("a wrong selection", u.Slice(ndarray.Index(16)).Err())
	once("a copy", u.Save(t.Context(), filepath.Join(t.TempDir(), "b.b2nd"), nil))
	f, err := frame.Open(link, &frame.OpenOptions{FS: files})
	check(t, err)
	defer f.Close()
	_, err = f.EncodedChunk(nil, 7)
	once("a chunk", err)

	missing := strings.Replace(link, "a.b2nd", "none.b2z", 1)
	_, err = ndarray.Open(missing, &ndarray.OpenOptions{FS: files})
	once("no array", err)
	_, err = store.Open(missing, &store.OpenOptions{FS: files})
	once("no store", err)
	_, err = files.Stat(missing)
	once("nothing to describe", err)
}

// TestErrorsOfBucketsNameTheObjectOnce reads a range of an object that has been replaced.
func TestErrorsOfBucketsNameTheObjectOnce(t *testing.T) {
	b := storage.FSBucket(storage.OS(), t.TempDir())
	_, err := b.Put(t.Context(), "some/object", make([]byte, 1<<20), storage.When{})
	check(t, err)
	f, err := storage.BucketFS(t.Context(), b).Open("some/object")
	check(t, err)
	check(t, b.Delete(t.Context(), "some/object"))
	_, err = f.ReadAt(make([]byte, 100), 500_000)
	if err == nil || strings.Count(err.Error(), "some/object") != 1 {
		t.Error(err)
	}
}
