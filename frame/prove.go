package frame

import (
	"bytes"

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

// prove compares the parts of the frame at offset at of a file with the record. failed is why they
// could not be read, or nil.
func (p *parts) prove(file storage.File, at, size int64, limits cairn.Limits, failed error) error {
	var r *commitRecord
	var why error
	if failed == nil {
		r, why = findRecord(p.rawTrailer)
		why = wire.Moved(why, p.trailerStart)
		marked := len(p.rawHeader) >= fixedHeader && p.rawHeader[atWitness] != 0
		switch {
		case r == nil && !marked:
			return nil // another writer's frame
		case r != nil && sameHeader(p.rawHeader, r.header):
			return p.vouch(at, r, Verified)
		case r != nil && !marked && sameStructure(p.rawHeader, r.header):
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

// vouch compares the trailer with the record that goes with the header. The index is compared when
// it is read.
func (p *parts) vouch(at int64, r *commitRecord, verdict Verdict) error {
	table, err := r.compareTrailer(p.rawTrailer)
	if err != nil {
		return wire.Moved(err, at+p.trailerStart)
	}
	p.record = r
	p.cover = &cover{verdict: verdict, seq: r.seq, full: r.full, table: bytes.Clone(table)}
	return nil
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
