package golden_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/test/dense"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/store"
)

// ranges returns the number of random ranges of each golden to compare with the whole, whose hash
// is in the manifest.
func ranges() int {
	if testing.Short() { // under emulation and the race detector everything takes ten times as long
		return 50
	}
	return 1000
}

// draw returns a random range of n items: mostly a few items, sometimes any number, and sometimes
// none.
func draw(rng *rand.Rand, n int) (from, to int) {
	from = rng.IntN(n + 1)
	if rng.IntN(20) == 0 {
		return from, from + rng.IntN(n-from+1)
	}
	return from, min(n, from+rng.IntN(40))
}

// checkItems reads random ranges of a chunk's items and compares them with the whole.
func checkItems(t *testing.T, d *chunk.Decoder, src, whole []byte) {
	t.Helper()
	h, err := chunk.ParseHeader(src)
	if err != nil {
		t.Fatal(err)
	}
	item := int(h.TypeSize)
	rng := rand.New(rand.NewPCG(1, uint64(len(src))))
	for range ranges() {
		from, to := draw(rng, len(whole)/item)
		dst := make([]byte, (to-from)*item)
		n, err := d.DecodeItems(dst, src, from, to)
		if err != nil {
			t.Fatalf("items %d to %d: %v", from, to, err)
		}
		if n != len(dst) || !bytes.Equal(dst, whole[from*item:to*item]) {
			t.Fatalf("items %d to %d differ from the whole", from, to)
		}
	}
}

// pieces locates the chunks of a frame within its whole contents.
type pieces struct {
	f      *frame.Frame
	whole  []byte
	starts []int // start of each chunk in bytes, and the end of the last one
}

func piecesOf(t *testing.T, f *frame.Frame, whole []byte) *pieces {
	t.Helper()
	p := &pieces{f: f, whole: whole, starts: []int{0}}
	for i := range f.NumChunks() {
		info, err := f.Chunk(i)
		if err != nil {
			t.Fatal(err)
		}
		p.starts = append(p.starts, p.starts[i]+int(info.NBytes))
	}
	return p
}

// items returns the number of whole items in chunk i. It does not count an incomplete last item.
func (p *pieces) items(i int) int { return (p.starts[i+1] - p.starts[i]) / p.f.TypeSize() }

// check reads items [from, to) of chunk i and compares them with the whole.
func (p *pieces) check(t *testing.T, i, from, to int) {
	t.Helper()
	item := p.f.TypeSize()
	part := make([]byte, (to-from)*item)
	if _, err := p.f.ReadItems(context.Background(), part, i, from, to); err != nil {
		t.Fatalf("items %d to %d of chunk %d: %v", from, to, i, err)
	}
	if !bytes.Equal(part, p.whole[p.starts[i]+from*item:][:len(part)]) {
		t.Fatalf("items %d to %d of chunk %d differ from the whole", from, to, i)
	}
}

// checkFrameItems reads random ranges of items and compares them with the whole. Every fourth range
// crosses the end of a chunk, if there is another one.
func checkFrameItems(t *testing.T, f *frame.Frame, whole []byte) {
	t.Helper()
	if f.NumChunks() == 0 {
		return
	}
	p := piecesOf(t, f, whole)
	rng := rand.New(rand.NewPCG(2, uint64(f.NBytes())))
	for k := range ranges() {
		i := rng.IntN(f.NumChunks())
		from, to := draw(rng, p.items(i))
		if k%4 != 0 || i+1 == f.NumChunks() {
			p.check(t, i, from, to)
			continue
		}
		p.check(t, i, p.items(i)-min(p.items(i), rng.IntN(20)), p.items(i))
		last := i + 1 + rng.IntN(min(3, f.NumChunks()-i-1))
		for i++; i < last; i++ {
			p.check(t, i, 0, p.items(i))
		}
		p.check(t, i, 0, min(p.items(i), rng.IntN(20)))
	}
}

// checkBoxes reads random boxes, and the same number of random items by their coordinates, and
// compares them with the whole.
func checkBoxes(t *testing.T, shape []int64, u *ndarray.Untyped, whole []byte) {
	t.Helper()
	ctx := context.Background()
	m := &dense.Array{Shape: shape, Size: u.TypeSize(), Data: whole}
	rng := rand.New(rand.NewPCG(3, uint64(len(whole))))
	for range ranges() {
		start, stop := drawBox(rng, shape)
		want := m.Box(start, stop)
		got := make([]byte, len(want))
		if err := u.ReadBytes(ctx, got, start, stop); err != nil {
			t.Fatalf("box %v to %v: %v", start, stop, err)
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("box %v to %v differs from the whole", start, stop)
		}
	}
	if dense.Volume(shape) == 0 {
		return
	}
	var points, next []int64
	var want []byte
	for range ranges() {
		point := make([]int64, len(shape))
		next = next[:0]
		for d, n := range shape {
			point[d] = rng.Int64N(n)
			next = append(next, point[d]+1)
		}
		points = append(points, point...)
		want = append(want, m.Box(point, next)...)
	}
	got := make([]byte, len(want))
	if err := u.ReadPoints(ctx, got, points); err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%d points differ from the whole: %v", ranges(), err)
	}
}

// TestGoldenLeaves reads random ranges of every leaf of the stores that python-blosc2 wrote.
// Package store checks their complete contents.
func TestGoldenLeaves(t *testing.T) {
	var files []string
	for _, suffix := range []string{"b2z", "b2e"} {
		found, err := filepath.Glob("../../../store/testdata/*." + suffix)
		if err != nil || len(found) == 0 {
			t.Fatalf("no stores called %s: %v", suffix, err)
		}
		files = append(files, found...)
	}
	arrays, frames := 0, 0
	for _, name := range files {
		s, err := store.Open(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		for l := range s.Leaves() {
			kind, err := s.Kind(l.Key)
			if err != nil {
				t.Fatalf("%s: %s: %v", name, l.Key, err)
			}
			switch kind {
			case store.Array:
				arrays++
				checkArrayLeaf(t, s, l.Key)
			case store.Frame:
				frames++
				checkFrameLeaf(t, s, l.Key)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if arrays < 12 || frames < 5 {
		t.Errorf("%d arrays and %d frames in %d stores", arrays, frames, len(files))
	}
}

func checkArrayLeaf(t *testing.T, s *store.Store, key string) {
	t.Helper()
	u, err := s.Array(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	checkBoxes(t, u.Shape(), u, read(t, u))
}

func checkFrameLeaf(t *testing.T, s *store.Store, key string) {
	t.Helper()
	f, err := s.Frame(key)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	whole, err := decodeFrame(f)
	if err != nil {
		t.Fatal(err)
	}
	checkFrameItems(t, f, whole)
}

// drawBox returns a random box: mostly of a few items, possibly empty, and sometimes of any size.
func drawBox(rng *rand.Rand, shape []int64) (start, stop []int64) {
	start, stop = make([]int64, len(shape)), make([]int64, len(shape))
	room, most := int64(200), int64(20)
	if rng.IntN(40) == 0 {
		room, most = dense.Volume(shape), dense.Volume(shape)
	}
	for d, n := range shape {
		start[d] = rng.Int64N(n + 1)
		stop[d] = start[d] + min(n-start[d], rng.Int64N(min(room, most)+1))
		room /= max(stop[d]-start[d], 1)
	}
	return start, stop
}
