package ndarray

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray/internal/selection"
)

// seen is a dense model of a view: its shape, and the bytes of each item in C order.
type seen struct {
	shape Shape
	items [][]byte
}

func (s seen) bytes() []byte { return slices.Concat(append([][]byte{{}}, s.items...)...) }

// arrange returns the model of a view with another shape; from maps the coordinates of an item to
// its old ones.
func (s seen) arrange(shape Shape, from func(at []int64) []int64) seen {
	out := seen{shape: shape}
	at := make([]int64, len(shape))
	total := product(shape)
	for range total {
		number := int64(0)
		for i, c := range from(at) {
			number = number*s.shape[i] + c
		}
		out.items = append(out.items, s.items[number])
		advance(at, make([]int64, len(shape)), shape)
	}
	return out
}

// randomOperation applies one random operation to a view and its model.
func randomOperation(rnd *rand.Rand, v UntypedView, s seen) (UntypedView, seen, string) {
	dims := len(s.shape)
	switch rnd.IntN(7) {
	case 0:
		order := rnd.Perm(dims)
		shape := make(Shape, dims)
		for k, from := range order {
			shape[k] = s.shape[from]
		}
		w := s.arrange(shape, func(at []int64) []int64 {
			source := make([]int64, dims)
			for k, from := range order {
				source[from] = at[k]
			}
			return source
		})
		return v.Transpose(order...), w, fmt.Sprintf(".Transpose(%v)", order)
	case 1:
		if dims == 0 {
			return v, s, ""
		}
		k := rnd.IntN(dims)
		w := s.arrange(s.shape, func(at []int64) []int64 {
			at = slices.Clone(at)
			at[k] = s.shape[k] - 1 - at[k]
			return at
		})
		return v.Flip(k - dims), w, fmt.Sprintf(".Flip(%d)", k)
	case 2:
		shape := Shape{}
		for _, n := range s.shape {
			if n != 1 {
				shape = append(shape, n)
			}
		}
		return v.Squeeze(), seen{shape, s.items}, ".Squeeze()"
	case 3:
		k := rnd.IntN(dims + 1)
		return v.ExpandDims(k), seen{slices.Insert(slices.Clone(s.shape), k, 1), s.items},
			fmt.Sprintf(".ExpandDims(%d)", k)
	case 4:
		shape := slices.Clone(s.shape)
		for k := range shape {
			if shape[k] == 1 && rnd.IntN(2) == 0 {
				shape[k] = rnd.Int64N(4)
			}
		}
		if rnd.IntN(2) == 0 {
			shape = append(Shape{rnd.Int64N(3)}, shape...)
		}
		w := s.arrange(shape, func(at []int64) []int64 {
			source := slices.Clone(at[len(at)-dims:])
			for k := range source {
				source[k] = min(source[k], s.shape[k]-1)
			}
			return source
		})
		return v.Broadcast(shape), w, fmt.Sprintf(".Broadcast(%v)", shape)
	}
	selectors := randomSelectors(rnd, s.shape)
	numbers := &model{shape: s.shape, item: 1}
	picked := numbers.pick(selectors)
	w := seen{shape: picked.shape}
	for _, i := range picked.items {
		w.items = append(w.items, s.items[i])
	}
	return v.Slice(selectors...), w, "[" + textOf(selectors) + "]"
}

func randomView(t *testing.T, rnd *rand.Rand, shape Shape, first int) (*Untyped, UntypedView, seen) {
	t.Helper()
	o := randomOptions(rnd, shape)
	o.Uninit, o.Workers, o.WriteBehind = false, 1+rnd.IntN(3), rnd.Int64N(2)*100_000
	u, err := NewUntyped("<i4", shape, o)
	if err != nil {
		t.Fatal(err)
	}
	s := seen{shape: u.Shape()}
	for i := range int(u.Len()) {
		s.items = append(s.items, binary.LittleEndian.AppendUint32(nil, uint32(first+i)))
	}
	if err := u.Write(context.Background(), s.bytes()); err != nil {
		t.Fatal(err)
	}
	return u, u.View(), s
}

// concat returns the model of a concatenation along the first dimension.
func (s seen) concat(others ...seen) seen {
	w := seen{slices.Clone(s.shape), slices.Clone(s.items)}
	for _, o := range others {
		w.shape[0] += o.shape[0]
		w.items = append(w.items, o.items...)
	}
	return w
}

func TestViewsBehaveLikeTheirTwin(t *testing.T) {
	rnd := rand.New(rand.NewPCG(31, 32))
	for round := range 250 {
		shape := randomShape(rnd)
		for len(shape) > 5 {
			shape = randomShape(rnd)
		}
		_, v, s := randomView(t, rnd, shape, 0)
		name := fmt.Sprintf("round %d: %v", round, shape)
		for range rnd.IntN(6) {
			if len(s.items) > 5000 || len(s.shape) > 9 {
				break
			}
			var op string
			v, s, op = randomOperation(rnd, v, s)
			name += op
			if len(s.shape) > 0 && s.shape[0] > 0 && rnd.IntN(6) == 0 {
				like := slices.Clone(s.shape)
				like[0] = 1 + rnd.Int64N(4)
				if product(like) > 2000 {
					continue
				}
				_, v2, s2 := randomView(t, rnd, like, 1<<20)
				v, s = Concat(0, v, v2, v), s.concat(s2, s)
				name += fmt.Sprintf(".Concat(%v)", like)
			}
		}
		checkView(t, rnd, name, v, s)
	}
}

