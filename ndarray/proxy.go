package ndarray

import (
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/meta"
)

// fetched says what a proxy holds of the array that it stands for: python-blosc2 fills it chunk by
// chunk or block by block, and what it has not fetched reads as zeros (format: stores).
type fetched struct {
	// one for each block, or chunk, from the lowest of the first byte on; those beyond are not set
	bits     []byte
	perChunk int64 // bits of a chunk
	guessed  bool  // there are no bits: it holds what is no special chunk
}

// fetchedOf returns what a proxy has fetched, and nil of an array that is none.
func fetchedOf(view *frame.Frame) (*fetched, error) {
	if _, err := view.Layer("proxy-source"); errors.Is(err, cairn.ErrNotFound) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	notes := map[string]any{}
	budget := meta.ValueBytes(cairn.Limits{})
	for _, name := range []string{"proxy-dirty", "proxy-fetched-bpc", "proxy-fetched-blocks", "proxy-fetched"} {
		content, err := view.VL(name)
		if errors.Is(err, cairn.ErrNotFound) {
			continue
		}
		if err == nil {
			notes[name], err = meta.UnpackWithin(content, &budget)
		}
		if err != nil {
			return nil, fmt.Errorf("metalayer %q: %w", name, err)
		}
	}
	return fetchedFrom(notes, int64(view.NumChunks())), nil
}

// fetchedFrom reads the notes of a proxy as python-blosc2 does: one that died while it was written
// holds nothing that can be relied on, and bits of the wrong number do not count.
func fetchedFrom(notes map[string]any, chunks int64) *fetched {
	if notes["proxy-dirty"] != nil {
		return &fetched{perChunk: 1}
	}
	perChunk, _ := notes["proxy-fetched-bpc"].(int64)
	blocks, _ := notes["proxy-fetched-blocks"].([]byte)
	if perChunk > 1 && perChunk <= 8*int64(len(blocks)) && int64(len(blocks)) == (chunks*perChunk+7)/8 {
		return &fetched{bits: blocks, perChunk: perChunk}
	}
	whole, ok := notes["proxy-fetched"].([]byte)
	if ok && int64(len(whole)) == (chunks+7)/8 {
		return &fetched{bits: whole, perChunk: 1}
	}
	return &fetched{perChunk: 1, guessed: perChunk <= 1}
}

// has reports whether a block of a chunk was fetched.
func (f *fetched) has(number int64, block int) bool {
	at := number
	if f.perChunk > 1 {
		at = number*f.perChunk + int64(block)
	}
	return at>>3 < int64(len(f.bits)) && f.bits[at>>3]>>(at&7)&1 != 0
}

// hasAll reports whether all blocks were fetched that are wanted of a chunk.
func (f *fetched) hasAll(piece *grid.Share) bool {
	for k := range piece.Blocks() {
		if !f.has(piece.Chunk, piece.Block(k)) {
			return false
		}
	}
	return true
}

// must fails if a proxy has not fetched one of the blocks that are wanted of a chunk.
func (f *fetched) must(u *fixed, view *frame.Frame, piece *grid.Share) error {
	if f == nil {
		return nil
	}
	if f.guessed {
		if info, err := view.Peek(int(min(piece.Chunk, int64(view.NumChunks()-1)))); err != nil ||
			info.Kind == chunk.SpecialNone {
			return nil // reading will show what is wrong
		}
	} else if f.hasAll(piece) {
		return nil
	}
	return u.inArray(fmt.Errorf("chunk %d: the array is a proxy, which has not fetched it: %w",
		piece.Chunk, cairn.ErrNotFound))
}

// placeholders are the metalayers by which python-blosc2 marks a frame that only stands for an
// array: it has shape and dtype, and chunks without content, since the items are worked out from
// other arrays, or fetched, when they are asked for (format: stores).
var placeholders = [...]string{"b2o", "LazyArray"}

// placeholder returns why the items of an array cannot be read, if the frame has none: zeros would
// be taken for data.
func placeholder(f *frame.Frame) error {
	for _, name := range placeholders {
		content, err := f.Layer(name)
		if errors.Is(err, cairn.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		what := "a lazy array"
		if v, err := meta.Unpack(content); err == nil {
			if m, ok := v.(meta.Map); ok {
				if kind, ok := m.Get("kind"); ok {
					what = fmt.Sprintf("an array of kind %q", kind)
				}
			}
		}
		return fmt.Errorf("%s, which has no items of its own: python-blosc2 makes them when it reads: %w",
			what, cairn.ErrUnsupported)
	}
	return nil
}
