package frame

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/format"
)

// drawBlocks returns blocks of random sizes and contents.
func drawBlocks(r *rand.Rand) [][]byte {
	blocks := make([][]byte, 1+r.IntN(20))
	for i := range blocks {
		blocks[i] = bytes.Repeat([]byte{byte(r.Uint32()), 7}, 1+r.IntN(1<<r.IntN(11)))
		for j := 0; j < len(blocks[i]); j += 1 + r.IntN(40) {
			blocks[i][j] = byte(r.Uint32())
		}
	}
	return blocks
}

// TestBlocksOfAnySize makes random changes of contiguous and sparse frames with blocks of variable
// length, and compares them with a plain copy.
func TestBlocksOfAnySize(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 9))
		path := filepath.Join(t.TempDir(), "vl.b2frame")
		f, err := Create(path, &Options{TypeSize: 1, Sparse: seed%2 == 1, Workers: 1 + int(seed%3)})
		if err != nil {
			t.Fatal(err)
		}
		var model [][][]byte
		for step := range 40 {
			blocks := drawBlocks(r)
			i := r.IntN(len(model) + 1)
			switch do := r.IntN(4); {
			case do == 0:
				err = f.edit.change(ctx, func(v change) error { return v.insert(i, must(v.encodeVL(blocks))) })
				model = slices.Insert(model, i, blocks)
			case do == 1 && i < len(model):
				err = f.edit.change(ctx, func(v change) error { return v.replace(i, must(v.encodeVL(blocks))) })
				model[i] = blocks
			case do == 2 && i < len(model) && len(model) > 1:
				err = f.Delete(ctx, i)
				model = slices.Delete(model, i, i+1)
			default:
				_, err = f.AppendBlocks(ctx, blocks)
				model = append(model, blocks)
			}
			if err != nil {
				t.Fatalf("seed %d, step %d: %v", seed, step, err)
			}
			if step == 20 {
				if err := f.Close(); err != nil {
					t.Fatal(err)
				}
				if f, err = Open(path, &OpenOptions{Mode: ReadWrite}); err != nil {
					t.Fatal(err)
				}
			}
		}
		checkBlocks(t, f, model)
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if f, err = Open(path, nil); err != nil {
			t.Fatal(err)
		}
		if info := f.Info(); !info.VLBlocks || info.Version != format.VersionVariable {
			t.Errorf("the header says %+v", info)
		}
		checkBlocks(t, f, model)
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func checkBlocks(t *testing.T, f *Frame, model [][][]byte) {
	t.Helper()
	if f.NumChunks() != len(model) {
		t.Fatalf("%d chunks, want %d", f.NumChunks(), len(model))
	}
	dst := make([]byte, 1<<17)
	for i, blocks := range model {
		sizes, err := f.BlockSizes(i)
		if err != nil || len(sizes) != len(blocks) {
			t.Fatalf("chunk %d: %d blocks, want %d, %v", i, len(sizes), len(blocks), err)
		}
		for k, b := range blocks {
			n, err := f.ReadBlock(context.Background(), dst, i, k)
			if err != nil || sizes[k] != len(b) || !bytes.Equal(dst[:n], b) {
				t.Fatalf("chunk %d, block %d: %d bytes, want %d, %v, or other bytes", i, k, sizes[k], len(b), err)
			}
		}
		n, err := f.ReadChunk(context.Background(), dst, i)
		if err != nil || !bytes.Equal(dst[:n], bytes.Join(blocks, nil)) {
			t.Fatalf("chunk %d: %v, or other bytes", i, err)
		}
	}
}

// TestReadBlockOfAFile reads single blocks of large chunks of both kinds, and checks that little of
// a chunk is read.
func TestReadBlockOfAFile(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(4, 4))
	noise := make([]byte, 100_000)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	for _, vl := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "blocks.b2frame")
		f, err := Create(path, &Options{BlockSize: 10_000, Commits: Commits{Deterministic: true}})
		if err == nil && vl {
			_, err = f.AppendBlocks(ctx, slices.Collect(slices.Chunk(noise, 10_000)))
		} else if err == nil {
			_, err = f.Append(ctx, noise)
		}
		if err = errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		if f, err = Open(path, nil); err != nil {
			t.Fatal(err)
		}
		dst := make([]byte, 10_000)
		for _, k := range []int{9, 0, 4} {
			if n, err := f.ReadBlock(ctx, dst, 0, k); err != nil || !bytes.Equal(dst[:n], noise[k*10_000:][:10_000]) {
				t.Errorf("block %d: %v, or other bytes", k, err)
			}
		}
		for _, k := range []int{-1, 10} {
			if _, err := f.ReadBlock(ctx, dst, 0, k); !errors.Is(err, cairn.ErrBounds) {
				t.Errorf("block %d: %v", k, err)
			}
		}
		if _, err := f.ReadBlock(ctx, dst[:9999], 0, 1); !errors.Is(err, cairn.ErrBounds) {
			t.Errorf("a block that does not fit: %v", err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestKindsOfChunksDoNotMix puts chunks of one kind into frames of the other.
func TestKindsOfChunksDoNotMix(t *testing.T) {
	ctx := context.Background()
	for _, vl := range []bool{false, true} {
		f, err := New(nil)
		if err != nil {
			t.Fatal(err)
		}
		add := func(vl bool) error {
			if vl {
				_, err := f.AppendBlocks(ctx, [][]byte{{1, 2, 3}})
				return err
			}
			_, err := f.Append(ctx, []byte{1, 2, 3})
			return err
		}
		if err := add(vl); err != nil {
			t.Fatal(err)
		}
		if err := add(!vl); !errors.Is(err, cairn.ErrUnsupported) {
			t.Errorf("the other kind: %v", err)
		}
		if err := f.AppendSpecial(ctx, chunk.SpecialZeros, 3); (err != nil) != vl {
			t.Errorf("zeros, blocks of variable length %v: %v", vl, err)
		}
	}
}
