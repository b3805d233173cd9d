package frame

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// SalvageOptions say how a damaged frame is saved. Nil and the zero value put zeros where chunks
// are lost.
type SalvageOptions struct {
	chunk.Engine

	// Fill returns the item, of typeSize bytes, that lost chunks are filled with. It is called
	// once, with the fixed metalayers that could be read, before anything is written; its error
	// ends the salvage. Nil means zeros, as the function and as its result.
	Fill func(typeSize int, layers []meta.Layer) ([]byte, error)

	Overwrite bool       // replace what has the name of the new frame, instead of failing
	Workers   int        // blocks of a chunk that are decoded at the same time; 0 means 1
	FS        storage.FS // of both frames; nil means the operating system's files
}

// Guide says what told Salvage where the chunks are, and in which order.
type Guide uint8

// The guides, the best one first.
const (
	// GuideIndex is the frame's index, at the place that the header states.
	GuideIndex Guide = iota
	// GuideFoundIndex is an index that was found by searching the file for it.
	GuideFoundIndex
	// GuidePosition is the position of chunks, which were found by searching, in the file, or the
	// numbers of chunk files: the order in which they were written.
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

// LostChunk is a chunk that could not be saved, or a run of them.
type LostChunk struct {
	Chunk int // number of the first one
	Count int // how many there are; 1 but for runs of which nothing at all is left
	// where in the damaged file the chunk begins, or what is left in its place; -1 if not known
	Offset int64
	File   string // name of its own file in a sparse frame
	NBytes int64  // what it was filled with, decoded, for all of the run
	Err    error  // why
}

// LostLayer is a metalayer that could not be saved.
type LostLayer struct {
	Name     string // empty if not even that can be read
	Variable bool   // one of variable length
	Err      error
}

// SalvageReport is what [Salvage] found.
type SalvageReport struct {
	Guide Guide
	// nothing in the file says which chunks of the new frame are the lost ones: their places are an
	// estimate
	Guessed bool
	// the header could not be read; the new one states what chunks and metalayers show
	Rebuilt bool
	Info    Info // of the new frame
	Saved   int  // chunks that were copied, those included that are only an index entry
	// of these, chunks without a checksum that nothing here can decode: their header is right, and
	// no more is known
	Unchecked int
	Lost      []LostChunk // in their order
	LostTotal int         // how many chunks that are
	Layers    []LostLayer
	Faults    []error // what is wrong with the parts of the frame that are not chunks
}

// Whole reports whether nothing of the frame is lost: neither a chunk nor a metalayer.
func (r *SalvageReport) Whole() bool { return r.LostTotal == 0 && len(r.Layers) == 0 && !r.Guessed }

func (r *SalvageReport) fault(err error) { r.Faults = addFault(r.Faults, err) }

// Salvage copies everything that is intact in a frame, however damaged, into a new one of the same
// layout, which is sound. A chunk is intact if all of its blocks decode, and its checksum, if it
// has one, is right. The others are filled, so that every chunk keeps its number, and reported.
// Where the index is gone, the file is searched for chunks; where the header is gone, it is made up
// from what they say. in is only read. o may be nil.
//
// The error says that nothing could be saved, or that writing failed; the report counts then as far
// as it goes. Damage is no error.
func Salvage(ctx context.Context, in, out string, o *SalvageOptions) (SalvageReport, error) {
	o = cmp.Or(o, &SalvageOptions{})
	s := &salvage{ctx: ctx, options: o, fs: cmp.Or(o.FS, storage.OS())}
	oo := OpenOptions{Workers: o.Workers, Engine: o.Engine}
	if err := oo.Validate(); err != nil {
		return s.report, err
	}
	if filepath.Clean(in) == filepath.Clean(out) {
		return s.report, fmt.Errorf("salvage %s: the new frame cannot have the name of the damaged one: %w", in, cairn.ErrBounds)
	}
	s.env = newEnv("", &oo)
	if err := s.run(in, out); err != nil {
		return s.report, fmt.Errorf("salvage %s: %w", in, err)
	}
	return s.report, nil
}

// salvage is one run of Salvage.
type salvage struct {
	ctx     context.Context
	options *SalvageOptions
	fs      storage.FS
	env     *env
	report  SalvageReport

	file storage.File // the damaged frame, or the index file of a sparse one
	size int64        // of it
	src  *sparse      // the chunk files; nil for a contiguous frame

	head    format.Header
	trusted bool // whether the header could be read
	layers  []meta.Layer
	exact   int64         // what every chunk of an array decodes to; 0 if the frame is none
	total   int           // how many chunks there must be; -1 if not known
	why     map[int]error // of lost chunks that have no place in the file
	places  map[int]int64 // where these may have been
}

func (s *salvage) run(in, out string) (err error) {
	info, err := s.fs.Stat(in)
	if err != nil {
		return err
	}
	name := in
	if info.Dir {
		s.src = &sparse{fs: s.fs, dir: in}
		name = in + "/" + sparseIndex
	}
	if s.file, err = s.fs.Open(name); err != nil {
		if s.src == nil {
			return err
		}
		// Without its index file, a sparse frame is what the chunk files tell.
		s.report.fault(err)
		s.file = storage.BytesFile(nil)
	}
	defer func() { err = errors.Join(err, s.file.Close()) }()
	if s.size, err = s.file.Size(); err != nil {
		return err
	}
	v, err := s.open()
	if err != nil {
		s.report.fault(err)
		if v, err = s.rebuild(); err != nil {
			return notForeign(s.file, 0, err)
		}
	}
	return s.write(v, out)
}

// open reads the frame as any reader does, and all of its index.
func (s *salvage) open() (v *draft, err error) {
	found, err := readState(s.file, s.env, 0, s.src)
	if err == nil {
		err = found.index.Load()
	}
	if err == nil {
		v = found.draft()
		s.head, s.trusted, s.layers = v.head, true, v.layers
		s.dropBroken()
		v.layers = s.layers
		if v.cover != nil && v.cover.healed {
			s.report.fault(cairn.Corruptf(format.LayerHeader, 0,
				"its checksum is wrong; it is taken from the commit record"))
		}
		s.geometry()
		s.agree(v)
		v.head.TypeSize, v.head.ChunkSize = s.head.TypeSize, s.head.ChunkSize
		s.env.typeSize = int(s.head.TypeSize)
	}
	return v, err
}

// geometry finds out how many chunks there must be, and of what size: from the b2nd metalayer, else
// from the header. Where the two contradict each other, what two of header, shapes and dtype agree
// on counts.
func (s *salvage) geometry() {
	h := &s.head
	s.total, s.exact = -1, 0
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
	h.TypeSize, h.ChunkSize = int32(typeSize), int32(size)
	s.total, s.exact = int(b.NumChunks()), size
}

// agreeing is how many chunks are asked for their size.
const agreeing = 64

// agree corrects the chunk size of the header if the chunks of a state, but for the last one, agree
// on another one.
func (s *salvage) agree(v *draft) {
	var sizes []int32
	for i := 0; i < v.index.Len()-1 && len(sizes) < agreeing; i++ {
		entry, err := v.index.At(i)
		if err != nil || entry < 0 {
			i += v.index.Run(i) - 1
			continue
		}
		// Not by the view, which refuses what does not fit to its chunk size.
		sp, err := v.source.open(entry, v.head.CBytes)
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

// correct takes the chunk size that chunks agree on, of which broken ones have 0.
func (s *salvage) correct(v *draft, sizes []int32) {
	sizes = slices.DeleteFunc(sizes, func(size int32) bool { return size <= 0 })
	if s.exact > 0 || s.head.ChunkSize <= 0 || len(sizes) == 0 ||
		slices.Min(sizes) != slices.Max(sizes) || sizes[0] == s.head.ChunkSize {
		return
	}
	s.report.fault(cairn.Corruptf(format.LayerHeader, format.AtChunkSize,
		"states chunks of %d bytes, they have %d", s.head.ChunkSize, sizes[0]))
	s.head.ChunkSize, v.head.ChunkSize = sizes[0], sizes[0]
	s.geometry()
}

// dropBroken leaves out a metalayer of an array that makes no sense: what is saved is a frame then.
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

// arrayGeometry returns what the metalayers say about an array, or nil.
func arrayGeometry(layers []meta.Layer) *meta.B2ND {
	for _, name := range []string{meta.LayerB2ND, meta.LayerCaterva} {
		if i := layerNamed(layers, name); i >= 0 {
			if b, err := meta.ParseB2ND(layers[i].Content); err == nil {
				return b
			}
		}
	}
	return nil
}
