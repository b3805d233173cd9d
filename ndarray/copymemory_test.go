package ndarray

import (
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/cairn-go/cairn/codecs"
)

// TestCopiesAllocateNoMoreThanIsPlanned counts all bytes that copies allocate, including those that
// became garbage meanwhile.
func TestCopiesAllocateNoMoreThanIsPlanned(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.b2nd")
	u, err := CreateUntyped(in, "<f4", Shape{128, 128, 512}, &Options{ChunkShape: Shape{8, 128, 256}, BlockShape: Shape{2, 32, 256}, Codec: codecs.LZ4, Level: 1})
	check(t, err)
	rnd := rand.New(rand.NewPCG(1, 2))
	row := make([]byte, 8*128*512*4)
	for i := range int64(16) {
		for k := range row {
			row[k] = byte(rnd.Uint32()) & 0x3f
		}
		check(t, u.WriteBox(t.Context(), row, []int64{i * 8, 0, 0}, []int64{i*8 + 8, 128, 512}))
	}
	check(t, u.Close())
	options := []CopyOptions{
		{}, {Codec: codecs.BloscLZ}, {Codec: codecs.Zstd}, {ChunkShape: Shape{256, 16, 16}, Codec: codecs.LZ4HC},
		{ChunkShape: Shape{256, 16, 16}, Memory: 16 << 20}, {AutoShapes: true, Codec: codecs.Zlib, Memory: 24 << 20},
	}
	for _, o := range options {
		for _, workers := range []int{1, 4} {
			o.Workers, o.Overwrite = workers, true
			u, err := Open(in, nil)
			check(t, err)
			p, err := PlanCopy(u, &o)
			check(t, err)
			if o.Memory > 0 && p.PeakMemory > o.Memory {
				t.Errorf("%d bytes of memory are planned, %d are allowed", p.PeakMemory, o.Memory)
			}
			runtime.GC() // twice, so that pools are empty
			runtime.GC()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			check(t, p.Run(t.Context(), filepath.Join(dir, "out.b2nd")))
			runtime.ReadMemStats(&after)
			used := int64(after.TotalAlloc - before.TotalAlloc)
			if used > p.PeakMemory {
				t.Errorf("%v with %d workers allocated %d bytes, %d were planned", p.Method, workers, used,
					p.PeakMemory)
			}
			check(t, u.Close())
		}
	}
}

// TestCopiesKeepDictionaries re-encodes chunks that have dictionaries, with the same codec and with
// one that has none.
func TestCopiesKeepDictionaries(t *testing.T) {
	u, err := NewUntyped("<f4", Shape{1 << 16}, &Options{Codec: codecs.Zstd, Dict: true, ChunkShape: Shape{1 << 15}, BlockShape: Shape{1 << 10}})
	check(t, err)
	defer u.Abort()
	data := noise(rand.New(rand.NewPCG(3, 77)), 4<<16)
	check(t, u.Write(t.Context(), data))
	for codec, want := range map[codecs.Codec]bool{codecs.Default: true, codecs.BloscLZ: false} {
		for _, o := range []*CopyOptions{{Recode: true, Codec: codec}, {ChunkShape: Shape{1 << 14}, Codec: codec}} {
			c, err := Copy(t.Context(), u, o)
			check(t, err)
			if got := c.Info().Dict; got != want {
				t.Errorf("%+v: dictionaries are %v, want %v", o, got, want)
			}
			sameArray(t, c, u, &model{shape: Shape{1 << 16}, item: 4, data: data})
			check(t, c.Abort())
		}
	}
}
