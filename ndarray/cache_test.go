package ndarray

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/decoded"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/storage"
)

// keepIn gives an array a cache of its own, of some bytes, instead of that of the process.
func keepIn(u *Untyped, bytes int64) *decoded.Cache {
	c := decoded.New(bytes)
	u.array.keep.Drop()
	u.array.keep = c.Owner()
	return c
}

// TestKeptBlocksAreNotReadAgain counts storage reads of the array and of a snapshot.
func TestKeptBlocksAreNotReadAgain(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		fsys := &storagetest.Faults{FS: storage.NewMemory()}
		a, err := Create[int32]("a", Shape{64, 64}, &Options{ChunkShape: Shape{32, 64},
			BlockShape: Shape{8, 64}, FS: fsys, Sparse: sparse})
		check(t, err)
		cache := keepIn(a.Untyped, 64<<10)
		want := make([]int32, 64*64)
		for i := range want {
			want[i] = int32(i * i)
		}
		check(t, a.Write(t.Context(), want), a.Commit(t.Context()))
		s, err := a.Snapshot(t.Context())
		check(t, err)
		read := func(a Array[int32]) {
			t.Helper()
			for i := range int64(64) {
				if v, err := a.At(i, i); err != nil || v != want[i*65] {
					t.Fatal(v, err)
				}
			}
		}
		read(a)
		fsys.FailAt, fsys.Persistent = fsys.Count()+1, true
		read(a)
		read(s)
		fsys.FailAt = 0
		check(t, a.Fill(t.Context(), 3), a.Commit(t.Context()))
		if v, err := a.At(5, 5); err != nil || v != 3 {
			t.Error(v, err)
		}
		read(s)
		check(t, s.Close(), a.Close())
		if cache.Used() != 0 {
			t.Errorf("%d bytes are kept of an array that was closed", cache.Used())
		}
	}
}

// TestNumbersOfChunkFilesThatAreUsedAgain reuses the file numbers of old chunks for new ones while
// blocks of the old ones are still kept.
func TestNumbersOfChunkFilesThatAreUsedAgain(t *testing.T) {
	ctx := t.Context()
	a, err := Create[int32]("a", Shape{8, 16}, &Options{ChunkShape: Shape{4, 16},
		BlockShape: Shape{1, 16}, FS: storage.NewMemory(), Sparse: true})
	check(t, err)
	keepIn(a.Untyped, 1<<20)
	rnd := rand.New(rand.NewPCG(3, 3))
	values := make([]int32, 128)
	for range 50 {
		for i := range values {
			values[i] = rnd.Int32()
		}
		check(t, a.Write(ctx, values))
		runtime.GC() // numbers become free once no state refers to them
		if rnd.IntN(2) == 0 {
			check(t, a.Commit(ctx))
		}
		for range 20 {
			i, j := rnd.Int64N(8), rnd.Int64N(16)
			if v, err := a.At(i, j); err != nil || v != values[i*16+j] {
				t.Fatal(v, values[i*16+j], err)
			}
		}
	}
	if a.Stats().CacheHits == 0 {
		t.Error("nothing was kept, so this tests nothing")
	}
	check(t, a.Close())
}

