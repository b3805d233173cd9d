package frame

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/internal/osfile/fresh"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/readahead"
)

// AppendFrom appends chunks [from, to) of another frame, or of this one, as they are encoded,
// without decoding them. Each is compared with its checksum, if it has one. Runs of special index
// entries are copied as runs, so their number hardly matters. If AppendFrom fails, it appends
// nothing. Items of both frames must have the same size. progress, which may be nil, is called with
// the decoded bytes that were appended since the last call, by one goroutine at a time; it must not
// use this frame.
func (f *Frame) AppendFrom(ctx context.Context, src *Snapshot, from, to int, progress func(bytes int64)) error {
	in := src.cur.Load()
	return f.edit.change(ctx, func(next change) error {
		t, err := newTakeover(ctx, in, next, progress)
		if err != nil {
			return err
		}
		return t.run(from, to)
	})
}

// Replace is AppendFrom, but replaces the chunks from index at on.
func (d *insideFrame) Replace(
	ctx context.Context, at int, chunks *Snapshot, from, to int, progress func(bytes int64),
) error {
	e := d.edit
	in := chunks.cur.Load()
	return e.change(ctx, func(next change) error {
		if at < 0 || from > to || at > next.index.Len()-(to-from) {
			return fmt.Errorf("%d chunks in the places from %d on, of %d: %w",
				to-from, at, next.index.Len(), cairn.ErrBounds)
		}
		t, err := newTakeover(ctx, in, next, progress)
		if err != nil {
			return err
		}
		t.at = at
		t.replace = true
		return t.run(from, to)
	})
}

// takeover copies chunks of one frame to another, as they are or encoded again.
type takeover struct {
	ctx     context.Context
	in      *state
	next    change
	ration  *ration // of in
	done    func(bytes int64)
	exact   int64 // required decoded size of every chunk; 0 if it does not matter
	workers []copyWorker
	recode  bool
	replace bool // instead of appending
	at      int  // index of the next chunk to replace
}

// A copyWorker holds what one worker needs for its current chunk.
type copyWorker struct {
	dec     *chunk.Decoder
	enc     *chunk.Encoder
	buf     []byte // of the chunk as stored
	raw     []byte
	out     []byte
	blocks  [][]byte // blocks of variable length, in raw
	chunk   []byte   // encoded chunk to append, in buf, out or leased memory
	lease   inside.Lease
	decoded int64
}

func newTakeover(ctx context.Context, in *state, next change, progress func(int64)) (*takeover, error) {
	if in.head.TypeSize != next.head.TypeSize {
		return nil, fmt.Errorf("chunks with items of %d bytes for a frame with items of %d: %w",
			in.head.TypeSize, next.head.TypeSize, cairn.ErrType)
	}
	if progress == nil {
		progress = func(int64) {}
	}
	in = in.within(ctx)
	t := &takeover{ctx: ctx, in: in, next: next, ration: in.ration(), done: progress}
	t.workers = make([]copyWorker, max(1, next.env.workers))
	if in.env.oldBits { // copied as they are, the chunks would be decoded with the new bitshuffle
		return t, t.encode(in.index.Len(), nil, nil)
	}
	return t, nil
}

// encode makes the takeover encode the chunks, count of them, with the options of the new frame.
// exact has the items that must not change.
func (t *takeover) encode(count int, exact []uint64, round func([]byte) error) error {
	t.recode = true
	blocks := max(1, len(t.workers)/max(1, count)) // workers per chunk
	for i := range t.workers {
		e, err := t.next.env.newEncoder(&t.next.head, blocks, exact, round)
		if err != nil {
			return err
		}
		do := t.in.env.decodeOptions()
		do.Workers = blocks
		d := chunk.NewDecoder(do)
		e.Watch(t.ctx)
		d.Watch(t.ctx)
		t.workers[i].enc = e
		t.workers[i].dec = d
	}
	return nil
}

