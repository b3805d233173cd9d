package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/test/dense"
)

// frameCase exchanges one plain frame.
type frameCase struct {
	*spec
	peer   *peer
	path   string
	chunks [][]byte
}

func runFrame(p *peer, dir string, s *spec) error {
	c := &frameCase{spec: s, peer: p, path: filepath.Join(dir, "case.b2frame")}
	n := s.rng.IntN(8)
	for i := range n {
		size := s.chunkSize
		if i == n-1 && s.rng.IntN(2) == 0 {
			size = s.typeSize * (1 + s.rng.IntN(size/s.typeSize))
			if s.params.Dict { // the real library cannot read its own output for less
				size = max(size, min(64*s.typeSize, s.chunkSize))
			}
		}

		data := s.bytes(size)
		if s.fill != "" {
			data = s.filled(size / s.typeSize)
		}
		c.chunks = append(c.chunks, data)
	}

	if err := takeTurns(c, s.ours); err != nil {
		return err
	}
	return c.copies()
}

func (c *frameCase) writeOurs() error {
	f, err := frame.Create(c.path, c.frameOptions())
	if err != nil {
		return err
	}
	defer f.Close()
	if c.fill != "" && len(c.chunks) > 0 {
		kind := map[string]chunk.Special{"zeros": chunk.SpecialZeros, "nan": chunk.SpecialNaN}[c.fill]
		return errors.Join(f.AppendSpecial(context.Background(), kind, int64(c.items()*c.typeSize)), setVL(f, c.vlmeta), f.Close())
	}
	for _, data := range c.chunks {
		if _, err := f.Append(context.Background(), data); err != nil {
			return err
		}
	}
	if err := setVL(f, c.vlmeta); err != nil {
		return err
	}
	return f.Close()
}

func (c *frameCase) writeTheirs() error {
	return c.peer.Call(frameCommand{
		Op: "write_frame", Path: c.path, TypeSize: c.typeSize, ChunkSize: c.chunkSize, Sparse: c.sparse, Params: c.params, Data: c.chunks, Fill: c.fillOf(),
		Items: c.items(), VLMeta: c.vlmeta,
	}, &struct{}{})
}

// fillOf returns the fill of a frame. A frame without chunks has none.
func (c *frameCase) fillOf() string {
	if len(c.chunks) == 0 {
		return ""
	}
	return c.fill
}

// items returns the number of items of all chunks.
func (c *frameCase) items() int {
	n := 0
	for _, data := range c.chunks {
		n += len(data) / c.typeSize
	}
	return n
}

// drawSteps draws changes and applies them to the model. The real library must not make the frame
// variable, because it then loses the length of special chunks. So all chunks but the last keep the
// full size, and it inserts only if the last one has it too.
func (c *frameCase) drawSteps() []step {
	var steps []step
	for range 1 + c.rng.IntN(8) {
		n := len(c.chunks)
		// Chunks can only be added behind one that is full.
		full := n == 0 || len(c.chunks[n-1]) == c.chunkSize
		data := c.bytes(c.chunkSize)

		switch do := c.rng.IntN(6); {
		case do == 0 && full:
			steps = append(steps, step{Do: "append", Data: data})
			c.chunks = append(c.chunks, data)
		case do == 1 && n > 1:
			i := c.rng.IntN(n)
			if i == n-1 {
				data = data[:len(c.chunks[i])]
			}
			steps = append(steps, step{Do: "update", Index: i, Data: data})
			c.chunks[i] = data
		case do == 2 && n > 0 && (full || !c.ours):
			i := c.rng.IntN(n)
			steps = append(steps, step{Do: "insert", Index: i, Data: data})
			c.chunks = slices.Insert(c.chunks, i, data)
		case do == 3 && n > 2:
			i := c.rng.IntN(n)
			steps = append(steps, step{Do: "delete", Index: i})
			c.chunks = slices.Delete(c.chunks, i, i+1)
		case do == 5 && n > 1 && full:
			order := c.rng.Perm(n)
			steps = append(steps, step{Do: "reorder", Order: order})
			old := c.chunks
			c.chunks = make([][]byte, n)
			for i, from := range order {
				c.chunks[i] = old[from]
			}
		case do == 4:
			more := c.drawVLMeta()
			for name, v := range more {
				c.vlmeta[name] = v
			}
			steps = append(steps, step{Do: "vlmeta", Values: more})
		}
	}
	return steps
}

func (c *frameCase) changeTheirs(steps []step) error {
	return c.peer.Call(frameCommand{Op: "change_frame", Path: c.path, Steps: steps}, &struct{}{})
}

func (c *frameCase) changeOurs(steps []step) error {
	ctx := context.Background()
	return changeChunks(c.path, steps, c.rng, func(f *frame.Frame, s step) (err error) {
		switch s.Do {
		case "append":
			_, err = f.Append(ctx, s.Data)
		case "update":
			err = f.Update(ctx, s.Index, s.Data)
		case "insert":
			err = f.Insert(ctx, s.Index, s.Data)
		case "delete":
			err = f.Delete(ctx, s.Index)
		case "reorder":
			err = f.Reorder(ctx, s.Order)
		case "vlmeta":
			err = setVL(f, s.Values)
		}
		return err
	})
}

func (c *frameCase) readOurs() error {
	f, err := frame.Open(c.path, nil)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := c.compareChunks(f, c.chunks, 1, dense.Differ); err != nil {
		return err
	}
	raw, err := rawVL(f)
	if err != nil {
		return err
	}
	return sameVL(c.peer, raw, c.vlmeta)
}

func (c *frameCase) readTheirs() error {
	var a frameAnswer
	if err := c.peer.Call(frameCommand{Op: "read_frame", Path: c.path}, &a); err != nil {
		return err
	}
	if len(a.Data) != len(c.chunks) || a.TypeSize != c.typeSize {
		return fmt.Errorf("%d chunks of %d-byte items, want %d of %d", len(a.Data), a.TypeSize, len(c.chunks), c.typeSize)
	}
	for i, want := range c.chunks {
		if a.Data[i] == nil && c.params.Dict {
			continue // the library cannot read its own chunk; cairn has read it
		}
		if d := dense.Differ(a.Data[i], want); d != "" {
			return fmt.Errorf("chunk %d: %s", i, d)
		}
	}
	return sameVL(c.peer, a.VLMeta, c.vlmeta)
}
