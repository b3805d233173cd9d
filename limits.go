package cairn

import "fmt"

// Limits bound what bytes from outside may cost before they have proven themselves. The zero value
// of a field means the default given beside it. Limits protect the process, not the caller's own
// requests: a read into memory that the caller supplies is bounded by that memory alone.
type Limits struct {
	MaxHeader  int64 // bytes of a frame header; default 16 MiB
	MaxTrailer int64 // bytes of a frame trailer; default 256 MiB
	// decoded or encoded bytes of one chunk; default 2 GiB - 33 B, the most the format can say
	MaxChunk int64
	// decoded bytes of a frame's index (8 per chunk); default 2 GiB - 8 B, the most the format can
	// say
	MaxIndex int64
	// MaxMeta bounds the decoded bytes of a frame's metalayers of variable length together, and is
	// a quarter of the memory that their values may take; default 64 MiB.
	MaxMeta  int64
	MaxAlloc int64 // bytes of any one allocation whose size a file dictates; default 1 GiB
}

// Default limits; see the fields of [Limits].
const (
	defaultMaxHeader  = 16 << 20
	defaultMaxTrailer = 256 << 20
	defaultMaxChunk   = 1<<31 - 1 - 32
	defaultMaxIndex   = 1<<31 - 8
	defaultMaxMeta    = 64 << 20
	defaultMaxAlloc   = 1 << 30
)

// WithDefaults returns l with every zero field replaced by its default.
func (l Limits) WithDefaults() Limits {
	fill := func(v *int64, d int64) {
		if *v == 0 {
			*v = d
		}
	}
	fill(&l.MaxHeader, defaultMaxHeader)
	fill(&l.MaxTrailer, defaultMaxTrailer)
	fill(&l.MaxChunk, defaultMaxChunk)
	fill(&l.MaxIndex, defaultMaxIndex)
	fill(&l.MaxMeta, defaultMaxMeta)
	fill(&l.MaxAlloc, defaultMaxAlloc)
	return l
}

// Validate names the first field that is negative.
func (l Limits) Validate() error {
	for _, f := range []struct {
		name  string
		value int64
	}{
		{"MaxHeader", l.MaxHeader}, {"MaxTrailer", l.MaxTrailer}, {"MaxChunk", l.MaxChunk}, {"MaxIndex", l.MaxIndex}, {"MaxMeta", l.MaxMeta}, {"MaxAlloc", l.MaxAlloc},
	} {
		if f.value < 0 {
			return fmt.Errorf("limits: %s is %d, must not be negative", f.name, f.value)
		}
	}
	return nil
}