// run copies chunks [from, to).
func (t *takeover) run(from, to int) error {
	defer t.release()
	if from < 0 || from > to || to > t.in.index.Len() {
		return fmt.Errorf("chunks %d to %d of %d: %w", from, to, t.in.index.Len(), cairn.ErrBounds)
	}
	for i := from; i < to; {
		if err := t.ctx.Err(); err != nil {
			return err
		}
		entry, err := t.in.entry(i)
		if err != nil {
			return err
		}

		n := 1
		if entry < 0 {
			n = min(t.in.index.Run(i), to-i)
			err = t.special(i, n, entry)
		} else if n, err = t.runOfChunks(i, to); err == nil {
			err = t.stored(i, n)
		}
		if err != nil {
			return err
		}
		i += n
	}

	return nil
}

// release releases the leases of the last chunks.
func (t *takeover) release() {
	for i := range t.workers {
		_ = t.workers[i].lease.Release() // it can only fail to close a file that was read
	}
}

// special appends a run of n equal special entries.
func (t *takeover) special(i, n int, entry int64) error {
	if _, err := t.in.synthesize(nil, i, entry); err != nil {
		return t.in.inChunk(i, entry, err)
	}
	size := int64(t.in.head.ChunkSize)
	nbytes := size * int64(n)
	if i+n == t.in.index.Len() {
		last, err := t.in.specialSize(i + n - 1)
		if err != nil {
			return t.in.inChunk(i+n-1, entry, err)
		}
		nbytes += int64(last) - size
	}

	if t.exact > 0 && nbytes != t.exact*int64(n) {
		return t.in.inChunk(i, entry, t.wrongSize(size))
	}
	kind, _ := index.Kind(entry)
	canonical, _ := index.Special(kind)
	if t.replace {
		t.done(nbytes)
		return t.replaceRun(i, n, entry, canonical)
	}

	if err := t.next.appendForeign(kind, nbytes, size); err != nil {
		return err
	}
	t.done(nbytes)
	return nil
}

// replaceRun replaces n chunks by a run of n equal special entries.
func (t *takeover) replaceRun(i, n int, entry, canonical int64) error {
	for k := 0; k < n; {
		there, err := t.next.index.At(t.at)
		if err != nil {
			return err
		}
		if same := min(t.next.index.Run(t.at), n-k); there == canonical &&
			t.in.head.ChunkSize == t.next.head.ChunkSize {
			t.at, k = t.at+same, k+same
			continue
		}

		c, err := t.in.synthesize(nil, i+k, entry)
		if err == nil {
			err = t.put(c)
		}
		if err != nil {
			return t.in.inChunk(i+k, entry, err)
		}
		k++
	}

	return nil
}

// put appends a chunk, or replaces the one at t.at.
func (t *takeover) put(c []byte) error {
	if !t.replace {
		return t.next.insert(t.next.index.Len(), c)
	}
	t.at++
	return t.next.replace(t.at-1, c)
}

// maxRunOfChunks is the most chunks whose entries are looked up before the first is read.
const maxRunOfChunks = 4096

// runOfChunks returns how many chunks from i on are stored chunks, up to maxRunOfChunks.
func (t *takeover) runOfChunks(i, to int) (int, error) {
	n := 1
	for i+n < to && n < maxRunOfChunks {
		entry, err := t.in.entry(i + n)
		if err != nil {
			return 0, err
		}
		if entry < 0 {
			break
		}
		n++
	}
	return n, nil
}

// stored copies n stored chunks from index first on.
func (t *takeover) stored(first, n int) error {
	ahead := t.in.loadAhead(t.ctx, first, n)
	defer ahead.Close()
	return parallel.Ordered(t.ctx, len(t.workers), n,
		func(worker, k int) error {
			defer ahead.End(k)
			if err := ahead.Begin(k); err != nil {
				return err
			}
			return t.fetch(&t.workers[worker], first+k)
		},
		func(worker, k int) error {
			w := &t.workers[worker]
			if err := t.put(w.chunk); err != nil {
				return t.in.env.place(cairn.InChunk(err, int64(first+k), -1))
			}
			t.done(w.decoded)
			return nil
		})
}

