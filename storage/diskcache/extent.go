package diskcache

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"strconv"
	"strings"
)

// An extent is a range of a source in a file of its own:
//
//	0    8  magic
//	8   32  key of the source
//	40   8  offset of the range in the source
//	48   8  size of the range, n
//	56  4p  CRC-32C of each page of the range, p = ceil(n/16 KiB)
//	     4  CRC-32C of all above
//	     n  the range
//
// Numbers are little-endian. The name of the file repeats which range it is.
type extent struct{ off, n int64 }

func (e extent) end() int64 { return e.off + e.n }

const (
	magic     = "cairnext"
	pageSize  = 16 << 10
	maxExtent = 8 << 20
)

// A key identifies a version of a source: the SHA-256 of what names it.
type key [32]byte

// errDamaged says that a file is not what its name says.
var errDamaged = errors.New("damaged")

// valid reports whether there may be such an extent.
func (e extent) valid() bool {
	return e.off >= 0 && e.n > 0 && e.n <= maxExtent && e.off <= math.MaxInt64-e.n
}

// headSize returns the number of bytes before the range.
func (e extent) headSize() int64 { return 56 + 4*((e.n-1)/pageSize+1) + 4 }

// checksum returns the CRC-32C of b.
func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// head returns the bytes before the range.
func (e extent) head(k key, data []byte) []byte {
	b := make([]byte, 0, e.headSize())
	b = append(append(b, magic...), k[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(e.off))
	b = binary.LittleEndian.AppendUint64(b, uint64(e.n))

	for ; len(data) > 0; data = data[min(pageSize, len(data)):] {
		b = binary.LittleEndian.AppendUint32(b, checksum(data[:min(pageSize, len(data))]))
	}
	return binary.LittleEndian.AppendUint32(b, checksum(b))
}

// readFrom fills p with the bytes at an offset of the source from a file of size bytes. The extent
// is valid and has them. The error is errDamaged unless reading fails.
func (e extent) readFrom(file io.ReaderAt, size int64, k key, p []byte, off int64) error {
	head := make([]byte, e.headSize())
	if size != int64(len(head))+e.n {
		return errDamaged
	}

	if _, err := io.ReadFull(io.NewSectionReader(file, 0, size), head); err != nil {
		return err
	}

	last := len(head) - 4
	if string(head[:8]) != magic || key(head[8:40]) != k || binary.LittleEndian.Uint64(head[40:]) != uint64(e.off) ||
		binary.LittleEndian.Uint64(head[48:]) != uint64(e.n) ||
		binary.LittleEndian.Uint32(head[last:]) != checksum(head[:last]) {
		return errDamaged
	}

	first := (off - e.off) / pageSize
	from := first * pageSize
	to := min(e.n, ((off-e.off+int64(len(p))-1)/pageSize+1)*pageSize)
	pages := make([]byte, to-from)
	if _, err := io.ReadFull(io.NewSectionReader(file, int64(len(head))+from, to-from), pages); err != nil {
		return err
	}

	for at := 0; at < len(pages); at += pageSize {
		want := binary.LittleEndian.Uint32(head[56+4*(first+int64(at/pageSize)):])
		if checksum(pages[at:min(len(pages), at+pageSize)]) != want {
			return errDamaged
		}
	}
	copy(p, pages[off-e.off-from:])
	return nil
}

// A place is what the name of a file says: SOURCE-VERSION-OFFSET-SIZE, all in hexadecimal.
type place struct {
	source  [16]byte // of the hash of the source, whichever version
	version [16]byte // of the key
	extent
}

// folder returns the name of the directory, one of 256.
func (p *place) folder() string { return hex.EncodeToString(p.source[:1]) }

func (p *place) name() string {
	return hex.EncodeToString(p.source[:]) + "-" + hex.EncodeToString(p.version[:]) + "-" +
		strconv.FormatInt(p.off, 16) + "-" + strconv.FormatInt(p.n, 16)
}

// parsePlace parses a name.
func parsePlace(name string) (p place, ok bool) {
	parts := strings.Split(name, "-")
	if len(parts) != 4 || len(parts[0]) != 32 || len(parts[1]) != 32 {
		return p, false
	}

	_, err := hex.Decode(p.source[:], []byte(parts[0]))
	if err != nil {
		return p, err == nil && p.valid() && p.name() == name
	}

	_, err = hex.Decode(p.version[:], []byte(parts[1]))
	if err != nil {
		return p, err == nil && p.valid() && p.name() == name
	}

	p.off, err = strconv.ParseInt(parts[2], 16, 64)
	if err != nil {
		return p, err == nil && p.valid() && p.name() == name
	}

	p.n, err = strconv.ParseInt(parts[3], 16, 64)
	return p, err == nil && p.valid() && p.name() == name
}
