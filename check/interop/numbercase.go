package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/exact"
	"github.com/cairn-go/cairn/internal/test/dense"
	"github.com/cairn-go/cairn/ndarray"
)

// numberCase lets both sides encode one array with a lossy codec or filter. The chunks must have
// the same bytes, and both sides must read the same items from either file, before and after each
// side has changed one.
type numberCase struct {
	*arrayCase
	twin *arrayCase // the same array, written by the other side
	// cairn has stored blocks without loss where the real library exceeds the bound of zfp_acc, or
	// stores them too
	spared bool
}

// drawNumbers draws an array of floats and a codec for them.
func (s *spec) drawNumbers() {
	s.dtype = "<f4"
	s.typeSize = 4
	if s.rng.IntN(2) == 0 {
		s.dtype = "<f8"
		s.typeSize = 8
	}

	ndim := 1 + s.rng.IntN(4)
	most := []int64{3000, 70, 20, 10}[ndim-1]
	s.shape = make([]int64, ndim)
	s.chunks = make([]int64, ndim)
	s.block = make([]int64, ndim)
	for i := range ndim {
		s.shape[i] = 4 + s.rng.Int64N(most)
		s.chunks[i] = 4 + s.rng.Int64N(s.shape[i]-3)
		s.block[i] = 4 + s.rng.Int64N(s.chunks[i]-3)
	}
	for cells(s.shape, s.chunks) > 20 {
		i := s.rng.IntN(ndim)
		s.chunks[i] = min(s.chunks[i]*2, s.shape[i])
	}

	p := &s.params
	// With small parameters most chunks are smaller than their data; see full.
	p.Level = 1 + s.rng.IntN(9)
	p.Split = 2 + s.rng.IntN(3)
	p.Filters = []filter{}
	s.drawMode(s.rng.IntN(len(zfpModes)))
}

// zfpModes are the codecs of zfp, one for each meaning of the parameter.
var zfpModes = [...]string{"zfp_acc", "zfp_prec", "zfp_rate"}

// drawMode draws a parameter for one of the codecs of zfp.
func (s *spec) drawMode(mode int) {
	var c codecs.Codec
	switch zfpModes[mode] {
	case "zfp_acc":
		c = codecs.ZFPAccuracy(int8(s.rng.IntN(12) - 6))
	case "zfp_prec":
		c = codecs.ZFPPrecision(uint8(1 + s.rng.IntN(24)))
	case "zfp_rate":
		c = codecs.ZFPRate(uint8(1 + s.rng.IntN(100)))
	}
	s.params.Codec = c.ID()
	s.params.CodecMeta = c.Parameter()
}

// drawMeans gives some cases the filter for means of cells and a lossless codec.
func (s *spec) drawMeans(rng *rand.Rand) {
	if rng.IntN(3) != 0 {
		return
	}
	p := &s.params
	// With cells longer than the first side of a block the real library cannot decode all that it
	// encodes (docs/format/filters.md).
	side := uint8(min(2+rng.Int64N(6), s.block[0]))
	p.Codec = []uint8{0, 1, 5}[rng.IntN(3)]
	p.CodecMeta = 0
	p.Filters = [][]filter{{{ID: 33, Meta: side}}, {{ID: 33, Meta: side}, {ID: 1}}}[rng.IntN(2)]
}

// means reports whether the filter for means of cells is used.
func (s *spec) means() bool { return len(s.params.Filters) > 0 && s.params.Filters[0].ID == 33 }

// waves returns items that vary smoothly with their position, and some that are hard for zfp.
func (s *spec) waves(items int) []byte {
	out := make([]byte, items*s.typeSize)
	kind := s.rng.IntN(6)
	scale := 1.0
	step := 0.01 + 0.4*s.rng.Float64()
	if kind >= 4 {
		scale = math.Pow(10, 60*s.rng.Float64()-30)
	}

	row := int(s.shape[len(s.shape)-1])
	for i := range items {
		v := scale * (math.Sin(step*float64(i%row)) + math.Cos(step*float64(i/row)))
		switch {
		case kind == 1:
			v = s.rng.NormFloat64()
		case kind == 2 && s.rng.IntN(30) == 0:
			// not NaN and infinities, which only cairn keeps
			v = []float64{1e-40, -1e30, math.Copysign(0, -1)}[s.rng.IntN(3)]
		case kind == 3:
			v = math.Round(v) * float64(s.rng.IntN(2))
		}

		if s.typeSize == 4 {
			binary.LittleEndian.PutUint32(out[4*i:], math.Float32bits(float32(v)))
		} else {
			binary.LittleEndian.PutUint64(out[8*i:], math.Float64bits(v))
		}
	}
	return out
}

func runNumbers(p *peer, dir string, s *spec) error {
	data := s.waves(int(dense.Volume(s.shape)))
	c := &numberCase{}
	for i, at := range []**arrayCase{&c.arrayCase, &c.twin} {
		*at = &arrayCase{
			spec: s, peer: p, path: filepath.Join(dir, fmt.Sprintf("%d.b2nd", i)),
			model: &dense.Array{Shape: s.shape, Size: s.typeSize, Data: data},
		}
	}

	if err := c.twin.writeOurs(); err != nil {
		return fmt.Errorf("cairn writes: %w", err)
	}
	if full, err := c.twin.full(); full || err != nil {
		return err
	}

	if err := c.writeTheirs(); err != nil {
		return fmt.Errorf("the real library writes: %w", err)
	}
	if full, err := c.full(); full && s.means() || err != nil {
		return err
	}

	if !s.means() {
		err := c.sameChunks()
		if err == nil && c.spared {
			err = c.twin.withinBound(data)
		}
		if err != nil {
			return err
		}
		s.compared = !c.spared
	}

	for _, a := range []*arrayCase{c.arrayCase, c.twin} {
		if err := a.agree("after writing"); err != nil {
			return err
		}
	}
	if d := dense.Differ(c.twin.model.Data, c.model.Data); d != "" && !c.spared {
		return fmt.Errorf("cairn encodes other numbers than the real library: %s", d)
	}
	return c.change()
}

