package codecs

import (
	"encoding/binary"
	"errors"

	"github.com/cairn-go/cairn/codecs/deflate"
	"github.com/klauspost/compress/zlib"
)

// errFull ends an encoding whose output does not fit.
var errFull = errors.New("output does not fit")

// A boundedWriter collects what is written to it in a buffer that does not grow.
type boundedWriter struct {
	buf []byte
	n   int
}

// Write implements [io.Writer]. It fails as a whole if p does not fit.
func (w *boundedWriter) Write(p []byte) (int, error) {
	if len(p) > len(w.buf)-w.n {
		return 0, errFull
	}
	w.n += copy(w.buf[w.n:], p)
	return len(p), nil
}

// A zlibEncoder makes RFC 1950 streams.
type zlibEncoder struct {
	z *zlib.Writer
	w boundedWriter
}

// zlibLevels maps a level to the library's. The two scales differ: this one picks the fastest of the library's levels whose
// streams of shuffled arrays are about as short as those of C-Blosc2.
var zlibLevels = [10]int{1, 1, 6, 6, 6, 7, 8, 8, 8, 9}

func newZlibEncoder(p Params) (Encoder, error) {
	if err := checkLevel(p.Level); err != nil {
		return nil, err
	}
	if err := noDict("zlib", "encoding", p); err != nil {
		return nil, err
	}
	e := new(zlibEncoder)
	z, err := zlib.NewWriterLevel(&e.w, zlibLevels[p.Level])
	if err != nil {
		return nil, err
	}
	e.z = z
	return e, nil
}

// Encode implements [Encoder].
func (e *zlibEncoder) Encode(dst, src []byte) (int, error) {
	e.w = boundedWriter{buf: dst}
	defer func() { e.w.buf = nil }()
	e.z.Reset(&e.w)
	_, err := e.z.Write(src)
	if err == nil {
		err = e.z.Close()
	}
	if errors.Is(err, errFull) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return e.w.n, nil
}

// A zlibDecoder decodes RFC 1950 streams.
type zlibDecoder struct{ d deflate.Decoder }

func newZlibDecoder(p Params) (Decoder, error) {
	if err := noDict("zlib", "decoding", p); err != nil {
		return nil, err
	}
	return new(zlibDecoder), nil
}

// A zlib stream is CMF, FLG, deflate data, and the Adler-32 of the decoded bytes, most significant byte first.
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
