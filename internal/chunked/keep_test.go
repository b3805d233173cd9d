package chunked

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cairn-go/cairn/internal/decoded"
)

// counting is a model that counts decodes, and may do something else before each.
type counting struct {
	*model
	decodes atomic.Int32
	reads   atomic.Int32
	before  func(j *Job) error
}

func (m *counting) Decode(w *int, j *Job, encoded []byte) ([]byte, error) {
	m.decodes.Add(1)
	if m.before != nil {
		if err := m.before(j); err != nil {
			return nil, err
		}
	}
	return m.model.Decode(w, j, encoded)
}

func (m *counting) ReadAt(ctx context.Context, b []byte, off int64) error {
	m.reads.Add(1)
	return m.model.ReadAt(ctx, b, off)
}

func (m *counting) Locate(ctx context.Context, chunk int64) (Place, error) {
	p, err := m.model.Locate(ctx, chunk)
	if err == nil && p.Source != nil {
		p.Source = m
	}
	return p, err
}

// planes returns a model of 4 chunks of 16 planes of 5×6 items, all encoded, and a reader that
// keeps chunks.
func planes(t *testing.T, budget int64) (*counting, *Reader[*int], *decoded.Cache) {
	t.Helper()
	m, r := newModel(t, []int64{64, 5, 6}, []int64{16, 5, 6})
	for i, p := range m.places {
		start, stop := m.part.ChunkBox(int64(i))
		p = Place{Source: m, Off: int64(len(m.file)), Size: m.part.ChunkSize}
		for at := start[0] * 30; at < stop[0]*30; at++ {
			m.file = append(m.file, ^byte(7*at))
		}
		m.places[i] = p
	}
	c := decoded.New(budget)
	r.Keep = c.Owner()
	return &counting{model: m}, r, c
}

func readPlane(t *testing.T, m *counting, r *Reader[*int], z int64) {
	t.Helper()
	dst := make([]byte, 30)
	if err := r.Read(t.Context(), m, dst, []int64{z, 0, 0}, []int64{z + 1, 5, 6}); err != nil {
		t.Fatal(err)
	}
	for i, b := range dst {
		if want := byte(7 * (z*30 + int64(i))); b != want {
			t.Fatalf("plane %d: item %d is %d, want %d", z, i, b, want)
		}
	}
}

func TestPlaneByPlaneDecodesEachChunkOnce(t *testing.T) {
	for _, c := range []struct {
		name          string
		budget        int64
		parts, loose  bool
		first, second int32
	}{
		{"room for all", 64 << 10, false, false, 4, 4},
		{"room for two chunks", 1000, false, false, 4, 8},
		{"no room", 100, false, false, 64, 128},
		{"parts", 64 << 10, true, false, 5, 5}, // the second plane shows that there is a loop
		{"loose", 64 << 10, false, true, 64, 128},
	} {
		m, r, cache := planes(t, c.budget)
		r.Parts = c.parts
		for i := range m.places {
			m.places[i].Loose = c.loose
		}
		for _, want := range []int32{c.first, c.second} {
			for z := range int64(64) {
				readPlane(t, m, r, z)
			}
			if got := m.decodes.Load(); got != want {
				t.Errorf("%s: chunks were decoded %d times, want %d", c.name, got, want)
			}
		}
		if used := cache.Used(); used > c.budget {
			t.Errorf("%s: %d bytes", c.name, used)
		}
	}
}

// TestPartsOfChunksWait reads planes that are no loop: a chunk is kept once its parts took enough.
func TestPartsOfChunksWait(t *testing.T) {
	m, r, _ := planes(t, 64<<10)
	r.Parts = true
	for i, want := range []int32{1, 2, 3, 4, 5, 6, 7, 8, 8, 8} {
		readPlane(t, m, r, int64(i%4*16+2*(i/4)))
		if got := m.decodes.Load(); got != want {
			t.Errorf("%d planes: %d decodes, want %d", i+1, got, want)
		}
	}
}

