package httprange

import (
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/zarr"
)

// farArray opens an array of 24 MiB in 24 chunks, none of which repeats another, on a server.
func farArray(t *testing.T) (*server, *FS, ndarray.Array[int32]) {
	t.Helper()
	made, err := ndarray.FromFunc(t.Context(), "", ndarray.Shape{24, 1 << 18}, func(i []int64) int32 {
		return int32(uint32(i[0]<<18+i[1]) * 2654435761)
	}, &ndarray.Options{ChunkShape: ndarray.Shape{1, 1 << 18}, Level: chunk.Stored})
	check(t, err)
	file, err := made.Bytes()
	check(t, err)
	s := serve(t, map[string]served{"/a": {data: file, tag: `"1"`}})
	files, err := NewFS(t.Context(), &Options{Attempts: 1})
	check(t, err)
	t.Cleanup(func() { files.Close() })
	a, err := ndarray.OpenAs[int32](s.URL+"/a", &ndarray.OpenOptions{FS: files, Verify: frame.VerifyWhole, Workers: 2})
	check(t, err)
	t.Cleanup(func() { a.Close() })
	return s, files, a
}

// farReads are the calls that fetch chunks ahead.
func farReads(a ndarray.Array[int32]) map[string]func(ctx context.Context) error {
	return map[string]func(ctx context.Context) error{
		"read": func(ctx context.Context) error {
			_, err := a.Read(ctx)
			return err
		},
		"sum": func(ctx context.Context) error {
			_, err := compute.Sum[int64](ctx, a, nil)
			return err
		},
		"sums": func(ctx context.Context) error {
			_, err := compute.Sum[int64](ctx, a, &compute.Options{Axes: []int{0}})
			return err
		},
		"blocks": func(ctx context.Context) error {
			for _, err := range a.Blocks(ctx) {
				if err != nil {
					return err
				}
			}
			return nil
		},
		"copy": func(ctx context.Context) error {
			_, err := ndarray.Copy(ctx, a, nil)
			return err
		},
		"rechunked copy": func(ctx context.Context) error {
			_, err := ndarray.Copy(ctx, a, &ndarray.CopyOptions{ChunkShape: ndarray.Shape{2, 1 << 17}})
			return err
		},
		"npy": func(ctx context.Context) error { return npy.Write(ctx, io.Discard, a, nil) },
		"zarr": func(ctx context.Context) error {
			return zarr.Save(ctx, "z", a, &zarr.SaveOptions{FS: storage.NewMemory(), Durability: frame.None})
		},
		"values": func(ctx context.Context) error {
			for _, err := range a.Values(ctx) {
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// TestEndOfReadsAhead cancels calls while what they fetch ahead does not arrive. They end at once,
// with all goroutines.
func TestEndOfReadsAhead(t *testing.T) {
	s, files, a := farArray(t)
	var took []time.Duration
	for name, read := range farReads(a) {
		before := runtime.NumGoroutine()
		var waiting atomic.Int64
		s.instead(func(_ http.ResponseWriter, r *http.Request) bool {
			waiting.Add(1)
			<-r.Context().Done()
			return true
		})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- read(ctx) }()
		for waiting.Load() < 1 {
			time.Sleep(time.Millisecond)
		}
		began := time.Now()
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		took = append(took, time.Since(began))
		check(t, files.Close())
		for i := 0; runtime.NumGoroutine() > before; i++ {
			if i == 60_000 {
				t.Fatalf("%s: %d goroutines, %d before", name, runtime.NumGoroutine(), before)
			}
			time.Sleep(time.Millisecond)
		}
	}
	slices.Sort(took)
	// A read that missed the end would wait for an answer for 30 seconds.
	if took[len(took)/2] > 5*time.Second {
		t.Errorf("reads ended after %v", took)
	}
}

// TestErrorsOfReadsAhead lets the server fail for the later chunks.
func TestErrorsOfReadsAhead(t *testing.T) {
	s, _, a := farArray(t)
	for name, read := range farReads(a) {
		s.instead(func(w http.ResponseWriter, r *http.Request) bool {
			if strings.HasPrefix(r.Header.Get("Range"), "bytes=1") {
				w.WriteHeader(http.StatusForbidden)
				return true
			}
			return false
		})
		if err := read(t.Context()); err == nil || !strings.Contains(err.Error(), "403") {
			t.Errorf("%s: %v", name, err)
		}
		s.instead(nil)
		check(t, read(t.Context()))
	}
}