// TestKeptReadsAlloc reads from the cache, and while it is full of other blocks.
func TestKeptReadsAlloc(t *testing.T) {
	values := field(Shape{32, 64, 64})
	start, stop := make([]int64, 3), make([]int64, 3)
	for _, budget := range []int64{4 << 20, 64 << 10} {
		a, err := FromSlice(values, Shape{32, 64, 64}, &Options{Codec: codecs.LZ4, BlockShape: Shape{4, 16, 16}})
		check(t, err)
		keepIn(a.Untyped, budget)
		dst := make([]float32, 9)
		at := int64(0)
		read := func() {
			at = (at + 5) % 32
			_, err := a.At(at, 7, at)
			start[0], start[1], start[2] = at, 5, 36
			stop[0], stop[1], stop[2] = at+1, 8, 39
			if err == nil {
				err = a.ReadBox(t.Context(), dst, start, stop)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for range 200 {
			read()
		}
		before := a.Stats()
		if n := testing.AllocsPerRun(100, read); n > 0 {
			t.Errorf("%v allocations of %d bytes", n, budget)
		}
		now := a.Stats()
		if hits := now.CacheHits - before.CacheHits; budget > 1<<20 && hits != 202 {
			t.Errorf("%d reads of 202 found their blocks", hits)
		}
		check(t, a.Close())
	}
}

// planesOf returns an array of 64 planes, in chunks of 32 and blocks of 8, and its items.
func planesOf(t *testing.T, o *Options) (Array[float32], []float32) {
	t.Helper()
	o.ChunkShape = Shape{32, 32, 48}
	o.BlockShape = Shape{8, 16, 16}
	values := field(Shape{64, 64, 48})
	a, err := FromSlice(values, Shape{64, 64, 48}, o)
	check(t, err)
	return a, values
}

// TestLoopsDecodeBlocksOnce reads all planes twice, along each axis and in both directions. The
// first plane of the first pass cannot tell that there will be others.
func TestLoopsDecodeBlocksOnce(t *testing.T) {
	shape := Shape{64, 64, 48}
	for _, tiny := range []bool{false, true} {
		for axis := range shape {
			for _, back := range []bool{false, true} {
				a, values := planesOf(t, &Options{Workers: 1 + axis})
				all := int64(8 * 4 * 3)
				first := all / []int64{8, 4, 3}[axis]
				cache := keepIn(a.Untyped, 4<<20)
				if tiny {
					cache.SetBudget(first * (8192 + decoded.EntryBytes))
				}
				start, stop := make([]int64, 3), slices.Clone(shape)
				dst := make([]float32, 64*64*48/shape[axis])
				for pass := range 2 {
					before := a.Stats()
					for i := range shape[axis] {
						start[axis] = i
						if back {
							start[axis] = shape[axis] - 1 - i
						}
						stop[axis] = start[axis] + 1
						check(t, a.ReadBox(t.Context(), dst, start, stop))
						if k := len(dst) / 3; dst[k] != values[offsetOf(shape, start, stop, int64(k))] {
							t.Fatalf("axis %d, plane %d: %v", axis, start[axis], dst[k])
						}
					}
					got := a.Stats().BlocksDecoded - before.BlocksDecoded
					switch {
					case tiny && got > all*9 || tiny && cache.Used() > cache.Budget():
						t.Errorf("%d decodes of %d blocks, %d bytes are kept", got, all, cache.Used())
					case !tiny && got != []int64{all + first, 0}[pass]:
						t.Errorf("axis %d, back %v, pass %d: %d decodes of %d blocks", axis, back, pass, got, all)
					}
				}
				check(t, a.Close())
			}
		}
	}
}

// offsetOf returns the place in an array of the k-th item of a box.
func offsetOf(shape Shape, start, stop []int64, k int64) int64 {
	at, step := int64(0), int64(1)
	for d := len(shape) - 1; d >= 0; d-- {
		n := stop[d] - start[d]
		at += (start[d] + k%n) * step
		k /= n
		step *= shape[d]
	}
	return at
}

// TestWhatLeavesNothing reads what is not worth keeping.
func TestWhatLeavesNothing(t *testing.T) {
	ctx := t.Context()
	whole := func(a Array[float32]) error { _, err := a.Read(ctx); return err }
	most := func(a Array[float32]) error { _, err := a.Read(ctx, All, Range(0, 64), Range(1, 48)); return err }
	blocks := func(a Array[float32]) error {
		_, err := a.Read(ctx, Range(8, 24), Range(16, 64), Range(0, 32))
		return err
	}
	corner := func(a Array[float32]) error { _, err := a.Read(ctx, Range(30, 40), Range(1, 63), All); return err }
	for name, row := range map[string]struct {
		read    func(a Array[float32]) error
		options Options
		keeps   bool
	}{
		"the whole array": {read: whole}, "most of it": {read: most}, "whole blocks": {read: blocks},
		"parts of blocks": {corner, Options{}, true}, "NoCache": {corner, Options{NoCache: true}, false},
		"the caller's codecs": {corner, Options{Engine: chunk.Engine{Codecs: &codecs.Registry{}}}, false},
	} {
		a, _ := planesOf(t, &row.options)
		budget := int64(64 << 20)
		if name == "most of it" {
			budget = 64 * 64 * 48 * 4
		}
		cache := decoded.New(budget)
		if a.Untyped.array.keep != nil {
			cache = keepIn(a.Untyped, budget)
		}

		for range 3 {
			check(t, row.read(a))
		}
		if kept := cache.Used(); kept > 0 != row.keeps {
			t.Errorf("%s: %d bytes are kept", name, kept)
		}
		check(t, a.Close())
		if kept := cache.Used(); kept != 0 {
			t.Errorf("%s: %d bytes are kept of a closed array", name, kept)
		}
	}
}

// TestManyReadersDecodeABlockOnce has goroutines read the same series at the same time.
func TestManyReadersDecodeABlockOnce(t *testing.T) {
	a, values := planesOf(t, &Options{Workers: 1})
	keepIn(a.Untyped, 4<<20)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			dst := make([]float32, 64)
			for i := range int64(20) {
				if err := a.ReadBox(t.Context(), dst, []int64{0, 20, i}, []int64{64, 21, i + 1}); err != nil {
					t.Error(err)
				}
				if dst[9] != values[(9*64+20)*48+i] {
					t.Error("another item")
				}
			}
		})
	}
	all.Wait()
	// Each of the 16 blocks is decoded for the cache, and by those that read it at first.
	if n := a.Stats().BlocksDecoded; n > 16*18 || n < 16 {
		t.Errorf("%d blocks were decoded", n)
	}
	check(t, a.Close())
}

