package frame

import (
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/index"
)

// A frame either has one chunk size, except that the last chunk may be shorter, or chunks of
// individual sizes. It starts with the size of its first chunk unless one was given. The first
// change that breaks the rule makes the frame variable for good (docs/format/frame.md). Special
// index entries have no size of their own: a frame that becomes variable stores them as chunks.

// sizeOf returns the decoded size of chunk i.
func (v *state) sizeOf(i int) (int64, error) {
	if i == v.index.Len()-1 && v.last > 0 {
		return v.last, nil
	}
	entry, err := v.entryAt(i)
	if err != nil {
		return 0, err
	}
	if entry < 0 {
		size, err := v.specialSize(i)
		return int64(size), v.inChunkUnnamed(i, entry, err)
	}
	info, err := v.describe(i, entry)
	return int64(info.NBytes), v.inChunkUnnamed(i, entry, err)
}

// lastSize returns the decoded size of the last chunk, 0 if there is none, and caches it in v.
func (v *draft) lastSize() (int64, error) {
	if v.index.Len() == 0 {
		return 0, nil
	}
	size, err := v.sizeOf(v.index.Len() - 1)
	if err == nil {
		v.last = size
	}
	return size, err
}

// regular reports whether every chunk but the last has the chunk size. C-Blosc2 does not guarantee
// that, even if the header has a chunk size.
func (v *draft) regular() (bool, error) {
	size := int64(v.head.ChunkSize)
	if size <= 0 || v.index.Len() == 0 {
		return size != 0, nil
	}
	last, err := v.lastSize()
	return v.head.NBytes == int64(v.index.Len()-1)*size+last, err
}

// fit prepares the chunk size for inserting a chunk of the given size at position i, or for
// replacing chunk i. others is the number of other chunks. If the sizes would not fit the rule, the
// frame becomes variable.
func (v change) fit(i, others int, size int64, replace bool) error {
	fixed := int64(v.head.ChunkSize)
	if fixed < 0 && v.index.Len() == 0 {
		v.head.ChunkSize = int32(size)
		return nil
	}
	if fixed == 0 {
		return nil
	}

	ok, err := v.regular()
	if err != nil {
		return err
	}
	last, err := v.lastSize()
	if err != nil {
		return err
	}

	if i == others { // the chunk would be the last
		ok = ok && size <= fixed && (replace || others == 0 || last == fixed)
	} else {
		ok = ok && size == fixed
	}
	if ok {
		return nil
	}
	return v.turnVariable()
}

// turnVariable removes the chunk size and stores every chunk that was only an index entry.
func (v change) turnVariable() error {
	// A file of a few bytes can have a billion such chunks.
	if bound := v.env.indexLimits().Bound(v.head.CBytes); int64(v.index.Len())*index.EntrySize > bound {
		return fmt.Errorf("%d chunks that would have to be stored: %w: Limits.MaxIndex allows an index of %d bytes",
			v.index.Len(), cairn.ErrLimit, bound)
	}
	entries, err := index.Build(v.index.Len(), v.index.Fill(), func(i int) (int64, error) {
		entry, err := v.entryAt(i)
		if entry >= 0 || err != nil {
			return entry, err
		}
		entry, err = v.storeSpecial(i, entry)
		return entry, v.inChunkUnnamed(i, -1, err)
	})
	if err != nil {
		return err
	}

	v.index = entries
	v.head.ChunkSize = 0
	return nil
}

// storeSpecial stores the chunk of a special entry, and returns the entry of that.
func (v change) storeSpecial(i int, entry int64) (int64, error) {
	kind, err := index.Kind(entry)
	if err != nil {
		return entry, err
	}
	size, err := v.specialSize(i)
	if err != nil {
		return entry, err
	}
	c, err := appendStoredSpecial(nil, kind, size, int(v.head.TypeSize))
	if err != nil {
		return entry, err
	}
	return v.stage([][]byte{c})
}

// The states of state.blocks.
const (
	blocksUnknown uint8 = iota
	blocksFixed
	blocksVL
)

// usesVL reports whether the chunks have blocks of variable length. Either all chunks of a frame
// have them or none.
func (v *draft) usesVL() (bool, error) {
	if v.blocks == blocksUnknown && v.index.Len() > 0 {
		v.blocks = blocksFixed
		entry, err := v.entryAt(0)
		if err != nil {
			return false, err
		}
		if entry >= 0 {
			info, err := v.describe(0, entry)
			if err != nil {
				return false, v.inChunkUnnamed(0, entry, err)
			}
			if info.Header.VLBlocks() {
				v.blocks = blocksVL
			}
		}
	}
	return v.blocks == blocksVL, nil
}

// admit checks that a chunk with header h may be added to the others; alone means that there are no
// others.
func (v *draft) admit(h chunk.Header, alone bool) error {
	if h.NBytes == 0 {
		return fmt.Errorf("an empty chunk: %w: a frame of nothing but empty chunks loses them", cairn.ErrBounds)
	}
	if h.CBytes < chunk.HeaderSize {
		return fmt.Errorf("a chunk of %d bytes: %w: readers of frames want at least %d", h.CBytes, cairn.ErrUnsupported, chunk.HeaderSize)
	}

	if alone {
		v.blocks = blocksFixed
		if h.VLBlocks() {
			v.blocks = blocksVL
		}
	}

	vl, err := v.usesVL()
	if err != nil {
		return err
	}
	if vl != h.VLBlocks() {
		return fmt.Errorf("chunks with blocks of fixed and of variable length in one frame: %w", cairn.ErrUnsupported)
	}
	v.head.VLBlocks = vl
	return nil
}

// checkOrder checks that order is a permutation of the n chunks.
func checkOrder(order []int, n int) error {
	if len(order) != n {
		return fmt.Errorf("an order of %d for %d chunks: %w", len(order), n, cairn.ErrBounds)
	}
	sorted := slices.Clone(order)
	slices.Sort(sorted)
	for i, k := range sorted {
		if k != i {
			return fmt.Errorf("an order that is no permutation of the %d chunks: %w", n, cairn.ErrBounds)
		}
	}
	return nil
}

// stage stores a chunk and returns its index entry.
func (v change) stage(c [][]byte) (int64, error) {
	entry, err := v.edit.writer.stage(c)
	if err != nil {
		return entry, err
	}

	if s, ok := v.source.(*contiguous); ok && entry < v.head.CBytes {
		// Another chunk was there.
		s.chunks.id.changed(entry)
		s.chunks.verified.drop(entry)
	}
	if v.live != unknownLive {
		v.live += sizeOf(c) + v.footer()
	}
	if v.env.Deterministic && v.cover != nil && v.cover.full {
		v.cover = v.cover.partial()
	}
	v.head.CBytes = v.edit.writer.extent(&v.state)
	return entry, nil
}

func (v *state) checkChunk(i int) error {
	if i < 0 || i >= v.index.Len() {
		return fmt.Errorf("chunk %d of %d: %w", i, v.index.Len(), cairn.ErrBounds)
	}
	return nil
}

// checkEncoded parses the header of a chunk that the caller encoded.
func checkEncoded(c ...[]byte) (chunk.Header, error) {
	h, err := chunk.ParseHeader(c[0])
	if size := sizeOf(c); err == nil && int64(h.CBytes) != size {
		err = cairn.Corruptf("chunk", 12, "the header says %d bytes, but %d were given", h.CBytes, size)
	}
	return h, err
}
