// Package zstdfind finds matches for Zstandard encoders. Its fast search takes the first match
// found by one look-up in a hash table or at the latest distance.
package zstdfind

// A Match is a number of literals since the previous match, and then Length bytes that equal those
// Distance bytes earlier.
type Match struct{ Literals, Length, Distance uint32 }

const (
	// TableLog is the size of the table, as a power of two.
	TableLog = 13
	// EndRoom is the minimum distance of a match's start from the end of the data: positions are
	// read eight bytes at a time.
	EndRoom = 8

	hashMul  = 0xcf1bbcdcb7a56463 // an odd number with well spread bits
	outCount = 1024
	// the step grows by one after every 1<<speedUp bytes without a match
	speedUp = 5

	strideLog = 5
	stride    = 1 << strideLog // where steps stop to grow
)

// State is the state of a search through Src. The caller sets the fields and calls [State.Find]
// until At is EndRoom or less from the end.
type State struct {
	Src   []byte // all data up to the limit of matches
	Table [1 << TableLog]uint32
	// Table contains positions plus Base; smaller values are of earlier data and invalid
	Base uint32

	Out    [outCount]Match
	N      int // matches in Out
	Anchor int // end of the last match
	At     int // next position to search, at least 1
	Latest int // distances to try first, at least 1
	Before int
}
