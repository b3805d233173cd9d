package compute

import (
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
)

// watermark measures the maximum memory in use during a call.
type watermark struct {
	mu     sync.Mutex
	before uint64
	most   uint64
}

func newWatermark() *watermark {
	w := &watermark{}
	w.live() // the second collection frees pooled memory
	w.before = w.live()
	return w
}

func (w *watermark) live() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func (w *watermark) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.most = max(w.most, w.live())
}

// check fails the test if more memory was in use than allowed, or so little that it was not
// measured.
func (w *watermark) check(t *testing.T, least, most int64) {
	t.Helper()
	if used := int64(w.most) - int64(w.before); used > most || used < least {
		t.Errorf("%d bytes were in use, %d are allowed", used, most)
	}
}

const (
	memoryChunk   = 2 << 20
	memoryWorkers = 16
	memory        = 24 << 20
)

// incompressible creates an array in a file with incompressible chunks.
func incompressible(t *testing.T, shape, chunks, blocks ndarray.Shape) ndarray.Array[float64] {
	t.Helper()
	o := &ndarray.Options{ChunkShape: chunks, BlockShape: blocks, Level: levelStored, Workers: memoryWorkers}
	o.Durability = 1
	a, err := ndarray.FromBoxes(t.Context(), filepath.Join(t.TempDir(), "a.b2nd"), shape,
		func(dst []float64, start, _ []int64) error {
			for i := range dst {
				dst[i] = float64(i) + float64(start[0])
			}
			return nil
		}, o)
	if err == nil {
		err = a.Commit(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

func TestMapStaysWithinItsMemory(t *testing.T) {
	const items = memoryChunk / 8
	shape, chunks, blocks := ndarray.Shape{40 * items}, ndarray.Shape{items}, ndarray.Shape{items / 16}
	x := incompressible(t, shape, chunks, blocks)
	for name, size := range map[string]int64{
		"the chunks of x": items, "larger chunks": 3 * items, "small chunks": items / 16,
	} {
		t.Run(name, func(t *testing.T) {
			o := &ndarray.Options{ChunkShape: ndarray.Shape{size}, BlockShape: ndarray.Shape{min(size, items/16)}}
			o.Level, o.Workers, o.Memory, o.Durability = levelStored, memoryWorkers, memory, 1
			w := newWatermark()
			calls := 0
			y, err := Map2(t.Context(), filepath.Join(t.TempDir(), "y.b2nd"), x, x, func(dst, a, b []float64) {
				for i := range dst {
					dst[i] = a[i] + b[i]
				}
				if w.mu.Lock(); calls < 100 {
					defer w.look()
				}
				calls++
				w.mu.Unlock()
			}, o)
			if err != nil {
				t.Fatal(err)
			}
			w.check(t, memoryChunk/8, max(memory, 7*8*size)+memory/8)
			got, err := y.At(21*items + 5)
			if want := 2 * (21*items + 5.0); err != nil || got != want {
				t.Errorf("an item is %v, want %v, %v", got, want, err)
			}
			if err := y.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestConstructorsStayWithinTheirMemory uses chunks of which not even two fit.
func TestConstructorsStayWithinTheirMemory(t *testing.T) {
	const rows, columns = 64, memoryChunk / 8 / 16
	o := &ndarray.Options{
		ChunkShape: ndarray.Shape{16, columns}, BlockShape: ndarray.Shape{1, columns}, Level: levelStored,
		Workers: memoryWorkers, Memory: 5 * memoryChunk,
	}
	o.Durability = 1
	w := newWatermark()
	path := filepath.Join(t.TempDir(), "a.b2nd")
	a, err := ndarray.FromFunc(t.Context(), path, ndarray.Shape{rows, columns}, func(at []int64) float64 {
		if at[1] == 77 {
			w.look()
		}
		return float64(at[0]*columns + at[1])
	}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	w.check(t, memoryChunk, o.Memory)
	values, err := a.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range values {
		if v != float64(i) {
			t.Fatalf("item %d is %v", i, v)
		}
	}
}

// TestReductionsStayWithinTheirMemory reduces chunks to results of the same size.
func TestReductionsStayWithinTheirMemory(t *testing.T) {
	const n, items = 48, memoryChunk / 8
	x := incompressible(t, ndarray.Shape{n, items}, ndarray.Shape{1, items}, ndarray.Shape{1, items / 16})
	var want float64
	for _, memory := range []int64{40 * memoryChunk, 1} {
		w := newWatermark()
		ctx := ndarray.WithProgress(t.Context(), func(done, total int64) { w.look() })
		o := Over(0)
		o.Memory = memory
		y, err := Mean(ctx, x, o)
		if err != nil {
			t.Fatal(err)
		}
		// The result is in memory twice: as collected items and as an array.
		w.check(t, memoryChunk, max(memory, 24*memoryChunk)+3*memoryChunk)
		got, err := y.At(11)
		if err != nil {
			t.Fatal(err)
		}
		if want == 0 {
			want = got
		} else if got != want {
			t.Errorf("with less memory the result is %v, not %v", got, want)
		}
		if err := y.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
