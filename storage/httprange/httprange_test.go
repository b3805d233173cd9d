package httprange

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/storage"
)

func TestRangeReader(t *testing.T) {
	for _, f := range []served{{tag: `"1"`}, {tag: `W/"1"`, modified: time.Unix(1e9, 0)}, {modified: time.Unix(1e9, 0)}} {
		t.Run(fmt.Sprint(f.tag, f.modified.Unix()), func(t *testing.T) {
			storagetest.RunRanges(t, func(t *testing.T, data []byte) storage.RangeReader {
				f.data = data
				s := serve(t, map[string]served{"/f": f})
				c, at, err := newClient(s.URL+"/f", nil)
				check(t, err)
				t.Cleanup(func() { c.Close() })
				return &source{client: c, url: at}
			})
		})
	}
}

// TestOpening checks that opening takes one round of two requests, whatever the size.
func TestOpening(t *testing.T) {
	for _, n := range []int{0, 1, 100, 16 << 10, 16<<10 + 1, 70_000, 1 << 20} {
		data := pattern(n)
		s := serve(t, map[string]served{"/f": {data: data, tag: `"1"`}})
		f := open(t, s.URL+"/f", nil)
		if requests := s.since(); len(requests) > 2 {
			t.Errorf("%d bytes: %d requests", n, len(requests))
		}
		got := make([]byte, n)
		if k, err := f.ReadAt(got, 0); k != n || err != nil || !bytes.Equal(got, data) {
			t.Errorf("%d bytes: read %d, %v", n, k, err)
		}
		if k, err := f.ReadAt(make([]byte, 10), int64(n)-min(int64(n), 3)); k != min(n, 3) || err != io.EOF {
			t.Errorf("%d bytes: %d at the end, %v", n, k, err)
		}
	}
}

// TestNoSuffixRanges checks a server that does not know ranges from the end, as Azure's.
func TestNoSuffixRanges(t *testing.T) {
	data := pattern(1 << 20)
	for _, status := range []int{400, 416, 501, 200} {
		s := serve(t, map[string]served{"/f": {data: data, tag: `"1"`}})
		s.instead(func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.HasPrefix(r.Header.Get("Range"), "bytes=-") {
				return false
			}
			w.WriteHeader(status)
			return true
		})
		f := open(t, s.URL+"/f", nil)
		if n := len(s.since()); n != 3 {
			t.Errorf("status %d: %d requests", status, n)
		}
		tail := make([]byte, 1000)
		if _, err := f.ReadAt(tail, 1<<20-1000); err != nil || !bytes.Equal(tail, data[1<<20-1000:]) {
			t.Errorf("status %d: %v", status, err)
		}
		if n := len(s.since()); n != 0 {
			t.Errorf("status %d: %d requests for the tail", status, n)
		}
	}
}

// TestChanges checks that every change of the file is a conflict.
func TestChanges(t *testing.T) {
	data, then := pattern(1<<20), time.Unix(1e9, 0)
	for _, c := range []struct{ before, after served }{
		{served{data, `"1"`, time.Time{}}, served{data, `"2"`, time.Time{}}},
		{served{data, `"1"`, then}, served{data, `W/"1"`, then}},
		{served{data, `"1"`, then}, served{data, "", then}},
		{served{data, `W/"1"`, then}, served{data, `W/"2"`, then}},
		{served{data, "", then}, served{data, "", then.Add(time.Second)}},
		{served{data, "", then}, served{data[:1<<19], "", then}},
		{served{data, `"1"`, then}, served{data[:1<<19], `"1"`, then}},
	} {
		for _, preconditions := range []bool{true, false} {
			s := serve(t, map[string]served{"/f": c.before})
			f := open(t, s.URL+"/f", nil)
			s.put("/f", c.after)
			if !preconditions { // a server that ignores them
				s.instead(func(w http.ResponseWriter, r *http.Request) bool {
					r.Header.Del("If-Match")
					r.Header.Del("If-Unmodified-Since")
					return false
				})
			}
			for _, off := range []int64{100_000, 800_000} {
				if _, err := f.ReadAt(make([]byte, 1000), off); !errors.Is(err, cairn.ErrConflict) {
					t.Errorf("%q %v, then %q %v: %v at %d", c.before.tag, c.before.modified, c.after.tag,
						c.after.modified, err, off)
				}
			}
		}
	}
}

