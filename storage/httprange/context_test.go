package httprange

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/store"
	"github.com/cairn-go/cairn/zarr"
)

// A silentServer answers some requests, and then nothing.
type silentServer struct {
	*server
	left   atomic.Int64 // requests that are answered
	silent chan struct{}
	conns  atomic.Int64 // open connections
}

func serveSilently(files map[string]served) *silentServer {
	s := &silentServer{server: &server{files: files}, silent: make(chan struct{}, 1000)}
	s.Server = httptest.NewUnstartedServer(s.server)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			s.conns.Add(1)
		case http.StateClosed, http.StateHijacked:
			s.conns.Add(-1)
		}
	}
	s.instead(func(_ http.ResponseWriter, r *http.Request) bool {
		if s.left.Add(-1) >= 0 {
			return false
		}
		s.silent <- struct{}{}
		<-r.Context().Done()
		return true
	})
	s.Start()
	return s
}

// idle waits until no connection is open and no more than so many goroutines are left.
func (s *silentServer) idle(t *testing.T, goroutines int) {
	t.Helper()
	for range 6000 {
		if s.conns.Load() == 0 && runtime.NumGoroutine() <= goroutines {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d connections and %d goroutines are left, %d before", s.conns.Load(), runtime.NumGoroutine(), goroutines)
}

// farFiles returns files whose reading takes requests of every kind: an index and a vlmetalayer
// that are larger than the last bytes, headers and parts of chunks, members of archives.
func farFiles(t *testing.T) map[string]served {
	dir := t.TempDir()
	noise := make([]byte, 200<<10)
	rnd := rand.NewChaCha8([32]byte{18})
	_, _ = rnd.Read(noise)
	f, err := frame.Create(dir+"/frame", &frame.Options{ChunkSize: 300, Codec: codecs.LZ4, Level: 1})
	check(t, err)
	for i := range 40_000 { // of various sizes, so that the index does not compress well
		data := make([]byte, 300)
		copy(data[:noise[i]], noise[i:])
		_, err := f.Append(t.Context(), data)
		check(t, err)
	}
	check(t, f.SetVL("noise", noise), f.Close())
	items, err := ndarray.FromSlice(noise, ndarray.Shape{8, int64(len(noise)) / 8}, &ndarray.Options{
		ChunkShape: ndarray.Shape{1, int64(len(noise)) / 8}})
	check(t, err)
	check(t, zarr.Save(t.Context(), dir+"/a.zarr.zip", items, nil))
	e, err := store.Create(dir+"/s.b2z", nil)
	check(t, err)
	check(t, e.Put(t.Context(), "/x", items, nil), e.Close())
	files := map[string]served{}
	for _, name := range []string{"/frame", "/a.zarr.zip", "/s.b2z"} {
		data, err := os.ReadFile(dir + name)
		check(t, err)
		files[name] = served{data: data, tag: `"1"`}
	}
	return files
}

// reads are calls that have no context, or whose context does not end.
var reads = map[string]func(link string, files *FS) error{
	"/frame": func(link string, files *FS) error {
		f, err := frame.Open(link, &frame.OpenOptions{FS: files})
		if err != nil {
			return err
		}
		defer f.Close()
		if _, err := f.Peek(20_000); err != nil {
			return err
		}
		if _, err = f.VL("noise"); err != nil {
			return err
		}
		_, err = f.EncodedChunk(nil, 30_000)
		return err
	},
	"/a.zarr.zip": func(link string, files *FS) error {
		st, err := zarr.Open(link, &zarr.OpenOptions{FS: files})
		if err != nil {
			return err
		}
		defer st.Close()
		a, err := st.Array(context.Background(), "")
		if err != nil {
			return err
		}
		return a.ReadBytes(context.Background(), make([]byte, 1), []int64{3, 20_000}, []int64{4, 20_001})
	},
	"/s.b2z": func(link string, files *FS) error {
		st, err := store.Open(link, &store.OpenOptions{FS: files})
		if err != nil {
			return err
		}
		defer st.Close()
		a, err := st.Array(context.Background(), "/x")
		if err != nil {
			return err
		}
		return a.ReadBytes(context.Background(), make([]byte, 1), []int64{3, 20_000}, []int64{4, 20_001})
	},
}

// TestOpeningContext checks that the end of the context of a file system ends reads that have no
// context of their own, whichever request the server does not answer, and that nothing is left.
func TestOpeningContext(t *testing.T) {
	files := farFiles(t)
	var took []time.Duration
	for name, read := range reads {
		before := runtime.NumGoroutine()
		s := serveSilently(files)
		n := int64(1) // the second request is the first without an answer
		for ; ; n++ {
			s.left.Store(n)
			ctx, cancel := context.WithCancel(t.Context())
			files, err := NewFS(ctx, nil)
			check(t, err)
			result := make(chan error, 1)
			go func() { result <- read(s.URL+name, files) }()
			var ended bool
			select {
			case err = <-result:
				ended = true
			case <-s.silent:
			}
			began := time.Now()
			cancel()
			if !ended {
				err = <-result
				took = append(took, time.Since(began))
			}
			check(t, files.Close())
			if ended {
				check(t, err)
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s, without an answer to request %d: %v", name, n+1, err)
			}
			for range len(s.silent) {
				<-s.silent
			}
		}
		if n < 3 {
			t.Errorf("%s takes %d requests", name, n)
		}
		s.Server.Close()
		s.idle(t, before)
	}
	slices.Sort(took)
	t.Logf("%d reads ended after %v, %v at most", len(took), took[len(took)/2], took[len(took)-1])
	// A read that missed the end would wait for an answer for 30 seconds.
	if took[len(took)/2] > 5*time.Second {
		t.Errorf("reads ended after %v", took)
	}
}

// TestEndOfOpeningContext checks that reads fail once the context of opening has ended, from memory
// as well, with the error of that context.
func TestEndOfOpeningContext(t *testing.T) {
	s := serve(t, map[string]served{"/f": {data: pattern(1 << 20), tag: `"1"`}})
	for _, off := range []int64{0, 500_000} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		f, err := Open(ctx, s.URL+"/f", nil)
		check(t, err)
		_, err = f.ReadAt(make([]byte, 10), off)
		check(t, err)
		cancel()
		for _, at := range []int64{off, off + 100_000} {
			if _, err := f.ReadAt(make([]byte, 10), at); !errors.Is(err, context.Canceled) {
				t.Errorf("a read at %d: %v", at, err)
			}
		}
		check(t, f.Close())
	}
}

// TestDeadlineOfOpening checks that the deadline of the context of opening ends a later read.
func TestDeadlineOfOpening(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &farServer{file: pattern(1 << 20)}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		f, err := Open(ctx, "http://far/f", &Options{Transport: s})
		check(t, err)
		defer f.Close()
		s.silent = true
		began := time.Now()
		if _, err := f.ReadAt(make([]byte, 10), 300_000); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after the time of opening: %v", err)
		}
		if took := time.Since(began); took > 300*time.Millisecond {
			t.Errorf("the read took %v", took)
		}
	})
}
