package ndarray

import (
	"math"
	"runtime"
	"sync"
	"testing"

	"github.com/cairn-go/cairn/codecs"
)

// TestReadersKeepTheirBlocks repeatedly fills a box with one value and commits. The memory of
// a flushed block is reused for the next write, unless a reader may have it: each reader must find
// a single value in the box.
func TestReadersKeepTheirBlocks(t *testing.T) {
	a, err := New[int32](Shape{64, 64}, &Options{ChunkShape: Shape{32, 32}, BlockShape: Shape{8, 8}})
	check(t, err)
	box := make([]int32, 20*20)
	start, stop := []int64{5, 5}, []int64{25, 25}
	check(t, a.WriteBox(t.Context(), box, start, stop))
	var readers sync.WaitGroup
	done := make(chan struct{})
	for range 3 {
		readers.Go(func() {
			got := make([]int32, len(box))
			for last := int32(0); ; {
				select {
				case <-done:
					return
				default:
				}
				if err := a.ReadBox(t.Context(), got, start, stop); err != nil {
					t.Error(err)
					return
				}
				for _, v := range got {
					if v != got[0] || v < last {
						t.Errorf("items %d and %d, after %d", got[0], v, last)
						return
					}
				}
				last = got[0]
			}
		})
	}
	for v := int32(1); v < 300; v++ {
		for i := range box {
			box[i] = v
		}
		check(t, a.WriteBox(t.Context(), box, start, stop))
		if v%2 == 0 {
			check(t, a.Commit(t.Context()))
		}
	}
	close(done)
	readers.Wait()
}

// TestReplacedChunksInMemoryAreFreed changes a box of an array of 8 MiB, commit after commit. Each
// replaced chunk must be garbage at once. When a cleanup kept it alive for one more collection,
// each collection began later than the one before, and the heap grew to gigabytes.
func TestReplacedChunksInMemoryAreFreed(t *testing.T) {
	a, err := New[float32](Shape{128, 128, 128}, &Options{ChunkShape: Shape{64, 128, 128},
		BlockShape: Shape{16, 32, 32}, Codec: codecs.LZ4})
	check(t, err)
	items := make([]float32, 128*128*128)
	for i := range items {
		items[i] = float32(math.Sin(float64(i) / 1000))
	}
	check(t, a.Write(t.Context(), items))
	for range 150 {
		check(t, a.WriteBox(t.Context(), items[:50*50*50], []int64{39, 39, 39}, []int64{89, 89, 89}))
		check(t, a.Commit(t.Context()))
	}
	var m runtime.MemStats
	if runtime.ReadMemStats(&m); m.HeapInuse > 200<<20 {
		t.Errorf("%d MiB of heap", m.HeapInuse>>20)
	}
}
