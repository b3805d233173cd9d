package ndarray

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/storage"
)

// reshape changes the shape of a model. place changes the coordinates of an item to its new ones,
// or returns false if the item is removed.
func (m *model) reshape(shape Shape, item []byte, place func(at []int64) bool) {
	n := &model{shape: slices.Clone(shape), item: m.item}
	n.data = bytes.Repeat(item, int(product(shape)))
	zero := make([]int64, len(shape))
	m.box(zero, m.shape, func(offset int) {
		at, rest := make([]int64, len(shape)), int64(offset/m.item)
		for i := len(at) - 1; i >= 0; i-- {
			at[i] = rest % m.shape[i]
			rest /= m.shape[i]
		}
		if place(at) {
			n.write(m.data[offset:offset+m.item], at, next(at))
		}
	})
	*m = *n
}

func product(v []int64) int64 {
	n := int64(1)
	for _, x := range v {
		n *= x
	}
	return n
}

func next(at []int64) []int64 {
	to := slices.Clone(at)
	for i := range to {
		to[i]++
	}
	return to
}

// splice applies a splice to the model; new items are zero.
func (m *model) splice(axis int, at, del, ins int64) {
	shape := slices.Clone(m.shape)
	shape[axis] += ins - del
	m.reshape(shape, make([]byte, m.item), func(c []int64) bool {
		switch {
		case c[axis] < at:
		case c[axis] < at+del:
			return false
		default:
			c[axis] += ins - del
		}
		return true
	})
}

// bend applies one random change of the shape to both, and returns its description.
func bend(rnd *rand.Rand, u *Untyped, m *model) (string, error) {
	ctx := context.Background()
	dims := len(m.shape)
	op := rnd.IntN(5)
	if dims == 0 || product(m.shape) > 20_000 && op < 2 {
		op = 4
	}
	if op >= 3 {
		return bendResize(rnd, u, m)
	}
	axis := rnd.IntN(dims)
	side := u.chunkShape()[axis]
	amount := func(most int64) int64 {
		n := rnd.Int64N(1 + min(most, 2*side+3))
		if rnd.IntN(2) == 0 && side > 0 && side <= most {
			n = side * (1 + rnd.Int64N(min(3, most/side)))
		}
		return n
	}
	place := func(most int64) int64 {
		at := rnd.Int64N(most + 1)
		if rnd.IntN(2) == 0 && side > 0 {
			at -= at % side
		}
		return at
	}
	extent := m.shape[axis]
	if op == 2 {
		n := amount(extent)
		from := place(extent - n)
		m.splice(axis, from, n, 0)
		return fmt.Sprintf("delete %d from %d along %d", n, from, axis), u.Delete(ctx,
			axis-dims*rnd.IntN(2), from, from+n)
	}
	n, at := amount(40), extent
	if op == 1 {
		at = place(extent)
	}
	across := slices.Clone(m.shape)
	across[axis] = n
	if product(across) == 0 {
		return "nothing", nil
	}
	if side == 0 {
		return "no room", nil
	}
	src := noise(rnd, int(product(across))*m.item)
	m.splice(axis, at, 0, n)
	start, stop := make([]int64, dims), slices.Clone(m.shape)
	start[axis], stop[axis] = at, at+n
	m.write(src, start, stop)
	if op == 0 {
		return fmt.Sprintf("append %d along %d", n, axis), u.Append(ctx, axis, src)
	}
	return fmt.Sprintf("insert %d at %d along %d", n, at, axis), u.Insert(ctx, axis, at, src)
}

func bendResize(rnd *rand.Rand, u *Untyped, m *model) (string, error) {
	o := &ResizeOptions{}
	item := make([]byte, m.item)
	switch rnd.IntN(3) {
	case 0:
		item = noise(rnd, m.item)
		o.Fill = item
	case 1:
		o.Fill = item
	}
	shape, start, old := slices.Clone(m.shape), slices.Clone(m.shape), slices.Clone(m.shape)
	for i, side := range u.chunkShape() {
		if rnd.IntN(2) == 0 || side == 0 {
			continue
		}
		shape[i] = rnd.Int64N(2*old[i] + 4)
		if product(shape) > 20_000 {
			shape[i] = rnd.Int64N(1 + old[i])
		}
		start[i] = min(shape[i], old[i])
		if by := shape[i] - old[i]; rnd.IntN(2) == 0 {
			shape[i] = old[i] + by/side*side
			start[i] = min(shape[i], old[i])
			if shape[i] != old[i] {
				start[i] = rnd.Int64N(start[i]+1) / side * side
			}
			o.Start = start
		}
	}
	m.reshape(shape, item, func(c []int64) bool {
		for i, by := range shape {
			if by -= old[i]; c[i] >= start[i] {
				if c[i] < start[i]-by {
					return false
				}
				c[i] += by
			}
		}
		return true
	})
	return fmt.Sprintf("resize %v to %v, start %v", old, shape, o.Start), u.Resize(context.Background(), shape, o)
}

func TestShapesChangeLikeTheDenseModel(t *testing.T) {
	for seed := range uint64(rounds(120)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 77))
			shape := randomShape(rnd)
			if len(shape) > 5 {
				shape = shape[:5]
			}
			o := randomOptions(rnd, shape)
			o.FS, o.Sparse, o.Durability = storage.NewMemory(), rnd.IntN(2) == 0, frame.None
			dtype := []string{"|u1", "<i2", "<f4", "|S3", "<i8"}[rnd.IntN(5)]
			u, err := CreateUntyped("a", dtype, shape, o)
			if err != nil {
				t.Fatal(err)
			}
			m := &model{shape: shape, item: u.TypeSize()}
			m.data = make([]byte, int(product(shape))*m.item)
			whole := func() []byte {
				b, err := u.Read(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				return b
			}
			copy(m.data, whole()) // the fill value
			var log []string
			committed := clone(*m)
			for range 12 {
				what, err := bend(rnd, u, m)
				log = append(log, what)
				if err != nil {
					t.Fatalf("%v\nafter %q", err, log)
				}
				if rnd.IntN(2) == 0 && product(m.shape) > 0 {
					start, stop := randomBox(rnd, m.shape)
					src := noise(rnd, len(m.read(start, stop)))
					m.write(src, start, stop)
					if err := u.WriteBox(t.Context(), src, start, stop); err != nil {
						t.Fatal(err)
					}
				}
				switch rnd.IntN(8) {
				case 0:
					if err := u.Rollback(); err != nil {
						t.Fatal(err)
					}
					*m, log = clone(committed), append(log, "rollback")
				case 1:
					u, log = reopen(t, u, "a", o), append(log, "reopen")
					committed = clone(*m)
				}
				if !slices.Equal(u.Shape(), m.shape) || !bytes.Equal(whole(), m.data) {
					t.Fatalf("shape %v, want %v, or other items\nchunks %v, blocks %v\nafter %q",
						u.Shape(), m.shape, u.chunkShape(), u.blockShape(), log)
				}
				if n := u.Frame().NumChunks(); int64(n) != u.NumChunks() {
					t.Fatalf("%d chunks, the shape needs %d", n, u.NumChunks())
				}
			}
			if err := u.Close(); err != nil {
				t.Fatal(err)
			}
			if r, err := Verify(t.Context(), "a", &OpenOptions{FS: o.FS}); err != nil ||
				len(r.Faults)+len(r.Frame.Faults) > 0 {
				t.Fatalf("%v: %+v", err, r)
			}
		})
	}
}

func clone(m model) model {
	return model{slices.Clone(m.shape), m.item, slices.Clone(m.data)}
}
