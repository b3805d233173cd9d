package chunked

import (
	"context"
	"slices"
)

// Stored are the chunks of an array as they are stored, for writers that take them over without
// decoding them. Sources have a method StoredChunks that returns it.
type Stored struct {
	Chunk   []int64  // items of a chunk along each dimension
	Filters []Filter // in the order in which they were applied
	// Find returns where the chunk is that has the items of a box, and no others but what is beyond
	// the end of the array. The place has no Source if there is none. Find is nil if the array does
	// not begin with a chunk.
	Find func(ctx context.Context, start, stop []int64) (Place, error)
}

// A Filter is one of the filters of HDF5, by its registered number. Other formats that have the
// same name it so.
type Filter struct {
	ID     uint16
	Params []uint32
}

// Equal reports whether chunks of both have the same shape and are encoded in the same way.
func (s *Stored) Equal(other *Stored) bool {
	return slices.Equal(s.Chunk, other.Chunk) &&
		slices.EqualFunc(s.Filters, other.Filters, func(a, b Filter) bool {
			return a.ID == b.ID && slices.Equal(a.Params, b.Params)
		})
}

// From returns the chunks of the array from an item on. If that is not the first one of a chunk,
// there are none to find.
func (s *Stored) From(origin []int64) *Stored {
	part := *s
	for i, at := range origin {
		if at%s.Chunk[i] != 0 || s.Find == nil {
			part.Find = nil
			return &part
		}
	}

	part.Find = func(ctx context.Context, start, stop []int64) (Place, error) {
		return s.Find(ctx, Sum(origin, start), Sum(origin, stop))
	}
	return &part
}

// Sum returns the sums of coordinates.
func Sum(a, b []int64) []int64 {
	s := slices.Clone(a)
	for i, n := range b {
		s[i] += n
	}
	return s
}
