package main

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

// Checksums find damage before the parsers behind them see it. fixSums corrects the checksums, so
// that the parsers read the damaged bytes (docs/format/frame.md): the footers of chunks, and the
// commit record, which contains the header and checksums of index and metalayers.
const (
	pointerBytes = 16
	recordHeader = 0x40
	recordEnds   = 8
)

func fixSums(a *anatomy, b []byte) {
	for _, s := range a.sums {
		// Correct the checksum of a structure.
		if max(s.to, s.at+4) <= len(b) {
			binary.LittleEndian.PutUint32(b[s.at:], s.compute(b))
		}
	}
	if len(a.sums) > 0 {
		return
	}

	table := crc32.MakeTable(crc32.Castagnoli)
	le := binary.LittleEndian
	for _, e := range a.chunks {
		if e.to+8 <= len(b) && bytes.HasPrefix(b[e.to:], []byte("\xc3\xb2\x01\x00")) {
			le.PutUint32(b[e.to+4:], crc32.Checksum(b[e.from:e.to], table))
		}
	}

	pointer := len(b) - pointerBytes
	if a.header == 0 || pointer < headerFixed || !bytes.HasPrefix(b[pointer:], []byte("crn1")) {
		return
	}
	end := len(b) - trailerTail
	at := len(b) - int(min(uint32(len(b)), le.Uint32(b[pointer+4:])))
	if at < headerFixed || end-at < recordHeader+recordEnds || !bytes.HasPrefix(b[at:], []byte("CAIRNCM1")) {
		return
	}

	r := b[at:end]
	copy(r[recordHeader:len(r)-recordEnds], b)
	length := int64(binary.BigEndian.Uint32(b[atHeaderLen:])) // stated length of the header
	sum := func(field int, from int64) {
		if n := int64(le.Uint32(r[field:])); from >= 0 && n >= 0 && from+n <= int64(len(b)) {
			le.PutUint32(r[field+4:], crc32.Checksum(b[from:from+n], table))
		}
	}

	if cbytes := binary.BigEndian.Uint64(b[atCBytes:]); cbytes < uint64(len(b)) {
		sum(0x28, length+int64(cbytes))
	}
	rows := int64(le.Uint32(r[0x38:])) * 12
	sum(0x30, int64(at)-rows-int64(le.Uint32(r[0x30:])))
	if rows >= 0 && rows <= int64(at) {
		le.PutUint32(r[0x3c:], crc32.Checksum(b[int64(at)-rows:at], table))
	}

	whole := crc32.Checksum(r[:len(r)-4], table)
	le.PutUint32(r[len(r)-4:], whole)
	le.PutUint32(b[pointer+8:], whole)
}
