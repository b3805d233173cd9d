package metalist

import (
	"encoding/binary"

	"github.com/cairn-go/cairn/internal/wire"
	"github.com/cairn-go/cairn/meta"
)

// A trailer (docs/format/metalayers.md):
//
//	94  01                    array of 4, trailer version
//	93 cd … dc …              the layers, as in layers.go; offsets count from the 94
//	ce  trailer_len  u32      23 bytes before the end of the frame
//	d8  00  16 x 00           fingerprint: type 0 = none
const (
	trailerVersion    = 1
	beta2Trailer      = 0x0d // marker of the trailers of version 0
	trailerLayersAt   = 2
	fingerprintSize   = 16
	trailerTail       = 5 + 2 + fingerprintSize // from the ce to the end
	minTrailer        = trailerLayersAt + layerIndexFixed + layerArrayFixed + trailerTail
	minUsermeta       = trailerLayersAt + layerValueFixed + trailerTail
	trailerLayerLabel = "frame trailer"
)

// TrailerTail is the number of bytes from the marker of the trailer's length to the end of the
// frame: the length itself is the big-endian 32-bit integer 22 bytes before the end.
const TrailerTail = trailerTail

// TrailerSize returns the number of bytes that [AppendTrailer] appends.
func TrailerSize(layers []meta.Layer) int64 {
	return trailerLayersAt + Size(layers) + trailerTail
}

// AppendTrailer appends a complete trailer. The contents are Blosc2 chunks. The layers must satisfy
// [Validate], with [MaxVLLayersPortable] if C-Blosc2 must be able to change the frame.
func AppendTrailer(dst []byte, layers []meta.Layer) []byte {
	dst = append(dst, wire.TagFixArray|4, trailerVersion)
	dst = appendLayers(dst, trailerLayersAt, indexSize(layers)-1, layers)
	dst = wire.AppendUint32(dst, uint32(TrailerSize(layers)))
	dst = append(dst, wire.TagFixExt16, 0)
	return append(dst, make([]byte, fingerprintSize)...)
}

// ParseTrailer parses a complete trailer: b is everything from its first byte to the end of the
// frame. The contents are Blosc2 chunks and alias b. The fingerprint is ignored, since no release
// computes one. Errors are [cairn.CorruptError]s of layer "frame trailer" with offsets in b.
func ParseTrailer(b []byte) ([]meta.Layer, error) {
	if err := checkTrailerEnds(b, minTrailer, wire.TagFixArray|4); err != nil {
		return nil, err
	}
	// Contents must end before the tail.
	return parseLayers(trailerLayerLabel, b[:len(b)-trailerTail], trailerLayersAt, MaxVLLayers)
}

// ParseUsermetaTrailer parses the trailer of C-Blosc2 2.0.0-beta.2 to beta.5, which has one unnamed
// chunk instead of the layers. Version 0, of beta.2, has 0d instead of 94. It returns that chunk,
// which aliases b and may be empty.
func ParseUsermetaTrailer(b []byte) ([]byte, error) {
	marker := byte(wire.TagFixArray | 4)
	if len(b) > 1 && b[1] == 0 {
		marker = beta2Trailer
	}
	if err := checkTrailerEnds(b, minUsermeta, marker); err != nil {
		return nil, err
	}

	r := wire.NewReader(trailerLayerLabel, b[:len(b)-trailerTail], trailerLayersAt)
	r.Expect(wire.TagBin32, "marker of the user metadata")
	content := r.Bytes(int64(r.Int32BE()))
	return content, r.Err()
}

// checkTrailerEnds checks the bytes before and after the contents of a trailer. Like C-Blosc2 it
// ignores the version.
func checkTrailerEnds(b []byte, least int, marker byte) error {
	r := wire.NewReader(trailerLayerLabel, b, 0)
	if len(b) < least {
		r.Failf(0, "%d bytes, at least %d are needed", len(b), least)
		return r.Err()
	}

	r.Expect(marker, "marker of the trailer")
	r.Seek(len(b) - trailerTail)
	r.Expect(wire.TagUint32, "marker of the trailer length")

	at := r.Pos()
	if size := r.Uint32BE(); int64(size) != int64(len(b)) {
		r.Failf(at, "trailer length is %d, but the trailer has %d bytes", size, len(b))
	}

	r.Expect(wire.TagFixExt16, "marker of the fingerprint")
	return r.Err()
}

// TrailerLen parses the length of the trailer from the last [TrailerTail] bytes of a frame. Offsets
// in errors are relative to tail.
func TrailerLen(tail []byte) (int64, error) {
	r := wire.NewReader(trailerLayerLabel, tail, 0)
	if len(tail) != trailerTail {
		r.Failf(0, "%d bytes at the end, want %d", len(tail), trailerTail)
		return 0, r.Err()
	}

	r.Expect(wire.TagUint32, "marker of the trailer length")
	if err := r.Err(); err != nil {
		return 0, err
	}
	return int64(binary.BigEndian.Uint32(tail[1:])), nil
}
