package zarr

import (
	"encoding/binary"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/pcodec"
	"github.com/cairn-go/cairn/internal/streams"
)

// Compressors. Their streams say all that decoding takes, so their configuration is not read.
//
//	blosc   a chunk of Blosc 1: package chunk
//	zstd    frames (RFC 8878)
//	gzip    members (RFC 1952)
//	zlib    a stream (RFC 1950)
//	lz4     numcodecs: i32 decoded size, then an LZ4 block
//	bz2     streams of bzip2
//	pcodec  standalone files of Pcodec: package pcodec

// A compressor is a stage that compresses bytes.
type compressor struct {
	name string
	most int64 // bytes that one byte may stand for
	make func() (codecs.Decoder, error)
	// size returns the decoded size that a stream states; nil if it does not
	size func(src []byte) (int64, bool)
}

// compressors has all compressors, under the names of numcodecs.
var compressors = [...]compressor{
	{"blosc", zstdRatio, newBlosc, bloscSize},
	{"zstd", zstdRatio, newZstd, zstdSize},
	{"gzip", deflateRatio, func() (codecs.Decoder, error) { return codecs.NewGzipDecoder(), nil }, gzipSize},
	{"zlib", deflateRatio, builtIn(codecs.Zlib), nil},
	{"lz4", lz4Ratio, newLZ4, lz4Size},
	{"bz2", bzip2Ratio, func() (codecs.Decoder, error) { return bzip2Decoder{}, nil }, nil},
	{pcodecName, pcodecRatio, func() (codecs.Decoder, error) { return &pcodec.Decoder{}, nil }, nil},
}

// How many bytes one byte may stand for at most, or more.
const (
	lz4Ratio     = 256
	deflateRatio = 1100
	zstdRatio    = 128 << 10 / 3 // a block of one repeated byte takes 4 bytes
	bzip2Ratio   = 1 << 20
	pcodecRatio  = 1 << 23 // a chunk of 2^24 equal numbers of 8 bytes takes 30 bytes
)

// pcodecName is the name of the compressor that is of numbers in version 3, and not of bytes.
const pcodecName = "pcodec"

func compressorOf(name string) (stage, bool) {
	for i := range compressors {
		if compressors[i].name == name {
			return &compressors[i], true
		}
	}
	return nil, false
}

func (c *compressor) encodedSize(int64) int64 { return -1 }
func (c *compressor) ratio() int64            { return c.most }

func (c *compressor) decodedSize(src []byte) (int64, error) {
	if c.size == nil {
		return 0, unsupported("%s before another compressor", c.name)
	}
	n, ok := c.size(src)
	if !ok {
		return 0, corruptChunk("%s stream without its size", c.name)
	}
	return n, nil
}

func (c *compressor) decoder() (decoder, error) {
	d, err := c.make()
	return decompressor{d}, err
}

// decompressor is a decoder for a codec.
type decompressor struct{ d codecs.Decoder }

func (d decompressor) decode(dst, src []byte) ([]byte, error) { return dst, d.d.Decode(dst, src) }

// builtIn returns a function that makes decoders of a codec of the table.
func builtIn(c codecs.Codec) func() (codecs.Decoder, error) {
	return func() (codecs.Decoder, error) {
		row, err := (*codecs.Registry)(nil).Lookup(c.ID())
		if err != nil {
			return nil, err
		}
		return row.NewDecoder(codecs.Params{TypeSize: 1})
	}
}

// partial returns a decoder of a codec of the table that decodes parts of streams.
func partial(c codecs.Codec) (codecs.RangeDecoder, error) {
	d, err := builtIn(c)()
	if err != nil {
		return nil, err
	}
	return d.(codecs.RangeDecoder), nil
}

// zstd decodes Zstandard frames. Of those without a checksum it decodes parts.
type zstd struct{ codecs.RangeDecoder }

func newZstd() (codecs.Decoder, error) {
	d, err := partial(codecs.Zstd)
	return zstd{d}, err
}

