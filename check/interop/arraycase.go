package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/test/dense"
	"github.com/cairn-go/cairn/ndarray"
)

// arrayCase exchanges one array: one side writes it, the other reads and changes it, and each reads
// the result of the other. Then both change its shape.
type arrayCase struct {
	*spec
	peer  *peer
	path  string
	model *dense.Array
}

func runArray(p *peer, dir string, s *spec) error {
	c := &arrayCase{spec: s, peer: p, path: filepath.Join(dir, "case.b2nd")}
	c.model = &dense.Array{Shape: s.shape, Size: s.typeSize, Data: s.bytes(int(dense.Volume(s.shape)) * s.typeSize)}
	if s.fill != "" {
		c.model.Data = s.filled(int(dense.Volume(s.shape)))
	}

	write := c.writeTheirs
	change := c.changeOurs
	if s.ours {
		write = c.writeOurs
		change = c.changeTheirs
	}

	if err := write(); err != nil {
		if c.refuses(!c.ours, err) {
			return nil
		}
		return fmt.Errorf("write: %w", err)
	}
	if err := c.readBoth("after writing"); err != nil {
		return err
	}

	if c.rare == rareDelta { // the real library misreads it, so its changes would be wrong
		return c.copies()
	}
	if err := change(); err != nil {
		if c.refuses(c.ours, err) {
			return nil
		}
		return fmt.Errorf("change: %w", err)
	}
	if err := c.readBoth("after changing"); err != nil {
		return err
	}

	// copies and other shapes may have blocks that these codecs and filters do not accept
	if c.params.Codec == codecs.NDLZ(4).ID() || c.ordered() {
		return nil
	}

	if err := c.copies(); err != nil {
		return err
	}

	// Let both sides change the shape of the array in turns; each reads the result of
	// the other. NumPy computes the expected result.
	if len(c.shape) == 0 || dense.Volume(c.model.Shape) == 0 {
		return nil
	}
	sides := []func() error{c.reshapeOurs, c.reshapeTheirs}
	if c.rng.IntN(2) == 0 {
		slices.Reverse(sides)
	}
	for i, side := range append(sides, sides[0]) {
		if err := side(); err != nil {
			return fmt.Errorf("turn %d: %w", i, err)
		}
		if err := c.readBoth(fmt.Sprintf("after turn %d", i)); err != nil {
			return err
		}
	}
	return nil
}

// refuses reports whether an error means that the real library cannot encode an array with NDLZ
// (docs/format/codecs.md). Such a case ends and does not count.
func (c *arrayCase) refuses(theirs bool, err error) bool {
	text := err.Error()
	c.refused = theirs && c.params.Codec == codecs.NDLZ(4).ID() &&
		(strings.Contains(text, "Error while creating the NDArray") || strings.Contains(text, "Error while setting the slice"))
	return c.refused
}

func (c *arrayCase) readBoth(when string) error {
	boxes := c.drawBoxes()
	if err := c.readOurs(boxes); err != nil {
		return fmt.Errorf("cairn reads %s: %w", when, err)
	}
	if err := c.readTheirs(boxes); err != nil {
		return fmt.Errorf("the real library reads %s: %w", when, err)
	}
	return nil
}

func (c *arrayCase) drawBoxes() [][2][]int64 {
	boxes := [][2][]int64{}
	for range 4 {
		start, stop := c.drawBox(c.model.Shape)
		boxes = append(boxes, [2][]int64{start, stop})
	}
	return boxes
}

// arrayOptions returns the options with which cairn creates the array; fill is the item of a
// uniform one.
func (s *spec) arrayOptions(fill []byte) *ndarray.Options {
	o := &ndarray.Options{
		ChunkShape: s.chunks, BlockShape: s.block, Sparse: s.sparse, Workers: 1 + s.rng.IntN(2),
		Codec: codecs.ByID(s.params.Codec, s.params.CodecMeta), Level: s.params.level(),
		Filters: s.params.filters(), Split: s.params.split(),
		WriteBehind: 1 + int64(s.rng.IntN(2))<<20, // none, or one for the whole array
	}
	if s.fill != "" && s.fill != "zeros" {
		o.Fill = fill
	}
	return o
}

