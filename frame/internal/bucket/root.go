// Package bucket keeps the objects of a frame in a bucket (docs/format/bucket.md). A commit
// replaces one object, the root. It refers to segments, which hold the index and never change, and
// to the chunks that were committed since a segment was written.
package bucket

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/index"
)

// Layer names the root in errors.
const Layer = "root"

// A Root is the content of a root object. All of it is immutable.
type Root struct {
	ID   int64 // random number of the commit
	Seq  int64 // number of the commit, from 1 on
	Time int64 // of the commit, in nanoseconds since 1970
	// numbers of the commits before, newest first, of MaxEarlier at most
	Earlier []int64

	Header  []byte // of the frame, with its fixed metalayers
	Trailer []byte // with its metalayers of variable length
	Live    int64  // bytes of all chunks

	Entries  int64     // length of the index
	Segments []Segment // one for each index.SegmentLen entries
	Tail     []Change  // what overrides the segments, in the order of the entries
}

// A Segment says where entries of the index are.
type Segment struct {
	// number of the object, or a special entry, which is negative, that all entries are equal to
	Number int64
	Size   uint32 // bytes of the object, 0 for a special entry
	Sum    uint32 // checksum of the object
}

// A Change is an entry of the index that is not in its segment yet.
type Change struct{ At, Entry int64 }

const (
	// Magic begins every root.
	Magic = "\xc3\xb2root\x00\x01"
	// MaxEarlier is the number of earlier commits that a root names.
	MaxEarlier = 64
	// MaxTail is the number of changes that are kept in a root. Then their segments are written.
	MaxTail = 4096

	segmentSize, changeSize, numberSize = 16, 16, 8
)

// fixed is the part of a root of constant size, in little-endian order.
type fixed struct {
	Magic [8]byte
	Sum   uint32 // checksum of all that follows
	_     uint32

	ID, Seq, Time, Live, Entries     int64
	Header, Trailer                  uint32 // bytes
	Earlier, Segments, Changes, Zero uint32 // numbers of items
}

const (
	sumAt     = 8
	summedAt  = 16
	fixedSize = summedAt + 5*8 + 6*4
)

// Append appends the encoded root r.
func (r *Root) Append(dst []byte) []byte {
	start := len(dst)
	f := fixed{ID: r.ID, Seq: r.Seq, Time: r.Time, Live: r.Live, Entries: r.Entries,
		Header: uint32(len(r.Header)), Trailer: uint32(len(r.Trailer)),
		Earlier: uint32(len(r.Earlier)), Segments: uint32(len(r.Segments)), Changes: uint32(len(r.Tail))}
	copy(f.Magic[:], Magic)
	for _, part := range []any{&f, r.Header, r.Trailer, r.Earlier, r.Segments, r.Tail} {
		// only values without a fixed size fail
		dst, _ = binary.Append(dst, binary.LittleEndian, part)
	}
	binary.LittleEndian.PutUint32(dst[start+sumAt:], format.Checksum(dst[start+summedAt:]))
	return dst
}

// Parse returns the root in raw, and does not keep raw.
func Parse(raw []byte, limits cairn.Limits) (*Root, error) {
	var f fixed
	n, err := binary.Decode(raw, binary.LittleEndian, &f)
	if err != nil || string(f.Magic[:]) != Magic {
		return nil, cairn.Corruptf(Layer, 0, "%d bytes do not begin with that of a root", len(raw))
	}

	if err := format.Compare(raw[summedAt:], f.Sum, Layer, summedAt); err != nil {
		return nil, err
	}
	if err := f.check(len(raw), limits); err != nil {
		return nil, err
	}

	r := &Root{ID: f.ID, Seq: f.Seq, Time: f.Time, Live: f.Live, Entries: f.Entries,
		Header: make([]byte, f.Header), Trailer: make([]byte, f.Trailer), Earlier: make([]int64, f.Earlier),
		Segments: make([]Segment, f.Segments), Tail: make([]Change, f.Changes)}
	for _, part := range []any{r.Header, r.Trailer, r.Earlier, r.Segments, r.Tail} {
		size, err := binary.Decode(raw[n:], binary.LittleEndian, part)
		if err != nil {
			return nil, err // check has compared the sizes
		}
		n += size
	}

	return r, r.check()
}

