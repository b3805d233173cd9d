package frame

import (
	"bytes"
	"encoding/binary"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/internal/wire"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// Whoever opens a frame compares its parts with the commit record. What differs is judged by the
// two witnesses, which every writer but this one zeroes (docs/reliability.md has the table). A
// header that is not the record's, and not another writer's either, was torn while it was written,
// or rotted: then the record at the end of the file, which was complete before the header was
// touched, has it.

// headerStructure is the part of a header that changes only together with the index or the trailer:
// lengths and the decoded size.
const headerStructure = atCBytes + 8

// sameHeader reports whether a header is what a record says. The numbers of threads mean nothing.
func sameHeader(a, b []byte) bool {
	return len(a) == len(b) && len(a) >= fixedHeader &&
		bytes.Equal(a[:atThreads-1], b[:atThreads-1]) && bytes.Equal(a[atHasVL:], b[atHasVL:])
}

// prove compares the parts of the frame at offset at of a file with the record. failed is why they
// could not be read, or nil.
func (p *parts) prove(file storage.File, at, size int64, limits cairn.Limits, failed error) error {
	var r *commitRecord
	var why error
	if failed == nil {
		r, why = p.ownRecord()
		marked := len(p.rawHeader) >= fixedHeader && p.rawHeader[atWitness] != 0
		switch {
		case r == nil && !marked:
			return nil // another writer's frame
		case r != nil && sameHeader(p.rawHeader, r.header):
			return p.vouch(at, r, Verified)
		case r != nil && !marked && bytes.Equal(p.rawHeader[:headerStructure], r.header[:headerStructure]):
			return p.vouch(at, r, VerifiedButHeader)
		}
	}
	// A torn header may still lead to the trailer before the last: the end of the file is where the
	// new one is.
	if at == 0 && p.heal(file, 0, size, limits) == nil || r != nil && p.heal(file, at, at+p.head.frameLen, limits) == nil {
		return nil
	}
	switch {
	case failed != nil:
		return failed
	case p.rawHeader[atWitness] != witness:
		return nil
	case why != nil:
		// The record itself has rotted. Nobody has changed the frame since, so footers that do not
		// match still mean damage.
		p.cover = &cover{footers: true, damage: wire.Moved(why, at)}
		return nil
	}
	return cairn.Corruptf(layerHeader, at+atWitness, "the commit record that it announces is gone: the header was torn, or changed by hand")
}

// ownRecord returns the record in the trailer, or nil: without an error if no writer of records was
// the last to change the frame.
func (p *parts) ownRecord() (*commitRecord, error) {
	t, start := p.rawTrailer, p.trailerStart
	if len(t) < meta.TrailerTail || p.head.generation != Current {
		return nil, nil
	}
	end := len(t) - meta.TrailerTail
	if isZero(t[len(t)-pointerSize:]) {
		return nil, nil
	}
	size, sum, _, ok := pointer(t)
	if !ok && end >= recordLeast {
		// The pointer is damaged, but a record ends with its length.
		size = int64(binary.LittleEndian.Uint32(t[end-8:]))
	}
	if size < recordLeast || size > int64(end) {
		return nil, cairn.Corruptf(layerTrailer, start+int64(end), "the pointer to the commit record leads nowhere")
	}
	r, err := parseRecord(t[int64(end)-size : end])
	if err != nil {
		return nil, wire.Moved(err, start+int64(end)-size)
	}
	if ok && sum != r.sum || len(r.header) < fixedHeader {
		return nil, cairn.Corruptf(layerRecord, start+int64(end)-size, "it is of another trailer")
	}
	return r, nil
}

func isZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// vouch compares the trailer with the record that goes with the header. The index is compared when
// it is read.
func (p *parts) vouch(at int64, r *commitRecord, verdict Verdict) error {
	if r.reach() != int64(len(p.rawTrailer)) {
		return cairn.Corruptf(layerRecord, at+p.trailerStart, "it is of a trailer of %d bytes instead of %d", r.reach(), len(p.rawTrailer))
	}
	layers := p.rawTrailer[:r.layersLen]
	table := p.rawTrailer[r.layersLen : int64(r.layersLen)+rowSize*int64(r.rows)]
	if err := compareSum(layers, r.layersSum, layerTrailer, at+p.trailerStart); err != nil {
		return err
	}
	if err := compareSum(table, r.tableSum, "table of checksums", at+p.trailerStart+int64(r.layersLen)); err != nil {
		return err
	}
	p.record = r
	p.cover = &cover{verdict: verdict, seq: r.seq, full: r.full, table: bytes.Clone(table)}
	return nil
}

// compareSum fails with ErrChecksum if b, which is at an offset of the file, is not what a record
// says.
func compareSum(b []byte, want uint32, layer string, at int64) error {
	sum := checksum(b)
	if sum == want {
		return nil
	}
	ce := cairn.Corruptf(layer, at, "its %d bytes have the checksum %08x, not %08x", len(b), sum, want)
	ce.Err = cairn.ErrChecksum
	return ce
}

// heal takes the parts from the record of the frame that ends at end, if that vouches for
// everything that it speaks of.
func (p *parts) heal(file storage.File, at, end int64, limits cairn.Limits) error {
	if end-at < minFrame {
		return cairn.ErrNotFound
	}
	tail, err := readFull(file, nil, end-meta.TrailerTail, meta.TrailerTail)
	if err != nil {
		return err
	}
	size, sum, seq, ok := pointer(tail)
	if !ok || size > min(end-at-meta.TrailerTail, limits.MaxHeader+recordLeast) {
		return cairn.ErrNotFound
	}
	raw, err := readFull(file, nil, end-meta.TrailerTail-size, size)
	if err != nil {
		return err
	}
	r, err := parseRecord(raw)
	if err != nil {
		return err
	}
	h, err := parseHeader(r.header, end-at)
	if err != nil {
		return err
	}
	if sum != r.sum || seq != uint32(r.seq) || h.generation != Current || h.frameLen != end-at || h.headerLen != int64(len(r.header)) {
		return cairn.ErrNotFound
	}
	healed := parts{head: h, rawHeader: r.header}
	if healed.layers, err = meta.ParseHeaderLayers(r.header, h.layersAt); err != nil {
		return err
	}
	healed.layers = cloneLayers(healed.layers)
	if err := healed.readTrailer(file, at, limits); err != nil {
		return err
	}
	if err := healed.vouch(at, r, Verified); err != nil {
		return err
	}
	if err := r.compareIndex(file, at, &h, limits); err != nil {
		return err
	}
	healed.cover.healed = true
	*p = healed
	return nil
}

// compareIndex reads the index and compares it with the record.
func (r *commitRecord) compareIndex(file storage.File, at int64, h *header, limits cairn.Limits) error {
	if h.nbytes == 0 || int64(r.indexLen) > limits.MaxIndex {
		return nil
	}
	from := at + h.indexAt()
	raw, err := readFull(file, nil, from, int64(r.indexLen))
	if err != nil {
		return err
	}
	return compareSum(raw, r.indexSum, index.Layer, from)
}
