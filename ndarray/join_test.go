package ndarray

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/storage"
)

// joinedModel returns the model of arrays one behind the other along an axis.
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
			c, err := u.Copy(t.Context(), &CopyOptions{ChunkShape: arrays[0].ChunkShape(), BlockShape: arrays[0].BlockShape(),
				Codec: info.Codec, Level: levelOption(info.Level), Filters: info.Pipeline[:], Split: &info.Split})
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
			u, err := ConcatUntyped(t.Context(), "", axis-len(shape)*rnd.IntN(2), arrays, o)
			check(t, err)
			m := joinedModel(models, axis)
			sameArray(t, u, arrays[0], m)
			// And apart again.
			at := []int64{}
			for _, p := range models[:len(models)-1] {
				at = append(at, p.shape[axis]+append([]int64{0}, at...)[len(at)])
			}
			parts, err := u.Split(t.Context(), axis, at, nil, o)
			check(t, err)
			for i, p := range parts {
				sameArray(t, p, arrays[0], models[i])
				check(t, p.Abort())
			}
			exercise(t, rnd, u, m)
			check(t, u.Abort())
		})
		t.Run(fmt.Sprintf("stack-%d", seed), func(t *testing.T) {
			arrays, models := siblings(t, rnd, -1, shape, dtype)
			axis := rnd.IntN(len(shape) + 1)
			u, err := StackUntyped(t.Context(), "", axis, arrays, o)
			check(t, err)
			for _, m := range models {
				m.shape = slices.Insert(slices.Clone(m.shape), axis, 1)
			}
			sameArray(t, u, arrays[0], joinedModel(models, axis))
			check(t, u.Abort())
		})
	}
}

// TestAlignedChunksAreTakenOver counts the chunks that are the same, byte for byte. Chunks that nobody encoded twice are.
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
		// A mark in the padding, or in bytes that mean nothing, tells chunks that were encoded again.
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
	stacked := []*Untyped{fill(8, 5), even}
	cases := []struct {
		name string
		make func() (*Untyped, error)
		want int
	}{
		{"concat", func() (*Untyped, error) { return ConcatUntyped(t.Context(), "", 0, []*Untyped{even, last}, nil) }, 4 + 4},
		{"edge inside", func() (*Untyped, error) { return ConcatUntyped(t.Context(), "", 0, []*Untyped{odd, even}, nil) }, 4},
		{"realigned", func() (*Untyped, error) { return ConcatUntyped(t.Context(), "", 0, []*Untyped{odd, odd, even}, nil) }, 8},
		{"other encoding", func() (*Untyped, error) { return ConcatUntyped(t.Context(), "", 0, []*Untyped{even, other}, nil) }, 4},
		{"inner axis", func() (*Untyped, error) { return ConcatUntyped(t.Context(), "", 1, stacked, nil) }, 8},
		{"stack", func() (*Untyped, error) { return StackUntyped(t.Context(), "", 0, stacked, nil) }, 8},
		{"stack inside", func() (*Untyped, error) { return StackUntyped(t.Context(), "", 2, stacked, nil) }, 8},
		{"asked otherwise", func() (*Untyped, error) { return StackUntyped(t.Context(), "", 0, stacked, &CopyOptions{Level: 9}) }, 0},
		{"section", func() (*Untyped, error) {
			parts, err := odd.Split(t.Context(), 0, []int64{4}, nil, nil)
			if err == nil {
				err = parts[0].Abort()
			}
			return parts[1], err
		}, 4},
		{"section within chunks", func() (*Untyped, error) {
			parts, err := odd.Split(t.Context(), 0, []int64{4, 7}, nil, nil)
			if err == nil {
				err = errors.Join(parts[0].Abort(), parts[2].Abort())
			}
			return parts[1], err
		}, 0},
	}
	for _, c := range cases {
		u, err := c.make()
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := marks(u); got != c.want {
			t.Errorf("%s: %d chunks of %d were taken over, want %d", c.name, got, u.NumChunks(), c.want)
		}
		check(t, u.Abort())
	}
}

// marked returns a chunk with a version of its codec's stream that nobody looks at.
func marked(t *testing.T, c []byte) []byte {
	c = slices.Clone(c)
	c[1] = 77
	if _, err := chunk.NewDecoder(nil).Decode(make([]byte, 48), c); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestJoiningRefusesWhatDoesNotGoTogether(t *testing.T) {
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
		{0, []*Untyped{a, array(">i4", Shape{3, 4})}, cairn.ErrType}, {0, []*Untyped{a, array("<f4", Shape{3, 4})}, cairn.ErrType},
		{0, []*Untyped{a, array("<i4", Shape{3, 5})}, cairn.ErrBounds}, {0, []*Untyped{a, array("<i4", Shape{3})}, cairn.ErrBounds},
	} {
		if _, err := ConcatUntyped(t.Context(), "", c.axis, c.arrays, nil); !errors.Is(err, c.want) {
			t.Errorf("axis %d of %d arrays: %v, want %v", c.axis, len(c.arrays), err, c.want)
		}
	}
	if _, err := ConcatUntyped(t.Context(), "", 0, []*Untyped{array("<i4", Shape{})}, nil); !errors.Is(err, cairn.ErrBounds) {
		t.Errorf("scalars: %v", err)
	}
	if _, err := StackUntyped(t.Context(), "", 0, []*Untyped{a, array("<i4", Shape{4, 4})}, nil); !errors.Is(err, cairn.ErrBounds) {
		t.Errorf("a stack of other shapes: %v", err)
	}
	for _, at := range [][]int64{{4}, {2, 1}, {-1}} {
		fsys := storage.NewMemory()
		if _, err := a.Split(t.Context(), 0, at, func(i int) string { return fmt.Sprint(i) }, &CopyOptions{FS: fsys}); !errors.Is(err, cairn.ErrBounds) {
			t.Errorf("cut at %v: %v", at, err)
		}
		if entries, _ := fsys.ReadDir("."); len(entries) > 0 {
			t.Errorf("cut at %v: %d things are left", at, len(entries))
		}
	}
	if got := Sections(10, 4); !slices.Equal(got, []int64{3, 6, 8}) {
		t.Errorf("ten items in four parts: %v", got)
	}
}

// levelOption returns the option for a level as the format numbers it.
func levelOption(level int) int {
	if level == 0 {
		return chunk.Stored
	}
	return level
}
