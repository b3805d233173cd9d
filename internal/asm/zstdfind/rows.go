package zstdfind

const (
	// RowSlots is how many positions a row holds.
	RowSlots = 32
	// MaxRowLog is the most rows there can be, as a power of two.
	MaxRowLog = 13

	hash4Mul = 2654435761
	tagBits  = 8
)

// Rows hold, for every hash of four bytes, the latest positions that have it. Tags are more of the
// hash of each, so that most of those that only happen to share the row are ruled out together.
// First is where in a row the latest is; the one before is in the next slot, and so on around. As
// rows are looked at from the latest on, it makes no difference in which slot that is.
//
// Of a run of equal bytes only the first position is in a row: the others would take all of it, and
// what follows the run is found from there as well, where it follows one of the same length.
type Rows struct {
	Tags  [RowSlots << MaxRowLog]uint8
	At    [RowSlots << MaxRowLog]uint32 // plus Base
	First [1 << MaxRowLog]uint8

	Src      []byte // all data up to where matches have to end
	Base     uint32 // what is below it in At is from before and means nothing
	Shift    uint32 // of the hash: 24 less the binary logarithm of the number of rows in use
	Next     int    // first position that has not been added, at least 1
	Attempts int    // positions to compare at most, at least 1
}

// SetLog says how many rows to use, as a power of two up to [MaxRowLog]. What was added before is
// not found any more, and has to be below Base.
func (r *Rows) SetLog(log int) { r.Shift = uint32(32 - tagBits - log) }
