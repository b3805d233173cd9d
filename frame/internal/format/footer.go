package format

import (
	"encoding/binary"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/asm/crc32c"
	"github.com/cairn-go/cairn/internal/wire"
)

// A footer follows every chunk; for C-Blosc2 these are dead bytes (docs/format/frame.md). A footer
// contains no offsets, so it stays valid when C-Blosc2 moves the chunks behind one that it
// replaces:
//
//	00  c3 b2        magic
//	02  01           version
//	03  00           kind: checksum of a whole chunk
//	04  crc32c  u32  little-endian, of the chunk's bytes
const (
	FooterSize  = 8
	FooterMagic = "\xc3\xb2\x01\x00"
)

// Checksum returns the CRC-32C of b.
func Checksum(b []byte) uint32 { return crc32c.Update(0, b) }

// Mismatch returns the error for bytes of a layer at an offset that have the checksum sum instead
// of want.
func Mismatch(layer string, at int64, sum, want uint32) error {
	e := cairn.Corruptf(layer, at, "its bytes have the checksum %08x, not %08x", sum, want)
	return wire.Because(e, cairn.ErrChecksum)
}

// AppendFooter appends the footer of a chunk with the given checksum.
func AppendFooter(dst []byte, sum uint32) []byte {
	return binary.LittleEndian.AppendUint32(append(dst, FooterMagic...), sum)
}

// ParseFooter returns the checksum in a footer; ok is false if b does not begin with a footer.
func ParseFooter(b []byte) (sum uint32, ok bool) {
	if len(b) < FooterSize || string(b[:4]) != FooterMagic {
		return 0, false
	}
	return binary.LittleEndian.Uint32(b[4:]), true
}
