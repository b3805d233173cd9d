package chunk

import (
	"bytes"
	"fmt"
	"slices"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/shuffle"
)

// roundedSource rounds the blocks of another source in the encoder's memory. A block that is asked
// for again is rounded again, with the same result.
type roundedSource struct {
	of    BlockSource
	round func(items []byte) error

	mu  sync.Mutex
	err error // the first
}

// Block implements [BlockSource].
func (s *roundedSource) Block(scratch []byte, index int) []byte {
	if block := s.of.Block(scratch, index); len(block) > 0 && &block[0] != &scratch[0] {
		copy(scratch, block)
	}
	if err := s.round(scratch); err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.err == nil {
			s.err = err
		}
	}
	return scratch
}

// rounded returns a source of rounded blocks if the options ask for them, and what tells whether
// that has failed.
func (e *Encoder) rounded(src BlockSource) (BlockSource, func() error) {
	if e.opts.Round == nil {
		return src, func() error { return nil }
	}
	s := &roundedSource{of: src, round: e.opts.Round}
	return s, func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.err
	}
}

// check decodes a chunk that has been encoded, and compares its blocks, or those of them that are
// wanted, with the source, if the options ask for that.
func (e *Encoder) check(encoded []byte, src BlockSource, want []bool) error {
	if !e.opts.Checked || e.lossy {
		return nil
	}
	if e.checker == nil {
		e.checker = NewDecoder(&DecodeOptions{Engine: e.opts.Engine, FrameTypeSize: e.opts.FrameTypeSize,
			BlockShape: e.opts.BlockShape})
	}

	e.checker.Watch(e.watched.context())
	h, err := ParseHeader(encoded)
	if err != nil {
		return fmt.Errorf("check of an encoded chunk: %w", err)
	}
	c := &comparing{src: src, differs: -1}
	if err := e.checker.DecodeBlocks(h, encoded, want, c); err != nil {
		return fmt.Errorf("check of an encoded chunk: %w", err)
	}
	if c.differs >= 0 {
		return fmt.Errorf("check of an encoded chunk: block %d decodes to other items: %w", c.differs, cairn.ErrCorrupt)
	}
	return nil
}

// comparing is a [BlockSink] that compares blocks with those of a source.
type comparing struct {
	src     BlockSource
	scratch []byte
	differs int // the number of a block, or -1
}

// Dst implements [BlockSink].
func (c *comparing) Dst(int, int) []byte { return nil }

// Put implements [BlockSink].
func (c *comparing) Put(index int, data []byte) {
	if cap(c.scratch) < len(data) {
		c.scratch = make([]byte, len(data))
	}
	if !bytes.Equal(c.src.Block(c.scratch[:len(data)], index), data) {
		c.differs = index
	}
}

// losesPrecision reports whether a filter of a pipeline loses something.
func losesPrecision(p shuffle.Pipeline, filters *shuffle.Registry) bool {
	return slices.ContainsFunc(p[:], func(s shuffle.Spec) bool {
		row, err := filters.Lookup(s.ID)
		return err == nil && row.Lossy
	})
}
