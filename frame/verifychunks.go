package frame

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/internal/parallel"
)

const (
	// verifyBatch is how many chunks are verified before their results are collected.
	verifyBatch = 1024
	// verifyBytes is the memory for blocks of all workers together. A chunk that, with two of its
	// blocks, does not fit into a worker's share is large. Large chunks are decoded one at a time.
	verifyBytes = 256 << 20
	// verifyPasses is the most times that the bytes of a file are decoded if its chunks share them:
	// once until that is noticed, once in the batch where it is noticed, and once for chunks that
	// overlap without being the same.
	verifyPasses = 3
	// unknownPlace is the offset of a chunk whose index entry cannot be read.
	unknownPlace = -1
)

// chunkVerifier decodes the chunks of a state. Chunks with the same entry are decoded once.
type chunkVerifier struct {
	findings
	workers int

	fetched int64            // stored bytes of the chunks so far
	left    atomic.Int64     // stored bytes that may be decoded
	known   map[int64]result // by entry; nil until chunks are known to share bytes

	large    sync.Mutex
	decoding *decoding // of large blocks
}

func newChunkVerifier(v *state, workers int, r *Report) *chunkVerifier {
	c := &chunkVerifier{findings: findings{state: v, report: r}, workers: workers}
	c.left.Store(min(v.head.CBytes, math.MaxInt64/verifyPasses) * verifyPasses)
	if v.apart() { // several chunks may refer to the same file
		c.left.Store(math.MaxInt64)
		c.known = map[int64]result{}
	}
	return c
}

// run verifies all chunks.
func (c *chunkVerifier) run(ctx context.Context) error {
	var nbytes int64
	b := &batch{seen: map[int64]int{}}
	for first, n := 0, 0; first < c.index.Len(); first += n {
		entry, err := c.entry(first)
		if err != nil {
			// Either all entries of a block of the index can be read or none.
			c.report.fault(err)
			c.damaged = append(c.damaged, unknownPlace)
			n = index.BlockLen - first%index.BlockLen
			continue
		}

		if n = c.specialRun(first); n > verifyBatch {
			res := c.verify(first, entry)
			nbytes += int64(n) * int64(res.info.NBytes)
			c.note(first, n, entry, &res)
			continue
		}

		n = min(verifyBatch, c.index.Len()-first, index.BlockLen-first%index.BlockLen)
		if err := b.run(ctx, c, first, n); err != nil {
			return err
		}
		for k := range n {
			nbytes += int64(b.results[k].info.NBytes)
			c.note(first+k, 1, b.entries[k], &b.results[k])
		}
		c.remember(b)
	}

	if len(c.report.Faults) == 0 && nbytes != c.head.NBytes {
		c.report.fault(c.env.place(wrongTotal(c.head.NBytes, nbytes)))
	}
	return nil
}

// note adds the result of n chunks from index i on, which have the same entry, to the report.
func (c *chunkVerifier) note(i, n int, entry int64, res *result) {
	size := int64(res.info.CBytes)
	c.fetched += size
	if res.err != nil {
		if len(c.report.Faults) < maxFaults { // there may be millions
			c.report.fault(c.inChunk(i, entry, res.err))
		}
		at := int64(unknownPlace)
		if entry >= 0 {
			at = c.source.place(entry).offset
		}
		c.damaged = append(c.damaged, at)
		return
	}

	if res.info.InIndex {
		c.report.Special += n
		return
	}
	c.report.Stored[res.verdict] += n
	c.report.Live += int64(n) * size
	for k := range min(n, 2) { // two suffice to report an overlap
		c.extents = append(c.extents, extent{i + k, res.info.Offset, res.info.Offset + size + res.footer})
	}
}

// batch is a sequence of chunks that are verified together.
type batch struct {
	entries [verifyBatch]int64
	results [verifyBatch]result
	seen    map[int64]int // position in the batch of the first chunk with an entry
	fresh   []int         // those to decode
}

// run verifies chunks [first, first+n).
func (b *batch) run(ctx context.Context, c *chunkVerifier, first, n int) error {
	clear(b.seen)
	b.fresh = b.fresh[:0]
	for k := range n {
		entry, err := c.entry(first + k)
		if err != nil {
			return err
		}
		b.entries[k] = entry
		if _, again := b.seen[entry]; again && entry >= 0 {
			continue
		}

		b.seen[entry] = k
		var known bool
		if b.results[k], known = c.known[entry]; !known {
			b.fresh = append(b.fresh, k)
		}
	}

	err := parallel.For(ctx, c.workers, len(b.fresh), func(_, i int) error {
		k := b.fresh[i]
		b.results[k] = c.verify(first+k, b.entries[k])
		return nil
	})

	for k := range n {
		if entry := b.entries[k]; entry >= 0 {
			b.results[k] = b.results[b.seen[entry]]
		}
	}
	return err
}