// TestDamagedBlocksAreNotKept reads an array with a damaged block, from several goroutines. The
// errors are those of reads without the cache, and other blocks are read.
func TestDamagedBlocksAreNotKept(t *testing.T) {
	a, values := planesOf(t, &Options{})
	b, err := a.Bytes()
	check(t, err, a.Close())
	plain, err := FromBytes(b, &OpenOptions{NoCache: true, Verify: frame.VerifyOff})
	check(t, err)
	info, err := plain.Frame().Peek(1)
	check(t, err)
	b[info.Offset+32+4*5+3] = 0x7f // the offset of block 5
	read := func(u *Untyped, x int64) (item float32, err error) {
		var b [4]byte
		err = u.ReadBytes(t.Context(), b[:], []int64{1, 50, x}, []int64{2, 51, x + 1})
		return math.Float32frombits(binary.LittleEndian.Uint32(b[:])), err
	}
	_, want := read(plain, 40)
	if !errors.Is(want, cairn.ErrCorrupt) {
		t.Fatal(want)
	}

	u, err := FromBytes(b, &OpenOptions{Verify: frame.VerifyOff})
	check(t, err)
	cache := keepIn(u, 4<<20)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 10 {
				if _, err := read(u, 40); err == nil || err.Error() != want.Error() {
					t.Errorf("%v, not %v", err, want)
				}
				if got, err := read(u, 20); err != nil || got != values[(64+50)*48+20] {
					t.Errorf("beside the damaged block: %v, %v", got, err)
				}
			}
		})
	}
	all.Wait()
	if cache.Used() != 8192+decoded.EntryBytes {
		t.Errorf("%d bytes are kept", cache.Used())
	}
	check(t, u.Close(), plain.Close())
}

// fragile is a codec that remembers what it encodes, and panics when it is told to.
type fragile struct {
	broken *atomic.Bool
	blocks *sync.Map
}

func (f fragile) Encode(dst, src []byte) (int, error) {
	f.blocks.Store(uint64(crc32.ChecksumIEEE(src)), bytes.Clone(src))
	return len(binary.LittleEndian.AppendUint64(dst[:0], uint64(crc32.ChecksumIEEE(src)))), nil
}

func (f fragile) Decode(dst, src []byte) error {
	if f.broken.Load() {
		panic("broken")
	}
	block, _ := f.blocks.Load(binary.LittleEndian.Uint64(src))
	copy(dst, block.([]byte))
	return nil
}

// TestPanicsOfDecodersLeaveTheCacheUsable has a codec panic while a block is decoded into the
// cache.
func TestPanicsOfDecodersLeaveTheCacheUsable(t *testing.T) {
	var broken atomic.Bool
	codec := fragile{&broken, new(sync.Map)}
	reg := new(codecs.Registry)
	check(t, reg.Add(codecs.Row{ID: 200, Name: "fragile",
		NewEncoder: func(codecs.Params) (codecs.Encoder, error) { return codec, nil },
		NewDecoder: func(codecs.Params) (codecs.Decoder, error) { return codec, nil }}))
	a, values := planesOf(t, &Options{Codec: codecs.ByID(200, 0), Engine: chunk.Engine{Codecs: reg}, Workers: 1})
	cache := keepIn(a.Untyped, 4<<20)
	read := func() (panicked bool) {
		defer func() { panicked = recover() != nil }()
		if v, err := a.At(9, 9, 9); err != nil || v != values[(9*64+9)*48+9] {
			t.Error(v, err)
		}
		return false
	}
	read()
	broken.Store(true)
	if !read() || cache.Used() != 0 {
		t.Fatalf("no panic, or %d bytes are kept", cache.Used())
	}
	broken.Store(false)
	for range 2 {
		if read() {
			t.Error("a read after a panic")
		}
	}
	if cache.Used() == 0 {
		t.Error("nothing is kept after a panic")
	}
	check(t, a.Close())
}

// BenchmarkPoints reads single items at random, most of them in a tenth of the array, by one
// goroutine and by 16.
func BenchmarkPoints(b *testing.B) {
	shape := Shape{128, 256, 256}
	path := filepath.Join(b.TempDir(), "a")
	a, err := Create[float32](path, shape, &Options{ChunkShape: Shape{64, 128, 128},
		BlockShape: Shape{16, 32, 32}, Codec: codecs.LZ4})
	if err != nil {
		b.Fatal(err)
	}
	if err := a.Write(b.Context(), slices.Clone(field(shape))); err != nil {
		b.Fatal(err)
	}
	if err := a.Close(); err != nil {
		b.Fatal(err)
	}
	for _, readers := range []int{1, 16} {
		for _, none := range []bool{true, false} {
			a, err := OpenAs[float32](path, &OpenOptions{NoCache: none, Workers: 1})
			if err != nil {
				b.Fatal(err)
			}
			b.Run(map[int]string{1: "one",
				16: "sixteen"}[readers]+
				map[bool]string{true: "/without", false: "/with"}[none], func(b *testing.B) {
				b.ReportAllocs()
				var wg sync.WaitGroup
				for r := range uint64(readers) {
					wg.Go(func() {
						rnd := rand.New(rand.NewPCG(1, r))
						for range b.N / readers {
							i := rnd.Int64N(128)
							if rnd.IntN(10) > 0 {
								i = rnd.Int64N(13)
							}
							if _, err := a.At(i, rnd.Int64N(256), rnd.Int64N(256)); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				wg.Wait()
			})
			if err := a.Close(); err != nil {
				b.Fatal(err)
			}
		}
	}
}
