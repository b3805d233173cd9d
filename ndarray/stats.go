package ndarray

import (
	"sync"
	"time"
)

// Stats counts what was done for an array since it was opened or created: by its handle, its
// snapshots and views of them together. Work on chunks counts when the call ends that it was done
// for, also if that failed. What goes on without looking into chunks does not count: chunks that
// copies, joins and changes of the shape take over as they are, verification, and the index and
// trailer that a commit writes. The times of workers add up, so that they can exceed the time that
// passed.
type Stats struct {
	// times that blocks of a chunk were decoded; a pass over all blocks counts each chunk once
	ChunksRead int64
	// times that a chunk was read which repeats one item, so that nothing was decoded
	ChunksSpecial int64
	BlocksDecoded int64
	// blocks of chunks in ChunksRead that were not decoded, because nobody needed them or they were
	// in memory
	BlocksSkipped int64
	BytesDecoded  int64 // bytes of the decoded blocks, padding included
	// encoded bytes that were read, or used where they lie if the frame is in memory or mapped
	BytesRead int64

	ChunksEncoded int64 // chunks that were encoded as a whole
	ChunksRecoded int64 // chunks of which only the blocks that changed were encoded
	BytesEncoded  int64 // decoded bytes of what was encoded, padding included
	// chunks that were staged: those encoded and recoded, and those that are special because a fill
	// has all of them
	ChunksWritten int64
	BytesWritten  int64 // encoded bytes of the staged chunks

	CacheHits int64 // blocks that were in the cache of CacheBytes
	// blocks that a read looked for there in vain, those of special chunks among them
	CacheMisses    int64
	CacheEvictions int64 // blocks that had to make room for others
	// times that writes which waited in memory were put into the frame, some or all
	Flushes int64

	ReadTime time.Duration // reading chunks from storage that is not memory
	// codecs and filters, copying to where items belong, and reading where only some blocks of a
	// chunk are read; not in passes over all blocks
	DecodeTime time.Duration
	EncodeTime time.Duration // filters and codecs
	WriteTime  time.Duration // staging chunks
}

// Sub returns what was done since before.
func (s Stats) Sub(before Stats) Stats {
	s.add(&before, -1)
	return s
}

// add adds what t counted, times a sign.
func (s *Stats) add(t *Stats, sign int64) {
	s.ChunksRead += sign * t.ChunksRead
	s.ChunksSpecial += sign * t.ChunksSpecial
	s.BlocksDecoded += sign * t.BlocksDecoded
	s.BlocksSkipped += sign * t.BlocksSkipped
	s.BytesDecoded += sign * t.BytesDecoded
	s.BytesRead += sign * t.BytesRead
	s.ChunksEncoded += sign * t.ChunksEncoded
	s.ChunksRecoded += sign * t.ChunksRecoded
	s.BytesEncoded += sign * t.BytesEncoded
	s.ChunksWritten += sign * t.ChunksWritten
	s.BytesWritten += sign * t.BytesWritten
	s.CacheHits += sign * t.CacheHits
	s.CacheMisses += sign * t.CacheMisses
	s.CacheEvictions += sign * t.CacheEvictions
	s.Flushes += sign * t.Flushes
	s.ReadTime += time.Duration(sign) * t.ReadTime
	s.DecodeTime += time.Duration(sign) * t.DecodeTime
	s.EncodeTime += time.Duration(sign) * t.EncodeTime
	s.WriteTime += time.Duration(sign) * t.WriteTime
}

// total is what an array and its snapshots counted together.
type total struct {
	mu  sync.Mutex
	sum Stats
}

// settle adds what a worker counted, and lets it begin anew.
func (t *total) settle(w *worker) {
	if w.tally == (Stats{}) {
		return
	}
	t.mu.Lock()
	t.sum.add(&w.tally, 1)
	t.mu.Unlock()
	w.tally = Stats{}
}

// Stats returns what was done for the array so far. Any goroutine may call it at any time; it costs
// next to nothing.
func (u *Untyped) Stats() Stats {
	u = u.own()
	u.total.mu.Lock()
	defer u.total.mu.Unlock()
	return u.total.sum
}
