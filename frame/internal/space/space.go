// Package space finds the bytes of a file that no state of a frame needs any more.
//
// It knows only what this handle has stored, so chunks of other writers, which may share bytes, are
// never overwritten. An extent without a reference is first condemned, and free at a later sweep at
// the earliest: by then, one more commit has synced the header that no longer needs it. In memory
// it is free at once.
package space

import (
	"cmp"
	"slices"
)

// A Space is what a handle has stored in a file. A nil Space never has room.
type Space struct {
	Least int64 // length of the shortest extent that is remembered
	// extents that are used again begin at its multiples or where others began, so that few places
	// recur
	Grain int64
	Wait  int64 // bytes to store between two sweeps at least
	// a commit cannot be lost after it was made, so that what it does not need is free at once
	AtOnce bool

	own    []owned
	free   []extent // by place, apart from each other
	taken  []extent // of free, since Begin
	begun  int      // len(own) at Begin
	stored int64    // bytes since the last sweep

	unused int64 // condemned and free bytes
}

type extent struct {
	from, to int64
	place    bool // something began at from before
}

// owned is an extent with a chunk, or with something to which no index refers.
type owned struct {
	extent
	at        int64 // where the chunk begins
	condemned bool
}

// Defaults of the fields of a Space.
const (
	least = 32 << 10
	grain = 4 << 10
	wait  = 1 << 20
)

// probes is how many free extents Take considers.
const probes = 256

// New returns a Space for an empty file.
func New() *Space { return &Space{Least: least, Grain: grain, Wait: wait} }

// Successor returns an empty Space with the same settings.
func (s *Space) Successor() *Space {
	if s == nil {
		return nil
	}
	return &Space{Least: s.Least, Grain: s.Grain, Wait: s.Wait, AtOnce: s.AtOnce}
}

// Store notes n bytes that were stored at an offset behind everything else.
func (s *Space) Store(at, n int64) {
	if s == nil {
		return
	}
	s.stored += n
	if n >= s.Least {
		s.own = append(s.own, owned{extent: extent{at, at + n, true}, at: at})
	}
}

// Take returns the offset of n free bytes, which count as stored.
func (s *Space) Take(n int64) (at int64, ok bool) {
	if s == nil || n < s.Least {
		return 0, false
	}

	best := -1
	for i, e := range s.free[:min(len(s.free), probes)] {
		fits := s.start(e)+n <= e.to
		if fits && (best < 0 || e.to-e.from < s.free[best].to-s.free[best].from) {
			best = i
		}
	}
	if best < 0 {
		return 0, false
	}

	e := &s.free[best]
	at = s.start(*e)
	got := extent{e.from, at + n, e.place}
	e.from = got.to
	e.place = false
	if e.from == e.to {
		s.free = slices.Delete(s.free, best, best+1)
	}
	s.unused -= got.to - got.from
	s.stored += n
	s.taken = append(s.taken, got)
	s.own = append(s.own, owned{extent: got, at: at})
	return at, true
}

// start returns where something may begin in a free extent.
func (s *Space) start(e extent) int64 {
	if e.place {
		return e.from
	}
	return (e.from + s.Grain - 1) / s.Grain * s.Grain
}

// Begin begins a change, and Undo forgets what was stored since.
func (s *Space) Begin() {
	if s == nil {
		return
	}
	s.taken = s.taken[:0]
	s.begun = len(s.own)
}

// Undo forgets what was stored since Begin. No state may refer to it.
func (s *Space) Undo() {
	if s == nil {
		return
	}
	s.own = s.own[:s.begun]
	for _, e := range s.taken {
		s.unused += e.to - e.from
	}
	s.free = merge(append(s.free, s.taken...))
	s.taken = s.taken[:0]
}

// Due reports whether a sweep is worth its time: it looks at every chunk, so that much must have
// been stored since the last one. live is the length of all chunks.
func (s *Space) Due(live int64) bool {
	return s != nil && len(s.own) > 0 && s.stored >= max(s.Wait, live/16)
}

// Unused returns how many bytes are free or will be.
func (s *Space) Unused() int64 {
	if s == nil {
		return 0
	}
	return s.unused
}

// Sweep condemns what nothing refers to. visit calls mark for the offset of every chunk of the
// committed state; after an error of visit, nothing has changed. If reclaim is set, what an earlier
// sweep condemned becomes free: no older state may be read any more, and nothing may be staged.
func (s *Space) Sweep(visit func(mark func(at int64)) error, reclaim bool) error {
	slices.SortFunc(s.own, func(a, b owned) int { return cmp.Compare(a.at, b.at) })
	used := make([]bool, len(s.own))
	err := visit(func(at int64) {
		i, ok := slices.BinarySearchFunc(s.own, at, func(o owned, at int64) int { return cmp.Compare(o.at, at) })
		if ok {
			used[i] = true
		}
	})
	if err != nil {
		return err
	}

	s.stored = 0
	kept := s.own[:0]
	for i, o := range s.own {
		switch {
		case used[i]:
		case !o.condemned:
			o.condemned = true
			s.unused += o.to - o.from
			if reclaim && s.AtOnce {
				s.free = append(s.free, o.extent)
				continue
			}
		case reclaim:
			s.free = append(s.free, o.extent)
			continue
		}
		kept = append(kept, o)
	}

	s.own = kept
	s.begun = len(s.own)
	s.taken = s.taken[:0]
	s.free = merge(s.free)
	return nil
}

// merge sorts extents by their places and joins those that touch.
func merge(all []extent) []extent {
	slices.SortFunc(all, func(a, b extent) int { return cmp.Compare(a.from, b.from) })
	joined := all[:0]
	for _, e := range all {
		if n := len(joined); n > 0 && joined[n-1].to == e.from {
			joined[n-1].to = e.to
			continue
		}
		joined = append(joined, e)
	}
	return joined
}
