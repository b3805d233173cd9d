package storagetest

import (
	"iter"
	"math/rand/v2"
)

// Sector and Page are the units in which disks and operating systems lose writes, in bytes.
const (
	Sector = 512
	Page   = 4096
)

// A Sweep determines which crashes are tested at each operation of a log.
type Sweep struct {
	Seed    uint64
	Subsets int // for up to this number of pieces, test every set of survivors
	Samples int // for more pieces, test this number of random sets
	// cut a write at every byte within this number of bytes from the start of its file, besides at
	// sectors
	Bytes   int
	Durable int // operations before this one are durable
}

// FullSweep is the sweep of this module's tests: every set of up to ten pieces, samples random sets
// of more pieces, and cuts at every byte of the first sector.
func FullSweep(seed uint64, samples int) Sweep {
	return Sweep{Seed: seed, Subsets: 10, Samples: samples, Bytes: Sector}
}

// Crashes returns the crashes of a sweep after from to to operations. It is deterministic.
func (l *Log) Crashes(s Sweep, from, to int) iter.Seq[Crash] {
	return func(yield func(Crash) bool) {
		rng := rand.New(rand.NewPCG(s.Seed, uint64(from)))
		for at := from; at <= to; at++ {
			if !yield(Crash{Model: Kill, At: at, From: s.Durable}) || !l.tears(s, at, yield) || !l.losses(s, at, rng, yield) {
				return
			}
		}
	}
}

// tears yields crashes within the last write.
func (l *Log) tears(s Sweep, at int, yield func(Crash) bool) bool {
	if at == 0 || l.Ops[at-1].Kind != OpWrite {
		return true
	}

	op := l.Ops[at-1]
	end := op.Offset + int64(len(op.Data))
	for p := op.Offset + 1; p < end; p++ {
		if p >= int64(s.Bytes) && p%Sector != 0 {
			p += Sector - p%Sector - 1
			continue
		}
		if !yield(Crash{Model: Torn, At: at, From: s.Durable, Cut: p - op.Offset}) {
			return false
		}
	}
	return true
}

// losses yields power losses.
func (l *Log) losses(s Sweep, at int, rng *rand.Rand, yield func(Crash) bool) bool {
	first := s.Durable
	if first == 0 {
		_, first = l.start(at, 0)
	}

	// Count the pieces that a crash after so many operations may lose.
	pieces := 0
	for i := first; i < at && pieces <= s.Subsets; i++ {
		op := l.Ops[i]
		switch {
		case l.settled[i] <= at:
		case op.Kind == OpWrite && len(op.Data) > 0:
			pieces += int((op.Offset+int64(len(op.Data))-1)/Sector - op.Offset/Sector + 1)
		case op.Kind != OpWrite:
			pieces++
		}
	}

	if pieces == 0 {
		return true
	}

	c := Crash{Model: PowerLoss, At: at, From: s.Durable, Unit: Sector}
	if pieces <= s.Subsets {
		for c.Pieces = 0; c.Pieces < 1<<pieces-1; c.Pieces++ { // keeping all equals a kill
			c.Lost = Fate((c.Pieces + uint64(at)) % 3)
			if !yield(c) {
				return false
			}
		}
		return l.nothing(c, yield)
	}

	if !l.nothing(c, yield) {
		return false
	}

	for k := range s.Samples {
		c := c
		c.Seed = rng.Uint64() | 1
		c.Unit = []int64{Sector, Page}[k%2]
		c.Lost = Fate(rng.IntN(3))
		c.Ordered = rng.IntN(3) == 0
		c.Loose = rng.IntN(2) == 0
		c.Sizes = rng.IntN(2) == 0
		if !yield(c) {
			return false
		}
	}
	return true
}

// nothing yields the loss of everything that was not synced, in each way.
func (l *Log) nothing(c Crash, yield func(Crash) bool) bool {
	c.Unit = Page
	c.Pieces = 0
	for c.Lost = Gone; c.Lost <= Garbled; c.Lost++ {
		if !yield(c) {
			return false
		}
	}
	return true
}
