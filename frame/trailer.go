package frame

import (
	"fmt"
	"io"

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

// readTrailer returns where the trailer of the frame at offset at begins, counted from there, and
// the metalayers in it. Their contents are chunks.
func readTrailer(r io.ReaderAt, at int64, h *header, limit int64) (start int64, vl []meta.Layer, err error) {
	start, _, vl, err = readRawTrailer(r, at, h, limit)
	return start, vl, err
}

// readRawTrailer returns the bytes of the trailer too.
func readRawTrailer(r io.ReaderAt, at int64, h *header, limit int64) (start int64, raw []byte, vl []meta.Layer, err error) {
	if h.generation == Beta1 {
		return h.frameLen, nil, nil, nil
	}
	tailAt := h.frameLen - meta.TrailerTail
	if tailAt < h.headerLen {
		return 0, nil, nil, cairn.Corruptf(layerTrailer, at+h.headerLen, "no room between the header and the end of the frame")
	}
	tail, err := readFull(r, nil, at+tailAt, meta.TrailerTail)
	if err != nil {
		return 0, nil, nil, missing(err, layerTrailer, at+tailAt)
	}
	size, err := meta.TrailerLen(tail)
	if err != nil {
		return 0, nil, nil, wire.Moved(err, at+tailAt)
	}
	least := int64(minTrailer)
	if h.generation == Beta2 || h.generation == Beta3 {
		least = minBetaTrailer
	}
	if size < least || size > h.frameLen-h.headerLen {
		return 0, nil, nil, cairn.Corruptf(layerTrailer, at+tailAt+1, "length %d is not in %d to %d", size, least, h.frameLen-h.headerLen)
	}
	if size > limit {
		return 0, nil, nil, fmt.Errorf("trailer of %d bytes: %w: MaxTrailer is %d", size, cairn.ErrLimit, limit)
	}
	start = h.frameLen - size
	raw, err = readFull(r, nil, at+start, size)
	if err != nil {
		return 0, nil, nil, missing(err, layerTrailer, at+start)
	}
	parse := meta.ParseTrailer
	if h.generation == Beta2 || h.generation == Beta3 {
		parse = parseUsermeta
		if raw[atTrailerVersion] > 0 {
			h.generation = Beta3
		}
	}
	vl, err = parse(raw)
	return start, raw, vl, wire.Moved(err, at+start)
}
