package store

import (
	"encoding/binary"
	"io"

	"github.com/cairn-go/cairn"
)

// An ending is the end-of-central-directory record of an archive.
type ending struct {
	records   uint64
	from, len uint64 // of the directory
	at        int64  // where the directory ends
}

// readEnding reads the end of an archive of size bytes that has a comment of the given length.
func readEnding(r io.ReaderAt, size int64, comment int) (*ending, error) {
	at := size - endLen - int64(comment)
	b := make([]byte, endLen)
	if at < 0 {
		return nil, cairn.Corruptf("archive", -1, "no end")
	}
	if _, err := r.ReadAt(b, at); err != nil {
		return nil, err
	}

	le := binary.LittleEndian
	if le.Uint32(b) != endMark || int(le.Uint16(b[20:])) != comment {
		return nil, cairn.Corruptf("archive", at, "bytes behind the end, which belong to nothing")
	}

	e := &ending{at: at, records: uint64(le.Uint16(b[10:])),
		len: uint64(le.Uint32(b[12:])), from: uint64(le.Uint32(b[16:]))}
	if le.Uint32(b[4:]) != 0 || le.Uint16(b[8:]) != le.Uint16(b[10:]) {
		return nil, cairn.Corruptf("archive", at, "the archive has several disks")
	}

	err := e.widen(r)
	return e, err
}

// widen replaces the numbers by those of the ZIP64 record, if there is one. Some readers use that
// record whenever it exists, others only if a number does not fit, so both must agree.
func (e *ending) widen(r io.ReaderAt) error {
	loc := make([]byte, locatorLen)
	if e.at < locatorLen {
		return nil
	}
	if _, err := r.ReadAt(loc, e.at-locatorLen); err != nil {
		return err
	}

	le := binary.LittleEndian
	if le.Uint32(loc) != locatorMark {
		return nil
	}

	b := make([]byte, end64Len)
	begin := le.Uint64(loc[8:])
	if begin > uint64(e.at) || e.at-locatorLen-int64(begin) < end64Len {
		return cairn.Corruptf("archive", e.at, "the ZIP64 end record cannot be at %d", begin)
	}
	if _, err := r.ReadAt(b, int64(begin)); err != nil {
		return err
	}

	records := le.Uint64(b[32:])
	length := le.Uint64(b[40:])
	from := le.Uint64(b[48:])
	same := func(narrow, none, wide uint64) bool { return narrow == none || narrow == wide }

	switch {
	case le.Uint32(b) != end64Mark || le.Uint64(b[4:]) != uint64(e.at-locatorLen)-begin-12:
		return cairn.Corruptf("archive", int64(begin), "no valid ZIP64 end record")
	case le.Uint32(loc[4:]) != 0 || le.Uint32(loc[16:]) != 1,
		le.Uint64(b[16:]) != 0 || le.Uint64(b[24:]) != records:
		return cairn.Corruptf("archive", int64(begin), "the archive has several disks")
	case !same(e.records, elsewhere16, records),
		!same(e.len, elsewhere32, length) || !same(e.from, elsewhere32, from):
		return cairn.Corruptf("archive", int64(begin), "the two end records differ")
	}

	e.records = records
	e.len = length
	e.from = from
	e.at = int64(begin)
	return nil
}
