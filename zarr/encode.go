package zarr

import (
	"bytes"
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/pcodec"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/shuffle"
)

// An encoder encodes chunks. It must not be used concurrently.
type encoder struct {
	blosc  *chunk.Encoder
	stream codecs.Encoder // of Zstd or zlib
	// whether the stream is one of zlib, and whether it becomes one of gzip
	deflates, gzip bool
	numbers        *pcodec.Encoder
	buf            []byte
}

func (p *packing) encoder() (*encoder, error) {
	switch p.kind {
	case Blosc:
		e, err := chunk.NewEncoder(&chunk.Options{TypeSize: p.item, Codec: p.codec, Level: p.level, Blosc1: true,
			Filters: []shuffle.Spec{p.filter}})
		return &encoder{blosc: e}, err
	case Zstd:
		e, err := streamEncoder(codecs.Zstd, p.level)
		return &encoder{stream: e}, err
	case Gzip, Zlib:
		e, err := streamEncoder(codecs.Zlib, p.level)
		return &encoder{stream: e, deflates: true, gzip: p.kind == Gzip}, err
	case Pcodec:
		return &encoder{numbers: pcodec.NewEncoder(p.number, p.level)}, nil
	}
	return &encoder{}, nil
}

func streamEncoder(c codecs.Codec, level int) (codecs.Encoder, error) {
	row, err := (*codecs.Registry)(nil).Lookup(c.ID())
	if err != nil {
		return nil, err
	}
	return row.NewEncoder(codecs.Params{Level: level, TypeSize: 1})
}

// encode returns an encoded chunk in memory of its own.
func (e *encoder) encode(items []byte) ([]byte, error) {
	switch {
	case e.blosc != nil:
		var err error
		e.buf, err = e.blosc.Append(e.buf[:0], items)
		return bytes.Clone(e.buf), err

	case e.deflates:
		return e.deflated(items)

	case e.numbers != nil:
		e.buf = e.numbers.Append(e.buf[:0], items)
		return bytes.Clone(e.buf), nil

	case e.stream != nil:
		// Blocks that gain nothing are stored.
		e.buf = slab.Resize(e.buf, int64(len(items)+len(items)/256+64))
		n, err := e.stream.Encode(e.buf, items)
		if err == nil && n == 0 {
			err = corruptChunk("%d bytes cannot be compressed", len(items))
		}
		return bytes.Clone(e.buf[:n]), err
	}
	return bytes.Clone(items), nil
}

// Zlib and gzip wrap a stream of deflate (RFC 1951):
//
//	zlib   78 and flags; the stream; Adler-32 (RFC 1950)
//	gzip   1f 8b 08, flags, time, hints; the stream; CRC-32, size (RFC 1952)
const (
	zlibHead = 2
	zlibTail = 4
	gzipHead = 10

	mostStored = 1<<16 - 1 // bytes of a stored block
)

// deflated returns a zlib stream or a gzip member. Bytes that do not compress are stored.
func (e *encoder) deflated(items []byte) ([]byte, error) {
	e.buf = slab.Resize(e.buf, int64(gzipHead+len(items)))
	n, err := e.stream.Encode(e.buf[gzipHead-zlibHead:], items)
	if err != nil {
		return nil, err
	}

	b := e.buf[:gzipHead-zlibHead+n]
	if n == 0 {
		b = appendStored(b, items)
	}
	if !e.gzip {
		return bytes.Clone(b[gzipHead-zlibHead:]), nil
	}

	const unknownSystem = 255
	copy(b, []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, unknownSystem})
	b = b[:len(b)-zlibTail]
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(items))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(items)))
	return bytes.Clone(b), nil
}

// appendStored appends a zlib stream of stored blocks: whether it is the last one, the length, its
// complement, and the bytes.
func appendStored(b, items []byte) []byte {
	b = append(b, 0x78, 0x01)
	sum := adler32.Checksum(items)

	for last := byte(0); last == 0; {
		n := min(len(items), mostStored)
		if n == len(items) {
			last = 1
		}
		b = append(b, last)
		b = binary.LittleEndian.AppendUint16(b, uint16(n))
		b = binary.LittleEndian.AppendUint16(b, ^uint16(n))
		b = append(b, items[:n]...)
		items = items[n:]
	}
	return binary.BigEndian.AppendUint32(b, sum)
}

// constant reports whether all items are equal to one.
func constant(items, item []byte) bool {
	return len(items) >= len(item) && bytes.Equal(items[:len(item)], item) &&
		bytes.Equal(items[:len(items)-len(item)], items[len(item):])
}
