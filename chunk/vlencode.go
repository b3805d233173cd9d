package chunk

import (
	"fmt"
	"math"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/shuffle"
)

// AppendVL encodes blocks, each of at least one byte, as a chunk with blocks of variable length,
// and appends it to dst. Each block can be decoded individually. Only C-Blosc2 3.0 and later read
// such chunks. Delta cannot be used, because C-Blosc2 does not support it here. After an error the
// result is dst.
func (e *Encoder) AppendVL(dst []byte, blocks [][]byte) ([]byte, error) {
	p, err := e.planVL(blocks)
	if err != nil {
		return dst, err
	}

	e.pieces.blocks = blocks
	done := false
	defer func() {
		e.pieces.blocks = nil
		e.release(done)
	}()

	if err := e.prepare(p, &e.pieces); err != nil {
		done = true
		return dst, err
	}

	out, _, err := e.appendRegular(dst, p, &e.pieces)
	done = true
	return out, err
}

// vlSource is the source of a chunk with blocks of variable length.
type vlSource struct {
	blocks [][]byte
	cuts   []int
}

func (s *vlSource) Block(_ []byte, index int) []byte { return s.blocks[index] }

// planVL computes the layout and the plan for blocks.
func (e *Encoder) planVL(blocks [][]byte) (plan, error) {
	s := &e.pieces

	s.cuts = append(s.cuts[:0], 0)
	total := int64(0)
	for i, b := range blocks {
		if len(b) == 0 {
			return plan{}, fmt.Errorf("encode chunk: block %d of %d is empty: %w", i, len(blocks), cairn.ErrBounds)
		}
		if total += int64(len(b)); total > MaxSize {
			break
		}
		s.cuts = append(s.cuts, int(total))
	}

	n := len(blocks)
	switch {
	case n == 0:
		return plan{}, fmt.Errorf("encode chunk: no blocks: %w", cairn.ErrBounds)
	case total > MaxSize || HeaderSize+8*int64(n)+total > math.MaxInt32-maxDictSize:
		return plan{}, fmt.Errorf("encode chunk: %d blocks: %w: with what the format needs for each a chunk has at most %d bytes", n, cairn.ErrBounds, MaxSize)
	case e.opts.ZarrBlocks:
		return plan{}, fmt.Errorf("encode chunk: blocks of variable length with ZarrBlocks: %w", cairn.ErrUnsupported)
	case e.opts.Blosc1:
		return plan{}, fmt.Errorf("encode chunk: blocks of variable length in a Blosc1 chunk: %w", cairn.ErrUnsupported)
	case e.workers[0].chain.Has(shuffle.IDDelta):
		return plan{}, fmt.Errorf("encode chunk: delta with blocks of variable length: %w", cairn.ErrUnsupported)
	}

	layout := Layout{NBytes: int(total), NumBlocks: n, cuts: &s.cuts}
	return plan{layout: layout, typeSize: chunkTypeSize(e.params.typeSize)}, nil
}
