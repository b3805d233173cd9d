package zarr

import (
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/asm/crc32c"
	"github.com/cairn-go/cairn/internal/fletcher"
	"github.com/cairn-go/cairn/meta"
)

// A checksum is a stage that adds four bytes, least significant first: crc32c of version 3, which
// is at the end, and the checksums of numcodecs.
type checksum struct {
	name  string
	start bool // the sum precedes the bytes
	of    func(b []byte) uint32
}

// checksums has all checksums, under the names of numcodecs, where they are unless the
// configuration says otherwise.
var checksums = [...]checksum{
	{"crc32c", false, func(b []byte) uint32 { return crc32c.Update(0, b) }},
	{"crc32", true, crc32.ChecksumIEEE},
	{"adler32", true, adler32.Checksum},
	{"fletcher32", false, fletcher.Sum32},
}

const checksumSize = 4

func checksumOf(name string, c meta.Map) (stage, bool, error) {
	for _, s := range checksums {
		if s.name != name {
			continue
		}
		switch where := field(c, "location"); where {
		case nil:
		case "start", "end":
			s.start = where == "start"
		default:
			return nil, true, corrupt("location of %s is %s", name, brief(where))
		}
		return s, true, nil
	}
	return nil, false, nil
}

func (s checksum) encodedSize(n int64) int64 { return n + checksumSize }

func (s checksum) decoder() (decoder, error) { return s, nil }

func (s checksum) decode(dst, src []byte) ([]byte, error) {
	if len(src) != len(dst)+checksumSize {
		return nil, corruptChunk("%d bytes with a checksum, want %d", len(src), len(dst)+checksumSize)
	}

	sum := src[len(dst):]
	content := src[:len(dst)]
	if s.start {
		sum = src[:checksumSize]
		content = src[checksumSize:]
	}

	if s.of(content) != binary.LittleEndian.Uint32(sum) {
		e := cairn.Corruptf("Zarr chunk", -1, "%s does not match", s.name)
		e.Err = cairn.ErrChecksum
		return nil, e
	}
	return content, nil
}
