package serve

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime/debug"
	gauges "runtime/metrics"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairn-go/cairn/ndarray"
)

// TestMemoryHolds checks that a process whose limit is 15/16 of Options.Memory, and whose decoded
// chunks have an eighth of it, as those of the command, takes no more than that, with many clients
// of slices and tiles, and others that ask for everything and read nothing.
func TestMemoryHolds(t *testing.T) {
	const memory = 64 << 20
	dir := t.TempDir()
	a, err := ndarray.Arange[float32](t.Context(), filepath.Join(dir, "a.b2nd"), 0, 4096*2048, 1, ndarray.Shape{4096, 2048},
		&ndarray.Options{ChunkShape: ndarray.Shape{512, 512}, BlockShape: ndarray.Shape{64, 64}})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}

	defer debug.SetMemoryLimit(debug.SetMemoryLimit(memory / 16 * 15))
	defer ndarray.SetCacheBytes(ndarray.SetCacheBytes(memory / 8))
	debug.FreeOSMemory()
	h := handler(t, []Root{{Path: dir, Name: "d"}}, &Options{Memory: memory, Workers: 2})
	h.writeTimeout = 2 * time.Second
	var clientsSoFar atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// No client is to be held by a quota of its own.
		r.RemoteAddr = fmt.Sprintf("10.0.0.%d:1", clientsSoFar.Add(1)%200)
		h.ServeHTTP(w, r)
	}))
	defer server.Close()

	for range 8 {
		c, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := c.Write([]byte("GET /api/v1/slice/d/a.b2nd HTTP/1.1\r\nHost: localhost\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
	}

	var clients sync.WaitGroup
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 40}}
	defer client.CloseIdleConnections()
	for k := range 40 {
		clients.Go(func() {
			for i := range 8 {
				readSlicesAndTiles(t, client, server.URL, k, i)
			}
		})
	}

	done := make(chan struct{})
	go func() { clients.Wait(); close(done) }()
	most := uint64(0)
	for {
		select {
		case <-done:
			if most > memory {
				t.Errorf("%d bytes were in use, more than %d", most, memory)
			}
			t.Logf("%d MiB", most>>20)
			return
		case <-time.After(time.Millisecond):
			most = max(most, inUse())
		}
	}
}

// readSlicesAndTiles is the i-th request of the k-th client.
func readSlicesAndTiles(t *testing.T, client *http.Client, url string, k, i int) {
	y := (k*97 + i*501) % 3584
	path := fmt.Sprintf("slice/d/a.b2nd?format=raw&s=%d:%d,%d:%d", y, y+512, k*31, k*31+512)
	if i%4 == 3 {
		path = fmt.Sprintf("tiles/d/a.b2nd?level=0&y=0&x=1&at=0,0&ty=%d&tx=%d", (k+i)%16, i)
	}

	r, err := client.Get(url + "/api/v1/" + path)
	if err != nil {
		t.Error(err)
		return
	}
	defer r.Body.Close()
	if _, err := io.Copy(io.Discard, r.Body); err != nil || r.StatusCode != http.StatusOK {
		t.Errorf("%s: %s, %v", path, r.Status, err)
	}
}

// inUse returns the bytes that Go has of the system and has not given back.
func inUse() uint64 {
	all := []gauges.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	gauges.Read(all)
	return all[0].Value.Uint64() - all[1].Value.Uint64()
}
