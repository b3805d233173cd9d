package format

import (
	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/metalist"
	"github.com/cairn-go/cairn/internal/wire"
	"github.com/cairn-go/cairn/meta"
)

// The trailer is at the end of the frame. Its beginning is not stored; its length is, at a fixed
// distance from the end. In a frame without data, C-Blosc2 expects the trailer right behind the
// header, so writers must put it there (docs/format/frame.md).

// The least lengths of trailers, by generation.
const (
	MinTrailer     = 35
	minBetaTrailer = 30

	atTrailerVersion = 1
)

// TrailerSize returns the length of the trailer that ends with tail.
func (h *Header) TrailerSize(tail []byte) (int64, error) {
	at := h.FrameLen - metalist.TrailerTail
	size, err := metalist.TrailerLen(tail)
	if err != nil {
		return 0, wire.Moved(err, at)
	}
	least := int64(MinTrailer)
	if h.beta() {
		least = minBetaTrailer
	}
	if size < least || size > h.FrameLen-h.HeaderLen {
		return 0, cairn.Corruptf(LayerTrailer, at+1,
			"length %d is not in %d to %d", size, least, h.FrameLen-h.HeaderLen)
	}
	return size, nil
}

// ParseTrailer returns the metalayers in a trailer, whose contents are chunks. It also sets the
// generation to Beta3 if it finds a trailer of that generation: the headers of Beta2 and Beta3 are
// the same.
func (h *Header) ParseTrailer(raw []byte) ([]meta.Layer, error) {
	parse := metalist.ParseTrailer
	if h.beta() {
		parse = parseUsermeta
		if raw[atTrailerVersion] > 0 {
			h.Generation = Beta3
		}
	}
	vl, err := parse(raw)
	return vl, wire.Moved(err, h.FrameLen-int64(len(raw)))
}

// beta reports whether the trailer has user metadata instead of metalayers.
func (h *Header) beta() bool { return h.Generation == Beta2 || h.Generation == Beta3 }
