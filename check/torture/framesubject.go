package main

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// frameChunk is the decoded size of most chunks in bytes.
const frameChunk = 480

// frameCopy is a frame as plain data.
type frameCopy struct {
	chunks [][]byte
	fixed  []meta.Layer
	vl     []meta.Layer
}

func (c frameCopy) Clone() frameCopy {
	return frameCopy{slices.Clone(c.chunks), slices.Clone(c.fixed), slices.Clone(c.vl)}
}

func (c frameCopy) content() content {
	s := newSummer()
	nbytes := int64(0)
	for _, b := range c.chunks {
		s.add(b)
		nbytes += int64(len(b))
	}
	s.layers(c.fixed)
	s.layers(c.vl)
	return content{len(c.chunks), nbytes, s.sum()}
}

// setLayer changes a layer or appends it.
func setLayer(layers []meta.Layer, name string, value []byte) []meta.Layer {
	i := slices.IndexFunc(layers, func(l meta.Layer) bool { return l.Name == name })
	if i < 0 {
		return append(layers, meta.Layer{Name: name, Content: value})
	}
	layers[i].Content = value
	return layers
}

// frameSubject is a frame and its copy.
type frameSubject struct {
	rng *rand.Rand
	f   *frame.Frame
	twin[frameCopy]
	whole bool // every chunk has the same size
}

func createFrame(fsys storage.FS, rng *rand.Rand, sparse bool) (subject, error) {
	s := &frameSubject{rng: rng, whole: rng.IntN(2) == 0}
	s.copy.fixed = []meta.Layer{{Name: "fixed", Content: []byte("0123456789")}}
	s.keep()
	o := &frame.Options{TypeSize: 4, ChunkSize: frameChunk, Sparse: sparse, FS: fsys, Meta: s.copy.fixed, Codec: codecs.LZ4}
	if rng.IntN(3) == 0 {
		o.Level = chunk.Stored
	}
	f, err := frame.Create(programName, o)
	s.f = f
	return s, err
}

func (s *frameSubject) data() []byte {
	size := frameChunk
	if !s.whole && s.rng.IntN(4) == 0 {
		size = 4 * (1 + s.rng.IntN(frameChunk/2))
	}

	b := make([]byte, size)
	noisy := 0
	switch s.rng.IntN(4) {
	case 0: // zeros
		return b
	case 1:
		noisy = size
	default:
		noisy = s.rng.IntN(size/4) + 1
	}

	for i := range b {
		b[i] = byte(i / 16)
		if i < noisy {
			b[i] = byte(s.rng.Uint32())
		}
	}
	return b
}

func (s *frameSubject) change() error {
	ctx := context.Background()
	n := len(s.copy.chunks)

	switch op := s.rng.IntN(14); {
	case op < 4 || n == 0:
		b := s.data()
		_, err := s.f.Append(ctx, b)
		return s.then(err, func(c *frameCopy) { c.chunks = append(c.chunks, b) })
	case op < 6:
		i := s.rng.IntN(n)
		b := s.data()
		return s.then(s.f.Update(ctx, i, b), func(c *frameCopy) { c.chunks[i] = b })
	case op == 6:
		i := s.rng.IntN(n + 1)
		b := s.data()
		return s.then(s.f.Insert(ctx, i, b), func(c *frameCopy) { c.chunks = slices.Insert(c.chunks, i, b) })
	case op == 7:
		i := s.rng.IntN(n)
		return s.then(s.f.Delete(ctx, i), func(c *frameCopy) { c.chunks = slices.Delete(c.chunks, i, i+1) })
	case op == 8:
		order := s.rng.Perm(n)
		return s.then(s.f.Reorder(ctx, order), func(c *frameCopy) {
			old := slices.Clone(c.chunks)
			for i, k := range order {
				c.chunks[i] = old[k]
			}
		})
	case op == 9:
		return s.special(ctx)
	}
	return s.layer()
}

func (s *frameSubject) special(ctx context.Context) error {
	size := s.f.ChunkSize()
	if size <= 0 {
		size = frameChunk
	}
	kind := []chunk.Special{chunk.SpecialZeros, chunk.SpecialNaN}[s.rng.IntN(2)]
	b := make([]byte, size)
	if kind == chunk.SpecialNaN {
		for i := 0; i+4 <= size; i += 4 {
			binary.LittleEndian.PutUint32(b[i:], 0x7fc0_0000)
		}
	}
	return s.then(s.f.AppendSpecial(ctx, kind, int64(size)), func(c *frameCopy) { c.chunks = append(c.chunks, b) })
}

func (s *frameSubject) layer() error {
	name := string(rune('a' + s.rng.IntN(4)))
	value := make([]byte, s.rng.IntN(200))
	for i := range value {
		value[i] = byte(s.rng.Uint32())
	}

	known := slices.ContainsFunc(s.copy.vl, func(l meta.Layer) bool { return l.Name == name })
	switch s.rng.IntN(4) {
	case 0:
		if known {
			return s.then(s.f.DeleteVL(name), func(c *frameCopy) {
				c.vl = slices.DeleteFunc(slices.Clone(c.vl), func(l meta.Layer) bool { return l.Name == name })
			})
		}
		fallthrough
	case 1:
		fixed := append(value, "0123456789"...)[:10]
		return s.then(s.f.SetMeta("fixed", fixed), func(c *frameCopy) { c.fixed = setLayer(slices.Clone(c.fixed), "fixed", fixed) })
	}
	return s.then(s.f.SetVL(name, value), func(c *frameCopy) { c.vl = setLayer(slices.Clone(c.vl), name, value) })
}

func (s *frameSubject) commit(ctx context.Context) error { return s.f.Commit(ctx) }
func (s *frameSubject) compact(ctx context.Context) error {
	_, err := s.f.Compact(ctx)
	return err
}
func (s *frameSubject) close() error  { return s.f.Close() }
func (s *frameSubject) want() content { return s.copy.content() }

func (s *frameSubject) rollback() error { return s.rolledBack(s.f.Rollback()) }
