package main

import (
	"encoding/binary"
	"slices"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// An index is compressed, so changed bytes hardly ever give one that can be read. damageIndex
// decodes it, changes entries, and encodes it again.

// maxIndexEntries is the most entries of a damaged index.
const maxIndexEntries = 1 << 12

func damageIndex(p *mutation, _ string, a *anatomy, b []byte) []byte {
	if a.index.to == 0 || a.index.to > len(b) {
		return nil
	}
	raw := b[a.index.from:a.index.to]
	h, err := chunk.ParseHeader(raw)
	if err != nil || h.NBytes > 8*maxIndexEntries || int(h.CBytes) != len(raw) {
		return nil
	}

	entries := make([]byte, h.NBytes)
	if _, err := chunk.NewDecoder(nil).Decode(entries, raw); err != nil || len(entries) < 8 {
		return nil
	}

	entries = p.changeEntries(entries)
	packed, err := packIndex(p.rng.IntN(4) == 0, entries)
	if err != nil {
		return nil
	}

	b = slices.Replace(b, a.index.from, a.index.to, packed...)
	return fix(a, b)
}

// changeEntries makes one to four changes.
func (p *mutation) changeEntries(entries []byte) []byte {
	n := len(entries) / 8
	at := func() []byte { return entries[8*p.rng.IntN(n):] }

	for range 1 + p.rng.IntN(4) {
		switch e := at(); p.rng.IntN(6) {
		case 0: // some number
			binary.LittleEndian.PutUint64(e, number(p.rng, binary.LittleEndian.Uint64(e)))
		case 1: // a special entry, of a known kind or not
			binary.LittleEndian.PutUint64(e, uint64(p.rng.Uint32N(256))<<56)
		case 2: // the offset of another chunk
			copy(e[:8], at()[:8])
		case 3: // an offset that overlaps another chunk
			binary.LittleEndian.PutUint64(e, binary.LittleEndian.Uint64(at())+uint64(p.rng.IntN(64)))
		case 4: // fewer entries
			n = max(1, n-p.rng.IntN(n))
			entries = entries[:8*n]
		case 5: // more entries
			more := min(maxIndexEntries-n, n*p.rng.IntN(20))
			for range max(0, more) {
				entries = append(entries, at()[:8]...)
			}
			n = len(entries) / 8
		}
	}
	return entries
}

// packIndex encodes entries as C-Blosc2 does, or uncompressed if stored is set.
func packIndex(stored bool, entries []byte) ([]byte, error) {
	o := chunk.Options{TypeSize: 8, Codec: codecs.BloscLZ, Filters: []shuffle.Spec{shuffle.Byte}, Split: chunk.SplitNever, BlockSize: 16 << 10, NoSpecial: true}
	if stored {
		o.Level = chunk.Stored
	}
	e, err := chunk.NewEncoder(&o)
	if err != nil {
		return nil, err
	}
	return e.Append(nil, entries)
}
