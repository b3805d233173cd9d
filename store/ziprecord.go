package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// The signatures of the records of an archive: "PK" and two more bytes. Package archive/zip reads
// the records to find the members; this package reads them to check that they agree with each
// other.
const (
	localMark = 0x04034b50 // local header, in front of a member
	// data descriptor, optional, behind a member whose size was unknown when its header was written
	descriptorMark = 0x08074b50
	directoryMark  = 0x02014b50 // record of a member in the directory
	endMark        = 0x06054b50 // end of the directory
	end64Mark      = 0x06064b50 // ZIP64 end of the directory
	locatorMark    = 0x07064b50 // locator of the ZIP64 end
)

// Lengths in bytes of the fixed parts of the records.
const (
	localLen     = 30
	directoryLen = 46
	endLen       = 22
	end64Len     = 56
	locatorLen   = 20
)

// Placeholders for numbers that are in the extra field.
const (
	elsewhere16 = 0xffff
	elsewhere32 = 0xffffffff
)

// newestVersion is the newest version of the format, times ten, that Python's zipfile opens.
const newestVersion = 63

// sizesBehind is the flag of a member with a data descriptor.
const sizesBehind = 0x8

// A record is a record of a member: its directory record or its local header.
type record struct {
	name          string
	flags, method uint16
	crc           uint32
	packed, size  uint64 // with and without compression
	header        uint64 // offset of the local header; in directory records only
	length        int64  // of the record
}

// readDirectoryRecord reads the next record of the directory.
func readDirectoryRecord(r io.Reader) (*record, error) {
	b := make([]byte, directoryLen)
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, err
	}

	le := binary.LittleEndian
	if version := le.Uint16(b[6:]); version > newestVersion {
		return nil, fmt.Errorf("a member needs version %d.%d of the format", version/10, version%10)
	}
	if disk := le.Uint16(b[34:]); disk != 0 {
		return nil, fmt.Errorf("a member is on disk %d", disk)
	}
	return readRecord(b, directoryMark, b[6:], r, le.Uint32(b[42:]), int(le.Uint16(b[32:])))
}

// readLocalRecord reads the local header of a member.
func readLocalRecord(r io.ReaderAt, at int64) (*record, error) {
	b := make([]byte, localLen)
	if _, err := r.ReadAt(b, at); err != nil {
		return nil, err
	}
	return readRecord(b, localMark, b[4:], io.NewSectionReader(r, at+localLen, math.MaxUint16*2), 0, 0)
}

// readRecord reads the rest of a record. b is its fixed part, and said the fields of b that both
// kinds of records have.
func readRecord(b []byte, mark uint32, said []byte, rest io.Reader, header uint32, comment int) (*record, error) {
	le := binary.LittleEndian
	if le.Uint32(b) != mark {
		return nil, fmt.Errorf("no record of a member")
	}

	rec := &record{flags: le.Uint16(said[2:]), method: le.Uint16(said[4:]), crc: le.Uint32(said[10:]),
		packed: uint64(le.Uint32(said[14:])), size: uint64(le.Uint32(said[18:])), header: uint64(header)}
	name := int(le.Uint16(said[22:]))
	extra := int(le.Uint16(said[24:]))

	text := make([]byte, name+extra+comment)
	if _, err := io.ReadFull(rest, text); err != nil {
		return nil, err
	}

	rec.name = string(text[:name])
	rec.length = int64(len(b) + len(text))
	return rec, rec.widen(text[name : name+extra])
}

// widen takes numbers that do not fit into their fields from the ZIP64 extra field.
func (rec *record) widen(extra []byte) error {
	le := binary.LittleEndian
	for len(extra) >= 4 {
		id := le.Uint16(extra)
		n := int(le.Uint16(extra[2:]))
		extra = extra[4:]
		if n > len(extra) {
			// Python does not open such an archive
			return fmt.Errorf("the extra field has a part that is longer than the field")
		}

		field := extra[:n]
		extra = extra[n:]
		if id != 1 {
			continue
		}
		for _, v := range []*uint64{&rec.size, &rec.packed, &rec.header} {
			if *v != elsewhere32 {
				continue
			}
			if len(field) < 8 {
				return fmt.Errorf("the extra field has no room for a number of 64 bits")
			}
			*v = le.Uint64(field)
			field = field[8:]
		}
		return nil
	}
	return nil
}

// differs names a field in which two records of a member differ, or returns "".
func (rec *record) differs(local *record) string {
	behind := rec.flags&sizesBehind != 0
	agree := func(dir, local uint64) bool { return dir == local || behind && local == 0 }
	switch {
	case rec.name != local.name:
		return "name"
	case rec.flags != local.flags:
		return "flags"
	case rec.method != local.method:
		return "method"
	case !agree(uint64(rec.crc), uint64(local.crc)):
		return "checksum"
	case !agree(rec.packed, local.packed) || !agree(rec.size, local.size):
		return "size"
	}
	return ""
}

// descriptor returns the length of the data descriptor at the offset at, or 0 if there is none that
// agrees with the directory record.
func (rec *record) descriptor(r io.ReaderAt, at int64) (int64, error) {
	var b [24]byte
	n, err := r.ReadAt(b[:], at)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}

	le := binary.LittleEndian
	for _, marked := range []bool{true, false} {
		d := b[:n]
		if marked {
			if len(d) < 4 || le.Uint32(d) != descriptorMark {
				continue
			}
			d = d[4:]
		}

		skipped := int64(n - len(d))
		switch {
		case len(d) < 12 || le.Uint32(d) != rec.crc:
		case len(d) >= 20 && le.Uint64(d[4:]) == rec.packed && le.Uint64(d[12:]) == rec.size:
			return skipped + 20, nil
		case uint64(le.Uint32(d[4:])) == rec.packed && uint64(le.Uint32(d[8:])) == rec.size:
			return skipped + 12, nil
		}
	}
	return 0, nil
}
