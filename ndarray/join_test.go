package ndarray

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/storage"
)

// joinedModel returns the model of arrays joined along an axis.
func joinedModel(parts []*model, axis int) *model {
	m := &model{shape: slices.Clone(parts[0].shape), item: parts[0].item}
	m.shape[axis] = 0
	for _, p := range parts {
		m.shape[axis] += p.shape[axis]
	}
	n := int64(m.item)
	for _, extent := range m.shape {
		n *= extent
	}
	m.data = make([]byte, n)
	start, stop := make([]int64, len(m.shape)), slices.Clone(m.shape)
	for _, p := range parts {
		stop[axis] = start[axis] + p.shape[axis]
		m.write(p.data, start, stop)
		start[axis] = stop[axis]
	}
	return m
}

// between returns a view of the items from one position along an axis up to, not including,
// another.
func between(u *Untyped, axis int, from, to int64) UntypedView {
	selectors := make([]Selector, axis+1)
	selectors[axis] = Range(from, to)
	return u.Slice(selectors...)
}

func sources(arrays []*Untyped) (all []Source) {
	for _, u := range arrays {
		all = append(all, u)
	}
	return all
}

// siblings makes arrays that can be joined along an axis, some of them with the same chunks.
func siblings(t *testing.T, rnd *rand.Rand, axis int, shape Shape, dtype string) ([]*Untyped, []*model) {
	t.Helper()
	var arrays []*Untyped
	var models []*model
	for range 1 + rnd.IntN(5) {
		if axis >= 0 {
			shape = slices.Clone(shape)
			shape[axis] = rnd.Int64N(9)
		}
		u, m := randomArray(t, rnd, shape, dtype)
		if len(arrays) > 0 && rnd.IntN(3) > 0 {
			info := arrays[0].Info()
			c, err := Copy(t.Context(), u, &CopyOptions{ChunkShape: arrays[0].chunkShape(),
				BlockShape: arrays[0].blockShape(),
				Codec:      info.Codec, Level: levelOption(info.Level), Filters: info.Pipeline[:],
				Split: &info.Split})
			check(t, err)
			t.Cleanup(func() { c.Abort() })
			u = c
		}
		arrays, models = append(arrays, u), append(models, m)
	}
	return arrays, models
}

func TestJoinedArraysAreEqual(t *testing.T) {
	for seed := range uint64(rounds(200)) {
		rnd := rand.New(rand.NewPCG(seed, 74))
		shape := randomShape(rnd)
		if len(shape) == 0 || len(shape) > 15 {
			shape = Shape{4, 5}
		}
		dtype, axis := randomDType(rnd), rnd.IntN(len(shape))
		o := &CopyOptions{Memory: 1 << rnd.IntN(24), Workers: 1 + rnd.IntN(3)}
		if rnd.IntN(4) == 0 {
			o.Codec, o.AutoShapes = codecs.LZ4, true
		}
		t.Run(fmt.Sprintf("concat-%d", seed), func(t *testing.T) {
			arrays, models := siblings(t, rnd, axis, shape, dtype)
			u, err := Copy(t.Context(), Concat(axis-len(shape)*rnd.IntN(2), sources(arrays)...), o)
			check(t, err)
			m := joinedModel(models, axis)
			sameArray(t, u, arrays[0], m)
			// Split the result again.
			from := int64(0)
			for i, m := range models {
				p, err := Copy(t.Context(), between(u, axis, from, from+m.shape[axis]), o)
				check(t, err)
				sameArray(t, p, arrays[0], m)
				check(t, p.Abort())
				from += models[i].shape[axis]
			}
			exercise(t, rnd, u, m)
			check(t, u.Abort())
		})
		t.Run(fmt.Sprintf("stack-%d", seed), func(t *testing.T) {
			arrays, models := siblings(t, rnd, -1, shape, dtype)
			axis := rnd.IntN(len(shape) + 1)
			u, err := Copy(t.Context(), Stack(axis, sources(arrays)...), o)
			check(t, err)
			for _, m := range models {
				m.shape = slices.Insert(slices.Clone(m.shape), axis, 1)
			}
			sameArray(t, u, arrays[0], joinedModel(models, axis))
			check(t, u.Abort())
		})
	}
}

