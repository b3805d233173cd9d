package grid

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

var testTargets = Targets{Block: 128 << 10, Chunk: 4 << 20}

func TestAutoChoosesTheseShapes(t *testing.T) {
	for _, c := range []struct {
		shape        []int64
		item         int64
		chunk, block []int64
		want         string
	}{
		{[]int64{}, 8, nil, nil, "[] []"},
		{[]int64{10_000_000}, 4, nil, nil, "[1013080] [32680]"},
		{[]int64{5, 7}, 1, nil, nil, "[5 7] [5 7]"},
		{[]int64{0}, 4, nil, nil, "[262144] [32768]"},
		{[]int64{0}, 26, nil, nil, "[40400] [4040]"},
		{[]int64{0}, 100, nil, nil, "[10560] [960]"},
		{[]int64{0, 64}, 4, nil, nil, "[4096 64] [512 64]"},
		{[]int64{64, 0}, 4, nil, nil, "[64 4096] [64 512]"},
		{[]int64{0, 16384}, 4, nil, nil, "[64 16384] [64 512]"},
		{[]int64{0, 721, 1440}, 4, nil, nil, "[1 366 1440] [1 61 480]"},
		{[]int64{0, 0}, 4, nil, nil, "[512 2048] [64 512]"},
		{[]int64{1000, 1000, 1000}, 4, nil, nil, "[64 64 256] [16 16 128]"},
		{[]int64{3, 100000}, 4, nil, nil, "[3 100000] [3 7696]"},
		{[]int64{5, 5}, 10 << 20, nil, nil, "[1 1] [1 1]"},
		{[]int64{1000, 1000}, 4, []int64{100, 1000}, nil, "[100 1000] [50 504]"},
		{[]int64{1000, 1000}, 4, nil, []int64{10, 10}, "[1000 1000] [10 10]"},
		{[]int64{3, 1000}, 4, nil, []int64{10, 10}, "[10 1000] [10 10]"},
		{[]int64{0, 8}, 4, []int64{0, 8}, nil, "[0 8] [0 8]"},
	} {
		chunk, block := Auto(c.shape, c.item, testTargets, c.chunk, c.block)
		if got := fmt.Sprint(chunk, block); got != c.want {
			t.Errorf("shape %v item %d chunk %v block %v: %s, want %s", c.shape, c.item, c.chunk, c.block, got, c.want)
		}
	}
}

// For every shape, the choice must be a valid partition, within its targets unless one item exceeds
// them, and not wasteful.
func TestAutoIsAlwaysUsable(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		shape := make([]int64, rnd.IntN(MaxDims+1))
		for i := range shape {
			shape[i] = 1 + rnd.Int64N(1<<rnd.IntN(1+40/len(shape)))
		}
		item := int64(1) << rnd.IntN(12)
		chunk, block := Auto(shape, item, testTargets, nil, nil)
		p, err := New(shape, chunk, block, item)
		if err != nil {
			t.Fatalf("shape %v item %d: %v", shape, item, err)
		}
		if p.BlockSize > testTargets.Block || p.ChunkSize > 2*testTargets.Chunk {
			t.Fatalf("shape %v item %d: chunk %v of %d bytes, block %v of %d bytes", shape, item, chunk, p.ChunkSize, block, p.BlockSize)
		}
		total, _ := Product(append([]int64{item}, shape...))
		if total > 16*testTargets.Chunk && p.BlockSize < testTargets.Block/8 {
			t.Fatalf("shape %v item %d: blocks of %d bytes only", shape, item, p.BlockSize)
		}
		for i := range shape {
			if chunk[i] > shape[i] || block[i] > chunk[i] {
				t.Fatalf("shape %v: chunk %v block %v", shape, chunk, block)
			}
			if chunk[i] != shape[i] && chunk[i]%block[i] != 0 {
				t.Fatalf("shape %v: chunk %v is not whole blocks %v", shape, chunk, block)
			}
		}
	}
}
