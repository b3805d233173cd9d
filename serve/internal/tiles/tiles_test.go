package tiles

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/ndarray"
)

// number returns the item of a plane as a float, read by itself.
func number(t *testing.T, src ndarray.Source, at []int64) float64 {
	t.Helper()
	stop := make([]int64, len(at))
	for i := range at {
		stop[i] = at[i] + 1
	}
	raw := make([]byte, src.DType().Size())
	f, err := govalue.FloatsOf(src.DType())
	if err == nil {
		err = src.ReadBytes(t.Context(), raw, at, stop)
	}
	if err != nil {
		t.Fatal(err)
	}
	v := make([]float64, 1)
	f.Convert(v, raw)
	return v[0]
}

// compare makes every exact tile of a plane, and compares it with means that are computed item by
// item.
func compare(t *testing.T, src ndarray.Source, p Plane) {
	t.Helper()
	shape := src.Shape()
	ny, nx := shape[p.Y], shape[p.X]
	items := make([]float64, ny*nx)
	at := append([]int64{}, p.At...)
	for y := range ny {
		for x := range nx {
			at[p.Y], at[p.X] = y, x
			items[y*nx+x] = number(t, src, at)
		}
	}
	tiles := New(Options{})
	for _, l := range levelsOf(ny, nx) {
		for ty := range cells(cells(ny, l.Y), 8) {
			for tx := range cells(cells(nx, l.X), 8) {
				place := Place{l, ty, tx}
				for _, nearest := range []bool{false, true} {
					a := held(src)
					a.Nearest = nearest
					tile, err := tiles.Tile(t.Context(), a, p, place, true)
					if err != nil {
						t.Fatal(err)
					}
					if !tile.Exact {
						t.Fatalf("%v is not exact", place)
					}
					for i, v := range tile.Values {
						y, x := (ty*Size+int64(i/tile.NX))<<l.Y, (tx*Size+int64(i%tile.NX))<<l.X
						want := mean(items, ny, nx, y, x, l)
						if nearest {
							want = items[min(ny-1, y+1<<l.Y/2)*nx+min(nx-1, x+1<<l.X/2)]
						}
						if !(math.Abs(v-want) <= 1e-9*math.Abs(want)+1e-30 || v != v && want != want || v == want) {
							t.Fatalf("%v of %+v, nearest %v, cell %d: %v, want %v", place, p, nearest, i, v, want)
						}
					}
				}
			}
		}
	}
}

// levelsOf returns all pairs of levels that a page asks for.
func levelsOf(ny, nx int64) (all []Levels) {
	for y := range levelOf(ny, Size) + 1 {
		for x := range levelOf(nx, Size) + 1 {
			all = append(all, Levels{y, x})
		}
	}
	return all
}

func mean(items []float64, ny, nx, y0, x0 int64, l Levels) float64 {
	sum, n, infinite := 0.0, 0, math.NaN()
	for y := y0; y < min(ny, y0+1<<l.Y); y++ {
		for x := x0; x < min(nx, x0+1<<l.X); x++ {
			switch v := items[y*nx+x]; {
			case v-v == 0:
				sum += v
				n++
			case v == v && !(infinite > 0):
				infinite = v
			}
		}
	}
	if n == 0 {
		return infinite
	}
	return sum / float64(n)
}

func held(src ndarray.Source) Array { return Array{Source: src, Key: "a", Release: func() {}} }

// at is a tile of a level of both axes.
func at(level int, ty, tx int64) Place { return Place{Levels{level, level}, ty, tx} }