// DecodeRange implements [codecs.RangeDecoder].
func (z zstd) DecodeRange(dst, src []byte, from, to int) error {
	if n, ok := zstdSize(src); !ok || n != int64(len(dst)) || src[4]&streams.ZstdChecksum != 0 {
		return z.Decode(dst, src)
	}
	return z.RangeDecoder.DecodeRange(dst, src, from, to)
}

// blosc decodes chunks of Blosc 1.
type blosc struct{ d *chunk.Decoder }

func newBlosc() (codecs.Decoder, error) { return blosc{chunk.NewDecoder(nil)}, nil }

// lastBlosc1 is the highest version in headers of Blosc 1.
const lastBlosc1 = 2

// Decode implements [codecs.Decoder].
func (b blosc) Decode(dst, src []byte) error {
	_, err := bloscHeader(int64(len(dst)), src)
	if err != nil {
		return err
	}

	_, err = b.d.Decode(dst, src)
	return err
}

// DecodeRange implements [codecs.RangeDecoder]; it decodes the blocks of the range.
func (b blosc) DecodeRange(dst, src []byte, from, to int) error {
	h, err := bloscHeader(int64(len(dst)), src)
	if err != nil {
		return err
	}

	item := int(h.TypeSize)
	first := from / item
	last := (to + item - 1) / item
	if last*item > len(dst) {
		return b.Decode(dst, src)
	}

	_, err = b.d.DecodeItems(dst[first*item:last*item], src, first, last)
	return err
}

// bloscHeader returns the header of a chunk of Blosc 1 that decodes to size bytes.
func bloscHeader(size int64, src []byte) (chunk.Header, error) {
	h, err := chunk.ParseHeader(src)
	switch {
	case err != nil:
	case h.Version > lastBlosc1:
		err = unsupported("a chunk of Blosc2 where one of Blosc 1 belongs")
	case int64(h.NBytes) != size:
		err = corruptChunk("blosc chunk of %d bytes, want %d", h.NBytes, size)
	}
	return h, err
}

func bloscSize(src []byte) (int64, bool) {
	h, err := chunk.ParseHeader(src)
	return int64(h.NBytes), err == nil
}

// lz4 decodes what numcodecs calls LZ4.
type lz4 struct{ d codecs.RangeDecoder }

const lz4Head = 4

func newLZ4() (codecs.Decoder, error) {
	d, err := partial(codecs.LZ4)
	return lz4{d}, err
}

// Decode implements [codecs.Decoder].
func (l lz4) Decode(dst, src []byte) error {
	err := l.check(dst, src)
	if err != nil {
		return err
	}

	return l.d.Decode(dst, src[lz4Head:])
}

// DecodeRange implements [codecs.RangeDecoder].
func (l lz4) DecodeRange(dst, src []byte, from, to int) error {
	err := l.check(dst, src)
	if err != nil {
		return err
	}

	return l.d.DecodeRange(dst, src[lz4Head:], from, to)
}

func (lz4) check(dst, src []byte) error {
	if n, ok := lz4Size(src); !ok || n != int64(len(dst)) {
		return corruptChunk("lz4 stream of %d bytes, want %d", n, len(dst))
	}
	return nil
}

func lz4Size(src []byte) (int64, bool) {
	if len(src) < lz4Head {
		return 0, false
	}
	return int64(int32(binary.LittleEndian.Uint32(src))), true
}

// gzipSize returns the last four bytes, which are the size if there is one member of less than 4
// GiB.
func gzipSize(src []byte) (int64, bool) {
	if len(src) < 18 {
		return 0, false
	}
	return int64(binary.LittleEndian.Uint32(src[len(src)-4:])), true
}

// zstdSize returns the content size of the first frame.
func zstdSize(src []byte) (int64, bool) {
	n, err := streams.ZstdSize(src)
	return n, err == nil && n < 1<<62
}

// bzip2Decoder decodes streams of bzip2.
type bzip2Decoder struct{}

func (bzip2Decoder) Decode(dst, src []byte) error {
	if err := streams.Bunzip2(dst, src); err != nil {
		return corruptChunk("bz2 stream: %v", err)
	}
	return nil
}
