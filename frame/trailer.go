package frame

import (
	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/wire"
	"github.com/cairn-go/cairn/meta"
)

// The trailer ends the frame, and its own length is at a fixed distance from there; its begin is
// nowhere stated. When the frame has no data C-Blosc2 looks for it at the end of the header
// instead, so that writers must put it there then (docs/format/frame.md).

// least trailers of the generations that have one.
const (
	minTrailer     = 35
	minBetaTrailer = 30

	atTrailerVersion = 1
)

// trailerSize returns the length of the trailer, of which tail is the end.
func (h *header) trailerSize(tail []byte) (int64, error) {
	at := h.frameLen - meta.TrailerTail
	size, err := meta.TrailerLen(tail)
	if err != nil {
		return 0, wire.Moved(err, at)
	}
	least := int64(minTrailer)
	if h.beta() {
		least = minBetaTrailer
	}
	if size < least || size > h.frameLen-h.headerLen {
		return 0, cairn.Corruptf(layerTrailer, at+1,
			"length %d is not in %d to %d", size, least, h.frameLen-h.headerLen)
	}
	return size, nil
}

// parseTrailer returns the metalayers in a trailer, whose contents are chunks. Only the trailer
// tells the generations 2 and 3 apart.
func (h *header) parseTrailer(raw []byte) ([]meta.Layer, error) {
	parse := meta.ParseTrailer
	if h.beta() {
		parse = parseUsermeta
		if raw[atTrailerVersion] > 0 {
			h.generation = Beta3
		}
	}
	vl, err := parse(raw)
	return vl, wire.Moved(err, h.frameLen-int64(len(raw)))
}

// beta reports whether the trailer has user metadata instead of metalayers.
func (h *header) beta() bool { return h.generation == Beta2 || h.generation == Beta3 }
