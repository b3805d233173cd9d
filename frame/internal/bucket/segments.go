package bucket

import (
	"context"
	"slices"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/storage"
)

// Segments are those of the index that a root describes. They are fetched when they are needed.
type Segments struct {
	objects *Objects
	content *Root
	all     []segment
}

// Segments returns the segments of the index that a root describes.
func (r *Objects) Segments(content *Root) *Segments {
	return &Segments{r, content, make([]segment, len(content.Segments))}
}

// Index returns the index. It fetches segments that were not loaded, with the context of the
// objects.
func (s *Segments) Index() index.Index {
	return index.Lazy(int(s.content.Entries), func(j int) (index.Index, error) { return s.get(s.objects.Ctx, j) })
}

// Load fetches segment j unless it is there. It does nothing if there is no such segment.
func (s *Segments) Load(ctx context.Context, j int) error {
	if j < 0 || j >= len(s.all) {
		return nil
	}
	_, err := s.get(ctx, j)
	return err
}

func (s *Segments) get(ctx context.Context, j int) (index.Index, error) {
	return s.all[j].get(ctx, func() (index.Index, error) { return s.objects.segment(ctx, s.content, j) })
}

// segment returns segment j of the index that a root describes, with the changes in the root.
func (r *Objects) segment(ctx context.Context, content *Root, j int) (index.Index, error) {
	at := content.Segments[j]
	n := int(min(content.Entries-int64(j)*index.SegmentLen, index.SegmentLen))
	x := index.Repeat(n, at.Number)
	var err error
	if at.Number >= 0 {
		if x, err = r.stored(ctx, at, j); err == nil {
			x, err = resized(x, n)
		}
	}
	if err != nil {
		return x, err
	}
	for _, c := range content.TailOf(j) {
		if x, err = x.Set(int(c.At)%index.SegmentLen, c.Entry); err != nil {
			break
		}
	}
	return x, err
}

// stored returns the entries in the object of segment j.
func (r *Objects) stored(ctx context.Context, at Segment, j int) (x index.Index, err error) {
	raw := make([]byte, at.Size)
	object := storage.Object{Name: r.Name(at.Number, segmentKind), Size: int64(at.Size)}
	fail := func(err error) (index.Index, error) {
		return x, broken(err, ObjectName(at.Number, segmentKind), "segment %d of the index", j)
	}
	if err := r.ReadRanges(ctx, object, []storage.Range{{Data: raw}}); err != nil {
		return fail(err)
	}
	if err := format.Compare(raw, at.Sum, index.Layer, 0); err != nil {
		return fail(err)
	}
	if x, err = decodeSegment(raw, r.Limits); err != nil {
		return fail(err)
	}
	return x, nil
}

// decodeSegment returns the entries in the object of a segment.
func decodeSegment(raw []byte, limits cairn.Limits) (index.Index, error) {
	// What a segment cannot have is not decoded: it might take as much memory as a whole index.
	h, err := index.ParseHeader(raw)
	if err != nil {
		return index.Index{}, err
	}
	if n := int64(h.NBytes) / index.EntrySize; n > index.SegmentLen {
		return index.Index{}, cairn.Corruptf(index.Layer, 4, "a segment of %d entries", n)
	}
	return index.Decode(raw, 0, index.Limits{Limits: limits, Asked: true}, anyEntry)
}

// resized returns x with n entries: a segment was written when the index was shorter or longer, and
// all entries that came since are in the root.
func resized(x index.Index, n int) (index.Index, error) {
	if n <= x.Len() {
		return index.New().AppendFrom(x, 0, n)
	}
	return x.AppendRun(index.New().Fill(), n-x.Len())
}

func anyEntry(_ int, entry int64) error {
	if entry < 0 {
		_, err := index.Kind(entry)
		return err
	}
	return nil
}

// A segment of an index is fetched when it is first needed, by one goroutine if several need it.
type segment struct {
	mu    sync.Mutex
	have  bool
	x     index.Index
	fetch chan struct{} // closed when the fetch that is under way has ended; nil if there is none
}

