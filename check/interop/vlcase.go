package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/test/dense"
)

// vlCase exchanges one frame whose chunks have blocks of variable length.
type vlCase struct {
	*spec
	peer   *peer
	path   string
	chunks [][][]byte
}

// drawBlocks draws the blocks of one chunk, which need not be whole items.
func (c *vlCase) drawBlocks() [][]byte {
	blocks := make([][]byte, 1+c.rng.IntN(12))
	whole := c.bytes(13 * 2000)
	for i := range blocks {
		n := 1 + c.rng.IntN(1<<c.rng.IntN(11))
		at := c.rng.IntN(len(whole) - n)
		blocks[i] = whole[at : at+n]
	}
	return blocks
}

// drawSteps draws changes and applies them to the model. The real library cannot append to a frame
// whose only chunk is shorter than the chunk size, so its changes must not lead to such a frame.
func (c *vlCase) drawSteps() []step {
	var steps []step
	few := 1
	if c.ours {
		few = 2
	}

	for range 1 + c.rng.IntN(5) {
		n := len(c.chunks)
		i := c.rng.IntN(n)
		blocks := c.drawBlocks()
		switch do := c.rng.IntN(4); {
		case do == 0:
			steps = append(steps, step{Do: "append", Blocks: blocks})
			c.chunks = append(c.chunks, blocks)
		case do == 1 && n >= few:
			steps = append(steps, step{Do: "update", Index: i, Blocks: blocks})
			c.chunks[i] = blocks
		case do == 2:
			steps = append(steps, step{Do: "insert", Index: i, Blocks: blocks})
			c.chunks = slices.Insert(c.chunks, i, blocks)
		case do == 3 && n > few:
			steps = append(steps, step{Do: "delete", Index: i})
			c.chunks = slices.Delete(c.chunks, i, i+1)
		}
	}
	return steps
}

func (c *vlCase) writeOurs() error {
	o := c.frameOptions()
	o.ChunkSize = 0
	f, err := frame.Create(c.path, o)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, blocks := range c.chunks {
		if _, err := f.AppendBlocks(context.Background(), blocks); err != nil {
			return err
		}
	}
	return errors.Join(setVL(f, c.vlmeta), f.Close())
}

func (c *vlCase) writeTheirs() error {
	return c.peer.Call(vlCommand{Op: "write_vl", Path: c.path, TypeSize: c.typeSize, Sparse: c.sparse, Params: c.params, Chunks: c.chunks, VLMeta: c.vlmeta}, &struct{}{})
}

func (c *vlCase) changeTheirs(steps []step) error {
	return c.peer.Call(vlCommand{Op: "change_vl", Path: c.path, TypeSize: c.typeSize, Params: c.params, Steps: steps}, &struct{}{})
}

func (c *vlCase) changeOurs(steps []step) error {
	ctx := context.Background()
	return changeChunks(c.path, steps, c.rng, func(f *frame.Frame, s step) (err error) {
		switch s.Do {
		case "append":
			_, err = f.AppendBlocks(ctx, s.Blocks)
		case "update", "insert":
			var encoded []byte
			if encoded, err = c.encode(s.Blocks); err != nil {
				break
			}

			if s.Do == "insert" {
				err = f.Inside().InsertEncoded(ctx, s.Index, encoded)
			} else {
				err = f.Inside().UpdateEncoded(ctx, s.Index, encoded)
			}
		case "delete":
			err = f.Delete(ctx, s.Index)
		}
		return err
	})
}

// encode encodes blocks as a chunk.
func (c *vlCase) encode(blocks [][]byte) ([]byte, error) {
	f, err := frame.New(c.frameOptions())
	if err != nil {
		return nil, err
	}
	_, err = f.AppendBlocks(context.Background(), blocks)
	if err != nil {
		return nil, err
	}
	encoded, err := f.EncodedChunk(nil, 0)
	return bytes.Clone(encoded), errors.Join(err, f.Close())
}

func (c *vlCase) readOurs() error {
	f, err := frame.Open(c.path, nil)
	if err != nil {
		return err
	}
	defer f.Close()
	if f.NumChunks() != len(c.chunks) {
		return fmt.Errorf("%d chunks, want %d", f.NumChunks(), len(c.chunks))
	}

	for i, blocks := range c.chunks {
		want := slices.Concat(blocks...)
		got, err := compareChunk(f, i, want, dense.Differ)
		if err != nil {
			return err
		}

		sizes, err := f.BlockSizes(i)
		if err != nil || len(sizes) != len(blocks) {
			return fmt.Errorf("chunk %d has %d blocks, want %d: %w", i, len(sizes), len(blocks), err)
		}

		k := c.rng.IntN(len(blocks))
		n, err := f.ReadBlock(context.Background(), got, i, k)
		if err != nil {
			return err
		}
		if d := dense.Differ(got[:n], blocks[k]); d != "" {
			return fmt.Errorf("block %d of chunk %d: %s", k, i, d)
		}
	}
	return nil
}

func (c *vlCase) readTheirs() error {
	var a vlAnswer
	if err := c.peer.Call(vlCommand{Op: "read_vl", Path: c.path}, &a); err != nil {
		return err
	}
	if len(a.Chunks) != len(c.chunks) {
		return fmt.Errorf("%d chunks, want %d", len(a.Chunks), len(c.chunks))
	}

	for i, blocks := range c.chunks {
		if len(a.Chunks[i]) != len(blocks) || len(a.Single[i]) != len(blocks) {
			return fmt.Errorf("chunk %d has %d blocks, one by one %d, want %d", i, len(a.Chunks[i]), len(a.Single[i]), len(blocks))
		}
		for k, want := range blocks {
			if d := dense.Differ(a.Chunks[i][k], want); d != "" {
				return fmt.Errorf("block %d of chunk %d: %s", k, i, d)
			}
			if d := dense.Differ(a.Single[i][k], want); d != "" {
				return fmt.Errorf("block %d of chunk %d alone: %s", k, i, d)
			}
		}

		if d := dense.Differ(a.Whole[i], slices.Concat(blocks...)); d != "" {
			return fmt.Errorf("chunk %d: %s", i, d)
		}
	}
	return nil
}
