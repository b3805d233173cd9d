package grid

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
)

func TestNewRefusesImpossibleGeometry(t *testing.T) {
	long := make([]int64, MaxDims+1)
	for _, c := range []struct {
		name                string
		shape, chunk, block []int64
		item                int64
		want                string
	}{
		{"too many dimensions", long, long, long, 1, "17 dimensions"},
		{"unequal lengths", []int64{1, 2}, []int64{1}, []int64{1, 1}, 1, "chunk shape 1"},
		{"negative", []int64{-1}, []int64{1}, []int64{1}, 1, "negative"},
		{"zero chunk", []int64{3}, []int64{0}, []int64{0}, 1, "chunk extent 0"},
		{"zero block", []int64{3}, []int64{2}, []int64{0}, 1, "block extent 0"},
		{"no item size", []int64{3}, []int64{2}, []int64{1}, 0, "item size 0"},
		{"chunk too large", []int64{3}, []int64{1 << 29}, []int64{1}, 4, "exceeds 2147483615"},
		{"block overflows", []int64{3, 3, 3}, []int64{1, 1, 1}, []int64{1 << 30, 1 << 30, 1 << 30}, 1, "exceeds 2147483615"},
		{"shape overflows", []int64{1 << 40, 1 << 40}, []int64{1, 1}, []int64{1, 1}, 1, "63 bits"},
		{"padded bytes overflow", []int64{math.MaxInt64}, []int64{1 << 20}, []int64{1 << 20}, 8, "63 bits"},
		{"one dimension rounds over", []int64{math.MaxInt64}, []int64{1 << 30}, []int64{1 << 30}, 1, "63 bits"},
	} {
		_, err := New(c.shape, c.chunk, c.block, c.item)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q in it", c.name, err, c.want)
		}
	}
}

func TestNewAcceptsEdges(t *testing.T) {
	for _, c := range []struct {
		name                string
		shape, chunk, block []int64
		chunks, size        int64
	}{
		{"0-d", nil, nil, nil, 1, 8},
		{"no items", []int64{0, 5}, []int64{2, 2}, []int64{1, 1}, 0, 32},
		{"no items, no chunk", []int64{0}, []int64{0}, []int64{0}, 0, 0},
		{"chunk beyond the array", []int64{3}, []int64{10}, []int64{4}, 1, 96},
		{"block beyond the chunk", []int64{3}, []int64{2}, []int64{4}, 2, 32},
		{"huge beside zero", []int64{0, math.MaxInt64}, []int64{1, 1}, []int64{1, 1}, 0, 8},
	} {
		p, err := New(c.shape, c.chunk, c.block, 8)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if p.ChunkCount != c.chunks || p.ChunkSize != c.size {
			t.Errorf("%s: %d chunks of %d bytes, want %d of %d", c.name, p.ChunkCount, p.ChunkSize, c.chunks, c.size)
		}
	}
}

