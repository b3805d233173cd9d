package shuffle_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/filterchain"
	"github.com/cairn-go/cairn/internal/test/filtertest"
	"github.com/cairn-go/cairn/shuffle"
)

// TestCellOrder checks the order of items after ndcell, and that ndmean restores it.
func TestCellOrder(t *testing.T) {
	ctx := &shuffle.Context{TypeSize: 1, BlockShape: []int32{3, 5}}
	c := mustChain(t, shuffle.Pipeline{shuffle.NDCell(2)})
	src := []byte("abcdefghijklmno") // abcde fghij klmno
	got, _, err := c.Forward(new(filterchain.Scratch), src, 1, ctx)
	if want := "abfg" + "cdhi" + "ej" + "kl" + "mn" + "o"; err != nil || string(got) != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	// ndmean decodes items of any size, including sizes that it does not encode.
	m := mustChain(t, shuffle.Pipeline{shuffle.NDMean(2)})
	back := make([]byte, len(src))
	if err := m.Backward(back, new(filterchain.Scratch), got, len(got), 1, ctx); err != nil || !bytes.Equal(back, src) {
		t.Errorf("ndmean decodes to %q, %v", back, err)
	}
}

// TestCellsWideItems checks that items of more than 255 bytes, whose size the chunk gives as 1, are
// moved as a whole.
func TestCellsWideItems(t *testing.T) {
	ctx := &shuffle.Context{TypeSize: 1, FrameTypeSize: 300, BlockShape: []int32{2, 4}}
	src := filtertest.Bytes(2*4*300, 1)
	c := mustChain(t, shuffle.Pipeline{shuffle.NDCell(2)})
	got, _, err := c.Forward(new(filterchain.Scratch), src, 1, ctx)
	if err != nil || !bytes.Equal(got[600:900], src[1200:1500]) {
		t.Errorf("item 4 is not the third, %v", err)
	}
	if out := throughStreams(t, c, src, 1, ctx); !bytes.Equal(out, src) {
		t.Error("does not round-trip")
	}
}

// TestCellsRefuse checks that what C-Blosc2 rejects in either direction is rejected in both.
func TestCellsRefuse(t *testing.T) {
	src := filtertest.Bytes(96*4, 1)
	for _, test := range []struct {
		name        string
		spec        shuffle.Spec
		shape       []int32
		size        int
		want        string
		unsupported bool
	}{
		{"cells without a shape", shuffle.NDCell(4), nil, 4, "without a shape", true},
		{"means without a shape", shuffle.NDMean(4), nil, 4, "without a shape", true},
		{"nine dimensions", shuffle.NDCell(1), []int32{2, 2, 2, 2, 2, 3, 1, 1, 1}, 4, "9 dimensions", true},
		{"no side", shuffle.NDCell(0), []int32{8, 12}, 4, "parameter 0", false},
		{"cells of more items than the block", shuffle.NDCell(10), []int32{8, 12}, 4, "parameter 10", false},
		{"a shape of no items", shuffle.NDCell(1), []int32{0, 96}, 4, "no block", false},
		{"a shape of too many items", shuffle.NDCell(1), []int32{1 << 30, 1 << 30, 1 << 30}, 4, "no block", false},
		{"means with a negative side", shuffle.NDMean(128), []int32{8, 12}, 4, "parameter -128", false},
		{"means with no side", shuffle.NDMean(0), []int32{8, 12}, 4, "parameter 0", false},
		{"means of cells that C misplaces", shuffle.NDMean(9), []int32{8, 12}, 4, "cannot be decoded", false},
	} {
		c, ctx := mustChain(t, shuffle.Pipeline{test.spec}), &shuffle.Context{TypeSize: test.size, BlockShape: test.shape}
		_, _, forward := c.Forward(new(filterchain.Scratch), src, 1, ctx)
		backward := c.Backward(make([]byte, len(src)), new(filterchain.Scratch), src, len(src), 1, ctx)
		for what, err := range map[string]error{"Validate": c.Validate(ctx), "Forward": forward, "Backward": backward} {
			if err == nil || !strings.Contains(err.Error(), test.want) || errors.Is(err, cairn.ErrUnsupported) != test.unsupported {
				t.Errorf("%s: %s gives %v", test.name, what, err)
			}
		}
	}
	c := mustChain(t, shuffle.Pipeline{shuffle.NDMean(2)})
	if err := c.Validate(&shuffle.Context{TypeSize: 2, BlockShape: []int32{96}}); err == nil || !strings.Contains(err.Error(), "4 or 8 bytes") {
		t.Errorf("means of 2-byte items: %v", err)
	}
	for _, spec := range []shuffle.Spec{shuffle.NDCell(2), shuffle.NDMean(2)} {
		c, ctx := mustChain(t, shuffle.Pipeline{spec}), &shuffle.Context{TypeSize: 4, BlockShape: []int32{8, 11}}
		const want = "is not 88 items of 4 bytes"
		_, _, err := c.Forward(new(filterchain.Scratch), src, 1, ctx)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v of a block that is longer than its shape: %v", spec, err)
		}
		err = c.Backward(make([]byte, len(src)), new(filterchain.Scratch), src, len(src), 1, ctx)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v back of a block that is longer than its shape: %v", spec, err)
		}
	}
}

