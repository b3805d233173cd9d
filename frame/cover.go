package frame

import (
	"sync"

	"github.com/cairn-go/cairn/frame/internal/format"
)

// Verdict says which data of a frame or chunk checksums confirm (docs/reliability.md).
type Verdict uint8

// The verdicts. A mismatch that can only be damage is not a verdict but an error that matches
// cairn.ErrChecksum.
const (
	// Unverified means that no checksum confirms the data: another program wrote it, or checksums
	// are switched off.
	Unverified Verdict = iota
	// VerifiedChunkOnly is for a chunk that matches its own checksum, in a frame that another
	// program has changed since.
	VerifiedChunkOnly
	// VerifiedButHeader is for a frame of which another program has changed only the header. The
	// fixed metalayers and the defaults for new chunks are unverified; everything else is as
	// committed.
	VerifiedButHeader
	// Verified means that the data is as committed. For a frame, this covers header, index and
	// trailer; chunks have their own verdicts.
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

// cover holds what the commit record says about a committed state and the checksums of its chunks.
// It is immutable.
type cover struct {
	verdict Verdict
	seq     uint64
	full    bool // every chunk has a checksum, in its footer or in the table
	table   format.Table
	healed  bool  // the header was damaged and comes from the record
	footers bool  // the record is damaged: chunks that have a footer must match it
	damage  error // what is wrong with the record, if footers is set
}

// complete returns the successor of c, which may be nil, for a state in which every chunk has a
// checksum.
func (c *cover) complete() *cover {
	if c == nil {
		return &cover{full: true}
	}
	return &cover{full: true, seq: c.seq}
}

// partial returns c for a state that has chunks without a checksum.
func (c *cover) partial() *cover {
	p := *c
	p.full = false
	p.table = nil
	return &p
}

// checked is the set of entries of one source whose chunks matched their checksums. States share
// it, because committed chunks never change.
type checked struct {
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
	s := &c.shards[shardOf(entry)]
	s.mu.RLock()
	_, ok := s.set[entry]
	s.mu.RUnlock()
	return ok
}

func (c *checked) add(entry int64) {
	s := &c.shards[shardOf(entry)]
	s.mu.Lock()
	if s.set == nil {
		s.set = map[int64]struct{}{}
	}
	s.set[entry] = struct{}{}
	s.mu.Unlock()
}

// drop removes an entry that is about to be reused for another chunk.
func (c *checked) drop(entry int64) {
	s := &c.shards[shardOf(entry)]
	s.mu.Lock()
	delete(s.set, entry)
	s.mu.Unlock()
}
