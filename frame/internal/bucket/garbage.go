package bucket

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/storage"
)

// Garbage returns the objects to which neither the newest commit nor one of the keep commits before
// refers, and which are older than age by the clock of the bucket.
func (r *Objects) Garbage(ctx context.Context, keep int, age time.Duration) (
	garbage []storage.Object, young int, err error,
) {
	// List before the roots are read: what is committed in between is younger.
	objects, now, err := r.list(ctx)
	if err != nil {
		return nil, 0, err
	}
	needed, err := r.needed(ctx, keep)
	if err != nil {
		return nil, 0, err
	}

	for _, at := range objects {
		if _, keep := slices.BinarySearch(needed, at.number); keep {
			continue
		}
		if now.Sub(at.Modified) < age {
			young++
			continue
		}
		garbage = append(garbage, at.Object)
	}

	return garbage, young, nil
}

// A numberedObject is an object of a frame other than the root.
type numberedObject struct {
	storage.Object
	number int64
}

// list returns the numbered objects of a frame, and the time by the clock of the bucket.
func (r *Objects) list(ctx context.Context) (objects []numberedObject, now time.Time, err error) {
	probe := r.Name(NewNumber(), ChunkKind)
	if _, err := r.Put(ctx, probe, nil, storage.When{Absent: true}); err != nil {
		return nil, now, err
	}
	for at, failed := range r.List(ctx, r.Path+"/") {
		if failed != nil {
			err = failed
			break
		}
		if at.Name == probe {
			now = at.Modified
			continue
		}

		name, kind, _ := strings.Cut(at.Name[len(r.Path)+1:], ".")
		number, failed := strconv.ParseInt(name, 16, 64)
		if failed != nil || ObjectName(number, kind) != name+"."+kind ||
			!slices.Contains([]string{ChunkKind, segmentKind, RootKind}, kind) {
			continue // not an object of the frame
		}
		objects = append(objects, numberedObject{at, number})
	}

	err = errors.Join(err, r.Delete(context.WithoutCancel(ctx), probe))
	if err == nil && now.IsZero() {
		err = fmt.Errorf("the bucket does not tell when objects were put: %w", cairn.ErrUnsupported)
	}
	return objects, now, err
}

// A usedSegment is a segment to which versions refer.
type usedSegment struct {
	Segment
	j        int
	versions int           // how many refer to it
	hidden   map[int64]int // how many of these override an entry
}

// needed returns the sorted numbers of the objects to which the newest commit and some commits
// before it refer.
func (r *Objects) needed(ctx context.Context, before int) (numbers []int64, err error) {
	used := map[int64]*usedSegment{}
	for content, err := range r.Commits(ctx) {
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, content.ID)
		for _, c := range content.Tail {
			if c.Entry >= 0 {
				numbers = append(numbers, c.Entry)
			}
		}

		use(used, content)
		if before--; before < 0 {
			break
		}
	}

	for _, s := range used {
		numbers = append(numbers, s.Number)
		x, err := r.stored(ctx, s.Segment, s.j)
		if err != nil {
			return nil, err
		}

		for i := 0; i < x.Len(); i += x.Run(i) {
			entry, err := x.At(i)
			if err != nil {
				return nil, err
			}
			if entry >= 0 && s.hidden[int64(i)] < s.versions {
				numbers = append(numbers, entry)
			}
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers), nil
}

// use notes the segments to which a root refers.
func use(used map[int64]*usedSegment, content *Root) {
	for j, at := range content.Segments {
		if at.Number < 0 {
			continue
		}
		s := used[at.Number]
		if s == nil {
			s = &usedSegment{Segment: at, j: j, hidden: map[int64]int{}}
			used[at.Number] = s
		}
		s.versions++
		for _, c := range content.TailOf(j) {
			s.hidden[c.At%index.SegmentLen]++
		}
	}
}
