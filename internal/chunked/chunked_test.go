package chunked

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
)

// A model is an array of bytes in chunks: missing, plain, or encoded by inverting each byte. Item i
// is byte(7*i).
type model struct {
	part   *grid.Partition
	file   []byte
	places []Place
	fail   int64 // a chunk whose decoding fails
	parts  bool  // Part does it all

	requests       int
	located        atomic.Int32
	opened, closed atomic.Int32
	known          atomic.Int32
	loaded         sync.Map
}

var errDamaged = errors.New("damaged")

func newModel(t *testing.T, shape, chunk []int64) (*model, *Reader[*int]) {
	t.Helper()
	part, err := grid.New(shape, chunk, chunk, 1)
	if err != nil {
		t.Fatal(err)
	}
	m := &model{part: part, fail: -1, file: []byte("head")}
	whole := m.whole()
	for number := range part.ChunkCount {
		start, stop := part.ChunkBox(number)
		dims := part.Dims
		items := make([]byte, part.ChunkSize)
		eachItem(start[:dims], stop[:dims], func(i int64, at []int64) {
			off := int64(0)
			for d, n := range at {
				off = off*chunk[d] + n - start[d]
			}
			items[off] = whole[index(shape, at)]
		})
		place := Place{Source: m, Off: int64(len(m.file)), Size: part.ChunkSize, Close: m.close}
		switch number % 3 {
		case 0:
			place = Place{}
		case 1:
			place.Plain = true
		case 2:
			for i := range items {
				items[i] = ^items[i]
			}
		}
		m.places = append(m.places, place)
		m.file = append(m.file, items...)
	}
	r := &Reader[*int]{Part: part, Fill: []byte{255}, Most: part.ChunkSize, New: func() (*int, error) {
		m.known.Add(1)
		return new(int), nil
	}}
	return m, r
}

func index(shape, at []int64) int64 {
	i := int64(0)
	for d, n := range shape {
		i = i*n + at[d]
	}
	return i
}

// eachItem calls do for the items of a box, with their numbers in it.
func eachItem(start, stop []int64, do func(i int64, at []int64)) {
	at := slices.Clone(start)
	for i := int64(0); ; i++ {
		for d := range at {
			if start[d] == stop[d] {
				return
			}
		}
		do(i, at)
		d := len(at) - 1
		for ; d >= 0; d-- {
			if at[d]++; at[d] < stop[d] {
				break
			}
			at[d] = start[d]
		}
		if d < 0 {
			return
		}
	}
}

// whole returns all items, with the fill value where chunks are missing.
func (m *model) whole() []byte {
	dims := m.part.Dims
	items := make([]byte, m.part.ItemCount)
	for number := range m.part.ChunkCount {
		start, stop := m.part.ChunkBox(number)
		eachItem(start[:dims], stop[:dims], func(_ int64, at []int64) {
			i := index(m.part.Shape[:dims], at)
			items[i] = byte(7 * i)
			if number%3 == 0 {
				items[i] = 255
			}
		})
	}
	return items
}

func (m *model) close() error { m.closed.Add(1); return nil }

func (m *model) Name(chunk int64) string { return fmt.Sprintf("chunk %d", chunk) }

func (m *model) Locate(ctx context.Context, chunk int64) (Place, error) {
	m.located.Add(1)
	if m.places[chunk].Close != nil {
		m.opened.Add(1)
	}
	return m.places[chunk], ctx.Err()
}

func (m *model) ReadAt(ctx context.Context, b []byte, off int64) error {
	copy(b, m.file[off:])
	return ctx.Err()
}

func (m *model) Decode(w *int, j *Job, encoded []byte) ([]byte, error) {
	if j.Piece.Chunk == m.fail {
		return nil, errDamaged
	}
	*w++ // the race detector sees two goroutines with the same
	items := j.Items()
	for i, b := range encoded {
		items[i] = ^b
	}
	return items, nil
}

func (m *model) Part(ctx context.Context, _ *int, j *Job) (bool, []byte, error) {
	if !m.parts {
		head := slices.Clone(m.file[j.Place.Off:][:1])
		return false, head, nil
	}
	items := make([]byte, j.Place.Size)
	for i := range items {
		items[i] = ^m.file[j.Place.Off+int64(i)]
	}
	j.Piece.Scatter(j.Dst, 0, items)
	return true, nil, ctx.Err()
}

func (m *model) Requests() int { return m.requests }