// TestAlignedChunksAreTakenOver counts the chunks that are the same, byte for byte: those that were
// not encoded again.
func TestAlignedChunksAreTakenOver(t *testing.T) {
	fill := func(n int64, level int) *Untyped {
		u, err := NewUntyped("<i4", Shape{n, 6}, &Options{ChunkShape: Shape{4, 3}, BlockShape: Shape{2, 3}, Codec: codecs.LZ4, Level: level})
		check(t, err)
		t.Cleanup(func() { u.Abort() })
		data := make([]byte, n*6*4)
		for i := range data {
			data[i] = byte(i/13) ^ byte(n)
		}
		check(t, u.Write(t.Context(), data))
		// A mark in the padding, or in unused bytes, shows which chunks were encoded again.
		for i := range u.frame.NumChunks() {
			c, err := u.frame.EncodedChunk(nil, i)
			check(t, err)
			check(t, u.frame.Inside().UpdateEncoded(t.Context(), i, marked(t, c)))
		}
		return u
	}
	marks := func(u *Untyped) (n int) {
		for i := range u.frame.NumChunks() {
			c, err := u.frame.EncodedChunk(nil, i)
			check(t, err)
			if c[1] == 77 {
				n++
			}
		}
		return n
	}
	even, odd, last, other := fill(8, 5), fill(10, 5), fill(5, 5), fill(8, 6)
	twin := fill(8, 5)
	cases := []struct {
		name string
		src  Source
		o    *CopyOptions
		want int
	}{
		{"concat", Concat(0, even, last), nil, 4 + 4},
		{"concat of concat", Concat(0, Concat(0, even), last), nil, 4 + 4},
		{"edge inside", Concat(0, odd, even), nil, 4},
		{"realigned", Concat(0, odd, odd, even), nil, 8},
		{"other encoding", Concat(0, even, other), nil, 4},
		{"other things between", Concat(0, even, twin.View().Flip(1), even), nil, 8},
		{"inner axis", Concat(1, twin, even), nil, 8},
		{"stack", Stack(0, twin, even), nil, 8},
		{"stack inside", Stack(2, twin, even), nil, 8},
		{"asked otherwise", Stack(0, twin, even), &CopyOptions{Level: 9}, 0},
		{"sections", Concat(0, between(even, 0, 4, 8), between(odd, 0, 4, 10)), nil, 2 + 4},
		{"section", between(odd, 0, 4, 10), nil, 4},
		{"section within chunks", between(odd, 0, 4, 7), nil, 0},
		{"transposed", even.View().Transpose(), nil, 0},
	}
	for _, c := range cases {
		p, err := PlanCopy(c.src, c.o)
		check(t, err)
		if all := p.Method == CopyTakeOver; all != (c.want == int(p.NumChunks)) {
			t.Errorf("%s: planned to take over all is %v", c.name, all)
		}
		u, err := Copy(t.Context(), c.src, c.o)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := marks(u); got != c.want {
			t.Errorf("%s: %d chunks of %d were taken over, want %d", c.name, got, u.NumChunks(), c.want)
		}
		check(t, u.Abort())
	}
}

// TestCopiesOfViewsAreEqual copies views of every kind, into random chunk shapes.
func TestCopiesOfViewsAreEqual(t *testing.T) {
	ctx := t.Context()
	for seed := range uint64(rounds(100)) {
		rnd := rand.New(rand.NewPCG(seed, 79))
		shape := randomShape(rnd)
		u, _ := randomArray(t, rnd, shape, []string{"<i4", ">u2", "[('a', '<i2'), ('b', '>f8')]", "|S3"}[seed%4])
		v := u.View().Slice(randomSelectors(rnd, shape)...).Transpose()
		switch {
		case seed%4 == 2 && seed%3 == 0:
			v = v.Field("b")
		case seed%5 == 0 && v.dims() > 0:
			v = Concat(0, v, v.Flip(), v)
		case seed%5 == 1 && v.dims() < 10:
			v = v.Broadcast(append(Shape{3}, v.Shape()...))
		case seed%5 == 2 && v.dims() < 15:
			v = Stack(-1, v, v)
		}
		if v.Err() != nil || v.dims() > 16 {
			continue
		}
		want, err := v.Read(ctx)
		check(t, err)
		o := &CopyOptions{Memory: 1 << rnd.IntN(24), Workers: 1 + rnd.IntN(3), AutoShapes: rnd.IntN(3) == 0}
		p, err := PlanCopy(v, o)
		check(t, err)
		c, err := Copy(ctx, v, o)
		check(t, err)
		got, err := c.Read(ctx)
		if err != nil || !bytes.Equal(got, want) || !slices.Equal(c.Shape(),
			v.Shape()) || !c.DType().Equal(v.DType()) {
			t.Fatalf("seed %d: %v of %v: %d bytes, %v; want %v of %v", seed, c.Shape(), c.DType(), len(got),
				err, v.Shape(), v.DType())
		}
		if !slices.Equal(c.chunkShape(), p.ChunkShape) || c.NumChunks() != p.NumChunks {
			t.Fatalf("seed %d: chunks %v, planned were %v", seed, c.chunkShape(), p.ChunkShape)
		}
		check(t, c.Abort())
	}
}