// TestALoopMayGoAnyWay reads columns forwards and backwards, of encoded chunks and others, with
// room for some of the chunks that a column needs.
func TestALoopMayGoAnyWay(t *testing.T) {
	for _, c := range []struct {
		name   string
		plain  bool
		budget int64
		back   bool
		want   int32
	}{
		{"room for all", false, 64 << 10, false, 4 + 4},
		{"backwards", false, 64 << 10, true, 4 + 4},
		{"room for two of four", false, 4 * 480, false, 4 + 4 + 4*2},
		{"not encoded", true, 64 << 10, false, 4 + 4},
		{"not encoded, backwards", true, 64 << 10, true, 4 + 4},
	} {
		m, r, _ := planes(t, c.budget)
		r.Parts = true
		for i := range m.places {
			m.places[i].Plain = c.plain
		}

		for i := range int64(6) {
			x := i
			if c.back {
				x = 5 - i
			}
			dst := make([]byte, 64*5)
			if err := r.Read(t.Context(), m, dst, []int64{0, 0, x}, []int64{64, 5, x + 1}); err != nil {
				t.Fatal(err)
			}
			for at, b := range dst {
				want := byte(7 * (int64(at)*6 + x))
				if c.plain {
					want = ^want
				}
				if b != want {
					t.Fatalf("%s: column %d: item %d is %d, want %d", c.name, x, at, b, want)
				}
			}
		}
		if got := m.reads.Load(); got != c.want {
			t.Errorf("%s: %d reads, want %d", c.name, got, c.want)
		}
	}
}

// TestWholeChunksPassBy reads all, and then a plane that is kept anyway.
func TestWholeChunksPassBy(t *testing.T) {
	m, r, cache := planes(t, 64<<10)
	dst := make([]byte, 64*30)
	read := func(from, to int64) {
		if err := r.Read(t.Context(), m, dst[:(to-from)*30], []int64{from, 0, 0}, []int64{to, 5, 6}); err != nil {
			t.Fatal(err)
		}
	}
	if read(0, 64); cache.Used() != 0 {
		t.Errorf("a read of whole chunks leaves %d bytes", cache.Used())
	}
	readPlane(t, m, r, 20)
	if read(0, 64); m.decodes.Load() != 4+1+3 {
		t.Errorf("%d decodes: a chunk that is kept was decoded again", m.decodes.Load())
	}

	m, r, cache = planes(t, 2*480)
	if read(8, 56); cache.Used() != 0 {
		t.Errorf("a read of more than the cache has leaves %d bytes", cache.Used())
	}
}

// TestChangedChunksAreNotFound gives chunks other content at the same place, with another version.
func TestChangedChunksAreNotFound(t *testing.T) {
	m, r, _ := planes(t, 64<<10)
	readPlane(t, m, r, 3)
	p := &m.places[0]
	for i := range m.file[p.Off:][:p.Size] {
		m.file[p.Off+int64(i)] = 5
	}
	readPlane(t, m, r, 3) // as before: nothing says that it is different
	p.Version++
	dst := make([]byte, 30)
	if err := r.Read(t.Context(), m, dst, []int64{3, 0, 0}, []int64{4, 5, 6}); err != nil || dst[9] != ^byte(5) {
		t.Error(dst[9], err)
	}

	// Another array of the owner, with a chunk of the same number at the same place.
	r.Array++
	before := m.decodes.Load()
	if err := r.Read(t.Context(), m, dst, []int64{3, 0, 0}, []int64{4, 5, 6}); err != nil || m.decodes.Load() == before {
		t.Error("the chunk of another array was found", err)
	}
}

// TestADamagedChunkFailsAsWithoutTheCache reads it whole and in parts.
func TestADamagedChunkFailsAsWithoutTheCache(t *testing.T) {
	m, r, cache := planes(t, 64<<10)
	m.fail = 2
	for range 3 {
		err := r.Read(t.Context(), m, make([]byte, 30), []int64{40, 0, 0}, []int64{41, 5, 6})
		if !errors.Is(err, errDamaged) || cache.Used() != 0 {
			t.Errorf("%v, %d bytes are kept", err, cache.Used())
		}
	}

	// Only the part that nobody asks for is damaged.
	m.fail = -1
	r.Parts = true
	m.before = func(j *Job) error {
		if j.Piece.Whole {
			return errDamaged
		}
		return nil
	}
	for range 5 {
		readPlane(t, m, r, 40)
	}
	if cache.Used() != 0 {
		t.Errorf("%d bytes of a damaged chunk", cache.Used())
	}
}

