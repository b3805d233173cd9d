package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/test/dense"
	"github.com/cairn-go/cairn/meta"
)

// rareCase exchanges one plain frame with a rare feature: one side writes it, and both read the
// whole and parts of it.
type rareCase struct {
	*spec
	peer   *peer
	path   string
	chunks [][]byte
}

// alternating returns two items that differ.
func (s *spec) alternating() []byte {
	b := make([]byte, 2*s.typeSize)
	b[0] = 1
	return b
}

func runRare(p *peer, dir string, s *spec) error {
	c := &rareCase{spec: s, peer: p, path: filepath.Join(dir, "case.b2frame")}
	n := 1 + s.rng.IntN(4)
	value := s.bytes(s.typeSize)
	for i := range n {
		size := s.chunkSize
		if s.rare == rareVariable || i == n-1 && s.rng.IntN(2) == 0 {
			size = s.typeSize * (1 + s.rng.IntN(size/s.typeSize))
		}
		c.chunks = append(c.chunks, s.bytes(size))
		if s.rare == rareVariable && !s.ours { // special chunks would lose their length
			c.chunks[i] = append(c.chunks[i], s.alternating()...)
		}
		for at := 0; s.fill != "" && at < size; at += s.typeSize {
			clear(c.chunks[i][at : at+s.typeSize])
			if s.fill == "value" {
				copy(c.chunks[i][at:], value)
			}
		}
	}

	if s.rare == rareBlosc1 {
		return c.bareChunks()
	}

	write := c.writeTheirs
	if s.ours {
		write = c.writeOurs
	}
	if err := write(); err != nil {
		return fmt.Errorf("write: %w", err)
	}

	if err := c.readOurs(); err != nil {
		return fmt.Errorf("cairn reads: %w", err)
	}
	if err := c.readTheirs(); err != nil {
		return fmt.Errorf("the real library reads: %w", err)
	}
	return nil
}

// bareChunks exchanges chunks of Blosc1. The real library reads them only outside of frames.
func (c *rareCase) bareChunks() error {
	command := rareCommand{Op: "write_chunks", TypeSize: c.typeSize, Params: c.params, Data: c.chunks}
	var a rareAnswer
	e, err := chunk.NewEncoder(&chunk.Options{TypeSize: c.typeSize, Codec: codecs.ByID(c.params.Codec, 0),
		Level: c.params.level(), Filters: c.params.filters(), Blosc1: true})
	if err != nil {
		return err
	}

	for _, data := range c.chunks {
		if !c.ours {
			break
		}
		b, err := e.Append(nil, data)
		if err != nil {
			return err
		}
		a.Chunks = append(a.Chunks, b)
	}
	if !c.ours {
		if err := c.peer.Call(command, &a); err != nil {
			return fmt.Errorf("the real library writes: %w", err)
		}
	}

	// Whoever has written them, both sides read all chunks, whole and in part.
	d := chunk.NewDecoder(nil)
	command.Op = "read_chunks"
	command.Data = nil
	command.Chunks = a.Chunks
	for i, want := range c.chunks {
		got := make([]byte, len(want))
		if _, err := d.Decode(got, a.Chunks[i]); err != nil || dense.Differ(got, want) != "" {
			return fmt.Errorf("cairn reads chunk %d: %s, %w", i, dense.Differ(got, want), err)
		}

		from := c.rng.IntN(len(want) / c.typeSize)
		to := from + 1 + c.rng.IntN(len(want)/c.typeSize-from)
		command.Parts = append(command.Parts, [2]int{from, to})
		part := want[from*c.typeSize : to*c.typeSize]
		if _, err := d.DecodeItems(got, a.Chunks[i], from, to); err != nil || dense.Differ(got[:len(part)], part) != "" {
			d := dense.Differ(got[:len(part)], part)
			return fmt.Errorf("cairn reads items %d to %d of chunk %d: %s, %w", from, to, i, d, err)
		}
	}

	if err := c.peer.Call(command, &a); err != nil {
		return fmt.Errorf("the real library reads: %w", err)
	}
	for i, want := range c.chunks {
		at := command.Parts[i]
		part := want[at[0]*c.typeSize : at[1]*c.typeSize]
		if d := dense.Differ(a.Data[i], want) + dense.Differ(a.Parts[i], part); d != "" {
			return fmt.Errorf("the real library reads chunk %d or items %v of it: %s", i, at, d)
		}
	}
	return nil
}

