package frame

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// SalvageOptions say how a damaged frame is salvaged. With nil and the zero value, lost chunks are
// replaced by zeros.
type SalvageOptions struct {
	chunk.Engine

	// Fill returns the item, of typeSize bytes, with which lost chunks are filled. It is called
	// once, before anything is written, with the fixed metalayers that could be read; its error
	// ends the salvage. A nil function and a nil result mean zeros.
	Fill func(typeSize int, layers []meta.Layer) ([]byte, error)

	Overwrite bool       // replace an existing file or frame instead of failing
	Workers   int        // number of blocks of a chunk to decode at the same time; 0 means 1
	FS        storage.FS // of both frames; nil means the operating system's files
}

// Guide says how Salvage found the chunks and their order.
type Guide uint8

// The guides, the best one first.
const (
	// GuideIndex means the index of the frame, at the offset in the header.
	GuideIndex Guide = iota
	// GuideFoundIndex means an index that was found by searching the file.
	GuideFoundIndex
	// GuidePosition means no index. Chunks are in the order of their offsets in the file, which was
	// searched for them, or of the numbers of chunk files: the order in which they were written.
	GuidePosition
)

// String returns "index", "found index" or "position".
func (g Guide) String() string {
	names := [...]string{"index", "found index", "position"}
	if int(g) < len(names) {
		return names[g]
	}
	return fmt.Sprintf("guide %d", uint8(g))
}

// LostChunk describes a chunk that could not be saved, or a run of such chunks.
type LostChunk struct {
	Chunk int // index of the first one
	Count int // how many there are; more than 1 only for chunks of which nothing is left
	// offset of the chunk in the damaged file, or of its remains; -1 if unknown
	Offset int64
	File   string // name of its own file in a sparse frame
	NBytes int64  // decoded bytes of the filling, for the whole run
	Err    error  // why
}

// LostLayer describes a metalayer that could not be saved.
type LostLayer struct {
	Name     string // empty if it cannot be read
	Variable bool   // whether it is of variable length
	Err      error
}

// SalvageReport is what [Salvage] found.
type SalvageReport struct {
	Guide Guide
	// the positions of lost chunks in the new frame are an estimate
	Guessed bool
	// the header could not be read; the new one is derived from chunks and metalayers
	Rebuilt bool
	Info    Info // of the new frame
	Saved   int  // chunks that were copied, including those that are only an index entry
	// how many of these have no checksum and cannot be decoded by this program: only their header
	// was checked
	Unchecked int
	Lost      []LostChunk // in order, up to 65536 runs
	LostTotal int         // number of lost chunks
	Layers    []LostLayer
	Faults    []error // faults of the frame outside of chunks
}

// Whole reports whether all chunks and metalayers were saved.
func (r *SalvageReport) Whole() bool { return r.LostTotal == 0 && len(r.Layers) == 0 && !r.Guessed }

func (r *SalvageReport) fault(err error) { r.Faults = addFault(r.Faults, err) }

// salvage is the state of one call of Salvage.
type salvage struct {
	ctx     context.Context
	options *SalvageOptions
	fs      storage.FS
	env     *env
	report  SalvageReport

	file storage.File // the damaged frame, or the index file of a sparse one
	size int64        // of file
	src  *sparse      // the chunk files; nil for a contiguous frame

	head    format.Header
	trusted bool // whether the header could be read
	layers  []meta.Layer
	exact   int64         // decoded size of every chunk of an array; 0 if the frame is not an array
	total   int           // expected number of chunks; -1 if unknown
	why     map[int]error // reasons for lost chunks without an entry
	places  map[int]int64 // where such chunks may have been in the file
}

// open reads the frame as [Open] does, including the whole index.
func (s *salvage) open() (*draft, error) {
	found, err := readState(s.file, s.env, 0, s.src)
	if err != nil {
		return nil, err
	}
	if err := found.index.Load(); err != nil {
		return nil, err
	}

	v := found.draft()
	s.head = v.head
	s.trusted = true
	s.layers = v.layers
	s.dropBroken()
	v.layers = s.layers
	if v.cover != nil && v.cover.healed {
		s.report.fault(cairn.Corruptf(format.LayerHeader, 0,
			"its checksum is wrong; it is taken from the commit record"))
	}

	s.geometry()
	s.inferChunkSize(v)
	v.head.TypeSize = s.head.TypeSize
	v.head.ChunkSize = s.head.ChunkSize
	s.env.typeSize = int(s.head.TypeSize)
	return v, nil
}

