package codecs

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	"github.com/cairn-go/cairn/codecs/internal/deflate"
)

// A gzip member is a header, deflate data, and the CRC-32 and the size of the content, least
// significant byte first (RFC 1952 §2.3).
const (
	gzipMagic      = "\x1f\x8b\x08" // and the method, deflate
	gzipHeaderLen  = 10
	gzipTrailerLen = 8

	gzipHeaderSum = 1 << 1 // flags: a checksum of the header, 2 bytes
	gzipExtra     = 1 << 2 // a length of 2 bytes, and so many bytes
	gzipName      = 1 << 3 // text up to a zero byte
	gzipComment   = 1 << 4 // text up to a zero byte
)

var errGzip = errors.New("bad gzip header")

// NewGzipDecoder returns a decoder of gzip streams (RFC 1952). Blosc has none; other formats that
// compress chunks do.
func NewGzipDecoder() Decoder { return new(gzipDecoder) }

type gzipDecoder struct{ d deflate.Decoder }

// Decode implements [Decoder].
func (g *gzipDecoder) Decode(dst, src []byte) error {
	at := gzipHeader(src)
	if at < 0 || len(src)-at < gzipTrailerLen {
		return broken("gzip", errGzip)
	}

	n, err := g.d.Decode(dst, src[at:])
	if at += n; err != nil || len(src)-at != gzipTrailerLen {
		if err := severalMembers(dst, src); err != nil {
			return broken("gzip", err)
		}
		return nil
	}

	if binary.LittleEndian.Uint32(src[at:]) != crc32.ChecksumIEEE(dst) ||
		binary.LittleEndian.Uint32(src[at+4:]) != uint32(len(dst)) {
		return broken("gzip", gzip.ErrChecksum)
	}
	return nil
}

// gzipHeader returns the length of the header, or -1.
func gzipHeader(src []byte) int {
	if len(src) < gzipHeaderLen || string(src[:3]) != gzipMagic {
		return -1
	}
	flags := src[3]

	at := gzipHeaderLen
	if flags&gzipExtra != 0 {
		if len(src)-at < 2 {
			return -1
		}
		at += 2 + int(binary.LittleEndian.Uint16(src[at:]))
	}

	for _, flag := range []byte{gzipName, gzipComment} {
		if flags&flag == 0 {
			continue
		}
		n := bytes.IndexByte(src[min(at, len(src)):], 0)
		if n < 0 {
			return -1
		}
		at += n + 1
	}

	if flags&gzipHeaderSum != 0 {
		at += 2
	}

	if at > len(src) {
		return -1
	}
	return at
}

// severalMembers decodes a stream of any number of members, and returns nil if it fills dst.
func severalMembers(dst, src []byte) error {
	r, err := gzip.NewReader(bytes.NewReader(src))
	if err != nil {
		return err
	}

	if _, err := io.ReadFull(r, dst); err != nil {
		return err
	}

	n, err := io.ReadFull(r, make([]byte, 1))
	if n == 0 && err == io.EOF {
		return nil
	}
	return errors.Join(deflate.ErrLong, err)
}
