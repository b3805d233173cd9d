package ndarray

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/storage"
)

// httpRanges reads a file by HTTP range requests.
type httpRanges struct {
	url  string
	size int64
	etag string
}

func (h *httpRanges) Stat(ctx context.Context) (storage.Object, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, h.url, nil)
	if err != nil {
		return storage.Object{}, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return storage.Object{}, err
	}
	h.size, h.etag = resp.ContentLength, resp.Header.Get("ETag")
	return storage.Object{Name: h.url, Size: h.size, Version: h.etag}, resp.Body.Close()
}

func (h *httpRanges) ReadRanges(ctx context.Context, ranges []storage.Range) error {
	for _, r := range ranges {
		if err := h.read(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

func (h *httpRanges) read(ctx context.Context, r storage.Range) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", r.Off, r.Off+int64(len(r.Data))-1))
	req.Header.Set("If-Match", h.etag)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusPartialContent:
		_, err = io.ReadFull(resp.Body, r.Data)
		return err
	case http.StatusPreconditionFailed:
		return fmt.Errorf("%s has changed: %w", h.url, cairn.ErrConflict)
	}
	return fmt.Errorf("%s: %s", h.url, resp.Status)
}

// ReadAt reads a range, as a program that does not use storage.OpenRanges does.
func (h *httpRanges) ReadAt(p []byte, off int64) (int, error) {
	n := min(int64(len(p)), h.size-off)
	if n <= 0 {
		return 0, io.EOF
	}
	if err := h.read(context.Background(), storage.Range{Off: off, Data: p[:n]}); err != nil {
		return 0, err
	}
	if n < int64(len(p)) {
		return int(n), io.EOF
	}
	return int(n), nil
}

// A rangeServer serves one file, and counts requests.
type rangeServer struct {
	*httptest.Server
	mu             sync.Mutex
	data           []byte
	etag           string
	delay          time.Duration
	requests       int
	inFlight, most atomic.Int64
}

func (s *rangeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := s.inFlight.Add(1)
	defer s.inFlight.Add(-1)
	s.mu.Lock()
	s.requests++
	s.most.Store(max(s.most.Load(), n))
	data, delay := s.data, s.delay
	w.Header().Set("ETag", s.etag)
	s.mu.Unlock()
	time.Sleep(delay)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

// since returns the number of requests, and the most that were in flight, since the last call.
func (s *rangeServer) since() (requests, most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	requests, most = s.requests, int(s.most.Load())
	s.requests = 0
	s.most.Store(0)
	return requests, most
}

// serve serves an array of 500 × 64 × 64 items in 20 chunks, a block for each quarter of a step.
func serve(t *testing.T, delay time.Duration) *rangeServer {
	t.Helper()
	fsys := storage.NewMemory()
	a, err := Create[int32]("a", Shape{500, 64, 64}, &Options{
		ChunkShape: Shape{25, 64, 64}, BlockShape: Shape{1, 32, 32}, FS: fsys, Codec: codecs.LZ4})
	check(t, err)
	all := make([]int32, 500*64*64)
	for i := range all {
		all[i] = hashed(i)
	}
	check(t, a.Write(t.Context(), all))
	data, err := a.Bytes()
	check(t, err, a.Close())
	s := &rangeServer{data: data, etag: `"1"`, delay: delay}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// TestRequestsOverHTTP counts the requests of typical reads, through an io.ReaderAt and through
// ranges. The table is in bench/results/2026-11.md.
func TestRequestsOverHTTP(t *testing.T) {
	s := serve(t, time.Millisecond)
	ctx := t.Context()
	src := &httpRanges{url: s.URL}
	at, err := src.Stat(ctx)
	check(t, err)
	s.since()
	type counts struct{ open, point, second, box, series, most int }
	count := func(r io.ReaderAt) counts {
		var c counts
		u, err := OpenReader(r, at.Size, &OpenOptions{Workers: 4, Verify: frame.VerifyOff})
		check(t, err)
		defer u.Close()
		a, err := As[int32](u)
		check(t, err)
		c.open, _ = s.since()
		for i, to := range []*int{&c.point, &c.second} {
			got, err := a.At(30, 7, int64(i*40))
			check(t, err)
			if want := hashed(30*64*64 + 7*64 + i*40); got != want {
				t.Errorf("item %d, want %d", got, want)
			}
			*to, _ = s.since()
		}
		_, err = a.Read(ctx, Range(60, 64), Range(0, 32), Range(0, 64))
		check(t, err)
		c.box, _ = s.since()
		series, err := a.Read(ctx, All, Index(5), Index(5))
		check(t, err)
		for i, got := range series {
			if want := hashed(i*64*64 + 5*64 + 5); got != want {
				t.Fatalf("step %d: %d, want %d", i, got, want)
			}
		}
		c.series, c.most = s.since()
		return c
	}
	before := count(src)
	far, err := storage.OpenRanges(ctx, src, nil)
	check(t, err)
	after := count(far)
	t.Logf("before %+v", before)
	t.Logf("after %+v", after)
	// The number in flight depends on timing, but it exceeds the number of workers and keeps to the
	// limit.
	if want := (counts{3, 2, 1, 2, 37, 16}); after.most <= 4 || after.most > 16 {
		t.Errorf("%d requests in flight, want 5 to %d", after.most, want.most)
	} else if after.most = want.most; after != want {
		t.Errorf("%+v, want %+v", after, want)
	}
}

// TestRequestsForAChunkThatIsCompared checks that verifying a chunk's checksum fetches the chunk by
// one request, and decodes from those bytes.
func TestRequestsForAChunkThatIsCompared(t *testing.T) {
	a, err := New[int32](Shape{4, 1 << 20}, &Options{ChunkShape: Shape{1, 1 << 20}, Level: chunk.Stored})
	check(t, err, a.Set(7, 2, 77))
	data, err := a.Bytes()
	check(t, err, a.Close())
	s := &rangeServer{data: data, etag: `"1"`}
	s.Server = httptest.NewServer(s)
	defer s.Close()
	far, err := storage.OpenRanges(t.Context(), &httpRanges{url: s.URL}, nil)
	check(t, err)
	u, err := OpenReader(far, int64(len(data)), nil)
	check(t, err)
	defer u.Close()
	s.since()
	for _, want := range []int{1, 1} { // first the chunk, then a block
		item := make([]byte, 4)
		check(t, u.ReadPoints(t.Context(), item, []int64{2, 77}))
		if n, _ := s.since(); n != want || item[0] != 7 {
			t.Errorf("%d requests, want %d, for %v", n, want, item)
		}
	}
}

// TestRangesObserveTheirContext checks that the end of a context cancels requests in flight, and
// that a changed file is a conflict.
func TestRangesObserveTheirContext(t *testing.T) {
	s := serve(t, 0)
	far, err := storage.OpenRanges(t.Context(), &httpRanges{url: s.URL}, &storage.RangeOptions{Requests: 2})
	check(t, err)
	size, err := far.Size()
	check(t, err)
	u, err := OpenReader(far, size, &OpenOptions{Verify: frame.VerifyOff})
	check(t, err)
	defer u.Close()
	buf := make([]byte, 500*4)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	s.mu.Lock()
	s.delay = 20 * time.Millisecond
	s.mu.Unlock()
	if err := u.ReadBytes(ctx, buf, []int64{0, 5, 5}, []int64{500, 6, 6}); err == nil || ctx.Err() == nil {
		t.Errorf("a read beyond its time: %v", err)
	}
	if _, most := s.since(); most > 2 {
		t.Errorf("%d requests in flight, of 2", most)
	}
	s.mu.Lock()
	s.delay, s.etag = 0, `"2"`
	s.mu.Unlock()
	if err := u.ReadBytes(t.Context(), buf, []int64{0, 5, 40}, []int64{500, 6,
		41}); !errors.Is(err, cairn.ErrConflict) {
		t.Errorf("another version was read: %v", err)
	}
}
