package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// The records of an archive begin with these, in bytes "PK" and two more. Package archive/zip reads
// them to find the members; here they are read to learn whether they agree with each other.
const (
	localMark = 0x04034b50 // in front of a member
	// behind a member whose size was not known before, and not always there
	descriptorMark = 0x08074b50
	directoryMark  = 0x02014b50 // of a member in the directory
	endMark        = 0x06054b50 // behind the directory
	end64Mark      = 0x06064b50 // the same with numbers of 64 bits
	locatorMark    = 0x07064b50 // where that is
)

// Their fixed parts have so many bytes.
const (
	localLen     = 30
	directoryLen = 46
	endLen       = 22
	end64Len     = 56
	locatorLen   = 20
)

// In the place of a number: it is in the extra field.
const (
	elsewhere16 = 0xffff
	elsewhere32 = 0xffffffff
)

// newestVersion is that of the format, times ten; Python's zipfile opens nothing that needs
// another.
const newestVersion = 63

// sizesBehind is the flag of a member whose checksum and sizes are behind it.
const sizesBehind = 0x8

// A record is what an archive says of a member, in its directory or in front of it.
type record struct {
	name          string
	flags, method uint16
	crc           uint32
	packed, size  uint64 // bytes as they are stored, and without compression
	header        uint64 // where the local header is; in the directory only
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

// readLocalRecord reads what is in front of a member.
func readLocalRecord(r io.ReaderAt, at int64) (*record, error) {
	b := make([]byte, localLen)
	if _, err := r.ReadAt(b, at); err != nil {
		return nil, err
	}
	return readRecord(b, localMark, b[4:], io.NewSectionReader(r, at+localLen, math.MaxUint16*2), 0, 0)
}

// readRecord reads the rest of a record, of which b is the fixed part and said what both kinds have
// in common.
func readRecord(b []byte, mark uint32, said []byte, rest io.Reader, header uint32, comment int) (*record, error) {
	le := binary.LittleEndian
	if le.Uint32(b) != mark {
		return nil, fmt.Errorf("no record of a member")
	}
	rec := &record{flags: le.Uint16(said[2:]), method: le.Uint16(said[4:]), crc: le.Uint32(said[10:]),
		packed: uint64(le.Uint32(said[14:])), size: uint64(le.Uint32(said[18:])), header: uint64(header)}
	name, extra := int(le.Uint16(said[22:])), int(le.Uint16(said[24:]))
	text := make([]byte, name+extra+comment)
	if _, err := io.ReadFull(rest, text); err != nil {
		return nil, err
	}
	rec.name, rec.length = string(text[:name]), int64(len(b)+len(text))
	return rec, rec.widen(text[name : name+extra])
}

// widen takes the numbers from the extra field that have no room where they belong.
func (rec *record) widen(extra []byte) error {
	le := binary.LittleEndian
	for len(extra) >= 4 {
		id, n := le.Uint16(extra), int(le.Uint16(extra[2:]))
		if extra = extra[4:]; n > len(extra) {
			// Python opens no such archive
			return fmt.Errorf("a part of the extra field is longer than that")
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
			*v, field = le.Uint64(field), field[8:]
		}
		return nil
	}
	return nil
}

// differs names what two records of a member say differently of it, or returns nothing.
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

// descriptor returns the length of what is behind the bytes of a member, which end at at: 0 if
// there is nothing that says the same as the directory.
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
