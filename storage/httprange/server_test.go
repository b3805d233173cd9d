package httprange

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/cairn-go/cairn/storage"
)

// A server serves files by path, and counts requests.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	files    map[string]served
	requests []*http.Request
	// answer may answer instead; it reports whether it did
	answer func(w http.ResponseWriter, r *http.Request) bool
}

// served is a file on a server.
type served struct {
	data     []byte
	tag      string
	modified time.Time
}

func serve(t testing.TB, files map[string]served) *server {
	t.Helper()
	s := &server{files: files}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Server.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests = append(s.requests, r)
	f, ok := s.files[r.URL.Path]
	answer := s.answer
	s.mu.Unlock()
	if answer != nil && answer(w, r) {
		return
	}
	if !ok {
		http.NotFound(w, r)
		return
	}
	if f.tag != "" {
		w.Header().Set("ETag", f.tag)
	}
	http.ServeContent(w, r, "", f.modified, bytes.NewReader(f.data))
}

// put replaces a file.
func (s *server) put(path string, f served) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[path] = f
}

// since returns the requests since the last call.
func (s *server) since() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.requests
	s.requests = nil
	return all
}

// instead sets the function that may answer.
func (s *server) instead(answer func(w http.ResponseWriter, r *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

// pattern returns n bytes, each of which tells where it is.
func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(uint32(i) * 2654435761 >> 24)
	}
	return b
}

func check(t testing.TB, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// open opens a file, and closes it after the test.
func open(t testing.TB, link string, o *Options) storage.File {
	t.Helper()
	f, err := Open(context.Background(), link, o)
	check(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}