func (m *model) Load(ctx context.Context, off, n int64) (func(), error) {
	m.loaded.Store(off, n)
	return func() { m.loaded.Delete(off) }, ctx.Err()
}

func TestBoxesAreReadWhateverHasTheirChunks(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, requests := range []int{0, 3} {
		for _, parts := range []bool{false, true} {
			shape := []int64{11, 7, 9}
			m, r := newModel(t, shape, []int64{4, 3, 9})
			m.requests, m.parts = requests, parts
			r.Far, r.Workers = m, 3
			whole := m.whole()
			for range 300 {
				start, stop := make([]int64, 3), make([]int64, 3)
				size := int64(1)
				for d, n := range shape {
					start[d] = random.Int64N(n + 1)
					stop[d] = start[d] + random.Int64N(n-start[d]+1)
					size *= stop[d] - start[d]
				}
				dst := make([]byte, size)
				m.located.Store(0)
				if err := r.Read(t.Context(), m, dst, start, stop); err != nil {
					t.Fatal(err)
				}
				if got, want := int64(m.located.Load()), met(start, stop, []int64{4, 3, 9}); got != want {
					t.Fatalf("%d chunks of %v to %v were looked up, want %d", got, start, stop, want)
				}
				eachItem(start, stop, func(i int64, at []int64) {
					if want := whole[index(shape, at)]; dst[i] != want {
						t.Fatalf("requests %d, parts %v: item %v is %d, want %d", requests, parts, at, dst[i], want)
					}
				})
			}
			m.loaded.Range(func(off, n any) bool {
				t.Errorf("%v bytes at %v are still held", n, off)
				return true
			})
			if opened, closed := m.opened.Load(), m.closed.Load(); closed == 0 || closed != opened {
				t.Errorf("%d of %d sources were closed", closed, opened)
			}
		}
	}
}

// met returns the number of chunks that a box meets.
func met(start, stop, chunk []int64) int64 {
	n := int64(1)
	for d, side := range chunk {
		if start[d] == stop[d] {
			return 0
		}
		n *= (stop[d]-1)/side - start[d]/side + 1
	}
	return n
}

func TestErrorsNameTheirChunk(t *testing.T) {
	for _, requests := range []int{0, 2} {
		m, r := newModel(t, []int64{90}, []int64{10})
		m.requests, m.fail = requests, 5
		r.Far = m
		err := r.Read(t.Context(), m, make([]byte, 90), []int64{0}, []int64{90})
		if !errors.Is(err, errDamaged) || !strings.HasPrefix(err.Error(), "chunk 5: ") {
			t.Errorf("%v", err)
		}
	}
	m, r := newModel(t, []int64{90}, []int64{10})
	if err := r.Read(t.Context(), m, make([]byte, 9), []int64{85}, []int64{94}); !errors.Is(err, cairn.ErrBounds) {
		t.Errorf("a box outside: %v", err)
	}
	if err := r.Read(t.Context(), m, make([]byte, 9), []int64{0}, []int64{8}); !errors.Is(err, cairn.ErrBounds) {
		t.Errorf("a buffer that is too large: %v", err)
	}

	all := func() error { return r.Read(t.Context(), m, make([]byte, 90), []int64{0}, []int64{90}) }
	m.places[4].Size++
	if err := all(); !errors.Is(err, cairn.ErrCorrupt) || !strings.HasPrefix(err.Error(), "chunk 4: ") {
		t.Errorf("a plain chunk that is too long: %v", err)
	}
	m.places[2].Size += 1 << 40
	if err := all(); !errors.Is(err, cairn.ErrLimit) || !strings.HasPrefix(err.Error(), "chunk 2: ") {
		t.Errorf("an encoded chunk that is too long: %v", err)
	}
}

func TestReadsEndWithTheirContext(t *testing.T) {
	m, r := newModel(t, []int64{90}, []int64{10})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Read(ctx, m, make([]byte, 90), []int64{0}, []int64{90}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestWorkersAreBoundedAndUsedAgain(t *testing.T) {
	m, r := newModel(t, []int64{90}, []int64{10})
	r.Workers = 4
	ctx := parallel.AtMost(t.Context(), 1)
	if err := r.Read(ctx, m, make([]byte, 90), []int64{0}, []int64{90}); err != nil {
		t.Fatal(err)
	}
	if n := m.known.Load(); n != 1 {
		t.Errorf("%d workers, want 1", n)
	}
}