// writeOurs writes the array with cairn, whole or in two pieces.
func (c *arrayCase) writeOurs() error {
	ctx := context.Background()
	first := c.model.Data[:min(c.typeSize, len(c.model.Data))]
	u, err := ndarray.CreateUntyped(c.path, c.dtype, c.shape, c.arrayOptions(first))
	if err != nil {
		return err
	}
	defer u.Close()

	switch {
	case c.fill != "": // a uniform array is already complete
	case c.numbers || c.rng.IntN(2) == 0: // blocks that both pieces change would be rounded twice
		err = u.Write(ctx, c.model.Data)
	default:
		err = c.writePieces(ctx, u)
	}
	if err != nil {
		return err
	}

	if err := setVL(u.Frame(), c.vlmeta); err != nil {
		return err
	}
	return u.Close()
}

// writePieces writes the two halves along the first dimension, with a commit in between.
func (c *arrayCase) writePieces(ctx context.Context, u *ndarray.Untyped) error {
	start := make([]int64, len(c.shape))
	stop := slices.Clone(c.shape)
	if len(c.shape) == 0 {
		return u.WriteBox(ctx, c.model.Data, start, stop)
	}
	half := slices.Clone(stop)
	half[0] /= 2
	if err := u.WriteBox(ctx, c.model.Box(start, half), start, half); err != nil {
		return err
	}
	if err := u.Commit(ctx); err != nil {
		return err
	}
	start[0] = half[0]
	return u.WriteBox(ctx, c.model.Box(start, stop), start, stop)
}

func (c *arrayCase) writeTheirs() error {
	var a arrayAnswer
	return c.peer.Call(arrayCommand{
		Op: "write_array", Path: c.path, Shape: c.shape, DType: c.dtype, Chunks: c.chunks, Blocks: c.block, Sparse: c.sparse, Params: c.params,
		Data: c.model.Data, Fill: c.fill, VLMeta: c.vlmeta,
	}, &a)
}

// changeOurs overwrites boxes and adds a metalayer with cairn.
func (c *arrayCase) changeOurs() error {
	ctx := context.Background()
	o := &ndarray.OpenOptions{Mode: frame.ReadWrite, WriteBehind: 1 + int64(c.rng.IntN(2))<<20}
	u, err := ndarray.Open(c.path, o)
	if err != nil {
		return err
	}
	defer u.Close()

	for range 1 + c.rng.IntN(3) {
		start, stop := c.drawBox(c.model.Shape)
		data := c.bytes(len(c.model.Box(start, stop)))
		if err := u.WriteBox(ctx, data, start, stop); err != nil {
			return err
		}
		c.model.SetBox(start, stop, data)
		if c.rng.IntN(2) == 0 {
			if err := u.Commit(ctx); err != nil {
				return err
			}
		}
	}

	if err := c.addVL(func(v map[string]any) error { return setVL(u.Frame(), v) }); err != nil {
		return err
	}
	return u.Close()
}

// addVL sometimes adds or replaces metalayers.
func (c *arrayCase) addVL(set func(map[string]any) error) error {
	more := c.drawVLMeta()
	for name, v := range more {
		c.vlmeta[name] = v
	}
	return set(more)
}

// changeTheirs has the real library overwrite boxes, resize once and add a metalayer.
func (c *arrayCase) changeTheirs() error {
	var steps []step
	write := func() {
		start, stop := c.drawBox(c.model.Shape)
		data := c.bytes(len(c.model.Box(start, stop)))
		// Python cannot assign single dates, and changes the bits of NaNs in single complex
		// numbers.
		scalar := len(start) == 0 && (c.dtype == "<M8[s]" || c.dtype == "<c8" || c.dtype == "<c16")
		if len(data) > 0 && !scalar {
			steps = append(steps, step{Do: "write", Start: start, Stop: stop, Data: data})
			c.model.SetBox(start, stop, data)
		}
	}

	write()
	if len(c.shape) > 0 && dense.Volume(c.shape) > 0 && c.rng.IntN(2) == 0 {
		// Grow or shrink every dimension a little, never both in one case, because
		// old items may reappear when a shrunk array grows. An array with a fill value
		// other than zero does not grow, because the padding of its chunks has that value
		// too.
		shape := slices.Clone(c.model.Shape)
		grow := c.rng.IntN(2) == 0 && (c.fill == "" || c.fill == "zeros")
		for i := range shape {
			if grow {
				shape[i] += c.rng.Int64N(shape[i]/2 + 2)
			} else {
				shape[i] -= c.rng.Int64N(shape[i])
			}
		}

		steps = append(steps, step{Do: "resize", Shape: shape})
		c.model.Resize(shape)
		write()
	}

	if err := c.addVL(func(v map[string]any) error {
		steps = append(steps, step{Do: "vlmeta", Values: v})
		return nil
	}); err != nil {
		return err
	}
	return c.peer.Call(arrayCommand{Op: "change_array", Path: c.path, Steps: steps}, &struct{}{})
}