func (s *segment) get(ctx context.Context, fetch func() (index.Index, error)) (index.Index, error) {
	s.mu.Lock()
	for !s.have && s.fetch != nil {
		ended := s.fetch
		s.mu.Unlock()
		select {
		case <-ended:
		case <-ctx.Done():
			return index.Index{}, ctx.Err()
		}
		s.mu.Lock()
	}

	if s.have {
		defer s.mu.Unlock()
		return s.x, nil
	}
	s.fetch = make(chan struct{})
	s.mu.Unlock()
	x, err := fetch()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		s.x = x
		s.have = true
	}
	close(s.fetch)
	s.fetch = nil
	return x, err
}

// A NewObject is an object that does not exist yet.
type NewObject struct {
	Name    string
	Content []byte
}

// Arrange fills in the segments and the tail of a root that follows base, which is nil for the
// first one. The index was old at the time of base. Arrange returns the segments that are to be
// put, and calls load before it needs all entries of one.
func (r *Objects) Arrange(
	content, base *Root, old, now index.Index, load func(j int) error,
) (objects []NewObject, err error) {
	zeros := index.New().Fill()
	content.Segments = make([]Segment, SegmentsOf(content.Entries))
	var tails [][]Change
	changes := 0

	// First assume that no segment is put: what has changed since the base goes to the tail.
	for j := range content.Segments {
		at := Segment{Number: zeros}
		var before []Change
		if base != nil && j < len(base.Segments) {
			at = base.Segments[j]
			before = base.TailOf(j)
		}

		tail, err := changed(before, old, now, j, &at)
		if err != nil {
			return nil, err
		}
		content.Segments[j] = at
		tails = append(tails, tail)
		changes += len(tail)
	}

	if changes <= MaxTail {
		content.Tail = slices.Concat(tails...)
		return nil, nil
	}

	// The tail would be too long to be read with each root, so segments that have changed are put.
	var p index.Packer
	for j, tail := range tails {
		if len(tail) == 0 {
			continue
		}
		if err := load(j); err != nil {
			return nil, err
		}

		at, raw, err := pack(&p, now, j)
		if err != nil {
			return nil, err
		}
		content.Segments[j] = at
		if raw != nil {
			objects = append(objects, NewObject{r.Name(at.Number, segmentKind), raw})
		}
	}

	return objects, nil
}

// changed returns what overrides segment j, which is at, in an index that was old at the last
// commit, when before overrode it. A segment of one special entry needs no object.
func changed(before []Change, old, now index.Index, j int, at *Segment) ([]Change, error) {
	first := j * index.SegmentLen
	if at.Number < 0 {
		entry, err := now.At(first)
		if err != nil {
			return nil, err
		}
		if entry < 0 && first+now.Run(first) >= min(first+index.SegmentLen, now.Len()) {
			at.Number = entry
			return nil, nil
		}
	}

	latest := map[int64]int64{}
	for _, c := range before {
		if c.At < int64(now.Len()) {
			latest[c.At] = c.Entry
		}
	}

	err := index.Changes(old, now, j, func(i int, entry int64) { latest[int64(i)] = entry })
	tail := make([]Change, 0, len(latest))
	for i, entry := range latest {
		if entry != at.Number {
			tail = append(tail, Change{At: i, Entry: entry})
		}
	}
	slices.SortFunc(tail, func(a, b Change) int { return int(a.At - b.At) })
	return tail, err
}

// pack returns segment j of an index, and its object unless all entries are the same special one.
func pack(p *index.Packer, x index.Index, j int) (Segment, []byte, error) {
	s, err := x.Segment(j)
	if err != nil {
		return Segment{}, nil, err
	}
	if entry, same, err := s.Uniform(); err != nil || same && entry < 0 {
		return Segment{Number: entry}, nil, err
	}
	raw, err := p.Append(nil, s)
	return Segment{Number: NewNumber(), Size: uint32(len(raw)), Sum: format.Checksum(raw)}, raw, err
}
