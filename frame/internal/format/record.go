package format

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"sort"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/metalist"
	"github.com/cairn-go/cairn/internal/wire"
)

// A commit record describes what a commit wrote. It distinguishes damage from changes by other
// programs, and restores a header that was torn by a crash. It is in the trailer, between the
// metalayers and the trailer's length, which C-Blosc2 does not read (docs/format/frame.md).
// Little-endian:
//
//	00  "CAIRNCM1"
//	08  version     u16  1
//	0a  flags       u16  bit 0: every chunk has a footer or a row of the table
//	0c  header_len  u32
//	10  seq         u64  number of the commit
//	18  base        u64  length of the frame before it
//	20  live        u64  bytes of the chunks in the index, all bits set if unknown
//	28  index       u32  bytes, then crc32c
//	30  layers      u32  bytes of the trailer before the table, then crc32c
//	38  table       u32  rows, then crc32c
//	40  header           all header_len bytes of it
//	    length      u32  of the record
//	    crc32c      u32  of what is before it
//
// The table, right before the record, has a row for each chunk without a footer, as another program
// writes them: i64 entry, u32 crc32c, sorted by entry.
//
// The pointer to the record is in the 16 bytes of the fingerprint at the end of a frame. The type
// of the fingerprint stays 0, for none:
//
//	"crn1" | distance from the end of the frame u32 | crc32c of the record u32 | low seq u32
//
// The last byte of the fixed part of the header is a second witness. C-Blosc2 sets both to zero
// whenever it writes them.
const (
	RecordMagic   = "CAIRNCM1"
	recordVersion = 1
	recordFull    = 1 << 0
	RecordHeader  = 0x40     // offset of the header in the record
	RecordLeast   = 0x40 + 8 // bytes of a record besides the header
	pointerMagic  = "crn1"
	PointerSize   = 16
	RowSize       = 12
	Witness       = 0xb6

	layerRecord = "commit record"
)

// A Record is a commit record.
type Record struct {
	Full                 bool
	Seq                  uint64
	Base, Live           int64 // Live is -1 if unknown
	IndexLen, IndexSum   uint32
	LayersLen, LayersSum uint32
	Rows, TableSum       uint32
	Header               []byte
	Sum                  uint32 // of the record itself
}

// size returns the length of the record.
func (r *Record) size() int64 { return RecordLeast + int64(len(r.Header)) }

// trailerLen returns the length of the trailer with the record in it.
func (r *Record) trailerLen() int64 {
	return int64(r.LayersLen) + RowSize*int64(r.Rows) + r.size() + metalist.TrailerTail
}

// Append appends the record and stores its checksum in Sum.
func (r *Record) Append(dst []byte) []byte {
	start := len(dst)
	le := binary.LittleEndian
	dst = le.AppendUint16(append(dst, RecordMagic...), recordVersion)
	flags := uint16(0)
	if r.Full {
		flags = recordFull
	}
	dst = le.AppendUint32(le.AppendUint16(dst, flags), uint32(len(r.Header)))
	for _, v := range []int64{int64(r.Seq), r.Base, r.Live} {
		dst = le.AppendUint64(dst, uint64(v))
	}
	for _, v := range []uint32{r.IndexLen, r.IndexSum, r.LayersLen, r.LayersSum, r.Rows, r.TableSum} {
		dst = le.AppendUint32(dst, v)
	}
	dst = le.AppendUint32(append(dst, r.Header...), uint32(r.size()))
	r.Sum = Checksum(dst[start:])
	return le.AppendUint32(dst, r.Sum)
}

// AppendPointer appends the pointer to the record, with which the frame ends.
func (r *Record) AppendPointer(dst []byte) []byte {
	le := binary.LittleEndian
	dst = le.AppendUint32(append(dst, pointerMagic...), uint32(r.size()+metalist.TrailerTail))
	return le.AppendUint32(le.AppendUint32(dst, r.Sum), uint32(r.Seq))
}

// ParseRecord parses a record that is all of b. The header in the result is a part of b and is not
// checked.
func ParseRecord(b []byte) (*Record, error) {
	fail := func(at int64, format string, args ...any) (*Record, error) {
		return nil, cairn.Corruptf(layerRecord, at, format, args...)
	}
	if len(b) < RecordLeast || string(b[:8]) != RecordMagic {
		return fail(0, "its magic bytes are missing")
	}

	le := binary.LittleEndian
	end := len(b) - 8
	r := &Record{Header: b[RecordHeader:end:end], Sum: le.Uint32(b[end+4:])}
	switch sum := Checksum(b[:end+4]); {
	case sum != r.Sum:
		return nil, Mismatch(layerRecord, int64(end+4), sum, r.Sum)
	case le.Uint16(b[8:]) != recordVersion:
		return fail(8, "version %d", le.Uint16(b[8:]))
	case int64(le.Uint32(b[12:])) != int64(len(r.Header)) || int64(le.Uint32(b[end:])) != int64(len(b)):
		return fail(12, "lengths %d and %d in %d bytes", le.Uint32(b[12:]), le.Uint32(b[end:]), len(b))
	}

	r.Full = le.Uint16(b[10:])&recordFull != 0
	r.Seq = le.Uint64(b[0x10:])
	r.Base = int64(le.Uint64(b[0x18:]))
	r.Live = int64(le.Uint64(b[0x20:]))
	if r.Base < 0 || r.Live < -1 {
		return fail(0x18, "sizes %d and %d", r.Base, r.Live)
	}

	for i, p := range []*uint32{&r.IndexLen, &r.IndexSum, &r.LayersLen, &r.LayersSum, &r.Rows, &r.TableSum} {
		*p = le.Uint32(b[0x28+4*i:])
	}
	return r, nil
}

