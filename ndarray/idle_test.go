package ndarray_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/ndarray"
)

// liveHeap returns the bytes of the heap that are in use, without what pools keep for reuse.
func liveHeap() int64 {
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// noise writes an array of one chunk that does not compress.
func noise(t *testing.T, side int64) string {
	path, random := filepath.Join(t.TempDir(), "noise.b2nd"), rand.New(rand.NewPCG(1, 2))
	a, err := ndarray.FromBoxes(t.Context(), path, ndarray.Shape{side, side}, func(box []float32, _, _ []int64) error {
		for i := range box {
			box[i] = random.Float32()
		}
		return nil
	}, &ndarray.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestIdleArraysTakeLittleMemory opens arrays with chunks of 4 MiB, reads or writes each of them,
// and measures what they keep while they stay open.
func TestIdleArraysTakeLittleMemory(t *testing.T) {
	const handles, most = 3, 64 << 10
	const side = 1024
	path, box := noise(t, side), make([]float32, side*side)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	one := []int64{1, 1}
	uses := map[string]func(a ndarray.Array[float32]) error{
		"at":    func(a ndarray.Array[float32]) error { _, err := a.At(one...); return err },
		"read":  func(a ndarray.Array[float32]) error { return a.ReadInto(t.Context(), box) },
		"write": func(a ndarray.Array[float32]) error { return a.Write(t.Context(), box) },
		"part": func(a ndarray.Array[float32]) error {
			if err := a.Set(1, 5, 5); err != nil {
				return err
			}
			return a.Rollback()
		},
	}
	for name, use := range uses {
		for _, verify := range []frame.VerifyMode{frame.VerifyOnFirstTouch, frame.VerifyOff, frame.VerifyWhole} {
			before := liveHeap()
			var open []ndarray.Array[float32]
			for range handles {
				path := filepath.Join(t.TempDir(), "copy.b2nd")
				if err := os.WriteFile(path, content, 0o666); err != nil {
					t.Fatal(err)
				}
				o := &ndarray.OpenOptions{Mode: ndarray.ReadWrite, Verify: verify, Workers: 4}
				a, err := ndarray.OpenAs[float32](path, o)
				if err != nil {
					t.Fatal(err)
				}
				if open = append(open, a); use(a) != nil {
					t.Fatal(name, use(a))
				}
			}
			if kept := (liveHeap() - before) / handles; kept > most {
				t.Errorf("%s, verify %d: %d bytes for each open array", name, verify, kept)
			}
			for _, a := range open {
				if err := a.Abort(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// TestOneItemTakesTheMemoryOfItsBlock checks that reading one item of a chunk of 4 MiB does not
// take memory for the chunk, unless all of it is compared with a checksum.
func TestOneItemTakesTheMemoryOfItsBlock(t *testing.T) {
	a, err := ndarray.OpenAs[float32](noise(t, 1024), &ndarray.OpenOptions{Verify: frame.VerifyOff, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	liveHeap() // empties the pools
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := a.At(700, 700); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes were allocated", n)
	}
}