// TestManyReadersDecodeOnce has 32 goroutines wait for one chunk, whose first reader gives up.
func TestManyReadersDecodeOnce(t *testing.T) {
	for _, gives := range []bool{false, true} {
		m, r, cache := planes(t, 64<<10)
		ctx, cancel := context.WithCancel(t.Context())
		begun, goOn := make(chan struct{}), make(chan struct{})
		first := sync.OnceFunc(func() { close(begun); <-goOn })
		m.before = func(*Job) error {
			led := m.decodes.Load() == 1
			first()
			if led && gives {
				return ctx.Err()
			}
			return nil
		}

		var all sync.WaitGroup
		all.Go(func() {
			err := r.Read(ctx, m, make([]byte, 30), []int64{1, 0, 0}, []int64{2, 5, 6})
			if gives != errors.Is(err, context.Canceled) {
				t.Errorf("the first reader: %v", err)
			}
		})
		<-begun
		for z := range int64(16) {
			all.Go(func() { readPlane(t, m, r, z) })
			all.Go(func() { readPlane(t, m, r, 15-z) })
		}
		if gives {
			cancel()
		}
		close(goOn)
		all.Wait()
		cancel()

		want := int32(1)
		if gives {
			want = 2
		}
		if got := m.decodes.Load(); got != want || cache.Used() != m.part.ChunkSize+decoded.EntryBytes {
			t.Errorf("gives up %v: %d decodes, want %d; %d bytes", gives, got, want, cache.Used())
		}
	}
}

// TestAPanicIsThatOfEachReader checks that nothing is left of it.
func TestAPanicIsThatOfEachReader(t *testing.T) {
	m, r, cache := planes(t, 64<<10)
	m.before = func(*Job) error { panic("a defect") }
	for range 2 {
		func() {
			defer func() {
				if fault := recover(); fault != "a defect" {
					t.Errorf("recovered %v", fault)
				}
			}()
			readPlane(t, m, r, 9)
		}()
	}
	m.before = nil
	if cache.Used() != 0 {
		t.Errorf("%d bytes are kept", cache.Used())
	}
	readPlane(t, m, r, 9)
}

// TestBoxesAreTheSameWithTheCache reads boxes at random, near and far, from several goroutines.
func TestBoxesAreTheSameWithTheCache(t *testing.T) {
	shape := []int64{11, 7, 9}
	for _, requests := range []int{0, 3} {
		for _, budget := range []int64{250, 500, 1 << 20} {
			m, r := newModel(t, shape, []int64{4, 3, 9})
			m.requests = requests
			r.Far, r.Workers = m, 3
			r.Parts = budget == 500
			cache := decoded.New(budget)
			r.Keep = cache.Owner()
			whole := m.whole()
			var all sync.WaitGroup
			for g := range uint64(4) {
				all.Go(func() {
					random := rand.New(rand.NewPCG(7, g))
					for range 300 {
						start, stop, size := make([]int64, 3), make([]int64, 3), int64(1)
						for d, n := range shape {
							start[d] = random.Int64N(n + 1)
							stop[d] = start[d] + random.Int64N(n-start[d]+1)
							size *= stop[d] - start[d]
						}
						dst := make([]byte, size)
						if err := r.Read(t.Context(), m, dst, start, stop); err != nil {
							t.Error(err)
							return
						}
						eachItem(start, stop, func(i int64, at []int64) {
							if want := whole[index(shape, at)]; dst[i] != want {
								t.Errorf("item %v is %d, want %d", slices.Clone(at), dst[i], want)
							}
						})
					}
				})
			}
			all.Wait()
			if r.Keep.Drop(); cache.Used() != 0 {
				t.Errorf("%d bytes without an owner", cache.Used())
			}
		}
	}
}