// loadAhead starts loading n stored chunks from index first on, if the file is far; otherwise it
// returns nil.
func (v *state) loadAhead(ctx context.Context, first, n int) *readahead.Reader {
	far, ok := v.oneFile().(loader)
	if !ok {
		return nil
	}
	most := int64(readahead.Most)
	if size := int64(v.head.ChunkSize); size > 0 { // stored chunks are hardly larger
		most = min(size+readahead.Gap, readahead.Memory)
	}

	most = min(most, v.env.engine.Limits.WithDefaults().MaxAlloc)
	return readahead.New(ctx, readahead.Groups(func(yield func(off, n int64) bool) {
		for i := first; i < first+n; i++ {
			off, size := v.extent(i)
			if size > most {
				size = -1
			}
			if !yield(off, size) {
				return
			}
		}
	}), far.Requests(), readahead.Memory, func(ctx context.Context, g readahead.Group) (func(), error) {
		return v.load(ctx, g.Off, g.End-g.Off)
	})
}

// fetch reads chunk i, and encodes it again if necessary, into w.
func (t *takeover) fetch(w *copyWorker, i int) error {
	entry, err := t.in.entry(i)
	if err != nil {
		return err
	}
	if err := w.lease.Release(); err != nil {
		return err
	}

	f, err := t.in.lease(t.ctx, &w.lease, w.buf, i, entry, t.in.mustCheck(entry))
	if err != nil {
		return t.in.inChunk(i, entry, err)
	}
	w.buf = f.memory(w.buf)
	c := f.bytes
	h := f.header
	if err := t.ration.Take(i, len(c)); err != nil {
		return err
	}

	// A chunk is taken as it is unless its encoding must change. Special chunks have no encoding.
	w.chunk = c
	if t.exact > 0 && int64(h.NBytes) != t.exact {
		err = t.wrongSize(int64(h.NBytes))
	}
	w.decoded = int64(h.NBytes)
	if err != nil || !t.recode || h.Special() != chunk.SpecialNone {
		return t.in.inChunk(i, entry, err)
	}

	if cap(w.raw) < int(h.NBytes) {
		// The stated size may be a lie, so it gets no memory before it is known to be true.
		if err := w.prove(h, c); err != nil {
			return t.in.inChunk(i, entry, err)
		}
		w.raw = fresh.Make[byte](int64(h.NBytes))
	}
	if _, err = w.dec.Decode(w.raw[:h.NBytes], c); err != nil {
		return t.in.inChunk(i, entry, err)
	}
	if h.VLBlocks() {
		err = w.encodeVL(c, w.raw[:h.NBytes])
	} else {
		w.out, err = w.enc.Append(w.out[:0], w.raw[:h.NBytes])
	}
	w.chunk = w.out
	return err
}

// encodeVL encodes raw, the decoded bytes of chunk c, in blocks of the same sizes as in c.
func (w *copyWorker) encodeVL(c, raw []byte) error {
	l, err := w.dec.Layout(c)
	if err != nil {
		return err
	}
	w.blocks = w.blocks[:0]
	for k := range l.NumBlocks {
		from, to := l.Block(k)
		w.blocks = append(w.blocks, raw[from:to])
	}
	w.out, err = w.enc.AppendVL(w.out[:0], w.blocks)
	return err
}

// Memory for a decoded chunk is allocated at once up to freeRaw plus rawRatio times the stored
// size. Chunks that state a larger size are first decoded block by block without it. Valid ones of
// that kind consist mostly of runs, which decode quickly.
const (
	freeRaw  = 1 << 20
	rawRatio = 64
)

// plausible reports whether the stated size of a chunk is small enough to allocate memory for it.
func plausible(h chunk.Header) bool { return int64(h.NBytes) <= freeRaw+rawRatio*int64(h.CBytes) }

// prove checks that a chunk decodes to its stated size, unless that is small.
func (w *copyWorker) prove(h chunk.Header, c []byte) error {
	if plausible(h) {
		return nil
	}
	return w.dec.DecodeBlocks(h, c, nil, nil)
}

func (t *takeover) wrongSize(size int64) error {
	return cairn.Corruptf("chunk", 4, "it decodes to %d bytes instead of %d", size, t.exact)
}