// checkView compares all kinds of reads of a view with its model.
func checkView(t *testing.T, rnd *rand.Rand, name string, v UntypedView, s seen) {
	t.Helper()
	ctx := t.Context()
	if err := v.Err(); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if !slices.Equal(v.Shape(), s.shape) || v.Len() != int64(len(s.items)) {
		t.Fatalf("%s: shape %v, want %v", name, v.Shape(), s.shape)
	}
	if got, err := v.Read(ctx); err != nil || !bytes.Equal(got, s.bytes()) {
		t.Fatalf("%s: read differs (%v)", name, err)
	}
	k := 0
	for item, err := range v.Values(ctx) {
		if err != nil || !bytes.Equal(item, s.items[k]) {
			t.Fatalf("%s: item %d: %v (%v)", name, k, item, err)
		}
		k++
	}
	if k != len(s.items) {
		t.Fatalf("%s: %d items, want %d", name, k, len(s.items))
	}
	start, stop := randomBox(rnd, s.shape)
	box := &model{shape: s.shape, item: 4, data: s.bytes()}
	want := box.read(start, stop)
	got := make([]byte, len(want))
	if err := v.ReadBytes(ctx, got, start, stop); err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%s: box %v to %v differs (%v)", name, start, stop, err)
	}
	// Strided memory, with gaps and negative strides.
	strides, size := make([]int64, len(s.shape)), int64(4)
	for _, k := range rnd.Perm(len(s.shape)) {
		strides[k] = size
		size *= max(s.shape[k], 1)
		if size += 4 * rnd.Int64N(2); rnd.IntN(3) == 0 {
			strides[k] = -strides[k]
		}
	}
	memory, at := make([]byte, size), make([]int64, len(s.shape))
	if err := v.ReadStrided(ctx, memory, strides); err != nil {
		t.Fatalf("%s: strides %v: %v", name, strides, err)
	}
	for i, item := range s.items {
		offset := int64(0)
		for k, stride := range strides {
			if offset += at[k] * stride; stride < 0 {
				offset -= (s.shape[k] - 1) * stride
			}
		}
		if !bytes.Equal(memory[offset:][:4], item) {
			t.Fatalf("%s: item %d with strides %v differs", name, i, strides)
		}
		advance(at, make([]int64, len(at)), s.shape)
	}
}

func TestViewsAreWritten(t *testing.T) {
	rnd := rand.New(rand.NewPCG(33, 34))
	for range 120 {
		shape := randomShape(rnd)
		for len(shape) > 5 {
			shape = randomShape(rnd)
		}
		u, v, _ := randomView(t, rnd, shape, 0)
		w := numbered(u)
		for range rnd.IntN(4) {
			if len(w.items) < 5000 && len(w.shape) < 9 {
				if v2, w2, op := randomOperation(rnd, v, w); !bytes.Contains([]byte(op), []byte("Broadcast")) {
					v, w = v2, w2
				}
			}
		}
		all, err := u.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		src := noise(rnd, 4*len(w.items))
		if rnd.IntN(3) == 0 && len(src) > 0 {
			src = bytes.Repeat(src[:4], len(w.items))
			err = v.Fill(t.Context(), src[:4])
		} else {
			err = v.Write(t.Context(), src)
		}
		repeats := false
		for k, dim := range v.sel.Dims {
			repeats = repeats || dim == selection.NewDim && v.sel.Size[k] != 1
		}
		if repeats && len(w.items) > 0 {
			if !errors.Is(err, cairn.ErrReadOnly) {
				t.Fatalf("write to a view that repeats items: %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for k, item := range w.items {
			copy(all[4*binary.LittleEndian.Uint32(item):][:4], src[4*k:])
		}
		if got, err := u.Read(t.Context()); err != nil || !bytes.Equal(got, all) {
			t.Fatalf("%v: a write through a view differs (%v)", shape, err)
		}
	}
}

// numbered returns the model of the whole array, in which each item is its number.
func numbered(u *Untyped) seen {
	s := seen{shape: u.Shape()}
	for i := range int(u.Len()) {
		s.items = append(s.items, binary.LittleEndian.AppendUint32(nil, uint32(i)))
	}
	return s
}

// failingSource fills a part of what it is asked for, and fails.
type failingSource struct{ Source }

func (failingSource) ReadBytes(_ context.Context, dst []byte, _, _ []int64) error {
	dst[0] = 1
	return errForeign
}

// TestFailedReadsReturnNothing checks that no memory comes back that was not filled.
func TestFailedReadsReturnNothing(t *testing.T) {
	items := make([]uint8, 1<<17)
	v, err := ViewAs[uint8](failingSource{Items(items, Shape{1 << 17})})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := v.Read(t.Context()); err == nil || got != nil {
		t.Errorf("read %d items, %v", len(got), err)
	}
}
