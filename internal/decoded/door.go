package decoded

import (
	"hash/maphash"
	"sync/atomic"
)

// A format that decodes parts of chunks would lose by decoding a whole one for a few items. So a
// chunk is kept only when reads of its parts, all within the time in which the cache could be
// filled once, have taken some of the work that decoding it takes. The door remembers how much.
//
// A slot has, from the highest bits on, the round, a mark of the key, and the work in units. Two
// keys in one slot forget each other, and two goroutines may lose some work: the chunk is then kept
// a little later.
type door struct {
	slots [doorSlots]atomic.Uint64
	work  atomic.Int64 // of all keys, for the rounds
}

const (
	doorSlots = 4096
	roundBits = 16
	workBits  = 24
	workUnit  = 256 // bytes
)

// Worth adds to the work, in bytes, that was done lately for parts of what a key identifies, and
// reports whether it had been at least enough before.
func (o *Owner) Worth(k Key, work, enough int64) bool {
	if o == nil {
		return false
	}

	d := &o.cache.door
	round := uint64(d.work.Add(work) / max(1, o.cache.Budget()))
	hash := place{o.number, k}.hash() * 0xff51_afd7_ed55_8ccd
	slot := &d.slots[hash%doorSlots]
	mark := round<<(64-roundBits) | hash>>(roundBits+workBits)<<workBits

	const units = 1<<workBits - 1
	done := uint64(0)
	if now := slot.Load(); now&^units == mark {
		done = now & units
	}
	slot.Store(mark | min(units, done+uint64(max(1, work/workUnit))))
	return int64(done)*workUnit >= enough && done > 0
}

// Version returns a number for the text that names a version.
func (o *Owner) Version(text string) uint64 {
	if o == nil {
		return 0
	}
	return maphash.String(o.cache.seed, text)
}