func (c *arrayCase) readOurs(boxes [][2][]int64) error {
	ctx := context.Background()
	u, err := ndarray.Open(c.path, nil)
	if err != nil {
		return err
	}
	defer u.Close()

	if !slices.Equal(u.Shape(), ndarray.Shape(c.model.Shape)) || u.TypeSize() != c.typeSize {
		return fmt.Errorf("shape %v of %d-byte items, want %v of %d", u.Shape(), u.TypeSize(), c.model.Shape, c.typeSize)
	}
	if u.DType().String() != c.dtype {
		return fmt.Errorf("dtype %s, want %s", u.DType().String(), c.dtype)
	}

	whole, err := u.Read(ctx)
	if err != nil {
		return err
	}
	if d := c.differ(whole, c.model.Data); d != "" {
		return fmt.Errorf("the whole array: %s", d)
	}

	for _, b := range boxes {
		want := c.model.Box(b[0], b[1])
		got := make([]byte, len(want))
		if err := u.ReadBytes(ctx, got, b[0], b[1]); err != nil {
			return err
		}
		if d := c.differ(got, want); d != "" {
			return fmt.Errorf("box %v: %s", b, d)
		}
	}

	raw, err := rawVL(u.Frame())
	if err != nil {
		return err
	}
	return sameVL(c.peer, raw, c.vlmeta)
}

func (c *arrayCase) readTheirs(boxes [][2][]int64) error {
	if c.rare == rareDelta { // the real library misreads all slices, even of the whole array
		return c.agreeChunks()
	}

	var a arrayAnswer
	if err := c.peer.Call(arrayCommand{Op: "read_array", Path: c.path, Boxes: boxes}, &a); err != nil {
		return err
	}
	if !slices.Equal(a.Shape, c.model.Shape) || a.DType != c.dtype {
		return fmt.Errorf("%s %v, want %s %v", a.DType, a.Shape, c.dtype, c.model.Shape)
	}
	if c.chunks != nil && (!slices.Equal(a.Chunks, c.chunks) || !slices.Equal(a.Blocks, c.block)) {
		return fmt.Errorf("chunks %v and blocks %v, want %v and %v", a.Chunks, a.Blocks, c.chunks, c.block)
	}

	if d := c.differ(a.Data, c.model.Data); d != "" {
		return fmt.Errorf("the whole array: %s", d)
	}
	for i, b := range boxes {
		if d := c.differ(a.Boxes[i], c.model.Box(b[0], b[1])); d != "" {
			return fmt.Errorf("box %v: %s", b, d)
		}
	}
	return sameVL(c.peer, a.VLMeta, c.vlmeta)
}

// differ compares bytes, except for mantissa bits that a lossy filter may have dropped.
func (c *arrayCase) differ(got, want []byte) string {
	bits, ok := c.lossy()
	if !ok {
		return dense.Differ(got, want)
	}
	return dense.Differ(truncated(got, c.typeSize, bits), truncated(want, c.typeSize, bits))
}

// truncated returns little-endian floats with only the first bits mantissa bits.
func truncated(b []byte, size, bits int) []byte {
	out := slices.Clone(b)
	for i := 0; i+size <= len(out); i += size {
		if size == 4 {
			binary.LittleEndian.PutUint32(out[i:], binary.LittleEndian.Uint32(out[i:])&^(1<<(23-bits)-1))
		} else {
			binary.LittleEndian.PutUint64(out[i:], binary.LittleEndian.Uint64(out[i:])&^(1<<(52-bits)-1))
		}
	}
	return out
}
