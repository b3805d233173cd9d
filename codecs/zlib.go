package codecs

import (
	"encoding/binary"
	"errors"

	"github.com/cairn-go/cairn/codecs/internal/deflate"
)

// A zlibEncoder encodes RFC 1950 streams.
type zlibEncoder struct{ e *deflate.Encoder }

func newZlibEncoder(p Params) (Encoder, error) { return zlibEncoder{deflate.NewEncoder(p.Level)}, nil }

// zlibHead is the header of streams: a window of 32 KiB, and the default level, which decoders
// ignore.
const zlibHead = 0x789c

// Encode implements [Encoder]. Bytes that hardly compress are better stored, without a checksum.
func (e zlibEncoder) Encode(dst, src []byte) (int, error) {
	dst = dst[:min(len(dst), len(src)-len(src)/deflate.LeastGain)]
	if len(dst) < zlibHeaderLen+zlibTrailerLen {
		return 0, nil
	}

	n := e.e.Encode(dst[zlibHeaderLen:len(dst)-zlibTrailerLen], src)
	if n == 0 {
		return 0, nil
	}

	binary.BigEndian.PutUint16(dst, zlibHead)
	n += zlibHeaderLen
	binary.BigEndian.PutUint32(dst[n:], deflate.Adler32(src))
	return n + zlibTrailerLen, nil
}

// A zlibDecoder decodes RFC 1950 streams.
type zlibDecoder struct{ d deflate.Decoder }

func newZlibDecoder(Params) (Decoder, error) { return new(zlibDecoder), nil }

// A zlib stream is CMF, FLG, deflate data, and the Adler-32 of the decoded bytes, most significant
// byte first.
const (
	zlibHeaderLen  = 2
	zlibTrailerLen = 4
	zlibDeflate    = 8    // low four bits of CMF: method
	zlibMaxWindow  = 7    // high four bits of CMF: log2 of the window less 8
	zlibPreset     = 0x20 // bit of FLG: a preset dictionary, which Blosc never uses
)

var (
	errZlibHeader  = errors.New("bad zlib header")
	errZlibTrailer = errors.New("bytes missing or left over after the deflate data")
	errZlibSum     = errors.New("Adler-32 does not match")
)

// Decode implements [Decoder].
func (d *zlibDecoder) Decode(dst, src []byte) error {
	if len(src) < zlibHeaderLen+zlibTrailerLen || src[0]&15 != zlibDeflate || src[0]>>4 > zlibMaxWindow ||
		src[1]&zlibPreset != 0 || binary.BigEndian.Uint16(src)%31 != 0 {
		return broken("zlib", errZlibHeader)
	}

	n, err := d.d.Decode(dst, src[zlibHeaderLen:])
	if err != nil {
		return broken("zlib", err)
	}
	if len(src)-zlibHeaderLen-n != zlibTrailerLen {
		return broken("zlib", errZlibTrailer)
	}
	if binary.BigEndian.Uint32(src[len(src)-zlibTrailerLen:]) != deflate.Adler32(dst) {
		return broken("zlib", errZlibSum)
	}
	return nil
}
