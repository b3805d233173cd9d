package frame

import (
	"cmp"
	"slices"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// Report is the result of [Verify].
type Report struct {
	Info    Info
	Special int               // chunks that are only an index entry
	Stored  [Verified + 1]int // number of sound stored chunks, by verdict
	// bytes of the chunks in the index; bytes that several chunks share count for each of them
	Live int64
	// unreferenced bytes between and behind chunks, without those that may belong to damaged
	// chunks; 0 for sparse frames
	Dead int64
	// bytes behind the frame, left by a killed writer or staged by an active one
	Tail int64
	// pairs of chunks that share bytes: readable, but C-Blosc2 would damage one by updating the
	// other
	Overlap [][2]int
	Orphans []string // chunk files of a sparse frame that are not in the index
	Faults  []error  // up to 100 errors, in the order of chunks
}

const maxFaults = 100

func (r *Report) fault(err error) { r.Faults = addFault(r.Faults, err) }

// addFault appends err to faults, unless it is nil or faults is full.
func addFault(faults []error, err error) []error {
	if err == nil || len(faults) == maxFaults {
		return faults
	}
	return append(faults, err)
}

// extent is the range of bytes of a chunk.
type extent struct {
	chunk    int
	from, to int64
}

func byPlace(a, b extent) int {
	return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.chunk, b.chunk))
}

// overlaps returns up to 100 pairs of extents that share bytes. It sorts extents.
func overlaps(extents []extent) [][2]int {
	slices.SortFunc(extents, byPlace)
	var pairs [][2]int
	reach := 0 // index of the extent so far that ends last
	for k := 1; k < len(extents) && len(pairs) < maxFaults; k++ {
		if extents[k].from < extents[reach].to {
			pairs = append(pairs, [2]int{extents[reach].chunk, extents[k].chunk})
		}
		if extents[k].to > extents[reach].to {
			reach = k
		}
	}
	return pairs
}

// covered returns how many bytes are in at least one of the sorted extents.
func covered(extents []extent) int64 {
	var sum, end int64
	for _, e := range extents {
		if e.to > end {
			sum += e.to - max(e.from, end)
			end = e.to
		}
	}
	return sum
}

// deadBytes returns how many bytes from base to end belong to no chunk. A damaged chunk, whose
// length is unknown, counts as reaching up to the next one. The result is 0 if the offset of a
// damaged chunk is unknown.
func deadBytes(extents []extent, damaged []int64, base, end int64) int64 {
	slices.SortFunc(extents, byPlace)
	all := slices.Clone(extents)
	for _, at := range damaged {
		if at < base || at > end {
			return 0
		}
		next, _ := slices.BinarySearchFunc(extents, at+1, func(e extent, at int64) int { return cmp.Compare(e.from, at) })
		to := end
		if next < len(extents) {
			to = extents[next].from
		}
		all = append(all, extent{from: at, to: to})
	}
	slices.SortFunc(all, byPlace)
	return end - base - covered(all)
}

// Info describes a frame as a whole.
type Info struct {
	Generation string // "current", or the first version with the layout, such as "2.0.0-beta.2"
	Sparse     bool
	Variable   bool // chunks have individual sizes
	VLBlocks   bool // chunks have blocks of individual sizes, according to the header
	Version    int  // of the frame format
	HeaderLen  int64
	FrameLen   int64 // at the last commit; without the chunk files of a sparse frame

	Verdict Verdict // of header, index and trailer, at the last commit
	Healed  bool    // the header in the file is damaged, and this one is from the commit record
	Seq     uint64  // number of the last commit; 0 if it was another writer's

	NumChunks int
	NBytes    int64
	CBytes    int64
	// bytes of the chunks with their checksums, without dead bytes; -1 for a frame of another
	// writer
	Live int64

	TypeSize  int
	ChunkSize int
	BlockSize int

	// The encoding of new chunks. Existing chunks may have another one.
	Codec    codecs.Codec
	Level    int // 0 (stored) to 9
	Pipeline shuffle.Pipeline
	Split    chunk.SplitMode
	Dict     bool
	// blocks are Zarr chunks as well; see chunk.Options. The frame has a metalayer that says so
	ZarrBlocks bool
}

// ChunkInfo describes a chunk without decoding it.
type ChunkInfo struct {
	Kind chunk.Special // SpecialNone for a chunk with data
	// the chunk is only an index entry; Header is the one that a stored chunk would have
	InIndex bool
	// offset of the chunk in the file of the frame or, in a sparse frame, in its own; -1 if InIndex
	Offset int64
	File   string // name of the chunk's own file in a sparse frame
	NBytes int    // decoded
	CBytes int    // stored; 0 if InIndex
	Header chunk.Header
}
