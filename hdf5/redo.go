package hdf5

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/internal/inplace"
)

// A commit that changes several sectors is noted before, behind the end of the file that it states,
// so that the next appender can complete it:
//
//	"cairn redo 1\x00\x00\x00\x00", u64 the end, u32 patches, u32 CRC-32C of the note without it;
//	per patch: u64 address, u32 bytes, the bytes before and after
//
// Other programs ignore what is behind the end, and those that write remove it.

const (
	redoMagic   = "cairn redo 1\x00\x00\x00\x00"
	redoHead    = len(redoMagic) + 8 + 4 + 4
	redoPatch   = 8 + 4
	mostPatches = 1 << 16 // of a note
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// redoAt returns the address of a note in a file with an end.
func redoAt(end int64) int64 { return (end + 7) &^ 7 }

// note writes what steps will change in a file that states an end.
func (a *Appender) note(end int64, steps [][]format.Patch) error {
	list := slices.Concat(steps...)
	b := []byte(redoMagic)
	b = binary.LittleEndian.AppendUint64(b, uint64(end))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(list)))
	b = append(b, 0, 0, 0, 0)
	for _, p := range list {
		before := make([]byte, len(p.Bytes))
		if err := a.readAll(before, p.At); err != nil {
			return err
		}
		b = binary.LittleEndian.AppendUint64(b, uint64(p.At))
		b = binary.LittleEndian.AppendUint32(b, uint32(len(p.Bytes)))
		b = append(b, before...)
		b = append(b, p.Bytes...)
	}

	if len(list) > mostPatches {
		return nil // nobody would read it
	}
	binary.LittleEndian.PutUint32(b[redoHead-4:], crc32.Checksum(b, castagnoli))
	_, err := a.disk.WriteAt(b, redoAt(end))
	return err
}

// redo completes the commit that a note behind the end of the file is of, and reports whether it
// has changed anything.
func (a *Appender) redo(size int64) (done bool, err error) {
	list, err := a.noted(size)
	if err != nil || len(list) == 0 {
		return false, err
	}

	var left []format.Patch
	begun := false
	for _, p := range list {
		now := make([]byte, len(p.after))
		if err := a.readAll(now, p.at); err != nil {
			return false, err
		}
		switch {
		case string(now) == string(p.after):
			begun = true
		case string(now) == string(p.before):
			left = append(left, format.Patch{At: p.at, Bytes: p.after})
		default:
			return false, nil // the file has been changed since
		}
	}
	if !begun || len(left) == 0 {
		return false, nil
	}
	return true, a.patch(left)
}

// A notedPatch is a patch of a note.
type notedPatch struct {
	at            int64
	before, after []byte
}

// noted returns the patches of the note of a file of size bytes, none if it has none.
func (a *Appender) noted(size int64) (list []notedPatch, err error) {
	at := redoAt(a.end)
	head := make([]byte, redoHead)
	if size-at < int64(redoHead) {
		return nil, nil
	}
	if err := a.readAll(head, at); err != nil {
		return nil, err
	}
	count := binary.LittleEndian.Uint32(head[len(redoMagic)+8:])
	if string(head[:len(redoMagic)]) != redoMagic || count > mostPatches ||
		binary.LittleEndian.Uint64(head[len(redoMagic):]) != uint64(a.end) {
		return nil, nil
	}

	const most = redoPatch + 2*inplace.Sector
	b := make([]byte, min(size-at, int64(redoHead)+int64(count)*most))
	if err := a.readAll(b, at); err != nil {
		return nil, err
	}
	sum := binary.LittleEndian.Uint32(b[redoHead-4:])
	clear(b[redoHead-4 : redoHead])
	rest := b[redoHead:]
	for range count {
		if len(rest) < redoPatch {
			return nil, nil
		}
		p := notedPatch{at: int64(binary.LittleEndian.Uint64(rest))}
		// An int may have 32 bits.
		n := int(min(binary.LittleEndian.Uint32(rest[8:]), inplace.Sector+1))
		rest = rest[redoPatch:]
		if n > inplace.Sector || len(rest) < 2*n || p.at < 0 || p.at > a.end-int64(n) || !inplace.Whole(p.at, int64(n)) {
			return nil, nil
		}
		p.before = rest[:n]
		p.after = rest[n : 2*n]
		rest = rest[2*n:]
		list = append(list, p)
	}
	if crc32.Checksum(b[:len(b)-len(rest)], castagnoli) != sum {
		return nil, nil
	}
	return list, nil
}

// readAll fills b with the bytes at an offset of the file.
func (a *Appender) readAll(b []byte, at int64) error {
	n, err := a.disk.ReadAt(b, at)
	if n == len(b) || len(b) == 0 {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("reading %d bytes at offset %d: %w", len(b), at, err)
}
