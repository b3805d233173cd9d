package main

// A program is an array and a sequence of steps. It is plain data: drawn from a seed, shrunk,
// printed, and sent to Python as JSON.
type program struct {
	DType  string   `json:"dtype"`
	Size   int      `json:"size"` // bytes of an item
	Shape  []int64  `json:"shape"`
	Chunks []int64  `json:"chunks"` // nil: chosen by the library
	Blocks []int64  `json:"blocks"` // nil: chosen by the library
	Codec  string   `json:"codec"`
	Level  int      `json:"level"` // -1: stored
	Filter []string `json:"filter"`
	Fill   []byte   `json:"fill"` // one item; nil: zeros
	Sparse bool     `json:"sparse"`
	Place  place    `json:"place"`

	Workers int    `json:"workers"`
	Behind  int64  `json:"behind"` // bytes of the write-behind buffer; 0: the default
	Steps   []step `json:"steps"`
}

// A place is where an array is stored.
type place string

const (
	inMemory place = "memory" // no path at all
	inFS     place = "fs"     // a path in a file system in memory
	onDisk   place = "disk"
)

// A verb is what a step does.
type verb string

const (
	doRead    verb = "read"    // what Key selects
	doWrite   verb = "write"   // what Key selects
	doFill    verb = "fill"    // what Key selects, with one item
	doPoints  verb = "points"  // reads Points
	doScatter verb = "scatter" // writes Points
	doMask    verb = "mask"    // reads where a mask is true
	doPaint   verb = "paint"   // writes where a mask is true
	doView    verb = "view"    // reads through Lens
	doThrough verb = "through" // writes through Lens

	doResize verb = "resize" // to Shape
	doAppend verb = "append" // At items along Axis
	doInsert verb = "insert" // To items along Axis before At
	doDelete verb = "delete" // items At up to To along Axis
	doConcat verb = "concat" // a new array of this one and another with At items along Axis
	doCopy   verb = "copy"   // a new array with other Chunks and Blocks

	doCommit     verb = "commit"
	doRollback   verb = "rollback"
	doCompact    verb = "compact"
	doAtomically verb = "atomically" // runs Steps; fails at the end if Fail is set
	doReopen     verb = "reopen"
	doKill       verb = "kill" // drops staged changes and opens the committed array
	doSnapshot   verb = "snapshot"
)

// A step is one operation on an array. Its data is generated from Seed.
type step struct {
	Do     verb      `json:"do"`
	Key    []axisKey `json:"key,omitempty"`
	Lens   []turn    `json:"lens,omitempty"`
	Points [][]int64 `json:"points,omitempty"`
	Share  int       `json:"share,omitempty"` // percent of a mask that is true
	Shape  []int64   `json:"shape,omitempty"`
	Axis   int       `json:"axis,omitempty"`
	At     int64     `json:"at,omitempty"`
	To     int64     `json:"to,omitempty"`
	Chunks []int64   `json:"chunks,omitempty"`
	Blocks []int64   `json:"blocks,omitempty"`
	Seed   uint64    `json:"seed,omitempty"`
	Steps  []step    `json:"steps,omitempty"`
	Fail   bool      `json:"fail,omitempty"`

	// Only for Python.
	Data []byte `json:"data,omitempty"`
	Mask []byte `json:"mask,omitempty"`
}

// A turn is one operation on a view.
type turn struct {
	Do   string    `json:"do"` // slice, transpose, squeeze, expand, flip
	Key  []axisKey `json:"key,omitempty"`
	Axes []int     `json:"axes,omitempty"`
}

// An axisKey selects along one dimension, or is an ellipsis or a new dimension.
type axisKey struct {
	Kind  string  `json:"kind"` // range, index, list, mask, ellipsis, new
	Start *int64  `json:"start,omitempty"`
	Stop  *int64  `json:"stop,omitempty"`
	Step  int64   `json:"step,omitempty"` // 0 means 1
	List  []int64 `json:"list,omitempty"`
}

// noise returns n bytes that are random, repetitive or zero, for items of size bytes.
func noise(seed uint64, n int) []byte {
	b := make([]byte, n)
	x := seed*0x9e3779b97f4a7c15 + 1
	for i := range b {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		switch seed % 3 {
		case 0:
			b[i] = byte(x >> 32)
		case 1:
			b[i] = byte(uint64(i)/7 + seed)
		}
	}
	return b
}
