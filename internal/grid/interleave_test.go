package grid

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestInterleave reads random boxes block by block, by Interleave where it works, and compares with
// Scatter, with and without a large destination.
func TestInterleave(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	done := map[bool]int{}
	for range 3000 {
		size := []int64{1, 2, 3, 4, 8, 12}[rng.IntN(6)]
		var shape, chunk, block, start, stop []int64
		for range 1 + rng.IntN(3) {
			n := 1 + rng.Int64N(90)
			shape = append(shape, n)
			chunk = append(chunk, 1+rng.Int64N(n))
			block = append(block, 1+rng.Int64N(chunk[len(chunk)-1]))
			from := rng.Int64N(n)
			start, stop = append(start, from), append(stop, from+1+rng.Int64N(n-from))
		}
		if rng.IntN(2) == 0 { // long rows of whole cache lines
			i := len(shape) - 1
			shape[i], chunk[i], block[i], start[i], stop[i] = 128, 128, 64, 0, 128
		}
		p, err := New(shape, chunk, block, size)
		if err != nil {
			t.Fatal(err)
		}
		var b Box
		if err := b.Set(p, start, stop); err != nil {
			t.Fatal(err)
		}
		b.stream = rng.IntN(2) == 0
		planes, data := randomBlock(rng, int(p.BlockSize), int(size))
		got, want := make([]byte, b.Bytes), make([]byte, b.Bytes)
		var s Scratch
		for i := range b.NumPieces() {
			pc := b.Take(i, &s)
			for k := range pc.Blocks() {
				block := pc.Block(k)
				pc.Scatter(want, block, data)
				ok := pc.Interleave(got, block, planes)
				if done[ok]++; !ok {
					pc.Scatter(got, block, data)
				}
			}
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("shape %v chunk %v block %v items of %d, box %v to %v", shape, chunk, block, size, start, stop)
		}
	}
	if done[false] == 0 {
		t.Error("Interleave accepts everything")
	}
}

// randomBlock returns a block and its planes.
func randomBlock(rng *rand.Rand, bytes, size int) (planes [][]byte, data []byte) {
	data, planes = make([]byte, bytes), make([][]byte, size)
	for i := range data {
		data[i] = byte(rng.Uint32())
		planes[i%size] = append(planes[i%size], data[i])
	}
	return planes, data
}
