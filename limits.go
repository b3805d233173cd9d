package cairn

import "fmt"

// Limits bound the memory that untrusted input may cost. The zero value of a field means the
// default given beside it. Limits do not apply to memory that the caller supplies or asks for, such
// as the destination of a read.
type Limits struct {
	MaxHeader  int64 // bytes of a frame header; default 16 MiB
	MaxTrailer int64 // bytes of a frame trailer; default 256 MiB
	// decoded or encoded bytes of one chunk; default 2 GiB - 33 B, the maximum of the format
	MaxChunk int64
	// decoded bytes of a frame's index, 8 per chunk; default 2 GiB - 8 B, the maximum of the format
	MaxIndex int64
	// MaxMeta bounds the decoded bytes of all variable-length metalayers of a frame; default 64
	// MiB. Their values may take four times as much memory.
	MaxMeta  int64
	MaxAlloc int64 // bytes of one allocation whose size comes from a file; default 1 GiB
	// arrays and groups that are listed of a Zarr store, an HDF5 file or the like, and links of a
	// group of HDF5; default 2²⁰
	MaxNodes int64
}

// Default limits; see the fields of [Limits].
const (
	defaultMaxHeader  = 16 << 20       // bytes of a frame header
	defaultMaxTrailer = 256 << 20      // bytes of a frame trailer
	defaultMaxChunk   = 1<<31 - 1 - 32 // bytes of a chunk, decoded or encoded
	defaultMaxIndex   = 1<<31 - 8      // bytes of the decoded index of a frame
	defaultMaxMeta    = 64 << 20       // decoded bytes of the variable-length metalayers of a frame
	defaultMaxAlloc   = 1 << 30        // bytes of one allocation whose size comes from a file
	defaultMaxNodes   = 1 << 20        // arrays and groups that are listed of a tree
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
	fill(&l.MaxNodes, defaultMaxNodes)
	return l
}

// Validate returns an error for the first negative field.
func (l Limits) Validate() error {
	for _, f := range []struct {
		name  string
		value int64
	}{
		{"MaxHeader", l.MaxHeader},
		{"MaxTrailer", l.MaxTrailer},
		{"MaxChunk", l.MaxChunk},
		{"MaxIndex", l.MaxIndex},
		{"MaxMeta", l.MaxMeta},
		{"MaxAlloc", l.MaxAlloc},
		{"MaxNodes", l.MaxNodes},
	} {
		if f.value < 0 {
			return fmt.Errorf("limits: %s is %d, must not be negative: %w", f.name, f.value, ErrInvalid)
		}
	}
	return nil
}
