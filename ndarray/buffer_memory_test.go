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

// TestReadersKeepAppendedBlocks appends rows to an array whose write buffer has room for a few
// blocks, so that appends flush, and use the memory of flushed blocks again. Each reader must find
// the number of the row in all items of the row.
func TestReadersKeepAppendedBlocks(t *testing.T) {
	const width = 64
	a, err := New[int32](Shape{0, width},
		&Options{ChunkShape: Shape{8, width}, BlockShape: Shape{4, 16}, WriteBehind: 8 << 10})
	check(t, err)
	row := make([]int32, width)
	check(t, a.Append(t.Context(), 0, row))
	var readers sync.WaitGroup
	done := make(chan struct{})
	for range 3 {
		readers.Go(func() {
			got := make([]int32, width)
			for n := int64(0); ; n++ {
				select {
				case <-done:
					return
				default:
				}
				number := max(0, a.Shape()[0]-1-n%12)
				err := a.ReadBox(t.Context(), got, []int64{number, 0}, []int64{number + 1, width})
				if err != nil {
					t.Error(err)
					return
				}
				for _, v := range got {
					if v != int32(number) {
						t.Errorf("item %d in row %d", v, number)
						return
					}
				}
			}
		})
	}
	for n := int32(1); n < 3000; n++ {
		for i := range row {
			row[i] = n
		}
		check(t, a.Append(t.Context(), 0, row))
	}
	close(done)
	readers.Wait()
	if a.Stats().Flushes < 100 {
		t.Errorf("%d flushes", a.Stats().Flushes)
	}
}

// TestAllocsOfFlushesReuseBlocks appends rows of a block each: once chunks are flushed, the next
// ones must take over the memory of their blocks.
func TestAllocsOfFlushesReuseBlocks(t *testing.T) {
	const block = 64 << 10
	a, err := New[byte](Shape{0, block},
		&Options{ChunkShape: Shape{8, block}, BlockShape: Shape{1, block}, WriteBehind: 2 << 20, Codec: codecs.LZ4})
	check(t, err)
	row := make([]byte, block)
	appendRows := func(n int) {
		for range n {
			row[0]++
			check(t, a.Append(t.Context(), 0, row))
		}
	}
	appendRows(200)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const rows = 400
	appendRows(rows)
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / rows; each > block/2 {
		t.Errorf("%d new bytes for each row of %d", each, block)
	}
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
