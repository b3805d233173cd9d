package frame

import (
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/frame/internal/remains"
	"github.com/cairn-go/cairn/internal/wire"
)

// rebuild reconstructs a state of a frame that cannot be opened.
func (s *salvage) rebuild() (*draft, error) {
	if err := s.readHeader(); err != nil {
		return nil, err
	}
	if s.trusted {
		if v := s.statedIndex(); v != nil {
			return v, nil
		}
	}

	q := &remains.Search{File: s.file, Size: s.size, Decoder: chunk.NewDecoder(s.env.decodeOptions()),
		MaxChunk: s.env.engine.Limits.MaxChunk, HeaderLen: s.head.HeaderLen, Exact: s.exact}
	if s.trusted {
		q.TypeSize = s.head.TypeSize
	}

	from := s.head.HeaderLen
	if from == 0 || from > s.size {
		from = min(s.size, format.MinTrailer)
	}
	if err := q.Run(s.ctx, from); err != nil {
		return nil, err
	}

	s.why = map[int]error{}
	s.places = map[int]int64{}
	v, err := s.assemble(q)
	if err != nil {
		return nil, err
	}

	if s.src == nil && !s.trusted && s.report.Guide == GuidePosition && len(q.Chunks)+len(s.layers) == 0 {
		return nil, cairn.Corruptf("frame", -1, "no part of a frame was found")
	}
	if n := len(q.Trailers); n > 0 {
		v.vl = s.readTrailer(q.Trailers[n-1])
	} else {
		v.vl = s.readTrailer(0)
	}

	return v, nil
}

// statedIndex reads the index at the offset in the header. It returns nil if there is none.
func (s *salvage) statedIndex() *draft {
	from := s.head.HeaderLen + s.head.CBytes
	if s.src != nil {
		from = s.head.HeaderLen
	}
	if from < 0 || from > s.size-chunk.HeaderSize || s.head.NBytes == 0 {
		return nil
	}

	v := s.draft(s.head.HeaderLen)
	size, err := v.readIndex(s.file, from, s.size, nil)
	if err != nil {
		s.report.fault(err)
		return nil
	}
	if err := v.index.Load(); err != nil {
		s.report.fault(err)
		return nil
	}

	s.report.Guide = GuideIndex
	s.inferChunkSize(v)
	v.vl = s.readTrailer(from + size)
	return v
}

// assemble determines the order of the chunks that the search found.
func (s *salvage) assemble(q *remains.Search) (*draft, error) {
	candidates := q.Indexes
	if n := len(q.Chunks); n > 0 && len(q.Trailers) == 0 && remains.IndexLike(q.Chunks[n-1].Header) {
		candidates = append(candidates, q.Chunks[n-1]) // a file that was cut off behind its index
	}
	for _, c := range slices.Backward(candidates) {
		if v := s.tryIndex(q, c); v != nil {
			s.report.Guide = GuideFoundIndex
			s.inferChunkSize(v)
			s.guessHeader(v, q)
			return v, s.afterIndex(v, q, c)
		}
	}
	s.report.Guide = GuidePosition
	if s.src != nil {
		return s.byNumber()
	}
	return s.byPosition(q)
}

// tryIndex makes a state with the chunk c as index, or returns nil if c cannot be the index.
func (s *salvage) tryIndex(q *remains.Search, c remains.Chunk) *draft {
	if c.Err != nil {
		return nil
	}
	raw, err := wire.ReadFull(s.file, nil, c.At, int64(c.Header.CBytes))
	if err != nil {
		return nil
	}

	good := map[int64]bool{}
	for _, f := range q.Chunks {
		good[f.At] = true
	}
	for _, base := range s.bases(q) {
		v := s.draft(base)
		v.head.CBytes = c.At - base
		x, err := index.Decode(raw, c.At, s.env.indexLimits(), entryCheck(v.source, v.head.CBytes))
		if err != nil || x.Load() != nil {
			continue
		}
		if s.src != nil || s.indexFits(q, x, base, good) {
			v.index = x
			return v
		}
	}

	return nil
}

// bases returns the possible ends of the header, from which offsets count. If the header is
// unknown, these are the offsets of the first chunks that were found: the very first may be lost.
func (s *salvage) bases(q *remains.Search) []int64 {
	if s.head.HeaderLen > 0 {
		return []int64{s.head.HeaderLen}
	}
	var bases []int64
	for _, c := range q.Chunks[:min(len(q.Chunks), 16)] {
		bases = append(bases, c.At)
	}
	return append(bases, format.FixedHeader+10) // a header without metalayers
}

// indexFits reports whether every entry refers to a chunk that was found, or to a gap where one may
// have been.
func (s *salvage) indexFits(q *remains.Search, x index.Index, base int64, good map[int64]bool) bool {
	hits := 0
	for i := 0; i < x.Len(); i += x.Run(i) {
		entry, err := x.At(i)
		switch {
		case err != nil:
			return false
		case entry < 0:
		case good[base+entry]:
			hits++
		case !inGap(q.Gaps, base+entry):
			return false
		}
	}
	return hits > 0 || len(q.Chunks) == 0
}

func inGap(gaps []remains.Gap, at int64) bool {
	for _, g := range gaps {
		if at >= g.From && at < g.To {
			return true
		}
	}
	return false
}

// afterIndex appends the chunks behind an index that was found. They belong to a newer index, which
// is lost.
func (s *salvage) afterIndex(v *draft, q *remains.Search, c remains.Chunk) error {
	if s.src != nil {
		return nil
	}
	base := v.source.place(0).offset
	var newer []remains.Chunk
	for _, f := range q.Chunks {
		if f.At > c.At {
			newer = append(newer, f)
		}
	}

	if len(newer) == 0 {
		return nil
	}
	s.report.Guessed = true
	s.report.fault(cairn.Corruptf(index.Layer, -1,
		"the newest index is lost; the one at %d is older than %d chunks behind it",
		c.At, len(newer)))

	for _, f := range newer {
		if s.total >= 0 && v.index.Len() >= s.total {
			break
		}
		x, err := v.index.Append(f.At - base)
		if err != nil {
			return err
		}
		v.index = x
	}
	v.head.CBytes = s.size - base
	return nil
}
