package serve

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A source is an array whose reads a test decides about.
type source struct {
	shape ndarray.Shape
	read  func(ctx context.Context, dst []byte) error
}

func (s source) Shape() ndarray.Shape { return append(ndarray.Shape{}, s.shape...) }
func (s source) DType() meta.DType {
	d, err := meta.ParseDType("|u1")
	if err != nil {
		panic(err)
	}
	return d
}

func (s source) Grid() (chunks, blocks ndarray.Shape) {
	return nil, nil
}

func (s source) ReadBytes(ctx context.Context, dst []byte, _, _ []int64) error {
	return s.read(ctx, dst)
}

// blocking returns a source whose reads wait until the test says, or their context ends.
func blocking() (s source, reading *atomic.Int64, goOn chan struct{}) {
	reading, goOn = &atomic.Int64{}, make(chan struct{})
	s = source{ndarray.Shape{1 << 20}, func(ctx context.Context, _ []byte) error {
		reading.Add(1)
		defer reading.Add(-1)
		select {
		case <-goOn:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}}
	return s, reading, goOn
}

// until waits for something.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited in vain until " + what)
		}
	}
}

func TestTooLarge(t *testing.T) {
	s := source{ndarray.Shape{1 << 40}, func(context.Context, []byte) error { return nil }}
	h := handler(t, []Root{{Name: "s", Source: s}}, &Options{MaxBytes: 1 << 20, Memory: 64 << 20})
	for _, query := range []string{"", "?s=:2000000", "?format=json", "?format=npy", "?format=b2nd", "?format=csv"} {
		want(t, h, http.StatusRequestEntityTooLarge, "/api/v1/slice/s"+query)
	}
	want(t, h, 200, "/api/v1/slice/s?s=:1000000")
}

func TestPerClient(t *testing.T) {
	s, reading, goOn := blocking()
	h := handler(t, []Root{{Name: "s", Source: s}}, &Options{PerClient: 2, Workers: 1})
	for range 2 {
		go ask(t, h, "/api/v1/slice/s?s=:5")
	}
	until(t, "both read", func() bool { return reading.Load() == 2 })
	if w, _ := want(t, h, http.StatusTooManyRequests, "/api/v1/list"); w.Header().Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	want(t, h, 200, "/healthz")
	close(goOn)
	until(t, "nobody reads", func() bool { return reading.Load() == 0 })
	until(t, "others may ask", func() bool { return ask(t, h, "/api/v1/list").Code == 200 })
}

// TestMemory checks that requests wait for memory that others have, and not for ever.
func TestMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, reading, goOn := blocking()
		h := handler(t, []Root{{Name: "s", Source: s}}, &Options{Memory: 6 << 20, Timeout: time.Second, Workers: 1, MaxBytes: 1 << 20})
		go ask(t, h, "/api/v1/slice/s")
		until(t, "one reads", func() bool { return reading.Load() == 1 })
		if used := h.limits.Memory.Used(); used < 1<<20 || used > 6<<20 {
			t.Errorf("a request uses %d bytes", used)
		}
		if w, _ := want(t, h, http.StatusServiceUnavailable, "/api/v1/slice/s"); w.Header().Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
		close(goOn)
		until(t, "memory is free", func() bool { return h.limits.Memory.Used() == 0 })
		want(t, h, 200, "/api/v1/slice/s")
	})
}

func TestTimeoutAndCancellation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, reading, _ := blocking()
		h := handler(t, []Root{{Name: "s", Source: s}}, &Options{Timeout: 50 * time.Millisecond})
		want(t, h, http.StatusGatewayTimeout, "/api/v1/stats/s")
		slow := handler(t, []Root{{Name: "s", Source: s}}, nil)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan int, 1)
		go func() {
			w := httptest.NewRecorder()
			slow.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", "http://localhost/api/v1/stats/s", nil))
			ended <- w.Code
		}()
		until(t, "it reads", func() bool { return reading.Load() > 0 })
		cancel()
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			t.Fatal("a request goes on although its client went away")
		}
		until(t, "nobody reads", func() bool { return reading.Load() == 0 })
		if used := slow.limits.Memory.Used(); used != 0 {
			t.Errorf("%d bytes are still taken", used)
		}
	})
}

