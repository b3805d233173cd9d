package format

import (
	"encoding/binary"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/metalist"
	"github.com/cairn-go/cairn/internal/wire"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/shuffle"
)

// The headers of the betas of 2.0.0 have the same fields as the current one up to typesize, and no
// block size (docs/format/frame.md):
//
//	34  d2  chunksize  i32
//	39  d1  threads    i16  twice
//	3f  c2 or c3            whether there are metalayers (beta.1) or user metadata (later)
//	40                      beta.1: metalayers, if any
//	40  d8  n               beta.2 to beta.5: 16 bytes:
//	42      filters    8 x u8, the first n are used
//	4a      parameters 8 x u8
//	52                      metalayers
//
// A frame of beta.1 begins with 9b, or 9c if it has metalayers, and ends with the index: it has no
// trailer. Later ones begin with 9d and have a trailer with a single chunk of user metadata. The
// trailer of beta.2 has another marker and version 0; nothing else distinguishes it from beta.3 to
// beta.5.
const (
	atBetaChunkSize = 0x35
	atBetaThreads   = 0x3a
	atBetaFilters   = 0x42
	beta1Fixed      = 0x40
	beta2Fixed      = 0x52
	betaFilterSlots = 8
)

// UsermetaLayer is the name that the unnamed user metadata of a beta frame gets among the
// vlmetalayers.
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
	// Derived from the flags of the frame. Readers use the filters in the header of each chunk.
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
		slot.ID = shuffle.ID(b[atBetaFilters+i])
		slot.Meta = b[atBetaFilters+betaFilterSlots+i]
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
