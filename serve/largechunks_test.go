package serve

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
)

// TestLargeChunks reads an array whose chunks several workers could not read at a time: one worker
// reads them, alone, unless a single chunk has more than the memory.
func TestLargeChunks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large.b2nd")
	const side = 2048 // 32 MiB in one chunk
	a, err := ndarray.Create[int64](path, ndarray.Shape{side, side}, &ndarray.Options{
		ChunkShape: ndarray.Shape{side, side}, BlockShape: ndarray.Shape{64, side}})
	if err == nil {
		err = a.Write(t.Context(), []int64{7}, ndarray.Index(1), ndarray.Index(2))
	}
	if err == nil {
		err = a.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	asks := []string{"/api/v1/slice/large.b2nd?s=1,2&format=json", "/api/v1/points/large.b2nd?at=1,2",
		"/api/v1/stats/large.b2nd?s=:2", "/api/v1/tiles/large.b2nd?y=0&x=1&at=0,0&level=0&ty=0&tx=0"}
	for _, c := range []struct {
		memory int64
		status int
	}{{176 << 20, 200}, {256 << 20, 200}, {24 << 20, http.StatusRequestEntityTooLarge}} {
		h := handler(t, []Root{{Path: path}}, &Options{Memory: c.memory, Workers: 4})
		want(t, h, 200, "/api/v1/info/large.b2nd")
		for _, at := range asks {
			_, body := want(t, h, c.status, at)
			if c.status != 200 && !strings.Contains(at, "tiles") && (!strings.Contains(string(body), "33554432 bytes") || !strings.Contains(string(body), "smaller chunks")) {
				t.Errorf("%d bytes of memory: %s says %s", c.memory, at, body)
			}
		}
		if used := h.limits.Memory.Used(); used != 0 {
			t.Errorf("%d bytes are still used", used)
		}
	}
}
