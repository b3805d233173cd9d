package npy

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// A Source delivers the items of an array box by box. One goroutine uses it at a time.
type Source interface {
	// ReadBox fills dst with the items of the box [start, stop), in C order; dst is as long as it
	// takes.
	ReadBox(dst []byte, start, stop []int64) error
	// Sequential reports whether boxes must come in the order of the items in the file, each a
	// slab: of full extent in every dimension but the slowest.
	Sequential() bool
}

// NewFile returns a source over a file whose items start at offset base. Boxes may come in any
// order.
func NewFile(r io.ReaderAt, base int64, h *Header) Source {
	return newSource(h, func(dst []byte, offset int64) error {
		n, err := r.ReadAt(dst, base+offset)
		if n == len(dst) {
			return nil
		}
		return readError(h, offset+int64(n), err)
	}, false)
}

// NewStream returns a source over r, which is at the first item. Boxes must come front to back; see
// [Source].
func NewStream(r io.Reader, h *Header) Source {
	at := int64(0)
	return newSource(h, func(dst []byte, offset int64) error {
		if offset != at {
			return fmt.Errorf("npy stream is at byte %d of the items, cannot read at %d", at, offset)
		}
		n, err := io.ReadFull(r, dst)
		at += int64(n)
		if n == len(dst) {
			return nil
		}
		return readError(h, at, err)
	}, true)
}

// readError explains a read that ended at the given byte of the items.
func readError(h *Header, offset int64, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("npy file is truncated: %d bytes of items, want %d: %w", offset, h.DataSize(), io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("reading npy items at byte %d: %w", offset, err)
}

// source reads boxes of a dense array in C order through read. A Fortran-ordered array is a
// C-ordered one with its dimensions reversed: boxes of it are read as such and transposed.
type source struct {
	read       func(dst []byte, offset int64) error
	sequential bool
	itemSize   int64
	shape      []int64 // in the order of the file: the last dimension runs fastest
	reversed   bool
	scratch    []byte // one box before it is transposed
}

func newSource(h *Header, read func([]byte, int64) error, sequential bool) *source {
	s := &source{read: read, sequential: sequential, itemSize: int64(h.DType.Size()), shape: slices.Clone(h.Shape)}
	if h.Fortran && len(h.Shape) > 1 {
		slices.Reverse(s.shape)
		s.reversed = true
	}
	return s
}

func (s *source) Sequential() bool { return s.sequential }

func (s *source) ReadBox(dst []byte, start, stop []int64) error {
	if len(dst) == 0 {
		return nil
	}
	if !s.reversed {
		return s.readRuns(dst, start, stop)
	}
	start, stop = slices.Clone(start), slices.Clone(stop)
	slices.Reverse(start)
	slices.Reverse(stop)
	if cap(s.scratch) < len(dst) {
		s.scratch = make([]byte, len(dst))
	}
	box := s.scratch[:len(dst)]
	if err := s.readRuns(box, start, stop); err != nil {
		return err
	}
	extent := make([]int64, len(start))
	for d := range extent {
		extent[d] = stop[d] - start[d]
	}
	transpose(dst, box, extent, int(s.itemSize))
	return nil
}

// readRuns reads a box in the order of the file, one call per contiguous run.
func (s *source) readRuns(dst []byte, start, stop []int64) error {
	n := len(s.shape)
	// inner is the first dimension of those that a run spans: all behind it are of full extent.
	inner, run := n, s.itemSize
	for inner > 0 {
		inner--
		run *= stop[inner] - start[inner]
		if start[inner] != 0 || stop[inner] != s.shape[inner] {
			break
		}
	}
	stride := make([]int64, n)
	size := s.itemSize
	for d := n - 1; d >= 0; d-- {
		stride[d] = size
		size *= s.shape[d]
	}
	at := slices.Clone(start)
	for {
		offset := int64(0)
		for d := range n {
			offset += at[d] * stride[d]
		}
		if err := s.read(dst[:run], offset); err != nil {
			return err
		}
		dst = dst[run:]
		d := inner - 1
		for ; d >= 0; d-- {
			if at[d]++; at[d] < stop[d] {
				break
			}
			at[d] = start[d]
		}
		if d < 0 {
			return nil
		}
	}
}