// check compares the stated sizes with the size of the object and with the limits.
func (f *fixed) check(size int, limits cairn.Limits) error {
	want := fixedSize + int64(f.Header) + int64(f.Trailer) + numberSize*int64(f.Earlier) +
		segmentSize*int64(f.Segments) + changeSize*int64(f.Changes)
	switch {
	case want != int64(size):
		return cairn.Corruptf(Layer, summedAt, "%d bytes are stated, but there are %d", want, size)
	case int64(f.Header) > limits.MaxHeader:
		return fmt.Errorf("header of %d bytes: %w: MaxHeader is %d", f.Header, cairn.ErrLimit, limits.MaxHeader)
	case int64(f.Trailer) > limits.MaxTrailer:
		return fmt.Errorf("trailer of %d bytes: %w: MaxTrailer is %d", f.Trailer, cairn.ErrLimit, limits.MaxTrailer)
	case f.Entries < 0 || f.Entries > format.MaxChunks:
		return cairn.Corruptf(Layer, summedAt, "an index of %d entries", f.Entries)
	case f.Entries > limits.MaxIndex/index.EntrySize:
		return fmt.Errorf("index of %d entries: %w: MaxIndex is %d bytes", f.Entries, cairn.ErrLimit, limits.MaxIndex)
	case int64(f.Segments) != SegmentsOf(f.Entries):
		return cairn.Corruptf(Layer, summedAt, "%d segments for %d entries", f.Segments, f.Entries)
	case f.Earlier > MaxEarlier || f.Changes > MaxTail:
		return cairn.Corruptf(Layer, summedAt, "%d earlier commits and %d changes", f.Earlier, f.Changes)
	}

	return nil
}

// check validates numbers and entries.
func (r *Root) check() error {
	bad := func(what string, i int) error { return cairn.Corruptf(Layer, -1, "%s %d is invalid", what, i) }
	if r.ID <= 0 || r.Seq <= 0 || r.Live < 0 || r.Seq <= int64(len(r.Earlier)) {
		return cairn.Corruptf(Layer, summedAt, "commit %d of number %d, of %d bytes", r.ID, r.Seq, r.Live)
	}
	for i, id := range r.Earlier {
		if id <= 0 {
			return bad("earlier commit", i)
		}
	}

	for i, s := range r.Segments {
		switch {
		case s.Number < 0:
			if _, err := index.Kind(s.Number); err != nil || s.Size != 0 {
				return bad("segment", i)
			}
		case s.Size == 0 || s.Size > maxSegment:
			return bad("segment", i)
		}
	}

	last := int64(-1)
	for i, c := range r.Tail {
		if c.At <= last || c.At >= r.Entries {
			return bad("change", i)
		}
		if _, err := index.Kind(c.Entry); c.Entry < 0 && err != nil {
			return bad("change", i)
		}
		last = c.At
	}

	return nil
}

// Bound returns the most bytes that a root can have.
func Bound(l cairn.Limits) int64 {
	segments := SegmentsOf(l.MaxIndex / index.EntrySize)
	return fixedSize + l.MaxHeader + l.MaxTrailer + numberSize*MaxEarlier + segmentSize*segments + changeSize*MaxTail
}

// maxSegment bounds the bytes of a segment: a chunk of entries that could not be compressed.
const maxSegment = index.EntrySize*index.SegmentLen + 1<<10

// SegmentsOf returns how many segments an index of n entries has.
func SegmentsOf(n int64) int64 { return (n + index.SegmentLen - 1) / index.SegmentLen }

// TailOf returns the changes in segment j.
func (r *Root) TailOf(j int) []Change {
	place := func(segment int) int {
		i, _ := slices.BinarySearchFunc(r.Tail, int64(segment)*index.SegmentLen,
			func(c Change, at int64) int { return cmp.Compare(c.At, at) })
		return i
	}
	return r.Tail[place(j):place(j+1)]
}

// Before returns the numbers of earlier commits for the successor of r, which may be nil.
func (r *Root) Before() []int64 {
	if r == nil {
		return nil
	}
	return append([]int64{r.ID}, r.Earlier[:min(len(r.Earlier), MaxEarlier-1)]...)
}