// TestRefusals checks answers that are refused, without reading their bodies and without another
// attempt.
func TestRefusals(t *testing.T) {
	data := pattern(1 << 20)
	for _, c := range []struct {
		status int
		header string
		want   error
		text   string
	}{
		{200, "", cairn.ErrUnsupported, "does not support range requests"},
		{206, "Content-Range: bytes 0-9/1048576", cairn.ErrUnsupported, "bytes 0 to 9 instead of 300000 to 300999"},
		{206, "Content-Range: bytes 300000-301999/1048576", cairn.ErrUnsupported, "instead of"},
		{206, "Content-Range: bytes 300000-300999/1048577", cairn.ErrConflict, "changed"},
		{206, "Content-Range: items 1-2/3", cairn.ErrUnsupported, "invalid Content-Range"},
		{206, "", cairn.ErrUnsupported, "invalid Content-Range"},
		{206, "Content-Encoding: gzip", cairn.ErrUnsupported, `"gzip"`},
		{206, "Content-Type: multipart/byteranges; boundary=x", cairn.ErrUnsupported, "several"},
		{403, "", fs.ErrPermission, "403 Forbidden"},
		{401, "", fs.ErrPermission, "401 Unauthorized"},
		{404, "", fs.ErrNotExist, "404 Not Found"},
		{410, "", fs.ErrNotExist, "410 Gone"},
		{412, "", cairn.ErrConflict, "changed"},
		{416, "Content-Range: bytes */300", cairn.ErrConflict, "changed"},
		{416, "", cairn.ErrUnsupported, "416"},
		{418, "", nil, "418"},
		{503, "Retry-After: 3600", nil, "more than 1m0s"},
	} {
		s := serve(t, map[string]served{"/f": {data: data, tag: `"1"`}})
		f := open(t, s.URL+"/f?key=secret", nil)
		s.since()
		var sent atomic.Int64
		s.instead(func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("ETag", `"1"`)
			if name, value, ok := strings.Cut(c.header, ": "); ok {
				w.Header().Set(name, value)
			}
			w.WriteHeader(c.status)
			for range 1 << 10 {
				n, err := w.Write(data)
				sent.Add(int64(n))
				if err != nil {
					break
				}
			}
			return true
		})
		_, err := f.ReadAt(make([]byte, 1000), 300_000)
		if err == nil || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) ||
			!strings.HasPrefix(err.Error(), "read "+s.URL+"/f?...: ") {
			t.Errorf("%d %s: %v, want %q", c.status, c.header, err, c.text)
		}
		if n := len(s.since()); n != 1 {
			t.Errorf("%d %s: %d requests", c.status, c.header, n)
		}
		s.CloseClientConnections()
		if n := sent.Load(); n > 64<<20 {
			t.Errorf("%d %s: the server could send %d bytes", c.status, c.header, n)
		}
	}
}

// TestNoVersion checks that a server that tells no version is refused unless the caller accepts it.
func TestNoVersion(t *testing.T) {
	data := pattern(1 << 20)
	s := serve(t, map[string]served{"/f": {data: data}})
	if _, err := Open(t.Context(), s.URL+"/f", nil); !errors.Is(err, cairn.ErrUnsupported) {
		t.Errorf("without a version: %v", err)
	}
	f := open(t, s.URL+"/f", &Options{Unpinned: true})
	got := make([]byte, 5000)
	if _, err := f.ReadAt(got, 500_000); err != nil || !bytes.Equal(got, data[500_000:505_000]) {
		t.Error(err)
	}
	s.put("/f", served{data: data[:1<<19]})
	if _, err := f.ReadAt(got, 600_000); !errors.Is(err, cairn.ErrConflict) {
		t.Errorf("another size: %v", err)
	}
}

// TestRetries checks that failed attempts are repeated, and that an interrupted body continues
// where it ended.
func TestRetries(t *testing.T) {
	data := pattern(1 << 20)
	s := serve(t, map[string]served{"/f": {data: data, tag: `"1"`}})
	f := open(t, s.URL+"/f", nil)
	s.since()
	var n atomic.Int64
	s.instead(func(w http.ResponseWriter, r *http.Request) bool {
		switch n.Add(1) {
		case 1:
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(429)
		case 2:
			w.Header().Set("Content-Range", "bytes 300000-399999/1048576")
			w.Header().Set("Content-Length", "100000")
			w.Header().Set("ETag", `"1"`)
			w.WriteHeader(206)
			_, _ = w.Write(data[300_000:340_000])
			panic(http.ErrAbortHandler)
		default:
			return false
		}
		return true
	})
	got := make([]byte, 100_000)
	if _, err := f.ReadAt(got, 300_000); err != nil || !bytes.Equal(got, data[300_000:400_000]) {
		t.Error(err)
	}
	all := s.since()
	if want := "bytes=340000-399999"; len(all) != 3 || all[2].Header.Get("Range") != want {
		t.Errorf("%d requests, the last for %s instead of %s", len(all), all[2].Header.Get("Range"), want)
	}
	s.instead(func(w http.ResponseWriter, r *http.Request) bool { w.WriteHeader(503); return true })
	g := open2(t, s, &Options{Attempts: 2})
	s.instead(func(w http.ResponseWriter, r *http.Request) bool { w.WriteHeader(503); return true })
	_, err := g.ReadAt(got, 300_000)
	if err == nil || !strings.Contains(err.Error(), "503 Service Unavailable (2 attempts)") {
		t.Errorf("a server that always fails: %v", err)
	}
}