// TestMeanBound checks the bound of docs/format/filters.md: a mean of n items is within their
// range, plus n roundings of half a unit each.
func TestMeanBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		shape := []int32{1 + rng.Int32N(12), 1 + rng.Int32N(12), 1 + rng.Int32N(12)}
		side := uint8(1 + rng.IntN(int(shape[0])))
		for _, size := range []int{4, 8} {
			checkMeanBound(t, rng, shape, side, size)
		}
	}
}

func checkMeanBound(t *testing.T, rng *rand.Rand, shape []int32, side uint8, size int) {
	t.Helper()
	values := make([]float64, shape[0]*shape[1]*shape[2])
	src := make([]byte, len(values)*size)
	scale := math.Pow(10, 30*rng.Float64()-15)
	for i := range values {
		values[i] = (rng.NormFloat64() + float64(3*rng.IntN(2))) * scale
		if size == 4 {
			values[i] = float64(float32(values[i]))
			binary.LittleEndian.PutUint32(src[4*i:], math.Float32bits(float32(values[i])))
		} else {
			binary.LittleEndian.PutUint64(src[8*i:], math.Float64bits(values[i]))
		}
	}
	c, ctx := mustChain(t, shuffle.Pipeline{shuffle.NDMean(side)}), &shuffle.Context{TypeSize: size, BlockShape: shape}
	out := throughStreams(t, c, src, 1, ctx)
	type span struct{ low, high, most, n float64 }
	spans, cellOf := map[[3]int32]*span{}, make([]*span, len(values))
	for i, v := range values {
		k, s := int32(i), int32(side)
		key := [3]int32{k / (shape[1] * shape[2]) / s, k / shape[2] % shape[1] / s, k % shape[2] / s}
		if spans[key] == nil {
			spans[key] = &span{low: v, high: v}
		}
		c := spans[key]
		c.low, c.high, c.most, c.n = min(c.low, v), max(c.high, v), max(c.most, math.Abs(v)), c.n+1
		cellOf[i] = c
	}
	for i, v := range values {
		got, unit := math.Float64frombits(binary.LittleEndian.Uint64(append(out[i*size:(i+1)*size:(i+1)*size], make([]byte, 8)...))), 0x1p-52
		if size == 4 {
			got, unit = float64(math.Float32frombits(binary.LittleEndian.Uint32(out[4*i:]))), 0x1p-23
		}
		c := cellOf[i]
		if slack := c.n * unit * c.most; got < c.low-slack || got > c.high+slack || math.Abs(got-v) > c.high-c.low+slack {
			t.Fatalf("shape %v, side %d, %d bytes: item %d is %g, was %g, in a cell from %g to %g", shape, side, size, i, got, v, c.low, c.high)
		}
	}
}