func (c *rareCase) writeOurs() error {
	ctx := context.Background()
	o := c.frameOptions()
	o.Codecs, o.Engine.Filters = users()
	if c.rare == rareVariable {
		o.ChunkSize = 0
	}

	for name, v := range c.meta {
		raw, err := meta.Pack(msgpackValue(v))
		if err != nil {
			return err
		}
		o.Meta = append(o.Meta, meta.Layer{Name: name, Content: raw})
	}

	f, err := frame.Create(c.path, o)
	if err != nil {
		return err
	}
	defer f.Abort()

	for _, data := range c.chunks {
		switch c.rare {
		case rareUninit:
			err = f.AppendSpecial(ctx, chunk.SpecialUninit, int64(len(data)))
		default:
			_, err = f.Append(ctx, data)
		}
		if err != nil {
			return err
		}
	}
	return f.Close()
}

// rareCommand has the real library write a rare frame, or read it in whole and in parts.
type rareCommand struct {
	Op        string         `json:"op"`
	Kind      string         `json:"kind"`
	Path      string         `json:"path"`
	TypeSize  int            `json:"typesize"`
	ChunkSize int            `json:"chunk_size"`
	Sparse    bool           `json:"sparse"`
	Params    params         `json:"params"`
	Data      [][]byte       `json:"data"`
	Meta      map[string]any `json:"meta"`
	Chunks    [][]byte       `json:"chunks"` // encoded
	// ranges of items, of each chunk in Chunks if that is not empty
	Parts [][2]int `json:"parts"`
}

type rareAnswer struct {
	Data   [][]byte          `json:"data"`
	Parts  [][]byte          `json:"parts"`
	Chunks [][]byte          `json:"chunks"`
	Meta   map[string][]byte `json:"meta"`
}

func (c *rareCase) writeTheirs() error {
	return c.peer.Call(rareCommand{
		Op: "write_rare", Kind: c.rare, Path: c.path, TypeSize: c.typeSize, ChunkSize: c.chunkSize, Sparse: c.sparse, Params: c.params, Data: c.chunks, Meta: c.meta,
	}, &struct{}{})
}

func (c *rareCase) readOurs() error {
	reg, set := users()
	f, err := frame.Open(c.path, &frame.OpenOptions{Engine: chunk.Engine{Codecs: reg, Filters: set}})
	if err != nil {
		return err
	}
	defer f.Close()
	if err := c.compareChunks(f, c.chunks, 3, c.differ); err != nil {
		return err
	}
	layers := map[string][]byte{}
	for _, l := range f.Layers() {
		layers[l.Name] = l.Content
	}
	return sameVL(c.peer, layers, c.meta)
}

func (c *rareCase) readTheirs() error {
	whole := slices.Concat(c.chunks...)
	n := len(whole) / c.typeSize
	command := rareCommand{Op: "read_rare", Kind: c.rare, Path: c.path}
	for range 4 {
		from := c.rng.IntN(n)
		command.Parts = append(command.Parts, [2]int{from, from + 1 + c.rng.IntN(n-from)})
	}
	if c.rare == rareVariable { // the library cannot read slices of such frames
		command.Parts = nil
	}

	var a rareAnswer
	if err := c.peer.Call(command, &a); err != nil {
		return err
	}
	if len(a.Data) != len(c.chunks) {
		return fmt.Errorf("%d chunks, want %d", len(a.Data), len(c.chunks))
	}
	if c.rare == rareUninit { // uninitialised memory has arbitrary bytes
		return nil
	}

	for i, want := range c.chunks {
		if d := c.differ(a.Data[i], want); d != "" {
			return fmt.Errorf("chunk %d: %s", i, d)
		}
	}
	for i, at := range command.Parts {
		if d := c.differ(a.Parts[i], whole[at[0]*c.typeSize:at[1]*c.typeSize]); d != "" {
			return fmt.Errorf("items %v: %s", at, d)
		}
	}
	return sameVL(c.peer, a.Meta, c.meta)
}
