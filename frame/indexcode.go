package frame

import (
	"encoding/binary"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// The index on disk is a chunk whose content is the entries as little-endian int64. Like C-Blosc2's it is made with BloscLZ at level 5
// over a byte shuffle, without splitting, in blocks of 16 KiB. Four entries are the first that C-Blosc2 tries to compress, nine the
// first for which its BloscLZ has enough room, so up to eight are stored; such an index is the same as its, byte for byte. An index that is
// one special entry over and over is a chunk that repeats it, whatever its length.
const (
	indexBlock  = 16 << 10
	entrySize   = 8
	leastTried  = 32 // bytes
	leastPacked = 66 // bytes

	flagsByte   = 2
	unsplitFlag = 1 << 4
)

// newIndexEncoder returns what encodes indexes, which are stored or not.
func newIndexEncoder(stored bool) (*chunk.Encoder, error) {
	o := chunk.Options{
		TypeSize: entrySize, Codec: codecs.BloscLZ, Filters: []shuffle.Spec{shuffle.Byte}, Split: chunk.SplitNever,
		BlockSize: indexBlock, NoSpecial: true,
	}
	if stored {
		o.Level = chunk.Stored
	}
	return chunk.NewEncoder(&o)
}

// indexLimits says what an index may cost before it has proven itself.
type indexLimits struct {
	cairn.Limits
	asked bool // whether the caller chose MaxIndex
}

// Without an explicit limit an index may decode to this much, plus this many times what is stored. The ratio is beyond what its writers reach.
const (
	freeIndex  = 16 << 20
	indexRatio = 512
)

// bound returns how many decoded bytes an index of the given stored size may have.
func (l indexLimits) bound(stored int64) int64 {
	most := min(l.MaxIndex, chunk.MaxSize)
	if l.asked {
		return most
	}
	return min(most, freeIndex+indexRatio*stored)
}

// decodeIndex reads an index from raw, which begins with the chunk and may go on; nobody changes it from then on. Of an index of more than one
// block of the usual size only the last is decoded, the others when they are asked for; at, where raw begins in the file, is for errors then.
// check judges entries; where neighbours are equal it sees one of them. An index that is a special chunk becomes a run, which costs
// nothing; its length needs no bound but the format's.
func decodeIndex(raw []byte, at int64, limits indexLimits, check checkEntry) (index, error) {
	h, err := parseIndexHeader(raw)
	if err != nil {
		return index{}, err
	}
	if int64(h.CBytes) > int64(len(raw)) {
		return index{}, cairn.Corruptf(layerIndex, 12, "%d bytes are stated, but there are %d", h.CBytes, len(raw))
	}
	raw = raw[:h.CBytes]
	n := int(h.NBytes) / entrySize
	if h.Special() != chunk.SpecialNone {
		return decodeRun(raw, n, check)
	}
	if bound := limits.bound(int64(len(raw))); int64(h.NBytes) > bound {
		return index{}, fmt.Errorf("index of %d bytes, stored in %d: %w: %d are allowed by Limits.MaxIndex", h.NBytes, len(raw), cairn.ErrLimit, bound)
	}
	if readsByBlock(h) {
		return openDiskIndex(raw, at, n, limits.Limits, check)
	}
	d := chunk.NewDecoder(&chunk.DecodeOptions{Engine: chunk.Engine{Limits: limits.Limits}})
	s := &indexSink{check: check}
	s.builder.index.fill, _ = specialEntry(chunk.SpecialZeros)
	if err := d.DecodeBlocks(raw, nil, s); err != nil {
		return index{}, inIndex(err)
	}
	if s.err != nil {
		return index{}, s.err
	}
	if s.builder.index.n != n {
		return index{}, cairn.Corruptf(layerIndex, 0, "%d entries where %d are stated", s.builder.index.n, n)
	}
	return s.builder.finish(), nil
}

// parseIndexHeader reads the header of an index and checks what holds for every index.
func parseIndexHeader(raw []byte) (chunk.Header, error) {
	h, err := chunk.ParseHeader(raw)
	switch {
	case err != nil:
		return h, inIndex(err)
	case h.VLBlocks():
		return h, cairn.Corruptf(layerIndex, 0x1e, "blocks of variable length")
	case h.NBytes%entrySize != 0:
		return h, cairn.Corruptf(layerIndex, 4, "%d bytes are no whole number of entries", h.NBytes)
	}
	return h, nil
}

// inIndex renames the layer of an error of the chunk that is the index.
func inIndex(err error) error {
	placed := cairn.InChunk(err, -1, 0)
	if ce, ok := placed.(*cairn.CorruptError); ok {
		ce.Layer = layerIndex
		return ce
	}
	return fmt.Errorf("index: %w", err)
}

// decodeRun reads an index that repeats one entry.
func decodeRun(raw []byte, n int, check checkEntry) (index, error) {
	item, err := chunk.SpecialItem(nil, raw)
	if err != nil {
		return index{}, inIndex(err)
	}
	var entry [entrySize]byte
	for i := range entry {
		entry[i] = item[i%len(item)]
	}
	if len(item) > entrySize || entrySize%len(item) != 0 {
		return index{}, cairn.Corruptf(layerIndex, 3, "repeats %d bytes, which are no entry", len(item))
	}
	v := int64(binary.LittleEndian.Uint64(entry[:]))
	if n == 0 {
		return index{}, nil
	}
	if err := check(0, v); err != nil {
		return index{}, err
	}
	return runIndex(n, v), nil
}

// indexSink turns decoded blocks into an index.
type indexSink struct {
	builder indexBuilder
	check   checkEntry
	next    int    // number of the block that must come now
	carry   []byte // begin of an entry that the last block ended in
	passed  int64  // entry that was checked last; valid if builder.index.n > 0
	err     error  // the first
}

// Dst asks for delivery by Put.
func (s *indexSink) Dst(int, int) []byte { return nil }

// Put takes one block.
func (s *indexSink) Put(k int, data []byte) {
	if s.err == nil && k != s.next {
		s.err = fmt.Errorf("index: block %d came in the place of block %d", k, s.next)
	}
	s.next++
	if len(s.carry) > 0 {
		take := min(entrySize-len(s.carry), len(data))
		s.carry = append(s.carry, data[:take]...)
		data = data[take:]
		if len(s.carry) < entrySize {
			return
		}
		s.add(s.carry)
		s.carry = s.carry[:0]
	}
	for len(data) >= entrySize {
		s.add(data)
		data = data[entrySize:]
	}
	s.carry = append(s.carry, data...)
}

func (s *indexSink) add(b []byte) {
	if s.err != nil {
		return
	}
	v := int64(binary.LittleEndian.Uint64(b))
	if i := s.builder.index.n; i == 0 || v != s.passed {
		s.err = s.check(i, v)
		s.passed = v
	}
	s.builder.add(v)
}
