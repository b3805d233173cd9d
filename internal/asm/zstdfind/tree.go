package zstdfind

const (
	// TreeLog is the number of trees, as a power of two.
	TreeLog = 18
	// ThreeLog is the number of hashes of three bytes, as a power of two.
	ThreeLog = 14
	// MaxDepth is the maximum number of positions that one look-up visits.
	MaxDepth = 512
)

// A Candidate is a possible match.
type Candidate struct{ Length, Distance uint32 }

// A Tree finds, for every length, a match of at least that length. Positions with the same hash of
// four bytes form a binary tree, sorted by the bytes that follow, with the latest position at its
// root. One walk looks up a position and makes it the new root.
type Tree struct {
	Roots [1 << TreeLog]uint32  // plus Base, like all positions; values below Base are empty
	Three [1 << ThreeLog]uint32 // the latest position with a hash of three bytes
	// two per position: the subtrees that sort before and after it; the length is a power of two
	Below []uint32
	Src   []byte // all data up to the limit of matches
	Base  uint32
	Depth int // maximum number of positions to visit, from 1 to MaxDepth
	Nice  int // length of a match that ends the search

	Found [MaxDepth + 1]Candidate
	N     int // candidates in Found
}
