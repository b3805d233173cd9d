package httprange

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage/diskcache"
)

// plain makes a server answer with whole files, as python -m http.server does, and count the bytes
// that it could send.
func (s *server) plain(data []byte) {
	s.instead(func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Last-Modified", time.Unix(1e9, 0).UTC().Format(http.TimeFormat))
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		_, _ = w.Write(data)
		return true
	})
}

// TestFilesOfServersWithoutRangesAreReadWhole reads from many goroutines at the same time, with and
// without a cache.
func TestFilesOfServersWithoutRangesAreReadWhole(t *testing.T) {
	data := pattern(3 << 20)
	s := serve(t, nil)
	s.plain(data)
	cache, err := diskcache.Open(t.TempDir(), nil)
	check(t, err)
	defer cache.Close()
	for _, o := range []*Options{nil, {Cache: cache}, {Cache: cache}} {
		f := open(t, s.URL+"/f", o)
		var all sync.WaitGroup
		for i := range 16 {
			all.Go(func() {
				off := i * 190_000
				p := make([]byte, 100_000)
				if _, err := f.ReadAt(p, int64(off)); err != nil || !bytes.Equal(p, data[off:off+len(p)]) {
					t.Errorf("at %d: %v", off, err)
				}
			})
		}
		all.Wait()
		whole := 0
		for _, r := range s.since() {
			if r.Header.Get("Range") == "" {
				whole++
			}
		}
		if whole > 1 {
			t.Errorf("the file was read %d times", whole)
		}
	}
}

// TestArraysOfServersWithoutRanges opens an array by its URL, and asks for the size of its file,
// which takes no body.
func TestArraysOfServersWithoutRanges(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.b2nd")
	a, err := ndarray.Arange[int32](t.Context(), name, 0, 1_000_000, 1, ndarray.Shape{1000, 1000}, nil)
	check(t, err)
	check(t, a.Close())
	data, err := os.ReadFile(name)
	check(t, err)
	s := serve(t, nil)
	s.plain(data)

	files, err := NewFS(t.Context(), nil)
	check(t, err)
	defer files.Close()
	info, err := files.Stat(s.URL + "/a.b2nd")
	if err != nil || info.Size != int64(len(data)) {
		t.Errorf("%d bytes instead of %d: %v", info.Size, len(data), err)
	}
	far, err := ndarray.OpenAs[int32](s.URL+"/a.b2nd", &ndarray.OpenOptions{FS: files})
	check(t, err)
	defer far.Close()
	got, err := far.At(999, 7)
	if err != nil || got != 999_007 {
		t.Errorf("%v: %v", got, err)
	}
}

// TestAWholeFileThatBreaksOffIsReadAnew has the first body end early.
func TestAWholeFileThatBreaksOffIsReadAnew(t *testing.T) {
	data := pattern(3 << 20)
	broken := 0
	s := serve(t, nil)
	s.instead(func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("ETag", `"1"`)
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		part := data
		if r.Header.Get("Range") == "" && broken < 2 {
			broken++
			part = data[:len(data)/broken/2]
		}
		_, _ = w.Write(part)
		return true
	})
	f := open(t, s.URL+"/f", nil)
	p := make([]byte, len(data))
	if _, err := f.ReadAt(p, 0); err != nil || !bytes.Equal(p, data) || broken != 2 {
		t.Errorf("after %d bodies that broke off: %v", broken, err)
	}
}

// TestLargeFilesOfServersWithoutRangesAreRefused checks the bound, also of what a server announces
// and does not send, and of what it does not announce.
func TestLargeFilesOfServersWithoutRangesAreRefused(t *testing.T) {
	data := pattern(1 << 20)
	s := serve(t, nil)
	s.plain(data)
	refused := func(name string, o *Options) {
		t.Helper()
		_, err := Open(t.Context(), s.URL+"/f", o)
		if !errors.Is(err, cairn.ErrUnsupported) || !strings.Contains(err.Error(), "curl -LO URL") {
			t.Errorf("%s: %v", name, err)
		}
	}
	refused("one byte too many", &Options{Whole: 1<<20 - 1})
	refused("never", &Options{Whole: -1})
	open(t, s.URL+"/f", &Options{Whole: 1 << 20})

	s.instead(func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Length", strconv.Itoa(defaultWhole+1))
		return true
	})
	refused("more than the default", nil)
	s.instead(func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("ETag", `"1"`)
		w.WriteHeader(200)
		w.(http.Flusher).Flush()
		_, _ = w.Write(data)
		return true
	})
	refused("an unknown size", nil)
}
