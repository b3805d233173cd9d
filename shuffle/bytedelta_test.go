package shuffle_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/cairn-go/cairn/shuffle"
)

// TestByteDeltaOfWideItems has items of half a GiB, as in a damaged frame, so that a small block
// has half a billion empty streams.
func TestByteDeltaOfWideItems(t *testing.T) {
	began := time.Now()
	for _, id := range []shuffle.ID{shuffle.IDByteDelta, shuffle.IDByteDeltaBuggy} {
		c := mustChain(t, shuffle.Pipeline{{ID: id}})
		src := []byte("a block of a few bytes")
		ctx := &shuffle.Context{TypeSize: 4, FrameTypeSize: 1 << 29}
		for range 10 {
			if got := throughStreams(t, c, src, 1, ctx); !bytes.Equal(got, src) {
				t.Fatalf("filter %d: %q", id, got)
			}
		}
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}
