package main

import (
	"context"
	"encoding/binary"
	"slices"
	"time"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/ndarray"
)

// checkVersions compares every version with the commits that the last one has: each has one more.
// The first one has none, or that of a large schedule.
func (s *schedule) checkVersions(items []int64, commits []commitID) {
	n := int64(0) // versions before the first commit
	if !s.large {
		n = 1
	}

	newest := int64(len(commits)) + n
	for v, err := range frame.Versions(context.Background(), arrayPath, &frame.OpenOptions{FS: s.direct()}) {
		if err != nil {
			s.fail("versions: %v", err)
			return
		}
		if v.Seq != newest {
			s.fail("version %d, want %d", v.Seq, newest)
		}
		if newest--; s.large && newest < int64(len(commits))-3 {
			return // each takes long to read
		}

		got, err := s.version(v.Seq)
		if err != nil || len(got) > len(items) || !slices.Equal(got, items[:len(got)]) {
			s.fail("version %d has %d, %v", v.Seq, got, err)
			continue
		}
		if has, err := commitsIn(s.seed, got); err != nil || int64(len(has)) != v.Seq-n {
			s.fail("version %d has %d commits, %v", v.Seq, len(has), err)
		}
	}

	if newest != 0 {
		s.fail("there is no version %d", newest)
	}
}

// version returns the items of a version, from the chunks of its frame.
func (s *schedule) version(seq int64) (items []int64, err error) {
	f, err := frame.Open(arrayPath, &frame.OpenOptions{FS: s.direct(), Version: seq})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for i := range f.NumChunks() {
		raw := make([]byte, 2*columns*8)
		if _, err := f.ReadChunk(context.Background(), raw, i); err != nil {
			return nil, err
		}
		for at := 0; at < len(raw); at += 8 {
			items = append(items, int64(binary.LittleEndian.Uint64(raw[at:])))
		}
	}
	if n := len(items); n > 0 && items[n-columns+4] == 0 { // the last chunk has one row and padding
		items = items[:n-columns]
	}
	return items, nil
}

// collect removes the garbage. What the newest version needs must be there after that, and nothing
// else.
func (s *schedule) collect(items []int64) {
	ctx := context.Background()
	for again := range 2 {
		c, err := frame.Collect(ctx, arrayPath, &frame.CollectOptions{FS: s.direct(), Age: time.Nanosecond})
		if err != nil || again > 0 && c.Objects > 0 {
			s.fail("collect: %+v, %v", c, err)
			return
		}
		s.Collected += c.Objects
	}

	a, err := ndarray.OpenAs[int64](arrayPath, &ndarray.OpenOptions{FS: s.direct()})
	if err != nil {
		s.fail("after collecting: %v", err)
		return
	}
	defer a.Close()
	if got, err := a.Read(ctx); err != nil || !slices.Equal(got, items) {
		s.fail("after collecting: %d, %v", got, err)
	}

	rows := len(items) / columns
	chunks := s.store.Count(".chunk")
	roots := s.store.Count("root")
	segments := s.store.Count(".index")
	if chunks != (rows+1)/2 || roots != 2 || segments > 1 || segments > 0 && !s.large {
		s.fail("%d chunks, %d roots and %d segments for %d rows", chunks, roots, segments, rows)
	}
	s.Segments += segments
}
