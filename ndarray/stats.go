package ndarray

import (
	"context"
	"sync"
	"time"
)

// Stats counts the work done for an array since it was opened or created, by its handle, snapshots
// and views together. Work on chunks is added when the call ends, even if it failed. Work that does
// not look into chunks is not counted: chunks that copies, joins and changes of the shape take over
// unchanged, verification, and the index and trailer of a commit. The times of all workers add up,
// so they can exceed the elapsed time.
type Stats struct {
	// times that blocks of a chunk were decoded; a pass over all blocks counts each chunk once
	ChunksRead int64
	// times that a chunk that repeats one item was read, without decoding
	ChunksSpecial int64
	BlocksDecoded int64
	// blocks of chunks in ChunksRead that were not decoded, because they were not needed or were in
	// memory
	BlocksSkipped int64
	BytesDecoded  int64 // bytes of the decoded blocks, padding included
	// bytes of chunks that were read from storage, or used in place if the frame is in memory or
	// mapped: encoded bytes, headers and checksums. Of a chunk that has to be compared with its
	// checksum, usually at its first read, all bytes are read, however few are wanted. This counts
	// everything that the frame reads of chunks, also for copies, changes of the shape and
	// verification, but not its header, index and trailer.
	BytesRead int64

	ChunksEncoded int64 // chunks that were encoded whole
	ChunksRecoded int64 // chunks of which only changed blocks were encoded
	BytesEncoded  int64 // bytes that were encoded, before encoding, padding included
	// chunks that were staged: encoded and recoded ones, and special ones that a fill made
	ChunksWritten int64
	BytesWritten  int64 // encoded bytes of the staged chunks

	CacheHits int64 // blocks that were in the cache: see [SetCacheBytes]
	// blocks that a read did not find there, including those of special chunks
	CacheMisses int64
	// times that buffered writes, some or all, were put into the frame
	Flushes int64

	ReadTime time.Duration // reading chunks from storage other than memory
	// decoding, copying items to their destination, and reading if only some blocks of a chunk are
	// read; without passes over all blocks
	DecodeTime time.Duration
	EncodeTime time.Duration // filters and codecs
	WriteTime  time.Duration // staging chunks
}

// Sub returns the difference to an earlier value.
func (s Stats) Sub(before Stats) Stats {
	s.add(&before, -1)
	return s
}

// add adds t times sign.
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
	s.Flushes += sign * t.Flushes

	s.ReadTime += time.Duration(sign) * t.ReadTime
	s.DecodeTime += time.Duration(sign) * t.DecodeTime
	s.EncodeTime += time.Duration(sign) * t.EncodeTime
	s.WriteTime += time.Duration(sign) * t.WriteTime
}

// sharedStats is the sum of the Stats of an array and its snapshots.
type sharedStats struct {
	mu  sync.Mutex
	sum Stats
}

// addTally adds the counts of a worker, and resets them. The frame counts the bytes that were read.
func (t *sharedStats) addTally(tally *Stats) {
	if *tally == (Stats{}) {
		return
	}

	t.mu.Lock()
	defer t.mu.Unlock()
	t.sum.add(tally, 1)
	*tally = Stats{}
}

type progressKey struct{}

// WithProgress returns a context with which calls of this package and of compute report their
// progress: done of total parts. Reads, writes and fills count the chunks that they touch, passes
// over all blocks and computations on them count runs of blocks, and streams count bytes. done
// grows to total, unless the call fails; a call with nothing to do reports nothing. Calls of
// several steps, such as changes of the shape and reads of joined views, start again with each
// step. Copies use [CopyOptions].Progress instead, and loops over items report nothing.
//
// tell is called by one goroutine at a time, between chunks, so it should return soon. It may
// cancel the context. A nil tell turns reports off, for example for calls inside a visitor.
func WithProgress(ctx context.Context, tell func(done, total int64)) context.Context {
	if tell == nil && ctx.Value(progressKey{}) == nil {
		return ctx
	}
	return context.WithValue(ctx, progressKey{}, tell)
}

// progress is the progress of one call; nil if no one asked for it.
type progress struct {
	mu          sync.Mutex
	tell        func(done, total int64)
	done, total int64
}

// startProgress returns the progress of a call with a number of parts.
func startProgress(ctx context.Context, total int64) *progress {
	tell, _ := ctx.Value(progressKey{}).(func(done, total int64))
	if tell == nil {
		return nil
	}
	return &progress{tell: tell, total: total}
}

// add reports that more parts are done.
func (p *progress) add(parts int64) {
	if p == nil {
		return
	}

	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += parts
	p.tell(p.done, p.total)
}
