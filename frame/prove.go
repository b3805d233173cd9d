package frame

import (
	"bytes"
	"fmt"
	"io"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/internal/metalist"
	"github.com/cairn-go/cairn/internal/wire"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// Opening a frame compares its parts with the commit record. If they differ, the two witnesses,
// which all other writers set to zero, tell who wrote them (docs/reliability.md has the table). A
// header that differs from the record, but was not written by another program, was torn or has
// rotted. It is then taken from the record at the end of the file, which was complete before the
// header was written.

// prove compares the parts of the frame at offset at of a file with the record. failed is the error
// of reading them, or nil.
func (p *parts) prove(file storage.File, at, size int64, limits cairn.Limits, failed error) error {
	var r *format.Record
	var why error
	if failed == nil {
		r, why = format.FindRecord(p.rawTrailer)
		why = wire.Moved(why, p.trailerStart)
		marked := len(p.rawHeader) >= format.FixedHeader && p.rawHeader[format.AtWitness] != 0
		switch {
		case r == nil && !marked:
			return nil // another writer's frame
		case r != nil && format.SameHeader(p.rawHeader, r.Header):
			return p.vouch(at, r, Verified)
		case r != nil && !marked && format.SameStructure(p.rawHeader, r.Header):
			return p.vouch(at, r, VerifiedButHeader)
		}
	}

	// A torn header may still refer to the previous trailer. The new one is at the end of the file.
	if at == 0 && p.heal(file, 0, size, limits) == nil || r != nil && p.heal(file, at,
		at+p.head.FrameLen, limits) == nil {
		return nil
	}
	switch {
	case failed != nil:
		return failed
	case p.rawHeader[format.AtWitness] != format.Witness:
		return nil
	case why != nil:
		// The record itself has rotted. The witness says that no other program changed the frame,
		// so a footer that does not match still means damage.
		p.cover = &cover{footers: true, damage: wire.Moved(why, at)}
		return nil
	}

	return cairn.Corruptf(format.LayerHeader, at+format.AtWitness,
		"the commit record that it announces is missing: the header was torn or edited")
}

// vouch compares the trailer with the record r, and stores r and the verdict in p. The index is
// compared when it is read.
func (p *parts) vouch(at int64, r *format.Record, verdict Verdict) error {
	table, err := r.CompareTrailer(p.rawTrailer)
	if err != nil {
		return wire.Moved(err, at+p.trailerStart)
	}
	p.record = r
	p.cover = &cover{verdict: verdict, seq: r.Seq, full: r.Full, table: bytes.Clone(table)}
	return nil
}

// heal replaces the parts by those of the commit record in the trailer that ends at end, if header,
// trailer and index match that record.
func (p *parts) heal(file storage.File, at, end int64, limits cairn.Limits) error {
	if end-at < format.MinFrame {
		return cairn.ErrNotFound
	}
	tail, err := wire.ReadFull(file, nil, end-metalist.TrailerTail, metalist.TrailerTail)
	if err != nil {
		return err
	}

	// The trailer ends with a pointer to the record, which has a copy of the header.
	size, sum, seq, ok := format.ParsePointer(tail)
	if !ok || size > min(end-at-metalist.TrailerTail, limits.MaxHeader+format.RecordLeast) {
		return cairn.ErrNotFound
	}
	raw, err := wire.ReadFull(file, nil, end-metalist.TrailerTail-size, size)
	if err != nil {
		return err
	}

	r, err := format.ParseRecord(raw)
	if err != nil {
		return err
	}
	h, err := format.ParseHeader(r.Header, end-at)
	if err != nil {
		return err
	}

	// A record from another place or another commit proves nothing.
	if sum != r.Sum || seq != uint32(r.Seq) || h.Generation != format.Current || h.FrameLen != end-at ||
		h.HeaderLen != int64(len(r.Header)) {
		return cairn.ErrNotFound
	}
	healed := parts{head: h, rawHeader: r.Header}
	if healed.layers, err = metalist.ParseHeader(r.Header, h.LayersAt); err != nil {
		return err
	}

	healed.layers = cloneLayers(healed.layers)
	if err := healed.readTrailer(file, at, limits); err != nil {
		return err
	}
	if err := healed.vouch(at, r, Verified); err != nil {
		return err
	}

	// Without its index a new header would refer to chunks of another state.
	if err := compareIndex(r, file, at, &h, limits); err != nil {
		return err
	}
	healed.cover.healed = true
	*p = healed
	return nil
}

// compareIndex reads the index and compares it with the record.
func compareIndex(r *format.Record, file storage.File, at int64, h *format.Header, limits cairn.Limits) error {
	if h.NBytes == 0 || int64(r.IndexLen) > limits.MaxIndex {
		return nil
	}
	from := at + h.IndexAt()
	raw, err := wire.ReadFull(file, nil, from, int64(r.IndexLen))
	if err != nil {
		return err
	}
	return format.Compare(raw, r.IndexSum, index.Layer, from)
}

// parts is what is read when a frame is opened, except the index.
type parts struct {
	head         format.Header
	layers, vl   []meta.Layer
	trailerStart int64 // from the beginning of the frame

	rawHeader, rawTrailer []byte         // as read
	record                *format.Record // the commit record that matches the parts, or nil
	cover                 *cover         // nil without a record
	stamp                 fileStamp      // of the file, before anything was read
}

func (p *parts) readTrailer(file storage.File, at int64, limits cairn.Limits) (err error) {
	p.trailerStart, p.rawTrailer, p.vl, err = readTrailer(file, at, &p.head, limits.MaxTrailer)
	return err
}

// readTrailer returns the trailer of the frame at offset at, its start relative to the frame, and
// its metalayers.
func readTrailer(
	r io.ReaderAt, at int64, h *format.Header, limit int64,
) (start int64, raw []byte, vl []meta.Layer, err error) {
	fail := func(err error) (int64, []byte, []meta.Layer, error) { return 0, nil, nil, wire.Moved(err, at) }
	if h.Generation == format.Beta1 {
		return h.FrameLen, nil, nil, nil
	}
	tailAt := h.FrameLen - metalist.TrailerTail
	if tailAt < h.HeaderLen {
		return fail(cairn.Corruptf(format.LayerTrailer, h.HeaderLen,
			"no room between the header and the end of the frame"))
	}

	tail, err := wire.ReadFull(r, nil, at+tailAt, metalist.TrailerTail)
	if err != nil {
		return 0, nil, nil, wire.Missing(err, format.LayerTrailer, at+tailAt)
	}
	size, err := h.TrailerSize(tail)
	if err != nil {
		return fail(err)
	}

	if size > limit {
		return fail(fmt.Errorf("trailer of %d bytes: %w: MaxTrailer is %d", size, cairn.ErrLimit, limit))
	}
	start = h.FrameLen - size
	if raw, err = wire.ReadFull(r, nil, at+start, size); err != nil {
		return 0, nil, nil, wire.Missing(err, format.LayerTrailer, at+start)
	}
	vl, err = h.ParseTrailer(raw)
	return start, raw, vl, wire.Moved(err, at)
}