// open2 opens the file of a server that answers again.
func open2(t *testing.T, s *server, o *Options) storage.File {
	s.instead(nil)
	return open(t, s.URL+"/f", o)
}

// TestTimeouts checks that an attempt without a byte ends, and one that takes too long.
func TestTimeouts(t *testing.T) {
	for want, c := range map[string]struct {
		o    Options
		most time.Duration
	}{
		"sends nothing":  {Options{Idle: 30 * time.Millisecond, Attempts: 2}, 2*30*time.Millisecond + firstWait},
		"takes too long": {Options{Timeout: 150 * time.Millisecond, Attempts: 2}, 2*150*time.Millisecond + firstWait},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &farServer{file: pattern(1 << 20)}
			c.o.Transport = s
			f := open(t, "http://far/f", &c.o)
			s.silent = true
			began := time.Now()
			if _, err := f.ReadAt(make([]byte, 1000), 300_000); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", want, err)
			}
			if took := time.Since(began); took > c.most {
				t.Errorf("%s: %v", want, took)
			}
		})
	}
}

// TestCancel checks that the end of a context ends requests in flight and waits between attempts,
// and that neither goroutines nor connections are left.
func TestCancel(t *testing.T) {
	before := runtime.NumGoroutine()
	data := pattern(1 << 20)
	s := &server{files: map[string]served{"/f": {data: data, tag: `"1"`}}}
	s.Server = httptest.NewUnstartedServer(s)
	var connections atomic.Int64
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			connections.Add(1)
		case http.StateClosed, http.StateHijacked:
			connections.Add(-1)
		}
	}
	s.Start()
	took := map[bool][]time.Duration{}
	for i := range 10 {
		busy := i%2 == 1
		s.instead(nil)
		f, err := Open(t.Context(), s.URL+"/f", nil)
		check(t, err)
		started := make(chan struct{}, 100)
		s.instead(func(w http.ResponseWriter, r *http.Request) bool {
			started <- struct{}{}
			if busy {
				w.Header().Set("Retry-After", "30")
				w.WriteHeader(503)
				return true
			}
			<-r.Context().Done()
			return true
		})
		ctx, cancel := context.WithCancel(t.Context())
		var ended time.Time
		go func() {
			for range 8 {
				<-started
			}
			ended = time.Now()
			cancel()
		}()
		ranges := make([]storage.Range, 8)
		for i := range ranges {
			ranges[i] = storage.Range{Off: int64(i+1) * 100_000, Data: make([]byte, 100)}
		}
		err = f.(interface {
			ReadRanges(ctx context.Context, ranges []storage.Range) error
		}).ReadRanges(ctx, ranges)
		took[busy] = append(took[busy], time.Since(ended))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("busy %v: %v", busy, err)
		}
		check(t, f.Close())
	}
	for busy, all := range took {
		// A read that missed the end would wait for 30 seconds.
		if slices.Min(all) > 5*time.Second {
			t.Errorf("busy %v: reads ended after %v", busy, all)
		}
	}
	s.Server.Close()
	for range 6000 {
		if connections.Load() == 0 && runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d connections and %d goroutines are left, %d before", connections.Load(), runtime.NumGoroutine(), before)
}

// TestLargeRanges checks that a range of more than 8 MiB takes several requests, at most as many at
// the same time as allowed.
func TestLargeRanges(t *testing.T) {
	data := pattern(40 << 20)
	s := serve(t, map[string]served{"/f": {data: data, tag: `"1"`}})
	var now, most atomic.Int64
	s.instead(func(w http.ResponseWriter, r *http.Request) bool {
		most.Store(max(most.Load(), now.Add(1)))
		time.Sleep(time.Millisecond)
		now.Add(-1)
		return false
	})
	f := open(t, s.URL+"/f", &Options{RangeOptions: storage.RangeOptions{Requests: 2}})
	s.since()
	got := make([]byte, 33<<20)
	if _, err := f.ReadAt(got, 1<<20); err != nil || !bytes.Equal(got, data[1<<20:34<<20]) {
		t.Error(err)
	}
	if n := len(s.since()); n != 5 || most.Load() > 2 {
		t.Errorf("%d requests, %d at the same time", n, most.Load())
	}
}
