package index

import (
	"encoding/binary"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// The index on disk is a chunk of entries as little-endian int64. As in C-Blosc2, it is encoded
// with BloscLZ at level 5 and byte shuffle, without splitting, in blocks of 16 KiB. C-Blosc2 tries
// to compress four entries and more, but its BloscLZ only succeeds from nine entries on, so up to
// eight are stored. Such an index is byte for byte that of C-Blosc2. An index of equal special
// entries is a special chunk that repeats one value, for any length.
const (
	Layer = "index" // in errors

	BlockBytes = 16 << 10
	EntrySize  = 8
	minTried   = 32 // bytes
	minPacked  = 66 // bytes

	flagsByte   = 2
	unsplitFlag = 1 << 4
)

// newEncoder returns an encoder for indexes, which stores them uncompressed or compresses them.
func newEncoder(stored bool) (*chunk.Encoder, error) {
	o := chunk.Options{
		TypeSize: EntrySize, Codec: codecs.BloscLZ, Filters: []shuffle.Spec{shuffle.Byte}, Split: chunk.SplitNever,
		BlockSize: BlockBytes, NoSpecial: true,
	}
	if stored {
		o.Level = chunk.Stored
	}
	return chunk.NewEncoder(&o)
}

// Limits bounds the decoded size of an index that is not verified yet.
type Limits struct {
	cairn.Limits
	Asked bool // whether the caller chose MaxIndex
}

// Without an explicit limit, an index may decode to freeIndex plus indexRatio times its stored
// size. Real writers do not reach this ratio.
const (
	freeIndex  = 16 << 20
	indexRatio = 512
)

// Bound returns how many decoded bytes an index of the given stored size may have.
func (l Limits) Bound(stored int64) int64 {
	most := min(l.MaxIndex, chunk.MaxSize)
	if l.Asked {
		return most
	}
	return min(most, freeIndex+indexRatio*stored)
}

// Decode reads an index from raw, which begins with the chunk and must not be modified afterwards.
// If the index has more than one block of the usual size, Decode decodes only the last one. The
// others are decoded on first access; at is the offset of raw in the file, for errors. Decode calls
// check for entries, but may call it only once for a sequence of equal entries. An index that is a
// special chunk takes no memory, so its length is not limited.
func Decode(raw []byte, at int64, limits Limits, check Check) (Index, error) {
	h, err := ParseHeader(raw)
	if err != nil {
		return Index{}, err
	}
	if int64(h.CBytes) > int64(len(raw)) {
		return Index{}, cairn.Corruptf(Layer, 12, "%d bytes are stated, but there are %d", h.CBytes, len(raw))
	}

	raw = raw[:h.CBytes]
	n := int(h.NBytes) / EntrySize
	if h.Special() != chunk.SpecialNone {
		return decodeRun(raw, n, check)
	}

	if bound := limits.Bound(int64(len(raw))); int64(h.NBytes) > bound {
		return Index{}, fmt.Errorf("index of %d bytes, stored in %d: %w: %d are allowed by Limits.MaxIndex",
			h.NBytes, len(raw), cairn.ErrLimit, bound)
	}
	if readsByBlock(h) {
		return openDisk(raw, at, n, limits.Limits, check)
	}

	d := chunk.NewDecoder(&chunk.DecodeOptions{Engine: chunk.Engine{Limits: limits.Limits}})
	s := &sink{check: check}
	s.builder.Index.fill, _ = Special(chunk.SpecialZeros)
	if err := d.DecodeBlocks(h, raw, nil, s); err != nil {
		return Index{}, asIndexError(err)
	}

	if s.err != nil {
		return Index{}, s.err
	}
	if s.builder.Index.n != n {
		return Index{}, cairn.Corruptf(Layer, 0, "%d entries where %d are stated", s.builder.Index.n, n)
	}
	return s.builder.Finish(), nil
}

// ParseHeader parses the header of an index and checks that it can be one.
func ParseHeader(raw []byte) (chunk.Header, error) {
	h, err := chunk.ParseHeader(raw)
	switch {
	case err != nil:
		return h, asIndexError(err)
	case h.VLBlocks():
		return h, cairn.Corruptf(Layer, 0x1e, "blocks of variable length")
	case h.NBytes%EntrySize != 0:
		return h, cairn.Corruptf(Layer, 4, "%d bytes are not a multiple of the entry size", h.NBytes)
	}
	return h, nil
}

// asIndexError changes the layer of an error from the chunk package to the index.
func asIndexError(err error) error {
	at := cairn.InChunk(err, -1, 0)
	if ce, ok := at.(*cairn.CorruptError); ok {
		ce.Layer = Layer
		return ce
	}
	return fmt.Errorf("index: %w", err)
}

// decodeRun reads an index that repeats one entry.
func decodeRun(raw []byte, n int, check Check) (Index, error) {
	item, err := chunk.SpecialItem(nil, raw)
	if err != nil {
		return Index{}, asIndexError(err)
	}
	var entry [EntrySize]byte
	for i := range entry {
		entry[i] = item[i%len(item)]
	}

	if len(item) > EntrySize || EntrySize%len(item) != 0 {
		return Index{}, cairn.Corruptf(Layer, 3, "repeats %d bytes, which cannot be an entry", len(item))
	}
	v := int64(binary.LittleEndian.Uint64(entry[:]))
	if n == 0 {
		return Index{}, nil
	}

	if err := check(0, v); err != nil {
		return Index{}, err
	}
	return Repeat(n, v), nil
}

// sink turns decoded blocks into an index.
type sink struct {
	builder Builder
	check   Check
	next    int    // number of the expected block
	carry   []byte // beginning of an entry at the end of the last block
	passed  int64  // entry that was checked last; valid if builder.index.n > 0
	err     error  // the first error
}

// Dst returns nil, so that Put gets the block.
func (s *sink) Dst(int, int) []byte { return nil }

// Put takes one block.
func (s *sink) Put(k int, data []byte) {
	if s.err == nil && k != s.next {
		s.err = fmt.Errorf("index: block %d came in the place of block %d", k, s.next)
	}
	s.next++
	if len(s.carry) > 0 {
		take := min(EntrySize-len(s.carry), len(data))
		s.carry = append(s.carry, data[:take]...)
		data = data[take:]
		if len(s.carry) < EntrySize {
			return
		}
		s.add(s.carry)
		s.carry = s.carry[:0]
	}

	for len(data) >= EntrySize {
		s.add(data)
		data = data[EntrySize:]
	}
	s.carry = append(s.carry, data...)
}

func (s *sink) add(b []byte) {
	if s.err != nil {
		return
	}
	v := int64(binary.LittleEndian.Uint64(b))
	if i := s.builder.Index.n; i == 0 || v != s.passed {
		s.err = s.check(i, v)
		s.passed = v
	}
	s.builder.Add(v)
}
