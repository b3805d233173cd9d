package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"
)

// A server serves the files in a directory. It delays each answer, limits the bandwidth of all
// answers together, and counts requests and bytes of bodies.
type server struct {
	*httptest.Server
	files   http.Handler
	latency time.Duration
	rate    float64 // bytes per second; 0 means no limit

	mu       sync.Mutex
	requests int
	bytes    int64
	free     time.Time // when the line is free
}

func serve(dir string, latency time.Duration, rate float64) *server {
	s := &server{files: http.FileServer(http.Dir(dir)), latency: latency, rate: rate}
	s.Server = httptest.NewServer(s)
	return s
}

// since returns the requests and bytes since the last call.
func (s *server) since() (requests int, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	requests = s.requests
	bytes = s.bytes
	s.requests = 0
	s.bytes = 0
	return requests, bytes
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests++
	s.mu.Unlock()
	time.Sleep(s.latency)
	s.files.ServeHTTP(&line{w, s}, r)
}

// take counts bytes, and returns how long to wait until they are sent.
func (s *server) take(n int) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytes += int64(n)
	if s.rate == 0 {
		return 0
	}
	now := time.Now()
	if s.free.Before(now) {
		s.free = now
	}
	s.free = s.free.Add(time.Duration(float64(n) / s.rate * float64(time.Second)))
	return s.free.Sub(now)
}

// A line is the connection of an answer.
type line struct {
	http.ResponseWriter
	s *server
}

// piece is how much of an answer is sent at a time, so that answers share the line.
const piece = 64 << 10

func (l *line) Write(p []byte) (int, error) {
	done := 0
	for done < len(p) {
		part := p[done:min(done+piece, len(p))]
		time.Sleep(l.s.take(len(part)))
		n, err := l.ResponseWriter.Write(part)
		if done += n; err != nil {
			return done, err
		}
	}
	return done, nil
}

// ReadFrom hides that of the connection, which would send without Write.
func (l *line) ReadFrom(r io.Reader) (int64, error) {
	return io.CopyBuffer(struct{ io.Writer }{l}, r, make([]byte, piece))
}
