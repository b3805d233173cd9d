package command

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-go/cairn/ndarray"
)

// A file of a few hundred bytes can have millions of chunks that were never written.
func TestStatsOfMillionsOfChunks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "zeros.b2nd")
	a, err := ndarray.Create[uint8](path, ndarray.Shape{1 << 28}, &ndarray.Options{
		ChunkShape: ndarray.Shape{8}, BlockShape: ndarray.Shape{8},
	})
	if err == nil {
		err = a.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if out := cairnOK(t, "stats", path); !strings.Contains(out, "zeros  268435456\n") {
		t.Errorf("printed %q", out)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("stats took %v", took)
	}
	r := cairnWith(t.Context(), nil, "stats", "-chunks", path)
	if r.code != exitFailed || !strings.Contains(r.stderr, "-chunks lists at most 1000000 chunks") {
		t.Errorf("exit %d, %s", r.code, r.stderr)
	}
}
