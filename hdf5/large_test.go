package hdf5

import (
	"runtime"
	"sync"
	"testing"
)

// TestLargeChunksAreDecodedOnce reads a chunk in parts, by two goroutines that take turns.
func TestLargeChunksAreDecodedOnce(t *testing.T) {
	const parts, part = 33, 1 << 20
	f := openGolden(t, "rare/large.h5")
	d, err := f.Dataset(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	if chunks, blocks := d.Grid(); chunks[0] != parts*part || blocks[0] != part {
		t.Errorf("chunks %v of blocks %v", chunks, blocks)
	}
	read := func(k int64, items []byte) {
		if err := d.ReadBytes(t.Context(), items, []int64{k * part}, []int64{(k + 1) * part}); err != nil {
			t.Error(err)
		}
		if items[0] != byte(k+1) || items[1] != 0 {
			t.Errorf("part %d begins with % x", k, items[:2])
		}
	}

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var both sync.WaitGroup
	for worker := range int64(2) {
		both.Go(func() {
			items := make([]byte, part)
			for k := worker; k < parts; k += 2 {
				read(k, items)
			}
		})
	}
	both.Wait()
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 38<<20 {
		t.Errorf("%d MiB of memory for a chunk of 33 MiB", took>>20)
	}
	if f.large.items != nil {
		t.Error("the items are kept though all have been read")
	}
	read(5, make([]byte, part))
}
