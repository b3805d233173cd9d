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

// fetchedBlocks says which chunks or blocks a proxy has fetched of the array that it represents.
// python-blosc2 fills a proxy chunk by chunk or block by block; the rest reads as zeros (format:
// stores).
type fetchedBlocks struct {
	// one bit for each block or chunk, from the lowest bit of the first byte on; missing bits are 0
	bits     []byte
	perChunk int64 // bits per chunk
	guessed  bool  // without bits: assume that all chunks but special ones were fetched
}

// fetchedOf returns what a proxy has fetched, or nil if the array is not a proxy.
func fetchedOf(view *frame.Snapshot) (*fetchedBlocks, error) {
	_, err := view.Layer("proxy-source")
	if errors.Is(err, cairn.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}

	notes := map[string]any{}
	budget := meta.ValueBytes(cairn.Limits{})
	for _, name := range []string{"proxy-dirty", "proxy-fetched-bpc", "proxy-fetched-blocks", "proxy-fetched"} {
		content, err := view.VL(name)
		if errors.Is(err, cairn.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("metalayer %q: %w", name, err)
		}
		notes[name], err = meta.UnpackWithin(content, &budget)
		if err != nil {
			return nil, fmt.Errorf("metalayer %q: %w", name, err)
		}
	}
	return fetchedFrom(notes, int64(view.NumChunks())), nil
}

// fetchedFrom interprets the notes of a proxy as python-blosc2 does: after a crash during a write
// nothing counts as fetched, and bits of the wrong number are ignored.
func fetchedFrom(notes map[string]any, chunks int64) *fetchedBlocks {
	if notes["proxy-dirty"] != nil {
		return &fetchedBlocks{perChunk: 1}
	}

	perChunk, _ := notes["proxy-fetched-bpc"].(int64)
	blocks, _ := notes["proxy-fetched-blocks"].([]byte)
	if perChunk > 1 && perChunk <= 8*int64(len(blocks)) && int64(len(blocks)) == (chunks*perChunk+7)/8 {
		return &fetchedBlocks{bits: blocks, perChunk: perChunk}
	}

	whole, ok := notes["proxy-fetched"].([]byte)
	if ok && int64(len(whole)) == (chunks+7)/8 {
		return &fetchedBlocks{bits: whole, perChunk: 1}
	}
	return &fetchedBlocks{perChunk: 1, guessed: perChunk <= 1}
}

// has reports whether a block of a chunk was fetched.
func (f *fetchedBlocks) has(number int64, block int) bool {
	at := number
	if f.perChunk > 1 {
		at = number*f.perChunk + int64(block)
	}
	return at>>3 < int64(len(f.bits)) && f.bits[at>>3]>>(at&7)&1 != 0
}

// hasAll reports whether all wanted blocks of a chunk were fetched.
func (f *fetchedBlocks) hasAll(piece *grid.ChunkPiece) bool {
	for k := range piece.Blocks() {
		if !f.has(piece.Chunk, piece.Block(k)) {
			return false
		}
	}
	return true
}

// require fails if one of the wanted blocks of a chunk was not fetched.
func (f *fetchedBlocks) require(c *core, view *frame.Snapshot, piece *grid.ChunkPiece) error {
	if f == nil {
		return nil
	}

	if f.guessed {
		info, err := view.Peek(int(min(piece.Chunk, int64(view.NumChunks()-1))))
		if err != nil {
			return nil // reading the chunk reports the error
		}
		if info.Kind == chunk.SpecialNone {
			return nil
		}
	} else if f.hasAll(piece) {
		return nil
	}
	return c.inArray(fmt.Errorf("chunk %d: the array is a proxy and has not fetched it: %w",
		piece.Chunk, cairn.ErrNotFound))
}

// placeholders are the metalayers by which python-blosc2 marks a frame that only describes an
// array: it has shape and dtype, and chunks without content, because the items are computed or
// fetched on demand (format: stores).
var placeholders = [...]string{"b2o", "LazyArray"}

// checkPlaceholder returns an error if the frame only describes an array, because its zeros would
// be taken for data.
func checkPlaceholder(f *frame.Snapshot) error {
	for _, name := range placeholders {
		content, err := f.Layer(name)
		if errors.Is(err, cairn.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}

		what := "a lazy array"
		kind := textIn(content, "kind")
		if kind != "" {
			what = fmt.Sprintf("an array of kind %q", kind)
		}
		if kind == "remote_array" {
			if note, err := f.VL(name); err == nil {
				what += fmt.Sprintf(" from %q", textIn(note, "source", "urlpath"))
			}
		}

		return fmt.Errorf("%s, which has no items of its own: python-blosc2 makes them when it reads, "+
			"and stores them with blosc2.asarray(array[:], urlpath=…): %w", what, cairn.ErrUnsupported)
	}
	return nil
}

// textIn returns a text in nested maps of a metalayer, or "".
func textIn(content []byte, path ...string) string {
	v, err := meta.Unpack(content)
	if err != nil {
		return ""
	}

	for _, key := range path {
		m, _ := v.(meta.Map)
		v, _ = m.Get(key)
	}
	text, _ := v.(string)
	return text
}
