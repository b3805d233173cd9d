package ndarray

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
)

// checkPoints reads and perhaps writes random items, and compares with the model.
func checkPoints(t *testing.T, rnd *rand.Rand, u *Untyped, m *model) {
	t.Helper()
	count := rnd.IntN(80)
	if slices.Contains(m.shape, 0) {
		count = 0
	}
	points, items := make([]int64, 0, count*len(m.shape)), make([]int64, count)
	for k := range items {
		for _, extent := range m.shape {
			at := rnd.Int64N(extent)
			items[k] = items[k]*extent + at
			points = append(points, at-rnd.Int64N(2)*extent)
		}
	}
	if rnd.IntN(2) == 0 {
		src := noise(rnd, count*m.item)
		if err := u.WritePoints(t.Context(), src, points); err != nil {
			t.Fatal(err)
		}
		if count > 0 {
			m.put(items, src)
		}
	}
	got := make([]byte, count*m.item)
	if err := u.ReadPoints(t.Context(), got, points); err != nil || !bytes.Equal(got, m.at(items)) {
		t.Fatalf("%v: %d points differ (%v)", m.shape, count, err)
	}
}

// checkMask reads and perhaps writes the items of a random mask.
func checkMask(t *testing.T, rnd *rand.Rand, u *Untyped, m *model) {
	t.Helper()
	mask, items := make([]bool, u.Len()), []int64{}
	from, to, share := rnd.IntN(len(mask)+1), rnd.IntN(len(mask)+1), 1+rnd.IntN(3)
	for i := range mask {
		if mask[i] = i >= from && i < to && rnd.IntN(share) == 0; mask[i] {
			items = append(items, int64(i))
		}
	}
	switch src := noise(rnd, max(1, len(items))*m.item); rnd.IntN(3) {
	case 0:
		if err := u.WriteWhere(t.Context(), src[:len(items)*m.item], Items(mask, u.Shape())); err != nil {
			t.Fatal(err)
		}
		m.put(items, src)
	case 1:
		if err := u.FillWhere(t.Context(), src[:m.item], Items(mask, u.Shape())); err != nil {
			t.Fatal(err)
		}
		m.put(items, src[:m.item])
	}
	if got, err := u.ReadWhere(t.Context(), Items(mask, u.Shape())); err != nil || !bytes.Equal(got, m.at(items)) {
		t.Fatalf("%v: mask of %d items differs (%v)", m.shape, len(items), err)
	}
}

func TestPointsAndMasksBehaveLikeTheDenseModel(t *testing.T) {
	rnd := rand.New(rand.NewPCG(41, 42))
	dtypes := []string{"|u1", "<i2", "<f4", ">f8", "<c16", "|S3"}
	for range 200 {
		shape := randomShape(rnd)
		o := randomOptions(rnd, shape)
		o.Workers, o.WriteBehind = 1+rnd.IntN(3), rnd.Int64N(2)*100_000
		u, err := NewUntyped(dtypes[rnd.IntN(len(dtypes))], shape, o)
		if err != nil {
			t.Fatal(err)
		}
		m := &model{shape: shape, item: u.TypeSize(), data: make([]byte, int(u.Len())*u.TypeSize())}
		if rnd.IntN(2) == 0 {
			copy(m.data, noise(rnd, len(m.data)))
			if err := u.Write(t.Context(), m.data); err != nil {
				t.Fatal(err)
			}
		}
		for range 4 {
			checkPoints(t, rnd, u, m)
			checkMask(t, rnd, u, m)
		}
		compare(t, u, m, make([]int64, len(shape)), slices.Clone([]int64(shape)))
	}
}

func TestTypedPointsAndMasks(t *testing.T) {
	ctx := t.Context()
	u, err := NewUntyped(">i4", Shape{30, 20}, &Options{ChunkShape: Shape{7, 8}, BlockShape: Shape{3, 4}})
	if err != nil {
		t.Fatal(err)
	}
	a, err := As[int32](u)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.WritePoints(ctx, []int32{1, 2, 3, 4}, []int64{0, 0, 29, 19, 0, 0, 5, -1}); err != nil {
		t.Fatal(err)
	}
	got := make([]int32, 5)
	err = a.ReadPoints(ctx, got, []int64{5, 19, 0, 0, -1, -1, 5, 19, 1, 1})
	if want := []int32{4, 3, 2, 4, 0}; err != nil || !slices.Equal(got, want) {
		t.Fatalf("%v, want %v (%v)", got, want, err)
	}
	if err := a.WritePoints(ctx, []int32{-9, -8}, []int64{1, 1, 2, 2}); err != nil {
		t.Fatal(err)
	}
	all, err := a.Read(ctx)
	if err != nil {
		t.Fatal(err)
	}
	negative := make([]bool, len(all))
	for i, v := range all {
		negative[i] = v < 0
	}
	mask, err := FromSlice(negative, Shape{30, 20}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := a.ReadWhere(ctx, mask); err != nil || !slices.Equal(got, []int32{-9, -8}) {
		t.Fatalf("%v %v", got, err)
	}
	if err := a.WriteWhere(ctx, []int32{70, 71}, mask.View()); err != nil {
		t.Fatal(err)
	}
	if err := a.FillWhere(ctx, 5, mask.View().Flip()); err != nil {
		t.Fatal(err)
	}
	got = make([]int32, 4)
	err = a.ReadPoints(ctx, got, []int64{1, 1, 2, 2, 28, 18, 27, 17})
	if want := []int32{70, 71, 5, 5}; err != nil || !slices.Equal(got, want) {
		t.Fatalf("%v, want %v (%v)", got, want, err)
	}
	_, maskErr := a.ReadWhere(ctx, Items(make([]bool, 599), Shape{599}))
	_, whereErr := a.ReadWhere(ctx, mask.View().Transpose())
	for name, err := range map[string]error{
		"coordinate":     a.ReadPoints(ctx, got[:1], []int64{30, 0}),
		"dimensions":     a.ReadPoints(ctx, got[:1], []int64{3}),
		"negative":       a.WritePoints(ctx, []int32{1}, []int64{0, -21}),
		"values":         a.WritePoints(ctx, []int32{1}, nil),
		"flat":           a.ReadPoints(ctx, make([]int32, 2), []int64{0, 0, 1}),
		"odd bytes":      u.ReadPoints(ctx, make([]byte, 5), []int64{0, 0}),
		"mask":           maskErr,
		"shape of mask":  whereErr,
		"values of mask": a.WriteWhere(ctx, make([]int32, 3), Items(negative, a.Shape())),
	} {
		if !errors.Is(err, cairn.ErrBounds) {
			t.Errorf("%s: %v, want ErrBounds", name, err)
		}
	}
}
