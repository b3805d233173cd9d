package frame

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/meta"
)

// arrange runs a random arrangement, and sometimes rolls it back.
func (s *script) arrange() {
	var runs []inside.Run
	var want [][]byte
	short := false // a short chunk is not the last
	size := s.f.ChunkSize()
	add := func(r inside.Run, chunks ...[]byte) {
		short = short || len(want) > 0 && len(chunks) > 0 && len(want[len(want)-1]) != size
		runs, want = append(runs, r), append(want, chunks...)
	}
	for at := 0; ; {
		switch s.rng.IntN(3) {
		case 0:
			if n := s.rng.IntN(3); size > 0 {
				c, plain := s.newChunk(size)
				add(inside.Run{Count: n, Encoded: c}, slices.Repeat([][]byte{plain}, n)...)
			}
		default:
			n := min(s.rng.IntN(6), len(s.m.chunks)-at)
			add(inside.Run{First: at, Count: n}, s.m.chunks[at:at+n]...)
			at += n
		}
		if at += s.rng.IntN(3); at >= len(s.m.chunks) {
			break
		}
	}
	z := bytes.Repeat([]byte{byte('a' + s.rng.IntN(26))}, len(s.m.meta["z"]))
	before := s.f.Inside().Savepoint()
	err := s.f.Inside().Arrange(noContext, slices.Values(runs), meta.Layer{Name: "z", Content: z})
	if size <= 0 || short {
		if err != nil && !errors.Is(err, cairn.ErrUnsupported) {
			s.must(err)
		}
		if err != nil {
			return
		}
	}
	s.must(err)
	old := s.m.clone()
	s.m.chunks, s.m.meta["z"] = want, string(z)
	switch s.rng.IntN(6) {
	case 0:
		s.must(s.f.Inside().RollbackTo(before))
		s.m = old
	case 1:
		s.must(s.f.Inside().RollbackChunksTo(before))
		s.m.chunks = old.chunks
	case 2:
		s.must(s.f.Inside().RollbackChunksTo(before, "z", "no such"))
		s.m = old
	}
}

// newChunk returns a chunk of the common size, encoded and decoded.
func (s *script) newChunk(size int) (encoded, plain []byte) {
	plain = make([]byte, size)
	kind, item := chunk.SpecialZeros, []byte(nil)
	if s.rng.IntN(3) == 0 {
		kind, item = chunk.SpecialValue, []byte{1, 2, 3, byte(s.rng.IntN(4))}
		plain = bytes.Repeat(item, size/4+1)[:size]
	}
	encoded, err := chunk.AppendSpecial(nil, kind, item, size, 4, 0)
	s.must(err)
	return encoded, plain
}

