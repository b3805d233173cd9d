package index

import (
	"encoding/binary"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// The index on disk is a chunk whose content is the entries as little-endian int64. Like C-Blosc2's
// it is made with BloscLZ at level 5 over a byte shuffle, without splitting, in blocks of 16 KiB.
// Four entries are the first that C-Blosc2 tries to compress, nine the first for which its BloscLZ
// has enough room, so up to eight are stored; such an index is the same as its, byte for byte. An
// index that is one special entry over and over is a chunk that repeats it, whatever its length.
const (
	Layer = "index" // in errors

	BlockBytes  = 16 << 10
	EntrySize   = 8
	leastTried  = 32 // bytes
	leastPacked = 66 // bytes

	flagsByte   = 2
	unsplitFlag = 1 << 4
)

// newEncoder returns what encodes indexes, which are stored or not.
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

// Limits says what an index may cost before it has proven itself.
type Limits struct {
	cairn.Limits
	Asked bool // whether the caller chose MaxIndex
}

// Without an explicit limit an index may decode to this much, plus this many times what is stored.
// The ratio is beyond what its writers reach.
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

// Decode reads an index from raw, which begins with the chunk and may go on; nobody changes it from
// then on. Of an index of more than one block of the usual size only the last is decoded, the
// others when they are asked for; at, where raw begins in the file, is for errors then. check
// judges entries; where neighbours are equal it sees one of them. An index that is a special chunk
// becomes a run, which costs nothing; its length needs no bound but the format's.
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
		return Index{}, placed(err)
	}
	if s.err != nil {
		return Index{}, s.err
	}
	if s.builder.Index.n != n {
		return Index{}, cairn.Corruptf(Layer, 0, "%d entries where %d are stated", s.builder.Index.n, n)
	}
	return s.builder.Finish(), nil
}

// ParseHeader reads the header of an index and checks what holds for every index.
func ParseHeader(raw []byte) (chunk.Header, error) {
	h, err := chunk.ParseHeader(raw)
	switch {
	case err != nil:
		return h, placed(err)
	case h.VLBlocks():
		return h, cairn.Corruptf(Layer, 0x1e, "blocks of variable length")
	case h.NBytes%EntrySize != 0:
		return h, cairn.Corruptf(Layer, 4, "%d bytes are no whole number of entries", h.NBytes)
	}
	return h, nil
}

// placed renames the layer of an error of the chunk that is the index.
func placed(err error) error {
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
		return Index{}, placed(err)
	}
	var entry [EntrySize]byte
	for i := range entry {
		entry[i] = item[i%len(item)]
	}
	if len(item) > EntrySize || EntrySize%len(item) != 0 {
		return Index{}, cairn.Corruptf(Layer, 3, "repeats %d bytes, which are no entry", len(item))
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
	next    int    // number of the block that must come now
	carry   []byte // begin of an entry that the last block ended in
	passed  int64  // entry that was checked last; valid if builder.index.n > 0
	err     error  // the first
}

// Dst asks for delivery by Put.
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