// ParsePointer returns the length, checksum and sequence number in the pointer at the end of a
// frame; ok is false if there is no pointer.
func ParsePointer(tail []byte) (size int64, sum, seq uint32, ok bool) {
	p := tail[len(tail)-PointerSize:]
	le := binary.LittleEndian
	size = int64(le.Uint32(p[4:])) - metalist.TrailerTail
	ok = string(p[:4]) == pointerMagic && tail[len(tail)-PointerSize-1] == 0 && size >= RecordLeast &&
		size <= math.MaxInt32
	return size, le.Uint32(p[8:]), le.Uint32(p[12:]), ok
}

// headerStructure is the length of the part of a header that changes only together with the index
// or the trailer: lengths and the decoded size.
const headerStructure = AtCBytes + 8

// SameHeader reports whether a header is the same as that in a record. It ignores the numbers of
// threads.
func SameHeader(a, b []byte) bool {
	return len(a) == len(b) && len(a) >= FixedHeader &&
		bytes.Equal(a[:atThreads-1], b[:atThreads-1]) && bytes.Equal(a[atHasVL:], b[atHasVL:])
}

// SameStructure reports whether lengths and decoded size in a header are the same as in a record.
func SameStructure(a, b []byte) bool { return bytes.Equal(a[:headerStructure], b[:headerStructure]) }

// FindRecord returns the record in a trailer. It returns nil and no error if another program
// changed the frame last.
func FindRecord(t []byte) (*Record, error) {
	end := len(t) - metalist.TrailerTail
	if end < 0 || IsZero(t[len(t)-PointerSize:]) {
		return nil, nil
	}
	size, sum, _, ok := ParsePointer(t)
	if !ok && end >= RecordLeast {
		// The pointer is damaged, but a record ends with its length.
		size = int64(binary.LittleEndian.Uint32(t[end-8:]))
	}

	if size < RecordLeast || size > int64(end) {
		return nil, cairn.Corruptf(LayerTrailer, int64(end), "the pointer to the commit record is invalid")
	}
	at := int64(end) - size
	r, err := ParseRecord(t[at:end])
	if err == nil && (ok && sum != r.Sum || len(r.Header) < FixedHeader) {
		err = cairn.Corruptf(layerRecord, 0, "it belongs to another trailer")
	}
	if err != nil {
		return nil, wire.Moved(err, at)
	}

	return r, nil
}

// IsZero reports whether all bytes of b are zero.
func IsZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// CompareTrailer compares a trailer with the record in it, and returns the table of checksums.
func (r *Record) CompareTrailer(t []byte) (Table, error) {
	if r.trailerLen() != int64(len(t)) {
		return nil, cairn.Corruptf(layerRecord, 0,
			"it belongs to a trailer of %d bytes, not %d", r.trailerLen(), len(t))
	}
	if err := Compare(t[:r.LayersLen], r.LayersSum, LayerTrailer, 0); err != nil {
		return nil, err
	}
	table := t[r.LayersLen : int64(r.LayersLen)+RowSize*int64(r.Rows)]
	return table, Compare(table, r.TableSum, "table of checksums", int64(r.LayersLen))
}

// Compare fails with ErrChecksum if b does not have the checksum want. layer and at, the offset of
// b in the file, are for the error.
func Compare(b []byte, want uint32, layer string, at int64) error {
	if sum := Checksum(b); sum != want {
		return Mismatch(layer, at, sum, want)
	}
	return nil
}

// A Table holds the checksums of chunks that have no footers, sorted by entry, in stored form.
type Table []byte

// A Row is a row of a table.
type Row struct {
	Entry int64
	Sum   uint32
}

// NewTable returns a table of rows, which may be in any order. It sorts them.
func NewTable(rows []Row) Table {
	slices.SortFunc(rows, func(a, b Row) int { return cmp.Compare(a.Entry, b.Entry) })
	var t Table
	for i, r := range rows {
		if i == 0 || r.Entry != rows[i-1].Entry {
			t = binary.LittleEndian.AppendUint64(t, uint64(r.Entry))
			t = binary.LittleEndian.AppendUint32(t, r.Sum)
		}
	}
	return t
}

// Size returns the number of rows.
func (t Table) Size() int { return len(t) / RowSize }

// Sum returns the checksum of an entry; ok is false if the table has none.
func (t Table) Sum(entry int64) (sum uint32, ok bool) {
	at := func(i int) int64 { return int64(binary.LittleEndian.Uint64(t[i*RowSize:])) }
	i := sort.Search(t.Size(), func(i int) bool { return at(i) >= entry })
	if i == t.Size() || at(i) != entry {
		return 0, false
	}
	return binary.LittleEndian.Uint32(t[i*RowSize+8:]), true
}