// full reports whether a chunk of a file is hardly smaller than its data. For such chunks, the real
// library writes beyond its memory (docs/format/codecs.md), or stores the data uncompressed where
// cairn does not.
func (c *arrayCase) full() (bool, error) {
	f, err := frame.Open(c.path, nil)
	if err != nil {
		return false, err
	}
	defer f.Close()
	for i := range f.NumChunks() {
		info, err := f.Chunk(i)
		if err != nil || info.CBytes > info.NBytes*9/10 {
			return true, err
		}

		// Where cairn took a lossless codec, that of the case may have taken more than the data.
		encoded, err := f.EncodedChunk(nil, i)
		if err != nil {
			return true, err
		}
		h, err := chunk.ParseHeader(encoded)
		if err != nil || !c.means() && h.Codec.ID() != c.params.Codec {
			return true, err
		}
	}
	return false, nil
}

// sameChunks compares the chunks of both files.
func (c *numberCase) sameChunks() error {
	theirs, err := frame.Open(c.path, nil)
	if err != nil {
		return err
	}
	defer theirs.Close()

	ours, err := frame.Open(c.twin.path, nil)
	if err != nil {
		return err
	}
	defer ours.Close()
	if theirs.NumChunks() != ours.NumChunks() {
		return fmt.Errorf("cairn writes %d chunks, the real library %d", ours.NumChunks(), theirs.NumChunks())
	}

	for i := range ours.NumChunks() {
		a, err := theirs.EncodedChunk(nil, i)
		if err != nil {
			return err
		}
		b, err := ours.EncodedChunk(nil, i)
		if err != nil {
			return err
		}

		if h, err := chunk.ParseHeader(b); err == nil && !bytes.Equal(a, b) &&
			(h.Codec.ID() != c.params.Codec || h.Codec.ID() == codecs.ZFPAccuracy(0).ID()) {
			c.spared = true
			continue
		}
		if !bytes.Equal(a, b) {
			return fmt.Errorf("chunk %d is %d bytes by cairn and %d by the real library, and not the same: %s",
				i, len(b), len(a), dense.Differ(b, a))
		}
	}
	return nil
}

// withinBound reads the array and compares it with what was written, if the codec has a bound.
func (c *arrayCase) withinBound(data []byte) error {
	if c.params.Codec != codecs.ZFPAccuracy(0).ID() {
		return nil
	}
	u, err := ndarray.Open(c.path, nil)
	if err != nil {
		return err
	}
	defer u.Close()
	got, err := u.Read(context.Background())
	if err == nil && !exact.Within(got, data, c.typeSize, math.Pow10(int(int8(c.params.CodecMeta)))) {
		err = fmt.Errorf("%s: an item is off by more than 10^%d", c.path, int8(c.params.CodecMeta))
	}
	return err
}

// agree compares the items that both sides read from a file.
func (c *arrayCase) agree(when string) error {
	if err := c.agreeChunks(); err != nil {
		return fmt.Errorf("%s, of %s: %w", when, filepath.Base(c.path), err)
	}
	u, err := ndarray.Open(c.path, nil)
	if err != nil {
		return err
	}
	defer u.Close()
	whole, err := u.Read(context.Background())
	if err != nil {
		return err
	}
	c.model = &dense.Array{Shape: c.shape, Size: c.typeSize, Data: whole}
	// the real library fails to read parts of chunks that are on disk (docs/format/codecs.md)
	if c.params.Codec == codecs.ZFPRate(1).ID() {
		return c.readOurs(c.drawBoxes())
	}
	return c.readBoth(when)
}

// agreeChunks compares the decoded chunks of both sides.
func (c *arrayCase) agreeChunks() error {
	var a frameAnswer
	if err := c.peer.Call(frameCommand{Op: "read_frame", Path: c.path}, &a); err != nil {
		return err
	}

	f, err := frame.Open(c.path, nil)
	if err != nil {
		return err
	}
	defer f.Close()

	for i, want := range a.Data {
		got := make([]byte, len(want))
		if _, err := f.ReadChunk(context.Background(), got, i); err != nil {
			return err
		}
		if d := dense.Differ(got, want); d != "" {
			return fmt.Errorf("chunk %d decoded: %s", i, d)
		}
	}
	return nil
}

// change lets each side write a box of its file.
func (c *numberCase) change() error {
	start, stop := c.drawBox(c.shape)
	box := c.waves(int(dense.Volume(c.shape)))[:len(c.model.Box(start, stop))]
	if len(box) == 0 {
		return nil
	}

	u, err := ndarray.Open(c.path, &ndarray.OpenOptions{Mode: frame.ReadWrite})
	if err != nil {
		return err
	}
	defer u.Close()
	if err := u.WriteBox(context.Background(), box, start, stop); err != nil {
		return fmt.Errorf("cairn changes: %w", err)
	}
	if err := u.Close(); err != nil {
		return err
	}
	if err := c.agree("after cairn's change"); err != nil {
		return err
	}
	if full, err := c.full(); full || err != nil || c.params.Codec == codecs.ZFPRate(1).ID() {
		return err
	}

	steps := []step{{Do: "write", Start: start, Stop: stop, Data: box}}
	if err := c.peer.Call(arrayCommand{Op: "change_array", Path: c.twin.path, Steps: steps}, &struct{}{}); err != nil {
		return fmt.Errorf("the real library changes: %w", err)
	}
	return c.twin.agree("after the real library's change")
}
