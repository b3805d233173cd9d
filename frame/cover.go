package frame

import (
	"sync"
	"sync/atomic"

	"github.com/cairn-go/cairn/frame/internal/format"
)

// Verdict says how far checksums vouch for something (docs/reliability.md).
type Verdict uint8

// The verdicts. A mismatch that can only be damage is no verdict but an error that matches
// cairn.ErrChecksum.
const (
	// Unverified means that nothing vouches for it: another program wrote it, or checksums are
	// switched off.
	Unverified Verdict = iota
	// VerifiedChunkOnly is for a chunk whose own checksum is right, in a frame that another program
	// has changed since.
	VerifiedChunkOnly
	// VerifiedButHeader is for a frame of which another program has changed the header alone: the
	// fixed metalayers and the defaults for new chunks are unverified, everything else is as it was
	// committed.
	VerifiedButHeader
	// Verified means: as it was committed. For a frame that speaks of header, index and trailer;
	// chunks have verdicts of their own.
	Verified
)

// String returns "unverified", "verified alone", "verified but for its header" or "verified".
func (v Verdict) String() string {
	names := [...]string{"unverified", "verified alone", "verified but for its header", "verified"}
	if int(v) < len(names) {
		return names[v]
	}
	return "no verdict"
}

// cover is what checksums say of a committed state, and what they must say of its chunks. Nobody
// changes it.
type cover struct {
	verdict Verdict
	seq     uint64
	full    bool // every chunk has a checksum, in its footer or in the table
	table   format.Table
	healed  bool  // the header was damaged, and is taken from the record
	footers bool  // the record is damaged: chunks that have a footer must match it
	damage  error // what is wrong with the record then
}

// complete returns what goes on from c, which may be nil, where every chunk has got a footer.
func (c *cover) complete() *cover {
	if c == nil {
		return &cover{full: true}
	}
	return &cover{full: true, seq: c.seq}
}

// partial returns c for a state that has chunks without a checksum.
func (c *cover) partial() *cover {
	p := *c
	p.full, p.table = false, nil
	return &p
}

// checked is the set of entries of one source whose chunks were compared with their checksums. What
// is committed stays as it is, so states share it.
type checked struct {
	// The entries from ownFrom to ownTo are those of chunks that this handle wrote and committed:
	// the checksums behind them are of the very bytes. Nobody writes there again.
	ownFrom int64 // set before the source is used
	ownTo   atomic.Int64

	shards [checkedShards]struct {
		mu  sync.RWMutex
		set map[int64]struct{}
	}
}

const checkedShards = 16

func shardOf(entry int64) int {
	return int(uint64(entry) * 0x9e37_79b9_7f4a_7c15 >> 60)
}

func (c *checked) has(entry int64) bool {
	if entry >= c.ownFrom && entry < c.ownTo.Load() {
		return true
	}
	s := &c.shards[shardOf(entry)]
	s.mu.RLock()
	_, ok := s.set[entry]
	s.mu.RUnlock()
	return ok
}

// wrote tells that all chunks before an entry are committed, those from ownFrom on by this handle.
func (c *checked) wrote(to int64) { c.ownTo.Store(to) }

func (c *checked) add(entry int64) {
	s := &c.shards[shardOf(entry)]
	s.mu.Lock()
	if s.set == nil {
		s.set = map[int64]struct{}{}
	}
	s.set[entry] = struct{}{}
	s.mu.Unlock()
}

// drop forgets an entry that is going to stand for another chunk.
func (c *checked) drop(entry int64) {
	s := &c.shards[shardOf(entry)]
	s.mu.Lock()
	delete(s.set, entry)
	s.mu.Unlock()
}
