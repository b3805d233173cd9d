// Package zstdfind finds matches for a fast Zstandard encoder: the first that one look at a table
// of hashes, or the latest distance, gives.
package zstdfind

// A Match is how many bytes precede it since the last one, and how many follow that are the same as
// at a distance back.
type Match struct{ Literals, Length, Distance uint32 }

const (
	// TableLog is the size of the table, as a power of two.
	TableLog = 13
	// EndRoom is how far from the end of the data the last match begins at least: positions are
	// read eight bytes at a time.
	EndRoom = 8

	hashMul  = 0xcf1bbcdcb7a56463 // an odd number with well spread bits
	outCount = 1024
	// after 1<<speedUp bytes without a match every second position is looked at, and so on
	speedUp = 6
)

// State is a search through Src on its way. The caller sets the fields and calls [State.Find] until
// At is EndRoom or less from the end.
type State struct {
	Src   []byte // all data up to where matches have to end
	Table [1 << TableLog]uint32
	// what Table holds are positions plus Base; what is below it is from before and means nothing
	Base uint32

	Out    [outCount]Match
	N      int // matches in Out
	Anchor int // end of the last match
	At     int // where to look next, at least 1
	Latest int // distances to try first; at least 1
	Before int
}