// array returns an array of random items; of floats some are NaN.
func array(t *testing.T, dtype string, shape, chunk, block ndarray.Shape) *ndarray.Untyped {
	t.Helper()
	u, err := ndarray.NewUntyped(dtype, shape, &ndarray.Options{ChunkShape: chunk, BlockShape: block})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	n := int64(u.TypeSize())
	for _, e := range shape {
		n *= e
	}
	raw := make([]byte, n)
	for i := range raw {
		raw[i] = byte(random.Uint32())
		if d := u.DType(); d.Kind() == 'b' {
			raw[i] &= 1
		}
	}
	stop := append([]int64{}, shape...)
	if err := u.WriteBox(t.Context(), raw, make([]int64, len(shape)), stop); err != nil {
		t.Fatal(err)
	}
	return u
}

func TestTilesAreMeans(t *testing.T) {
	for _, dtype := range []string{"<f4", ">f4", "<f8", "<f2", "<i2", ">u4", "<i8", "|u1", "|b1", "<M8[s]", "<c8"} {
		t.Run(dtype, func(t *testing.T) {
			u := array(t, dtype, ndarray.Shape{3, 300, 37}, ndarray.Shape{2, 100, 20}, ndarray.Shape{1, 33, 7})
			for _, p := range []Plane{{1, 2, []int64{2, 0, 0}}, {2, 1, []int64{1, 0, 0}}, {0, 1, []int64{0, 0, 36}}} {
				compare(t, u, p)
			}
		})
	}
}

// TestRowsOfAThreadStayApart looks at few long rows, which no level may mix.
func TestRowsOfAThreadStayApart(t *testing.T) {
	u, err := ndarray.FromFunc(t.Context(), "", ndarray.Shape{4, 100_000}, func(at []int64) float32 { return float32(at[0]) }, nil)
	if err != nil {
		t.Fatal(err)
	}
	top := Levels{levelOf(4, Size), levelOf(100_000, Size)}
	if top != (Levels{0, 9}) || baseLevels(4, 1e9) != (Levels{0, 10}) || baseLevels(32768, 32768) != (Levels{4, 4}) {
		t.Error(top, baseLevels(4, 1e9), baseLevels(32768, 32768))
	}
	tile, err := New(Options{}).Tile(t.Context(), held(u), Plane{0, 1, []int64{0, 0}}, Place{Levels: top}, true)
	if err != nil || tile.NY != 4 {
		t.Fatal(tile, err)
	}
	for i, v := range tile.Values {
		if v != float64(i/tile.NX) {
			t.Fatalf("cell %d is %v", i, v)
		}
	}
	// what was asked for before axes had levels of their own
	if tile, err = New(Options{}).Tile(t.Context(), held(u), Plane{0, 1, []int64{0, 0}}, at(9, 0, 0), true); err != nil || tile.Values[0] != 1.5 {
		t.Error(tile, err)
	}
}

// source hides everything of an array but what a Source has, and counts what is read.
type source struct {
	ndarray.Source
	none  bool // no grid
	reads atomic.Int64
	wait  chan struct{}

	failure error // of reads
}

func (s *source) Grid() (chunks, blocks ndarray.Shape) {
	if s.none {
		return nil, nil
	}
	return s.Source.Grid()
}

