package filter

import (
	"bytes"
	"compress/bzip2"
	"compress/zlib"
	"io"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/internal/streams"
)

// Deflate (filter 1) makes a zlib stream (RFC 1950) of a chunk. Its parameter is the level.
// BZip2 (filter 307) makes streams of bzip2. Neither states the decoded size.

// deflateSize decodes the stream to learn its size, which is necessary only if another compressor
// came before.
func deflateSize(f Filter, src []byte, most int) (int, error) {
	r, err := zlib.NewReader(bytes.NewReader(src))
	if err != nil {
		return 0, broken(f.ID, err)
	}
	return count(f, r, most)
}

// count returns the number of bytes that r has.
func count(f Filter, r io.Reader, most int) (int, error) {
	n, err := io.Copy(io.Discard, io.LimitReader(r, int64(most)+1))
	if err != nil {
		return 0, broken(f.ID, err)
	}
	return int(n), nil
}

func deflateDecode(w *workspace, f Filter, dst, src []byte) ([]byte, error) {
	return codecDecode(w, codecs.Zlib, f, dst, src)
}

// codecDecode decodes the stream of a codec.
func codecDecode(w *workspace, c codecs.Codec, f Filter, dst, src []byte) ([]byte, error) {
	d, err := w.decoder(c)
	if err != nil {
		return nil, err
	}
	if err := d.Decode(dst, src); err != nil {
		return nil, broken(f.ID, err)
	}
	return dst, nil
}

const defaultLevel = 6 // of zlib

func deflateEncode(w *workspace, f Filter, dst, src []byte) ([]byte, error) {
	level := defaultLevel
	if len(f.Params) > 0 {
		level = int(min(f.Params[0], 9))
	}
	return codecEncode(w, codecs.Zlib, level, dst, src)
}

// codecEncode encodes a stream of a codec.
func codecEncode(w *workspace, c codecs.Codec, level int, dst, src []byte) ([]byte, error) {
	e, err := w.encoder(c, level)
	if err != nil {
		return nil, err
	}

	dst = slab.Resize(dst, len(src))
	n, err := e.Encode(dst, src)
	if n == 0 || n >= len(src) {
		return nil, err
	}
	return dst[:n], err
}

func bzip2Size(f Filter, src []byte, most int) (int, error) {
	return count(f, bzip2.NewReader(bytes.NewReader(src)), most)
}

func bzip2Decode(_ *workspace, f Filter, dst, src []byte) ([]byte, error) {
	if err := streams.Bunzip2(dst, src); err != nil {
		return nil, broken(f.ID, err)
	}
	return dst, nil
}
