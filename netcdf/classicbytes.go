package netcdf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/cairn-go/cairn"
)

// layerClassic is the layer of errors about the header of a classic file.
const layerClassic = "NetCDF header"

// headBytes is how much of a file is read at first. Headers of up to this size take one read.
const headBytes = 8 << 10

// classicBytes reads a header, whose size is known only once it has been read. After an error every
// read returns zeros.
type classicBytes struct {
	r     io.ReaderAt
	size  int64  // of the file
	limit int64  // on the header
	have  []byte // the first bytes of the file
	at    int
	err   error
	wide  bool // CDF-5: counts have 8 bytes
}

// take returns the next n bytes, or nil after an error.
func (b *classicBytes) take(n int64) []byte {
	if b.err == nil {
		b.err = b.fill(int64(b.at), n)
	}
	if b.err != nil {
		return nil
	}
	b.at += int(n)
	return b.have[b.at-int(n) : b.at]
}

// fill reads what is missing of n bytes at an offset.
func (b *classicBytes) fill(at, n int64) error {
	switch {
	case n < 0 || n > b.size-at:
		e := cairn.Corruptf(layerClassic, at, "%d bytes are missing: the file ends at byte %d", n-(b.size-at), b.size)
		e.Err = io.ErrUnexpectedEOF
		return e
	case n > b.limit-at:
		return fmt.Errorf("a NetCDF header of more than %d bytes: %w", b.limit, cairn.ErrLimit)
	}

	have := int64(len(b.have))
	want := at + n
	if want <= have {
		return nil
	}
	want = min(max(want, 2*have, headBytes), b.size, max(b.limit, want))

	more := make([]byte, want)
	copy(more, b.have)
	if n, err := b.r.ReadAt(more[have:], have); int64(n) < want-have {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("reading the NetCDF header at byte %d: %w", have+int64(n), err)
	}

	b.have = more
	return nil
}

// fail notes that the value that ends here is wrong.
func (b *classicBytes) fail(at int, format string, args ...any) {
	if b.err == nil {
		b.err = cairn.Corruptf(layerClassic, int64(at), format, args...)
	}
}

func (b *classicBytes) uint32() uint32 {
	if raw := b.take(4); raw != nil {
		return binary.BigEndian.Uint32(raw)
	}
	return 0
}

func (b *classicBytes) uint64() uint64 {
	if raw := b.take(8); raw != nil {
		return binary.BigEndian.Uint64(raw)
	}
	return 0
}

// word reads a number of 4 bytes, or 8 in CDF-5.
func (b *classicBytes) word() uint64 {
	if b.wide {
		return b.uint64()
	}
	return uint64(b.uint32())
}

// count reads the length of something that has at least the given number of bytes per element, so
// that no more can follow than the file has.
func (b *classicBytes) count(what string, each int64) int64 {
	at := b.at
	n := b.word()
	if b.err == nil && n > uint64(b.size-int64(b.at))/uint64(each) {
		e := cairn.Corruptf(layerClassic, int64(at), "%d %s, but the file ends at byte %d", n, what, b.size)
		e.Err = io.ErrUnexpectedEOF
		b.err = e
	}

	if b.err != nil {
		return 0
	}
	return int64(n)
}

// name reads a name.
func (b *classicBytes) name() string {
	at := b.at
	raw := b.padded(b.count("bytes of a name", 1))
	if b.err == nil && len(raw) == 0 {
		b.fail(at, "an empty name")
	}
	if b.err == nil && (bytes.IndexByte(raw, 0) >= 0 || bytes.IndexByte(raw, '/') >= 0) {
		b.fail(at, "the name %q", raw)
	}
	return string(raw)
}

// padded reads n bytes, and those up to the next multiple of 4.
func (b *classicBytes) padded(n int64) []byte {
	raw := b.take(n)
	b.take(-n & 3)
	return raw
}

// Tags of lists. An absent list has the tag 0.
const (
	tagDimension = 10
	tagVariable  = 11
	tagAttribute = 12
)

// list reads the beginning of a list and returns the number of its elements.
func (b *classicBytes) list(what string, tag uint32, each int64) int64 {
	at := b.at
	got := b.uint32()
	n := b.count(what, each)
	if b.err == nil && got != tag && !(got == 0 && n == 0) {
		b.fail(at, "the list of %s begins with tag %d, want %d", what, got, tag)
	}
	return n
}
