package ndarray

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
)

func TestReshapedArraysHaveTheSameItemsInOrder(t *testing.T) {
	for seed := range uint64(rounds(150)) {
		rnd := rand.New(rand.NewPCG(seed, 75))
		u, m := randomArray(t, rnd, randomShape(rnd), randomDType(rnd))
		shape, left := Shape{}, u.Len()
		for range rnd.IntN(5) {
			divisors := []int64{1, left}
			for d := int64(2); d <= min(left, 60); d++ {
				if left%d == 0 {
					divisors = append(divisors, d)
				}
			}
			d := divisors[rnd.IntN(len(divisors))]
			if d == 0 {
				d = 1
			}
			shape, left = append(shape, d), left/d
		}
		if shape = append(shape, left); u.Len() == 1 && rnd.IntN(3) == 0 {
			shape = Shape{}
		}
		given := slices.Clone(shape)
		if len(shape) > 0 && u.Len() > 0 && rnd.IntN(3) == 0 {
			given[rnd.IntN(len(shape))] = -1
		}
		o := &CopyOptions{Memory: 1 << rnd.IntN(24), Workers: 1 + rnd.IntN(3)}
		if rnd.IntN(2) == 0 {
			o.ChunkShape = make(Shape, len(shape))
			for i, n := range shape {
				o.ChunkShape[i] = 1 + rnd.Int64N(n+1)
			}
		}
		r, err := u.Reshape(t.Context(), "", given, o)
		if err != nil {
			t.Fatalf("seed %d: %v to %v: %v", seed, u.Shape(), given, err)
		}
		sameArray(t, r, u, &model{shape: shape, item: m.item, data: m.data})
		check(t, r.Abort())
	}
}

func TestReshapeRefusesOtherNumbersOfItems(t *testing.T) {
	u, err := NewUntyped("<i4", Shape{3, 4}, nil)
	check(t, err)
	defer u.Abort()
	for _, shape := range []Shape{{}, {11}, {-1, -1}, {5, -1}, {-2, -6}, {0, -1}, {1 << 62, 1 << 62}} {
		if _, err := u.Reshape(t.Context(), "", shape, nil); !errors.Is(err, cairn.ErrBounds) {
			t.Errorf("to %v: %v", shape, err)
		}
	}
}

// TestReshapeReadsInWindows tests boxes with runs that are shorter and longer than a window.
func TestReshapeReadsInWindows(t *testing.T) {
	u, err := NewUntyped("<i4", Shape{300, 400}, &Options{ChunkShape: Shape{64, 64}, BlockShape: Shape{16, 16}})
	check(t, err)
	defer u.Abort()
	data := noise(rand.New(rand.NewPCG(1, 76)), 300*400*4)
	check(t, u.Write(t.Context(), data))
	for _, window := range []int64{4, 100, 5000, 1 << 20} {
		for _, budget := range []int64{1, 3000, 100_000, 1 << 20} {
			to, err := newPartition(Shape{40, 50, 60}, Shape{13, 20, 9}, Shape{4, 5, 9}, 4)
			check(t, err)
			at, release, err := u.beginFlushedRead(t.Context())
			check(t, err)
			r := &reshapeCopy{copying: copying{source: u.array, method: CopyRechunk, from: at.part, to: to,
				workers: 2}, window: window, reader: u.array, at: at}
			r.chooseBox(budget)
			if r.boxes.BoxBytes > budget && r.boxes.BoxBytes > to.ChunkSize {
				t.Errorf("boxes of %d bytes, %d are allowed", r.boxes.BoxBytes, budget)
			}
			made, err := handleOf(r.create(t.Context(), "", u.array, at, r.fill))
			endRead(release, &err)
			check(t, err)
			sameArray(t, made, u, &model{shape: Shape{40, 50, 60}, item: 4, data: data})
			check(t, made.Abort())
		}
	}
}