// The worked example of the format's geometry: shape (5,7), chunks (4,5), blocks (3,2), values 1 to
// 35.
func TestBlockLayoutOfTheWorkedExample(t *testing.T) {
	want := [][]byte{
		{1, 2, 8, 9, 15, 16, 3, 4, 10, 11, 17, 18, 5, 0, 12, 0, 19, 0, 22, 23, 0, 0, 0, 0, 24, 25, 0, 0, 0, 0, 26, 0, 0, 0, 0, 0},
		{6, 7, 13, 14, 20, 21, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 27, 28, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
		{29, 30, 0, 0, 0, 0, 31, 32, 0, 0, 0, 0, 33, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
		{34, 35, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
	}
	p, err := New([]int64{5, 7}, []int64{4, 5}, []int64{3, 2}, 1)
	if err != nil {
		t.Fatal(err)
	}
	dense := make([]byte, 35)
	for i := range dense {
		dense[i] = byte(i + 1)
	}
	var plan Box
	if err := plan.Set(p, []int64{0, 0}, []int64{5, 7}); err != nil {
		t.Fatal(err)
	}
	var pc BoxPiece
	for k := range plan.Pieces {
		plan.Piece(k, &pc)
		got := make([]byte, p.ChunkSize)
		for j := range pc.Blocks() {
			b := pc.Block(j)
			pc.Gather(got[int64(b)*p.BlockSize:][:p.BlockSize], b, dense)
		}
		if !bytes.Equal(got, want[k]) {
			t.Errorf("chunk %d: %v, want %v", k, got, want[k])
		}
	}
}

func TestSwapReversesEveryWidth(t *testing.T) {
	for _, width := range []int{2, 4, 8} {
		p, err := New([]int64{2, 3}, []int64{2, 2}, []int64{1, 2}, 16)
		if err != nil {
			t.Fatal(err)
		}
		var plain, swapped Box
		for _, plan := range []*Box{&plain, &swapped} {
			if err := plan.Set(p, []int64{0, 0}, []int64{2, 3}); err != nil {
				t.Fatal(err)
			}
		}
		swapped.Swap(width)
		dense := make([]byte, 96)
		for i := range dense {
			dense[i] = byte(i)
		}
		back, block := make([]byte, 96), make([]byte, p.BlockSize)
		var a, b BoxPiece
		for k := range plain.Pieces {
			plain.Piece(k, &a)
			swapped.Piece(k, &b)
			for j := range a.Blocks() {
				b.Gather(block, a.Block(j), dense)
				a.Scatter(back, a.Block(j), block)
				if b.Direct(back, a.Block(j)) != nil {
					t.Fatal("a swapping plan offers direct access")
				}
			}
		}
		for i := range back {
			if want := byte(i/width*width + width - 1 - i%width); back[i] != want {
				t.Fatalf("width %d: byte %d is %d, want %d", width, i, back[i], want)
			}
		}
		item := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
		for k := range swapped.Pieces {
			swapped.Piece(k, &b)
			b.Fill(back, item)
		}
		for i := range back {
			if want := item[i%16/width*width+width-1-i%width]; back[i] != want {
				t.Fatalf("width %d: filled byte %d is %d, want %d", width, i, back[i], want)
			}
		}
	}
}

func TestCheckBox(t *testing.T) {
	p, err := New([]int64{5, 7}, []int64{4, 5}, []int64{3, 2}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		start, stop []int64
		ok          bool
	}{
		{[]int64{0, 0}, []int64{5, 7}, true},
		{[]int64{5, 7}, []int64{5, 7}, true},
		{[]int64{3, 0}, []int64{2, 7}, false},
		{[]int64{-1, 0}, []int64{2, 7}, false},
		{[]int64{0, 0}, []int64{5, 8}, false},
		{[]int64{0}, []int64{5, 7}, false},
	} {
		var plan Box
		if err := plan.Set(p, c.start, c.stop); (err == nil) != c.ok {
			t.Errorf("%v to %v: %v", c.start, c.stop, err)
		}
	}
}

func TestErrorsOfBoxesSayWhetherAnyArrayHasThem(t *testing.T) {
	shape := []int64{5, 7}
	for _, c := range []struct {
		start, stop []int64
		buffer      int
		invalid     bool
		text        string
	}{
		{[]int64{3, 0}, []int64{2, 7}, 0, true, "box from [3 0] to [2 7] of shape [5 7]: out of bounds"},
		{[]int64{-1, 0}, []int64{2, 7}, 0, true, "box from [-1 0] to [2 7] of shape [5 7]: out of bounds"},
		{[]int64{0}, []int64{5, 7}, 0, true, "box from [0] to [5 7] in 2 dimensions: out of bounds"},
		{[]int64{0, 0}, []int64{5, 8}, 80, false, "box from [0 0] to [5 8] of shape [5 7]: out of bounds"},
		{[]int64{0, 0}, []int64{5, 7}, 69, false, "69 bytes for the box from [0 0] to [5 7], want 70: out of bounds"},
	} {
		err := CheckBuffer(shape, c.start, c.stop, 2, c.buffer)
		if !errors.Is(err, cairn.ErrBounds) || errors.Is(err, cairn.ErrInvalid) != c.invalid || err.Error() != c.text {
			t.Errorf("%v", err)
		}
	}
	if err := CheckBuffer(shape, []int64{1, 2}, []int64{3, 4}, 2, 8); err != nil {
		t.Error(err)
	}
}

func TestEmptyBoxesOfHugeArraysAreFine(t *testing.T) {
	p, err := New([]int64{0, 1 << 40, 1 << 40}, []int64{1, 1, 1}, []int64{1, 1, 1}, 8)
	if err != nil {
		t.Fatal(err)
	}
	var plan Box
	if err := plan.Set(p, []int64{0, 0, 0}, []int64{0, 1 << 40, 1 << 40}); err != nil || plan.Pieces != 0 || plan.Bytes != 0 {
		t.Fatalf("%d pieces, %d bytes, %v", plan.Pieces, plan.Bytes, err)
	}
}

func TestMovingAllocatesNothing(t *testing.T) {
	p, err := New([]int64{50, 60, 70}, []int64{20, 30, 40}, []int64{7, 8, 9}, 4)
	if err != nil {
		t.Fatal(err)
	}
	dense, block := make([]byte, 50*60*70*4), make([]byte, p.BlockSize)
	want := make([]bool, p.BlockCount)
	item := []byte{1, 2, 3, 4}
	start, stop := []int64{0, 0, 0}, []int64{50, 60, 70}
	var plan Box
	var pc BoxPiece
	allocs := testing.AllocsPerRun(5, func() {
		if err := plan.Set(p, start, stop); err != nil {
			t.Fatal(err)
		}
		for k := range plan.Pieces {
			plan.Piece(k, &pc)
			Mark(&pc, want)
			pc.Fill(dense, item)
			for j := range pc.Blocks() {
				b := pc.Block(j)
				pc.Gather(block, b, dense)
				pc.Scatter(dense, b, block)
			}
		}
	})
	if allocs != 0 {
		t.Fatalf("%v allocations", allocs)
	}
}

func BenchmarkScatter(b *testing.B) {
	for _, c := range []struct {
		name         string
		chunk, block []int64
	}{
		{"rows of 512 B", []int64{64, 64, 256}, []int64{16, 16, 128}},
		{"rows of 16 B", []int64{64, 64, 64}, []int64{16, 16, 4}},
		{"single items", []int64{64, 64, 64}, []int64{32, 32, 1}},
	} {
		b.Run(c.name, func(b *testing.B) {
			p, err := New([]int64{64, 256, 256}, c.chunk, c.block, 4)
			if err != nil {
				b.Fatal(err)
			}
			dense, block := make([]byte, 64*256*256*4), make([]byte, p.BlockSize)
			var plan Box
			if err := plan.Set(p, []int64{0, 0, 0}, []int64{64, 256, 256}); err != nil {
				b.Fatal(err)
			}
			var pc BoxPiece
			b.SetBytes(plan.Bytes)
			for b.Loop() {
				for k := range plan.Pieces {
					plan.Piece(k, &pc)
					for j := range pc.Blocks() {
						pc.Scatter(dense, pc.Block(j), block)
					}
				}
			}
		})
	}
}