func TestArrangeRefuses(t *testing.T) {
	f, err := New(&Options{TypeSize: 4, ChunkSize: 16})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Abort()
	for range 4 {
		if _, err := f.Append(noContext, make([]byte, 16)); err != nil {
			t.Fatal(err)
		}
	}
	zeros := must(chunk.AppendSpecial(nil, chunk.SpecialZeros, nil, 16, 4, 0))
	odd := must(chunk.AppendSpecial(nil, chunk.SpecialZeros, nil, 20, 4, 0))
	for name, c := range map[string]struct {
		want error
		runs []inside.Run
	}{
		"backwards":      {cairn.ErrBounds, []inside.Run{{First: 2, Count: 1}, {First: 1, Count: 1}}},
		"twice":          {cairn.ErrBounds, []inside.Run{{First: 0, Count: 2}, {First: 1, Count: 1}}},
		"beyond":         {cairn.ErrBounds, []inside.Run{{First: 1, Count: 4}}},
		"negative":       {cairn.ErrBounds, []inside.Run{{First: 1, Count: -1}}},
		"negative first": {cairn.ErrBounds, []inside.Run{{First: -1, Count: 1}}},
		"other size":     {cairn.ErrBounds, []inside.Run{{Count: 1, Encoded: odd}}},
		"cut":            {cairn.ErrCorrupt, []inside.Run{{Count: 1, Encoded: zeros[:20]}}},
		"too many": {cairn.ErrLimit, []inside.Run{{First: 0, Count: 4},
			{Count: format.MaxChunks - 3, Encoded: zeros}}},
		"many by bounds":  {cairn.ErrBounds, []inside.Run{{First: 3, Count: 1 << 30}}},
		"good before bad": {cairn.ErrBounds, []inside.Run{{Count: 1, Encoded: zeros}, {First: 9, Count: 1}}},
	} {
		before := f.Snapshot()
		if err := f.Inside().Arrange(noContext, slices.Values(c.runs)); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if f.Snapshot() != before {
			t.Errorf("%s: something changed", name)
		}
	}
	// A chunk of another size makes the frame variable, except at the end.
	if _, err := f.Append(noContext, make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	behind := slices.Values([]inside.Run{{First: 4, Count: 1}, {Count: 1, Encoded: zeros}})
	if err := f.Inside().Arrange(noContext, behind); !errors.Is(err, cairn.ErrUnsupported) {
		t.Errorf("behind a short chunk: %v", err)
	}
	short := slices.Values([]inside.Run{{First: 1, Count: 1}, {First: 4, Count: 1}})
	if err := f.Inside().Arrange(noContext, short); err != nil || f.NBytes() != 24 {
		t.Errorf("a short chunk at the end: %v, %d bytes", err, f.NBytes())
	}
}

func TestArrangeOfAMillionChunksIsQuick(t *testing.T) {
	f, err := New(&Options{TypeSize: 4, ChunkSize: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Abort()
	zeros := must(chunk.AppendSpecial(nil, chunk.SpecialZeros, nil, 1<<20, 4, 0))
	used := allocated(func() {
		err = f.Inside().Arrange(noContext, slices.Values([]inside.Run{{Count: 1_000_000, Encoded: zeros}}))
		if err == nil {
			runs := []inside.Run{
				{Count: 7, Encoded: zeros}, {First: 3, Count: 999_000}, {Count: 50_000_000, Encoded: zeros},
			}
			err = f.Inside().Arrange(noContext, slices.Values(runs))
		}
	})
	if err != nil || f.NumChunks() != 50_999_007 || used > 100_000 {
		t.Fatalf("%v: %d chunks, %d bytes", err, f.NumChunks(), used)
	}
}

func TestArrangedIndexesAgreeWithASlice(t *testing.T) {
	zeros, _ := index.Special(chunk.SpecialZeros)
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 9))
		var x index.Index
		var want []int64
		for range 12 {
			out, next := index.Repeat(0, x.Fill()), []int64(nil)
			for at := 0; ; {
				n := rng.IntN(1 + rng.IntN(3000))
				switch rng.IntN(3) {
				case 0:
					entry := []int64{zeros, int64(rng.IntN(50))}[rng.IntN(2)]
					out, next = must(out.AppendRun(entry, n)), append(next, slices.Repeat([]int64{entry}, n)...)
				case 1:
					for range n {
						entry := int64(rng.IntN(1000))
						out, next = must(out.Append(entry)), append(next, entry)
					}
				default:
					n = min(n, len(want)-at)
					out, next = must(out.AppendFrom(x, at, n)), append(next, want[at:at+n]...)
					at += n
				}
				if at += rng.IntN(1 + rng.IntN(2000)); at >= len(want) || len(next) > 30_000 {
					break
				}
			}
			for k, entries := range [][]int64{want, next} {
				if x := []index.Index{x, out}[k]; x.Len() != len(entries) {
					t.Fatalf("seed %d: %d entries, want %d", seed, x.Len(), len(entries))
				} else if at := differs(x, entries); at >= 0 {
					t.Fatalf("seed %d: entry %d of %d differs", seed, at, x.Len())
				}
			}
			x, want = out, next
			if x.Len() > 0 && rng.IntN(2) == 0 {
				packed := must(new(index.Packer).Append(nil, x))
				all := must(index.Build(x.Len(), x.Fill(), x.At))
				if fresh := must(new(index.Packer).Append(nil, all)); !bytes.Equal(packed, fresh) {
					t.Fatalf("seed %d: %d entries in other bytes than in one go", seed, x.Len())
				}
				limits := index.Limits{Limits: cairn.Limits{}.WithDefaults(), Asked: true}
				x = must(index.Decode(packed, 0, limits, func(int, int64) error { return nil }))
			}
		}
	}
}

// differs returns the index of the first wrong entry, or -1.
func differs(x index.Index, want []int64) int {
	for i, e := range want {
		if got, err := x.At(i); err != nil || got != e {
			return i
		}
	}
	return -1
}

// BenchmarkArrange inserts chunks before n others.
func BenchmarkArrange(b *testing.B) {
	zeros := must(chunk.AppendSpecial(nil, chunk.SpecialZeros, nil, 16, 4, 0))
	for _, n := range []int{1000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("%d chunks", n), func(b *testing.B) {
			f := must(New(&Options{TypeSize: 4, ChunkSize: 16}))
			for i := range n {
				must(f.Append(noContext, bytes.Repeat([]byte{byte(i), 1, 2, 3}, 4)))
			}
			runs := []inside.Run{{Count: 1, Encoded: zeros}, {First: 0, Count: n - 1}}
			for b.Loop() {
				if err := f.Inside().Arrange(noContext, slices.Values(runs)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
