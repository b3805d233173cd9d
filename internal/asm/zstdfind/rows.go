package zstdfind

const (
	// RowSlots is the number of positions in a row.
	RowSlots = 32
	// MaxRowLog is the maximum number of rows, as a power of two.
	MaxRowLog = 13

	hash4Mul = 2654435761
	tagBits  = 8
)

// Rows contain the latest positions for every hash of four bytes. A tag consists of further bits of
// the hash. Comparing all tags of a row at once rules out most positions with another hash. First
// is the slot of the latest position in a row; earlier positions follow in the next slots,
// cyclically. Since rows are searched from the latest position on, it does not matter at which slot
// a row begins.
//
// Of a run of equal bytes, only the first position is in a row. The others would fill the row. A
// match for the bytes after the run can also be found from the start of an earlier run of the same
// length.
type Rows struct {
	Tags  [RowSlots << MaxRowLog]uint8
	At    [RowSlots << MaxRowLog]uint32 // plus Base
	First [1 << MaxRowLog]uint8

	Src      []byte // all data up to the limit of matches
	Base     uint32 // smaller values in At are of earlier data and invalid
	Shift    uint32 // of the hash: 24 minus the binary logarithm of the number of rows in use
	Next     int    // first position that was not added, at least 1
	Attempts int    // maximum number of positions to compare, at least 1
}

// SetLog sets the number of rows to use, as a power of two up to [MaxRowLog]. All positions added
// before must be below Base; they are not found any more.
func (r *Rows) SetLog(log int) { r.Shift = uint32(32 - tagBits - log) }