func (s *source) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	s.reads.Add(1)
	if s.wait != nil {
		select {
		case <-s.wait:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if s.failure != nil {
		return s.failure
	}
	return s.Source.ReadBytes(ctx, dst, start, stop)
}

func TestTilesOfOtherSources(t *testing.T) {
	u := array(t, "<f4", ndarray.Shape{2, 70, 530}, ndarray.Shape{1, 32, 64}, ndarray.Shape{1, 16, 32})
	compare(t, &source{Source: u, none: true}, Plane{1, 2, []int64{1, 0, 0}})
	compare(t, &source{Source: u, none: true}, Plane{2, 0, []int64{0, 69, 0}})
	compare(t, u.Slice(ndarray.All, ndarray.From(0).Step(-2)), Plane{1, 2, []int64{1, 0, 0}})
}

func TestAPassFillsThePyramid(t *testing.T) {
	u := array(t, "|u1", ndarray.Shape{2500, 2500}, ndarray.Shape{512, 512}, ndarray.Shape{300, 128})
	src := &source{Source: u}
	tiles := New(Options{})
	p := Plane{0, 1, []int64{0, 0}}
	get := func(place Place) *Tile {
		tile, err := tiles.Tile(t.Context(), held(src), p, place, true)
		if err != nil {
			t.Fatal(err)
		}
		return tile
	}
	get(at(4, 0, 0))
	first := src.reads.Load()
	for l := 1; l <= 4; l++ {
		get(at(l, 0, 0))
	}
	if again := src.reads.Load(); first == 0 || again != first {
		t.Fatalf("%d reads for the coarsest tile, %d for others", first, again-first)
	}
	get(at(0, 9, 9))
	if again := src.reads.Load(); again == first || again-first > 16 {
		t.Fatalf("%d reads for a tile of 256 × 256 items", again-first)
	}
	compared, items := get(at(4, 0, 0)), make([]float64, 2500*2500)
	raw := make([]byte, len(items))
	if err := u.ReadBytes(t.Context(), raw, []int64{0, 0}, []int64{2500, 2500}); err != nil {
		t.Fatal(err)
	}
	for i, b := range raw {
		items[i] = float64(b)
	}
	for i, v := range compared.Values {
		want := mean(items, 2500, 2500, int64(i/compared.NX)<<4, int64(i%compared.NX)<<4, Levels{4, 4})
		if math.Abs(float64(v)-want) > 1e-4 {
			t.Fatalf("cell %d: %v, want %v", i, v, want)
		}
	}
}

// TestSamplesAreItems samples a plane of blocks that are said to be expensive.
func TestSamplesAreItems(t *testing.T) {
	u := array(t, "<i4", ndarray.Shape{700, 900}, ndarray.Shape{64, 64}, ndarray.Shape{16, 32})
	for _, p := range []Plane{{0, 1, []int64{0, 0}}, {1, 0, []int64{0, 0}}} {
		for _, cost := range []int64{1, 300 << 10} { // samples for all cells, and for few
			src := &source{Source: u}
			r, err := newReader(src, p, 2)
			if err != nil {
				t.Fatal(err)
			}
			r.blockBytes = cost
			place := at(2, 0, 0)
			s := place.raster(r.ny, r.nx)
			samples, err := r.sample(t.Context(), s, r.fewBlocks())
			if err != nil {
				t.Fatal(err)
			}
			most := min(sampleBlocks, sampleBytes/cost)
			if n := src.reads.Load(); n > most || cost > 1 && n < most/2 {
				t.Errorf("%d reads, at most %d", n, most)
			}
			exactPlaces := 0
			for i, v := range s.values() {
				middle := make([]int64, 2)
				middle[p.Y], middle[p.X] = int64(i/s.nx)*4+2, int64(i%s.nx)*4+2
				if number(t, u, middle) == v {
					exactPlaces++
				}
			}
			if cost == 1 && exactPlaces != len(s.sums) || exactPlaces < samples {
				t.Errorf("%d of %d cells show the item in their middle; %d samples", exactPlaces, len(s.sums), samples)
			}
		}
	}
}

func TestBadPlacesAreErrors(t *testing.T) {
	u := array(t, "<f4", ndarray.Shape{3, 300, 300}, nil, nil)
	s := array(t, "|S4", ndarray.Shape{3, 3}, nil, nil)
	empty := array(t, "<f4", ndarray.Shape{0, 3}, nil, nil)
	for i, c := range []struct {
		src ndarray.Source
		p   Plane
		at  Place
	}{
		{u, Plane{1, 2, []int64{3, 0, 0}}, Place{}}, {u, Plane{1, 2, []int64{-1, 0, 0}}, Place{}},
		{u, Plane{1, 1, []int64{0, 0, 0}}, Place{}}, {u, Plane{1, 3, []int64{0, 0, 0}}, Place{}},
		{u, Plane{-1, 2, []int64{0, 0, 0}}, Place{}}, {u, Plane{1, 2, []int64{0, 0}}, Place{}},
		{u, Plane{1, 2, []int64{0, 0, 0}}, at(2, 0, 0)}, {u, Plane{1, 2, []int64{0, 0, 0}}, at(-1, 0, 0)},
		{u, Plane{1, 2, []int64{0, 0, 0}}, at(0, 2, 0)}, {u, Plane{1, 2, []int64{0, 0, 0}}, at(0, 0, -1)},
		{empty, Plane{0, 1, []int64{0, 0}}, Place{}}, {s, Plane{0, 1, []int64{0, 0}}, Place{}},
	} {
		released := 0
		_, err := New(Options{}).Tile(t.Context(), Array{Source: c.src, Key: "a", Release: func() { released++ }}, c.p, c.at, true)
		if !errors.Is(err, cairn.ErrBounds) && !errors.Is(err, cairn.ErrType) || released != 1 {
			t.Errorf("%d: %v, released %d times", i, err, released)
		}
	}
}

func TestHugePlanesAreNotGoneOver(t *testing.T) {
	u, err := ndarray.NewUntyped("<f4", ndarray.Shape{1 << 27, 1 << 27}, &ndarray.Options{ChunkShape: ndarray.Shape{1 << 14, 1 << 14},
		BlockShape: ndarray.Shape{1 << 9, 1 << 9}})
	if err != nil {
		t.Fatal(err)
	}
	p, top := Plane{0, 1, []int64{0, 0}}, levelOf(1<<27, Size)
	tiles := New(Options{})
	if _, err := tiles.Tile(t.Context(), held(u), p, at(top, 0, 0), true); !errors.Is(err, cairn.ErrLimit) {
		t.Errorf("exact: %v", err)
	}
	tile, err := tiles.Tile(t.Context(), held(u), p, at(top, 0, 0), false)
	if err != nil || tile.Exact || tile.NX != 256 || tile.Values[0] != 0 {
		t.Errorf("sampled: %+v, %v", tile, err)
	}
	if tile, err = tiles.Tile(t.Context(), held(u), p, at(0, 1<<18, 77), true); err != nil || !tile.Exact {
		t.Errorf("fine: %v", err)
	}
}

func TestErrorsOfTheSourceAreThose(t *testing.T) {
	u := array(t, "<f4", ndarray.Shape{3000, 3000}, nil, nil)
	for _, place := range []Place{at(4, 0, 0), at(0, 0, 0)} {
		failure := errors.New("disk")
		src := &source{Source: u, failure: failure}
		if _, err := New(Options{}).Tile(t.Context(), held(src), Plane{0, 1, []int64{0, 0}}, place, true); !errors.Is(err, failure) {
			t.Errorf("%v: %v", place, err)
		}
	}
}

func TestRange(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	tile := &Tile{Values: []float64{nan, 3, inf, -2, -inf}}
	if low, high, ok := tile.Range(); low != -2 || high != 3 || !ok {
		t.Error(low, high, ok)
	}
	if _, _, ok := (&Tile{Values: []float64{nan, inf}}).Range(); ok {
		t.Error("a range of no number")
	}
}

func BenchmarkPass(b *testing.B) {
	for _, dtype := range []string{"<f4", "<i2"} {
		b.Run(fmt.Sprint(dtype), func(b *testing.B) {
			u, err := ndarray.NewUntyped(dtype, ndarray.Shape{8192, 8192}, nil)
			if err != nil {
				b.Fatal(err)
			}
			values := make([]byte, 8192*8192*u.TypeSize())
			for i := range values {
				values[i] = byte(i >> 12)
			}
			if err := u.WriteBox(b.Context(), values, []int64{0, 0}, []int64{8192, 8192}); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(values)))
			for b.Loop() {
				_, err := New(Options{}).Tile(b.Context(), held(u), Plane{0, 1, []int64{0, 0}}, at(5, 0, 0), true)
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
