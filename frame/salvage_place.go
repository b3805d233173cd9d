package frame

import (
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/index"
)

// byPosition takes the chunks in the order in which they are in the file, which is that in which
// they were written.
func (s *salvage) byPosition(q *search) (*draft, error) {
	v := s.draft(0) // entries are offsets in the file
	var sizes []int32
	for _, c := range q.chunks[:max(0, len(q.chunks)-1)] {
		sizes = append(sizes, c.header.NBytes)
	}
	s.correct(v, sizes)
	s.guessHeader(v, q)
	v.head.CBytes = s.size
	chunks := q.chunks
	if s.total >= 0 && len(chunks) > s.total {
		s.report.Guessed = true
		s.report.fault(cairn.Corruptf(index.Layer, -1,
			"%d chunks were found where %d are needed: replaced ones are among them",
			len(chunks), s.total))
		chunks = chunks[:s.total]
	}
	if s.ended(q, v) {
		s.total = min(s.total, len(chunks)+len(innerGaps(q)))
	}
	missing := s.total - len(chunks)
	if s.total < 0 {
		missing = 0
		for _, g := range q.gaps {
			if !g.maybe {
				missing++
			}
		}
	}
	if err := s.bound(len(chunks) + missing); err != nil {
		return nil, err
	}
	lost := s.spread(q, missing)
	b := index.Builder{Index: v.index}
	for i := 0; i <= len(chunks); i++ {
		for _, g := range lost[i] {
			s.why[b.Index.Len()] = cairn.Corruptf("chunk",
				g.from, "no intact chunk begins between %d and %d", g.from, g.to)
			s.places[b.Index.Len()] = g.from
			b.Add(lostEntry)
		}
		if i < len(chunks) {
			b.Add(chunks[i].at)
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

// ended reports whether the last chunk that was found is shorter than the others, as only the last
// one of a frame is.
func (s *salvage) ended(q *search, v *draft) bool {
	n := len(q.chunks)
	return s.exact == 0 && n > 0 && q.chunks[n-1].err == nil && v.head.ChunkSize > 0 &&
		q.chunks[n-1].header.NBytes < v.head.ChunkSize
}

// innerGaps returns the gaps that chunks are lost in for certain.
func innerGaps(q *search) []gap {
	return slices.DeleteFunc(slices.Clone(q.gaps), func(g gap) bool { return g.maybe })
}

// spread says in which gaps chunks are missing, by the number of chunks in front of them. Every gap
// has at least one, but for those that may have none; where more are missing than that, long gaps
// have more.
func (s *salvage) spread(q *search, missing int) map[int][]gap {
	lost := map[int][]gap{}
	inner := innerGaps(q)
	if missing <= 0 {
		return lost
	}
	if missing < len(inner) {
		s.report.Guessed = true
		slices.SortStableFunc(inner, func(a, b gap) int { return int(min(1, max(-1, (b.to-b.from)-(a.to-a.from)))) })
		inner = inner[:missing]
	}
	for _, g := range inner {
		lost[g.before] = append(lost[g.before], g)
		missing--
	}
	if missing == 0 {
		return lost
	}
	// In a file that was cut, or whose only gap it is, all that is missing is in one place.
	if len(inner) == 1 && (len(q.trailers) > 0 || inner[0].to == s.size) {
		for range min(int64(missing), (inner[0].to-inner[0].from)/chunk.HeaderSize) {
			lost[inner[0].before] = append(lost[inner[0].before], inner[0])
			missing--
		}
		s.report.Guessed = s.report.Guessed || missing > 0 && inner[0].to < s.size
		return lost
	}
	s.report.Guessed = s.report.Guessed || len(inner) > 0
	s.stretch(q, inner, lost, missing)
	return lost
}

// stretch spreads what is still missing over gaps that are longer than the average chunk.
func (s *salvage) stretch(q *search, gaps []gap, lost map[int][]gap, missing int) {
	var sum int64
	for _, c := range q.chunks {
		sum += int64(c.header.CBytes)
	}
	if sum == 0 {
		return
	}
	average := max(1, sum/int64(len(q.chunks)))
	for _, g := range gaps {
		for more := (g.to-g.from)/average - 1; more > 0 && missing > 0; more-- {
			lost[g.before] = append(lost[g.before], g)
			missing--
		}
	}
}

// byNumber takes the chunk files of a sparse frame in the order of their numbers, which is that in
// which they were first written.
func (s *salvage) byNumber() (*draft, error) {
	files, err := s.src.files()
	if err != nil {
		return nil, err
	}
	v := s.draft(0)
	q := &search{s: s}
	ids := make([]int64, len(files))
	for i, f := range files {
		ids[i] = f.id
		if info, err := v.peek(0, f.id); err == nil && !s.trusted {
			q.chunks = append(q.chunks, foundChunk{header: info.Header})
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