// remember keeps the results of a batch if chunks are known to share bytes.
func (c *chunkVerifier) remember(b *batch) {
	if c.known == nil && c.fetched > c.head.CBytes {
		c.known = map[int64]result{}
	}
	if c.known != nil {
		for entry, k := range b.seen {
			if entry >= 0 {
				c.known[entry] = b.results[k]
			}
		}
	}
}

// verify is verifyChunk within the limits for all chunks together.
func (c *chunkVerifier) verify(i int, entry int64) (res result) {
	if res.info, res.err = c.peek(i, entry); res.err != nil || res.info.InIndex {
		return res
	}
	if c.left.Add(-int64(res.info.CBytes)) < 0 {
		res.err = errShared
		return res
	}

	need := 2*int64(res.info.Header.Layout().BlockSize) + int64(res.info.CBytes)
	if need <= verifyBytes/int64(c.workers) {
		d := c.env.getDecoding()
		defer c.env.putDecoding(d)
		return c.verifyWith(d, i, entry, res)
	}

	c.large.Lock()
	defer c.large.Unlock()
	if c.decoding == nil {
		c.decoding = &decoding{decoder: chunk.NewDecoder(c.env.decodeOptions()), buffer: &buffer{}}
	}
	return c.verifyWith(c.decoding, i, entry, res)
}

// verifyChunk compares chunk i with its checksum and decodes it block by block, so that its stated
// size needs no memory.
func (v *state) verifyChunk(i int, entry int64) (res result) {
	if res.info, res.err = v.peek(i, entry); res.err != nil || res.info.InIndex {
		return res
	}
	d := v.env.getDecoding()
	defer v.env.putDecoding(d)
	return v.verifyWith(d, i, entry, res)
}

// verifyWith is verifyChunk for a stored chunk, with the decoder and memory of d.
func (v *state) verifyWith(d *decoding, i int, entry int64, res result) result {
	sp := span{brief: true}
	err := v.verifyIn(&sp, d, i, entry, &res)
	res.err = errors.Join(err, sp.Release())
	return res
}

// verifyIn is verifyWith for the span sp, which the caller releases.
func (v *state) verifyIn(sp *span, d *decoding, i int, entry int64, res *result) error {
	c, err := v.fetchUnchecked(sp, d.buf, nil, i, entry)
	d.buf = c.memory(d.buf)
	if err != nil {
		return err
	}

	if _, has := format.ParseFooter(c.behind); has {
		res.footer = format.FooterSize
	}
	if res.verdict, err = v.judge(entry, &c); err != nil {
		return err
	}
	if res.info.Kind != chunk.SpecialNone {
		return nil // there is nothing to decode, and the header was checked
	}
	return d.decoder.DecodeBlocks(c.header, c.bytes, nil, nil)
}

// wrongTotal is the error for a header whose total differs from that of the chunks, as when
// C-Blosc2 cuts a special chunk short (docs/format/defects.md, 23).
func wrongTotal(stated, found int64) error {
	return cairn.Corruptf(format.LayerHeader, -1, "states %d decoded bytes, but the chunks have %d", stated, found)
}

func (v *state) verify(ctx context.Context, workers int) (Report, error) {
	r := Report{Info: v.info()}
	if err := v.env.open(); err != nil {
		return r, err
	}
	if v.cover != nil {
		r.fault(v.env.place(v.cover.damage))
	}

	v = v.within(ctx)
	c := newChunkVerifier(v, workers, &r)
	if err := c.run(ctx); err != nil {
		return r, err
	}

	v.verifyVL(&r)
	if err := v.source.survey(&c.findings); err != nil {
		return r, v.env.place(err)
	}
	if len(r.Faults) > 0 {
		return r, r.Faults[0]
	}
	return r, nil
}

// result is the result of verifying one chunk.
type result struct {
	info    ChunkInfo
	verdict Verdict
	footer  int64 // bytes
	err     error // without chunk index and offset
}

// verifyVL decodes the metalayers of variable length. In a hostile trailer they may share bytes,
// which are decoded only once.
func (v *state) verifyVL(r *Report) {
	seen := map[*byte]int{}
	for _, l := range v.vl {
		if n := len(l.Content); n > 0 {
			if seen[&l.Content[0]] == n {
				continue
			}
			seen[&l.Content[0]] = n
		}
		if err := v.proveVL(l.Content); err != nil {
			r.fault(v.env.place(fmt.Errorf("variable-length metalayer %q: %w", l.Name, err)))
		}
	}
}
