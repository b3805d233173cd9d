package zarr

import (
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/meta"
)

// A stage is one step from the items of a chunk, in C order, to the bytes in the store: a codec of
// version 3, or a filter or compressor of version 2. It is immutable.
type stage interface {
	// encodedSize returns how many bytes the stage makes of n, and -1 if that depends on them.
	encodedSize(n int64) int64
	// decoder returns a decoder with its own memory.
	decoder() (decoder, error)
}

// A decoder undoes a stage. It must not be used concurrently.
type decoder interface {
	// decode returns the bytes that src encodes, as many as dst has. They are in dst, or a part of
	// src.
	decode(dst, src []byte) ([]byte, error)
}

// A compressing stage makes fewer bytes of its input.
type compressing interface {
	// ratio returns how many bytes one byte of an encoding may stand for.
	ratio() int64
	// decodedSize returns the decoded size that an encoding states.
	decodedSize(src []byte) (int64, error)
}

// form describes the data between two stages: items of a dtype in a shape, or bytes if there is no
// shape.
type form struct {
	shape []int64
	dtype meta.DType
}

// A chain is the stages of a chunk.
type chain struct {
	stages []stage
	// bytes before each stage, and behind the last; -1 if that depends on them. The first is that
	// of the items.
	sizes []int64
	most  int64 // bytes between stages
}

// newChain returns the chain of chunks of size bytes.
func newChain(size int64, stages []stage, l cairn.Limits) (*chain, error) {
	c := &chain{stages: stages, sizes: []int64{size}, most: min(l.MaxChunk, l.MaxAlloc)}
	for i, s := range stages {
		n := int64(-1)
		if c.sizes[i] >= 0 {
			n = s.encodedSize(c.sizes[i])
			if _, ok := s.(compressing); !ok && n < 0 {
				return nil, corrupt("%d bytes are not whole items of a filter", c.sizes[i])
			}
		}
		c.sizes = append(c.sizes, n)
	}

	for _, n := range c.sizes {
		if n > c.most {
			return nil, fmt.Errorf("chunks of %d bytes, the most is %d: %w", n, c.most, cairn.ErrLimit)
		}
	}
	return c, nil
}

// encodedSize returns the size of encoded chunks, or -1.
func (c *chain) encodedSize() int64 { return c.sizes[len(c.sizes)-1] }

// maxEncoded is the most bytes of an encoded chunk that are read.
func (c *chain) maxEncoded() int64 {
	if n := c.encodedSize(); n >= 0 {
		return n
	}
	return c.most
}

// A worker decodes chunks of a chain, one at a time.
type worker struct {
	chain    *chain
	decoders []decoder
	between  [2][]byte
}

func (c *chain) worker() (*worker, error) {
	w := &worker{chain: c}
	for _, s := range c.stages {
		d, err := s.decoder()
		if err != nil {
			return nil, err
		}
		w.decoders = append(w.decoders, d)
	}
	return w, nil
}

// decode returns the items of an encoded chunk: in dst if that is not nil and there is a stage, or
// else in memory that is valid until the next call, or a part of src.
func (w *worker) decode(dst, src []byte) ([]byte, error) {
	src, free, err := w.undo(src, 1)
	if err == nil && len(w.decoders) > 0 {
		var size int64
		if size, err = w.chain.sizeBefore(0, src); err != nil {
			return nil, err
		}
		if dst == nil {
			w.between[free] = slab.Resize(w.between[free], size)
			dst = w.between[free]
		}
		src, err = w.decoders[0].decode(dst, src)
	}

	if err == nil && int64(len(src)) != w.chain.sizes[0] {
		err = corruptChunk("%d bytes, want %d", len(src), w.chain.sizes[0])
	}
	return src, err
}

// undo undoes the stages from the last one to number first. It returns the number of the memory in
// which the result is not.
func (w *worker) undo(src []byte, first int) (_ []byte, free int, _ error) {
	for i := len(w.decoders) - 1; i >= first; i-- {
		size, err := w.chain.sizeBefore(i, src)
		if err != nil {
			return nil, 0, err
		}

		w.between[free] = slab.Resize(w.between[free], size)
		to := w.between[free]
		if src, err = w.decoders[i].decode(to, src); err != nil {
			return nil, 0, err
		}
		if len(src) > 0 && &src[0] == &to[0] {
			free = 1 - free
		}
	}
	return src, free, nil
}

// decodeRange is decode for those who need only the items in a range of bytes. It returns all
// items; those outside of the range are undefined if the compressor can decode a part. dst is not
// nil.
func (w *worker) decodeRange(dst, src []byte, from, to int) ([]byte, error) {
	if len(w.decoders) == 0 || to == len(dst) && from == 0 {
		return w.decode(dst, src)
	}

	d, _ := w.decoders[0].(decompressor)
	part, ok := d.d.(codecs.RangeDecoder)
	if !ok {
		return w.decode(dst, src)
	}

	src, _, err := w.undo(src, 1)
	if err != nil {
		return nil, err
	}

	_, err = w.chain.sizeBefore(0, src)
	if err != nil {
		return nil, err
	}
	return dst, part.DecodeRange(dst, src, from, to)
}

// sizeBefore returns the number of bytes from which stage i made src.
func (c *chain) sizeBefore(i int, src []byte) (int64, error) {
	size := c.sizes[i]
	s, ok := c.stages[i].(compressing)
	if !ok {
		if size < 0 { // the stage is behind a compressor, whose output has any size
			size = int64(len(src)) - (c.stages[i].encodedSize(1) - 1)
			if size < 0 || c.stages[i].encodedSize(size) != int64(len(src)) {
				return 0, corruptChunk("%d bytes are not the output of a filter", len(src))
			}
		}
		return size, nil
	}

	if size < 0 {
		var err error
		if size, err = s.decodedSize(src); err != nil {
			return 0, err
		}
		if size < 0 || size > c.most {
			return 0, fmt.Errorf("chunk of %d bytes, the most is %d: %w", size, c.most, cairn.ErrLimit)
		}
	}
	return size, plausible(size, int64(len(src)), s.ratio())
}

// plausible fails if n encoded bytes cannot stand for size bytes, as one byte stands for at most
// ratio.
func plausible(size, n, ratio int64) error {
	if size/ratio > n {
		return corruptChunk("%d bytes cannot stand for %d", n, size)
	}
	return nil
}

// corruptChunk returns an error about the bytes of a chunk.
func corruptChunk(format string, args ...any) error {
	return cairn.Corruptf("Zarr chunk", -1, format, args...)
}
