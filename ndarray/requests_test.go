package ndarray

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/storage"
)

// requests counts how often each byte of a file is read.
type requests struct {
	io.ReaderAt
	mu    sync.Mutex
	calls int
	times []int
}

func (r *requests) ReadAt(b []byte, off int64) (int, error) {
	r.mu.Lock()
	r.calls++
	for i := range min(int64(len(b)), int64(len(r.times))-off) {
		r.times[off+i]++
	}
	r.mu.Unlock()
	return r.ReaderAt.ReadAt(b, off)
}

// since returns the number of reads, and the most times that one byte was read, since the last
// call.
func (r *requests) since() (calls, most int) {
	calls, most = r.calls, slices.Max(r.times)
	r.calls = 0
	clear(r.times)
	return calls, most
}

// remote returns an array of four chunks of 64 blocks of some KiB each, and a counter of its reads.
func remote(t *testing.T, items func(i int) int32, o *OpenOptions) (Array[int32], *requests) {
	t.Helper()
	fsys := storage.NewMemory()
	a, err := Create[int32]("a", Shape{512, 512}, &Options{
		ChunkShape: Shape{256, 256}, BlockShape: Shape{32, 32}, FS: fsys, Codec: codecs.LZ4})
	check(t, err)
	all := make([]int32, 512*512)
	for i := range all {
		all[i] = items(i)
	}
	check(t, a.Write(t.Context(), all), a.Close())
	f, err := fsys.Open("a")
	check(t, err)
	size, err := f.Size()
	check(t, err)
	r := &requests{ReaderAt: f, times: make([]int, size)}
	u, err := OpenReader(r, size, o)
	check(t, err)
	b, err := As[int32](u)
	check(t, err)
	r.since()
	return b, r
}

func hashed(i int) int32 { return int32(uint32(i)*2654435761) >> 8 }

// TestReadingAPointTakesOneRequest checks that the header of a chunk and its block offsets are read
// together, once, and that the next read in the same chunk fetches only the block, with and without
// a cache. A chunk with a checksum is first read whole, but no byte of it twice.
func TestReadingAPointTakesOneRequest(t *testing.T) {
	for _, verify := range []frame.VerifyMode{frame.VerifyOnFirstTouch, frame.VerifyOff} {
		for _, none := range []bool{false, true} {
			t.Run(fmt.Sprint(verify, none), func(t *testing.T) {
				a, r := remote(t, hashed, &OpenOptions{Verify: verify, NoCache: none})
				for k, p := range [][]int64{{3, 3}, {40, 40}, {100, 200}, {300, 3}, {20, 200}, {333, 100}} {
					got, err := a.At(p...)
					check(t, err)
					if want := hashed(int(p[0]*512 + p[1])); got != want {
						t.Errorf("%v: %d, want %d", p, got, want)
					}
					want := 1
					if k == 0 || k == 3 { // the first read in a chunk
						want = 2
					}
					if calls, most := r.since(); calls != want || most > 1 {
						t.Errorf("%v: %d reads instead of %d, of a byte up to %d", p, calls, want, most)
					}
				}
			})
		}
	}
}

// TestSmallChunksAreReadOnce checks that a chunk that is read whole is not read from its beginning
// twice, although its size is only known from its header.
func TestSmallChunksAreReadOnce(t *testing.T) {
	a, r := remote(t, func(i int) int32 { return int32(i / 100) }, &OpenOptions{Verify: frame.VerifyOff})
	for _, want := range []int{2, 1, 1} {
		_, err := a.At(300, 3)
		check(t, err)
		if calls, most := r.since(); calls > want || most > 1 {
			t.Errorf("%d reads, of a byte up to %d, want %d", calls, most, want)
		}
	}
}
