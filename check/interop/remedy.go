package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/test/dense"
	"github.com/cairn-go/cairn/ndarray"
)

// A remedy is a file that cairn writes correctly where C-Blosc2 would damage its own, or crash. row
// is the number in docs/format/defects.md. TestDefects reads it with cairn, and each run of the
// program reads it with the real library.
type remedy struct {
	row   int
	what  string
	write func(path string) (*content, error)
}

// content is the expected content of a file: chunks or an array.
type content struct {
	chunks [][]byte   // decoded
	blocks [][][]byte // for chunks with blocks of variable length, instead of chunks
	array  []byte     // items in C order, instead of chunks
	fixed  map[string][]byte
	vl     map[string][]byte
}

// runRemedies lets both sides read every remedy.
func runRemedies(p *peer) error {
	dir, err := os.MkdirTemp("", "cairn-interop-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for i, r := range remedies {
		path := filepath.Join(dir, fmt.Sprintf("remedy-%d.b2nd", i))
		c, err := r.write(path)
		if err != nil {
			return fmt.Errorf("defect %d, %s: %w", r.row, r.what, err)
		}

		if err = errors.Join(c.readOurs(path), c.readTheirs(p, path)); err != nil {
			return fmt.Errorf("defect %d, %s: %w", r.row, r.what, err)
		}
	}
	return nil
}

// readOurs reads the file with cairn and compares it.
func (c *content) readOurs(path string) error {
	ctx := context.Background()
	if c.array != nil {
		u, err := ndarray.Open(path, nil)
		if err != nil {
			return err
		}
		defer u.Close()
		got, err := u.Read(ctx)
		return errors.Join(err, sameBytes("cairn reads the array", got, c.array))
	}

	f, err := frame.Open(path, nil)
	if err != nil {
		return err
	}
	defer f.Close()

	fixed := map[string][]byte{}
	variable := map[string][]byte{}
	for _, l := range f.Layers() {
		fixed[l.Name] = l.Content
	}
	layers, err := f.VLLayers()
	for _, l := range layers {
		variable[l.Name] = l.Content
	}
	if err = errors.Join(err, sameMetalayers("cairn", fixed, c.fixed), sameMetalayers("cairn", variable, c.vl)); err != nil {
		return err
	}

	want := c.whole()
	if f.NumChunks() != len(want) {
		return fmt.Errorf("cairn finds %d chunks, want %d", f.NumChunks(), len(want))
	}
	for i, w := range want {
		got := make([]byte, len(w)+1)
		n, err := f.ReadChunk(ctx, got, i)
		if err := errors.Join(err, sameBytes(fmt.Sprintf("cairn reads chunk %d", i), got[:max(n, 0)], w)); err != nil {
			return err
		}
	}
	return nil
}

// readTheirs reads the file with the real library and compares it.
func (c *content) readTheirs(p *peer, path string) error {
	if c.array != nil {
		var a arrayAnswer
		err := p.Call(arrayCommand{Op: "read_array", Path: path}, &a)
		return errors.Join(err, sameBytes("the real library reads the array", a.Data, c.array))
	}

	if c.blocks != nil {
		var a vlAnswer
		if err := p.Call(vlCommand{Op: "read_vl", Path: path}, &a); err != nil {
			return err
		}
		if !slices.EqualFunc(a.Chunks, c.blocks, func(x, y [][]byte) bool { return slices.EqualFunc(x, y, bytes.Equal) }) {
			return errors.New("the real library reads other blocks")
		}
		return nil
	}

	var a frameAnswer
	if err := p.Call(frameCommand{Op: "read_frame", Path: path}, &a); err != nil {
		return err
	}
	if len(a.Data) != len(c.chunks) {
		return fmt.Errorf("the real library finds %d chunks, want %d", len(a.Data), len(c.chunks))
	}
	for i, want := range c.chunks {
		if err := sameBytes(fmt.Sprintf("the real library reads chunk %d", i), a.Data[i], want); err != nil {
			return err
		}
	}
	return errors.Join(sameMetalayers("the real library", a.Meta, c.fixed), sameMetalayers("the real library", a.VLMeta, c.vl))
}

// whole returns the chunks, also if they are given as blocks.
func (c *content) whole() [][]byte {
	out := c.chunks
	for _, blocks := range c.blocks {
		out = append(out, slices.Concat(blocks...))
	}
	return out
}

func sameBytes(what string, got, want []byte) error {
	if d := dense.Differ(got, want); d != "" {
		return fmt.Errorf("%s: %s", what, d)
	}
	return nil
}

func sameMetalayers(who string, got, want map[string][]byte) error {
	if !maps.EqualFunc(got, want, bytes.Equal) {
		return fmt.Errorf("%s reads metalayers %q, want %q", who, got, want)
	}
	return nil
}