// TestPanic checks that a panic of a source ends one request only, and gives all back.
func TestPanic(t *testing.T) {
	s := source{ndarray.Shape{10}, func(context.Context, []byte) error { panic("a defect") }}
	h := handler(t, []Root{{Name: "s", Source: s}}, nil)
	_, body := want(t, h, 500, "/api/v1/slice/s?format=json")
	if string(body) != `{"error":"a fault of the server; its log says more"}`+"\n" {
		t.Errorf("the answer is %s", body)
	}
	if h.limits.Memory.Used() != 0 || len(h.gate.slots) != 0 || len(h.gate.clients) != 0 {
		t.Error("something is still taken")
	}
}

// TestClientsThatDoNotRead checks that a client that never reads holds up nobody else, and is
// dropped.
func TestClientsThatDoNotRead(t *testing.T) {
	s := source{ndarray.Shape{64 << 20}, func(context.Context, []byte) error { return nil }}
	h := handler(t, []Root{{Name: "s", Source: s}}, &Options{Memory: 256 << 20, Workers: 1})
	h.writeTimeout = 200 * time.Millisecond
	server := httptest.NewServer(h)
	defer server.Close()
	for range 8 {
		c, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := c.Write([]byte("GET /api/v1/slice/s HTTP/1.1\r\nHost: localhost\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "they hold memory", func() bool { return h.limits.Memory.Used() > 0 })
	want(t, h, 200, "/api/v1/slice/s?s=:100")
	until(t, "all are dropped", func() bool { return h.limits.Memory.Used() == 0 })
}

// TestSlowBodies checks that a request whose body never comes is answered.
func TestSlowBodies(t *testing.T) {
	h := handler(t, []Root{{Path: folder(t)}}, nil)
	server := httptest.NewServer(h)
	defer server.Close()
	for _, head := range []string{"Content-Length: 1000000", "Transfer-Encoding: chunked"} {
		c, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(10 * time.Second))
		_, _ = c.Write([]byte("GET /api/v1/list HTTP/1.1\r\nHost: localhost\r\n" + head + "\r\n\r\n"))
		answer := make([]byte, 12)
		if n, err := c.Read(answer); err != nil || string(answer[:n]) != "HTTP/1.1 400" {
			t.Errorf("%s: %q, %v", head, answer[:n], err)
		}
	}
}

// TestSlowClientsCostOthersNothing checks that as many slow requests as a client may have, which
// want more memory than it may have, do not keep the client's other requests from being answered,
// and that their memory is counted.
func TestSlowClientsCostOthersNothing(t *testing.T) {
	const memory = 128 << 20
	s := source{ndarray.Shape{64 << 20}, func(context.Context, []byte) error { return nil }}
	h := handler(t, []Root{{Name: "s", Source: s}}, &Options{Memory: memory, Workers: 1, PerClient: 8, MaxBytes: 1 << 30})
	server := httptest.NewServer(h)
	defer server.Close()

	ctx, stop := context.WithCancel(t.Context())
	var slow sync.WaitGroup
	defer slow.Wait()
	defer stop()
	for range 8 {
		slow.Go(func() {
			for ctx.Err() == nil {
				readSlowly(ctx, server.Listener.Addr().String())
			}
		})
	}
	aside := func() (n int) {
		h.gate.mu.Lock()
		defer h.gate.mu.Unlock()
		for _, c := range h.gate.clients {
			n += c.all - c.requests
		}
		return n
	}
	until(t, "they are set aside", func() bool { return aside() >= 4 })
	if used := h.limits.Memory.Used(); used < 8<<20 || used > memory/8*5 {
		t.Errorf("%d bytes are used beside slow clients", used)
	}

	// These requests have the same address.
	for range 100 {
		begun := time.Now()
		answer, err := http.Get(server.URL + "/api/v1/slice/s?s=:1000000")
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		if took := time.Since(begun); err != nil || answer.StatusCode != 200 || n != 1_000_000 || took > 5*time.Second {
			t.Fatalf("status %d, %d bytes, %v, after %v", answer.StatusCode, n, err, took)
		}
	}

	// Once they go away, nothing is left of them.
	stop()
	slow.Wait()
	until(t, "nothing is taken", func() bool { return h.limits.Memory.Used() == 0 && aside() == 0 && len(h.gate.slots) == 0 })
}

// readSlowly asks for everything and reads about a kilobyte a second, until the server has enough.
func readSlowly(ctx context.Context, address string) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	_, _ = c.Write([]byte("GET /api/v1/slice/s HTTP/1.1\r\nHost: localhost\r\n\r\n"))
	buf := make([]byte, 100)
	for ctx.Err() == nil {
		if _, err := c.Read(buf); err != nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}
