package format

import (
	"encoding/binary"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/metalist"
	"github.com/cairn-go/cairn/internal/wire"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/shuffle"
)

// The headers of the betas of 2.0.0 share the fields up to typesize with today's, and then have no
// block size (docs/format/frame.md):
//
//	34  d2  chunksize  i32
//	39  d1  threads    i16  twice
//	3f  c2 or c3            whether there are metalayers (beta.1) or user metadata (later)
//	40                      beta.1: metalayers, if any
//	40  d8  n               beta.2 to beta.5: 16 bytes:
//	42      filters    8 x u8, the first n count
//	4a      parameters 8 x u8
//	52                      metalayers
//
// beta.1 begins with 9b, or 9c if it has metalayers, and ends with the index: it has no trailer.
// The later ones begin with 9d and have a trailer that holds a single chunk of user metadata. That
// of beta.2 has another marker and version 0; only this tells the two apart.
const (
	atBetaChunkSize = 0x35
	atBetaThreads   = 0x3a
	atBetaFilters   = 0x42
	beta1Fixed      = 0x40
	beta2Fixed      = 0x52
	betaFilterSlots = 8
)

// UsermetaLayer is the name under which the unnamed user metadata of a beta frame is found among
// the metalayers of variable length.
const UsermetaLayer = "usermeta"

func (h *Header) parseBeta(b []byte) {
	h.ChunkSize = int32(binary.BigEndian.Uint32(b[atBetaChunkSize:]))
	h.Threads[0] = int16(binary.BigEndian.Uint16(b[atBetaThreads:]))
	h.Threads[1] = int16(binary.BigEndian.Uint16(b[atBetaThreads+3:]))
}

func (h *Header) parseBeta1(b []byte) error {
	h.Generation = Beta1
	h.parseBeta(b)
	if b[0] == wire.TagFixArray|12 {
		h.LayersAt = beta1Fixed
	}
	// What the chunks say of themselves counts; this is what the flags of the frame promise.
	if b[AtFrameType]&0x07 == 0x06 {
		h.Pipeline[shuffle.Slots-1] = shuffle.Byte
	}
	return nil
}

func (h *Header) parseBeta2(b []byte) error {
	h.Generation = Beta2
	if len(b) < beta2Fixed {
		return cairn.Corruptf(LayerHeader, 0, "%d bytes are too few for a frame", len(b))
	}
	h.parseBeta(b)
	h.LayersAt = beta2Fixed
	n := int(b[atBetaFilters-1])
	if n > betaFilterSlots {
		return cairn.Corruptf(LayerHeader, atBetaFilters-1, "%d filters, at most %d are possible", n, betaFilterSlots)
	}
	n = min(n, shuffle.Slots)
	for i := range n {
		slot := &h.Pipeline[shuffle.Slots-n+i]
		slot.ID, slot.Meta = shuffle.ID(b[atBetaFilters+i]), b[atBetaFilters+betaFilterSlots+i]
	}
	return nil
}

// parseUsermeta reads the trailer of a beta frame.
func parseUsermeta(b []byte) ([]meta.Layer, error) {
	content, err := metalist.ParseUsermetaTrailer(b)
	if err != nil || len(content) == 0 {
		return nil, err
	}
	return []meta.Layer{{Name: UsermetaLayer, Content: content}}, nil
}
