package frame

import (
	"fmt"
	"math"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/frame/internal/remains"
)

// byPosition makes a state of the chunks in the order of their offsets, in which they were written.
func (s *salvage) byPosition(q *remains.Search) (*draft, error) {
	v := s.draft(0) // entries count from the beginning of the file
	var sizes []int32
	for _, c := range q.Chunks[:max(0, len(q.Chunks)-1)] {
		sizes = append(sizes, c.Header.NBytes)
	}

	s.correct(v, sizes)
	s.guessHeader(v, q)
	v.head.CBytes = s.size
	chunks := q.Chunks
	if s.total >= 0 && len(chunks) > s.total {
		s.report.Guessed = true
		s.report.fault(cairn.Corruptf(index.Layer, -1,
			"%d chunks were found where %d are needed: replaced ones are among them",
			len(chunks), s.total))
		chunks = chunks[:s.total]
	}

	// Chunks behind the last one are not missing. Each other missing chunk was in one of the gaps.
	if s.ended(q, v) {
		s.total = min(s.total, len(chunks)+len(q.Inner()))
	}
	missing := s.total - len(chunks)
	if s.total < 0 {
		missing = len(q.Inner())
	}

	if err := s.bound(len(chunks) + missing); err != nil {
		return nil, err
	}
	lost, guessed := q.Spread(missing)
	s.report.Guessed = s.report.Guessed || guessed

	b := index.Builder{Index: v.index}
	for i := 0; i <= len(chunks); i++ {
		for _, g := range lost[i] {
			s.why[b.Index.Len()] = cairn.Corruptf("chunk",
				g.From, "no intact chunk begins between %d and %d", g.From, g.To)
			s.places[b.Index.Len()] = g.From
			b.Add(lostEntry)
		}
		if i < len(chunks) {
			b.Add(chunks[i].At)
		}
	}

	v.index = b.Finish()
	for v.index.Len() < s.total {
		x, err := v.index.AppendRun(lostEntry, s.total-v.index.Len())
		if err != nil {
			return nil, err
		}
		v.index = x
	}

	return v, nil
}

// ended reports whether the last chunk that was found is shorter than the others. Only the last
// chunk of a frame may be.
func (s *salvage) ended(q *remains.Search, v *draft) bool {
	n := len(q.Chunks)
	return s.exact == 0 && n > 0 && q.Chunks[n-1].Err == nil && v.head.ChunkSize > 0 &&
		q.Chunks[n-1].Header.NBytes < v.head.ChunkSize
}

// byNumber makes a state of the chunk files of a sparse frame in the order of their numbers, in
// which they were first written.
func (s *salvage) byNumber() (*draft, error) {
	files, err := s.src.files()
	if err != nil {
		return nil, err
	}
	v := s.draft(0)
	q := &remains.Search{}

	ids := make([]int64, len(files))
	for i, f := range files {
		ids[i] = f.id
		if info, err := v.peek(0, f.id); err == nil && !s.trusted {
			q.Chunks = append(q.Chunks, remains.Chunk{Header: info.Header})
		}
	}

	s.guessHeader(v, q)
	n := s.total
	if n < 0 || len(ids) > 0 && ids[len(ids)-1] >= int64(n) {
		s.report.Guessed = s.report.Guessed || n >= 0
		if n = len(ids); n > 0 && ids[n-1] < int64(2*n) {
			n = int(ids[len(ids)-1]) + 1
		}
	}

	if err := s.bound(n); err != nil {
		return nil, err
	}
	b := index.Builder{Index: v.index}
	for i := range n {
		if len(ids) > 0 && (ids[0] == int64(i) || n == len(ids)) {
			b.Add(ids[0])
			ids = ids[1:]
			continue
		}
		b.Add(lostEntry)
	}
	v.index = b.Finish()
	return v, nil
}

// lostEntry is the index entry of a chunk that was not found. No special kind has its number, so no
// reader accepts it.
const lostEntry = int64(math.MinInt64)

// draft makes a state of what is known so far, without an index. Offsets of chunks count from base.
func (s *salvage) draft(base int64) *draft {
	p := parts{head: s.head, layers: s.layers}
	var src source = newContiguous(s.file, base)
	if s.src != nil {
		src = s.src
	}
	v := p.draft(s.env, src)
	// there is no commit record for this state, but chunks may have footers
	v.cover = &cover{footers: true}
	v.index = index.New()
	return v
}

// guessHeader fills in a lost header from the chunks.
func (s *salvage) guessHeader(v *draft, q *remains.Search) {
	defer func() {
		v.head.FrameLen = s.size
		s.head = v.head
	}()
	if s.src != nil {
		v.head.FrameType = format.TypeSparse
	}
	if s.trusted {
		return
	}
	for _, c := range q.Chunks {
		s.learn(&v.head, c.Header)
	}
	s.env.typeSize = int(v.head.TypeSize)
}

// learn updates the header of the frame from that of a chunk.
func (s *salvage) learn(h *format.Header, c chunk.Header) {
	if h.TypeSize == 1 && s.exact == 0 {
		h.TypeSize = int32(c.TypeSize)
	}
	if h.ChunkSize = max(h.ChunkSize, c.NBytes); s.exact > 0 {
		h.ChunkSize = int32(s.exact)
	}
	if c.VLBlocks() {
		h.VLBlocks = true
		return
	}
	if c.Special() == chunk.SpecialNone && h.BlockSize == 0 {
		h.Codec = c.Codec.ID()
		h.CodecMeta = c.Codec.Parameter()
		h.Pipeline = c.Pipeline
		h.Dict = c.HasDict()
		h.BlockSize = int32(c.Layout().BlockSize)
	}
}

// bound limits the number of lost chunks to fill in proportion to the size of the file.
func (s *salvage) bound(n int) error {
	limit := s.env.engine.Limits.MaxIndex / index.EntrySize
	if !s.env.asked {
		limit = min(limit, freeLost+s.size)
	}
	if int64(n) > limit {
		return fmt.Errorf("%d chunks without bytes of their own: %w: for more than %d, set Limits.MaxIndex", n, cairn.ErrLimit, limit)
	}
	return nil
}

// freeLost is how many lost chunks, plus one per byte of the file, are filled unless the caller
// sets Limits.MaxIndex.
const freeLost = 1 << 16
