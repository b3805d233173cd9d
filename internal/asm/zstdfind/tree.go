package zstdfind

const (
	// TreeLog is the number of trees, as a power of two.
	TreeLog = 18
	// ThreeLog is the number of hashes of three bytes, as a power of two.
	ThreeLog = 14
	// MaxDepth is the most positions that one look-up may come across.
	MaxDepth = 512
)

// A Candidate is a match that could be used.
type Candidate struct{ Length, Distance uint32 }

// A Tree finds, for every length, a match that is at least that long. Positions with the same hash
// of four bytes are in a binary tree sorted by what follows, the latest at its root: looking one up
// and making it the new root is one walk.
type Tree struct {
	Roots [1 << TreeLog]uint32  // plus Base, like all positions; what is below Base is nothing
	Three [1 << ThreeLog]uint32 // the latest position with a hash of three bytes
	// two per position: what sorts before it, and what after. Its length is a power of two
	Below []uint32
	Src   []byte // all data up to where matches have to end
	Base  uint32
	Depth int // positions to look at, from 1 to MaxDepth
	Nice  int // length from which on no more are looked at

	Found [MaxDepth + 1]Candidate
	N     int // candidates in Found
}