// geometry determines the number and size of the chunks: from the b2nd metalayer, otherwise from
// the header. If they contradict each other, the majority of header, shapes and dtype decides.
func (s *salvage) geometry() {
	h := &s.head
	s.total = -1
	s.exact = 0
	if s.trusted && h.ChunkSize > 0 && h.NBytes > 0 {
		s.total = int((h.NBytes-1)/int64(h.ChunkSize) + 1)
	}

	b := arrayGeometry(s.layers)
	if b == nil || b.NumChunks() > format.MaxChunks {
		return
	}

	typeSize := int64(h.TypeSize)
	if d, err := meta.ParseDType(b.DType); err == nil && d.Size() > 0 && int64(d.Size()) != typeSize {
		size, err := b.ChunkBytes(d.Size())
		if !s.trusted || err == nil && size == int64(h.ChunkSize) {
			typeSize = int64(d.Size())
		}
	}

	size, err := b.ChunkBytes(int(typeSize))
	if err != nil || size == 0 {
		return
	}

	if s.trusted && (typeSize != int64(h.TypeSize) || size != int64(h.ChunkSize)) {
		s.report.fault(cairn.Corruptf(format.LayerHeader, -1,
			"states chunks of %d bytes and items of %d, the array has chunks of %d and items of %d",
			h.ChunkSize, h.TypeSize, size, typeSize))
	}

	h.TypeSize = int32(typeSize)
	h.ChunkSize = int32(size)
	s.total = int(b.NumChunks())
	s.exact = size
}

// inferFrom is how many chunks inferChunkSize looks at.
const inferFrom = 64

// inferChunkSize corrects the chunk size of the header if all chunks of a state but the last have
// the same other size.
func (s *salvage) inferChunkSize(v *draft) {
	var sizes []int32
	for i := 0; i < v.index.Len()-1 && len(sizes) < inferFrom; i++ {
		entry, err := v.index.At(i)
		if err != nil || entry < 0 {
			i += v.index.Run(i) - 1
			continue
		}

		// v.peek would fail for a size that differs from the chunk size of v.
		sp, err := v.openChunk(entry)
		if err != nil {
			sizes = append(sizes, 0)
			continue
		}

		raw, err := sp.read(nil, min(chunk.HeaderSize, sp.limit))
		h, bad := chunk.ParseHeader(raw)
		if errors.Join(err, bad, sp.Release()) != nil {
			h.NBytes = 0
		}
		sizes = append(sizes, h.NBytes)
	}
	s.correct(v, sizes)
}

// correct sets the chunk size to the size that all chunks have. Broken chunks have size 0 and do
// not count.
func (s *salvage) correct(v *draft, sizes []int32) {
	sizes = slices.DeleteFunc(sizes, func(size int32) bool { return size <= 0 })
	if s.exact > 0 || s.head.ChunkSize <= 0 || len(sizes) == 0 ||
		slices.Min(sizes) != slices.Max(sizes) || sizes[0] == s.head.ChunkSize {
		return
	}
	s.report.fault(cairn.Corruptf(format.LayerHeader, format.AtChunkSize,
		"states chunks of %d bytes, they have %d", s.head.ChunkSize, sizes[0]))
	s.head.ChunkSize = sizes[0]
	v.head.ChunkSize = sizes[0]
	s.geometry()
}

// dropBroken removes an invalid metalayer of an array. The result is then a plain frame.
func (s *salvage) dropBroken() {
	s.layers = slices.DeleteFunc(slices.Clone(s.layers), func(l meta.Layer) bool {
		if l.Name != meta.LayerB2ND && l.Name != meta.LayerCaterva {
			return false
		}
		_, err := meta.ParseB2ND(l.Content)
		if err != nil {
			s.report.Layers = append(s.report.Layers, LostLayer{Name: l.Name, Err: err})
		}
		return err != nil
	})
}