// TestOtherSourcesAreSaved saves a source that this package does not know, and one with both byte
// orders.
func TestOtherSourcesAreSaved(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "a.b2nd")
	a, err := FromSlice([]uint16{1, 2, 3, 4, 5, 6}, Shape{2, 3}, nil)
	check(t, err)
	src := &someoneElses{Array: a, chunks: Shape{1, 2}}
	check(t, Save(ctx, path, src, &CopyOptions{Codec: codecs.LZ4}))
	saved, err := OpenAs[uint16](path, nil)
	check(t, err)
	got, err := saved.Read(ctx)
	if want := []uint16{0xfffe, 0xfffd, 0xfffc, 0xfffb, 0xfffa, 0xfff9}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, want %v (%v)", got, want, err)
	}
	if !slices.Equal(saved.chunkShape(), src.chunks) || saved.Info().Codec != codecs.LZ4 {
		t.Errorf("chunks %v, codec %v", saved.chunkShape(), saved.Info().Codec)
	}
	u, err := NewUntyped(">u2", Shape{1, 3}, &Options{Fill: 258})
	check(t, err)
	for _, sources := range [][]Source{{u, saved}, {saved, u}} {
		v := Concat(0, sources...)
		both, err := Copy(ctx, v, nil)
		check(t, err)
		if !both.DType().Equal(sources[0].DType()) {
			t.Errorf("dtype %v", both.DType())
		}
		typed, err := ViewAs[uint16](both)
		check(t, err)
		got, err := typed.Read(ctx)
		check(t, err)
		if slices.Sort(got); !slices.Equal(got, []uint16{258, 258, 258, 0xfff9, 0xfffa, 0xfffb, 0xfffc,
			0xfffd, 0xfffe}) {
			t.Errorf("%v", got)
		}
	}
	check(t, saved.Close())
}

// marked returns a chunk with another version of its codec's stream, which no decoder checks.
func marked(t *testing.T, c []byte) []byte {
	c = slices.Clone(c)
	c[1] = 77
	if _, err := chunk.NewDecoder(nil).Decode(make([]byte, 48), c); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestJoinRefusesMismatchedParts(t *testing.T) {
	array := func(dtype string, shape Shape) *Untyped {
		u, err := NewUntyped(dtype, shape, nil)
		check(t, err)
		t.Cleanup(func() { u.Abort() })
		return u
	}
	a := array("<i4", Shape{3, 4})
	for _, c := range []struct {
		axis   int
		arrays []*Untyped
		want   error
	}{
		{0, nil, cairn.ErrBounds}, {2, []*Untyped{a}, cairn.ErrBounds}, {-3, []*Untyped{a}, cairn.ErrBounds},
		{0, []*Untyped{a, array("<f4", Shape{3, 4})}, cairn.ErrType},
		{0, []*Untyped{a, array("<i4", Shape{3, 5})}, cairn.ErrBounds}, {0, []*Untyped{a, array("<i4", Shape{3})}, cairn.ErrBounds},
	} {
		if _, err := Copy(t.Context(), Concat(c.axis, sources(c.arrays)...), nil); !errors.Is(err, c.want) {
			t.Errorf("axis %d of %d arrays: %v, want %v", c.axis, len(c.arrays), err, c.want)
		}
	}
	if _, err := Copy(t.Context(), Concat(0, array("<i4", Shape{})), nil); !errors.Is(err, cairn.ErrBounds) {
		t.Errorf("scalars: %v", err)
	}
	if _, err := Copy(t.Context(), Stack(0, a, array("<i4", Shape{4, 4})), nil); !errors.Is(err, cairn.ErrBounds) {
		t.Errorf("a stack of other shapes: %v", err)
	}
	fsys := storage.NewMemory()
	if err := Save(t.Context(), "a", a.Slice(From(1), Index(9)),
		&CopyOptions{FS: fsys}); !errors.Is(err, cairn.ErrBounds) {
		t.Errorf("a view of nothing: %v", err)
	}
	if err := Save(t.Context(), "", a, nil); !errors.Is(err, cairn.ErrBounds) {
		t.Errorf("an empty path: %v", err)
	}
	if entries, _ := fsys.ReadDir("."); len(entries) > 0 {
		t.Errorf("%d things are left", len(entries))
	}
}

// levelOption converts a level from the format's numbering to that of the options.
func levelOption(level int) int {
	if level == 0 {
		return chunk.Stored
	}
	return level
}

// TestCopiesOfScalars copies views and other sources without dimensions.
func TestCopiesOfScalars(t *testing.T) {
	a, err := FromSlice([]int64{5, 6, 7}, Shape{3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, src := range map[string]Source{
		"view": a.Slice(Index(1)), "flipped": a.View().Flip(0).Slice(Index(1)),
		"another source": struct{ Source }{a.Slice(Index(1))},
	} {
		u, err := Copy(t.Context(), src, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := u.Read(t.Context())
		if err != nil || len(u.Shape()) != 0 || !bytes.Equal(got, []byte{6, 0, 0, 0, 0, 0, 0, 0}) {
			t.Errorf("%s: %v %v, %v", name, u.Shape(), got, err)
		}
	}
}
