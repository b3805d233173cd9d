package chunk

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn/internal/osfile/fresh"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/shuffle"
)

// Rewrite appends to dst a chunk with the content of old, except for the blocks for which changed
// is true. Those come from src. The streams of the other blocks are copied without decoding them.
// len(changed) must be the number of blocks.
//
// Rewrite returns false and appends nothing if blocks cannot be replaced individually: if old has
// another layout, codec or filters than this encoder would use, is stored without compression, uses
// delta, or either has a dictionary; if only one of them has ZarrBlocks; or if the result would be
// larger than the data. Then the caller must encode the whole chunk. Damage in blocks that do not
// change is neither detected nor repaired.
func (e *Encoder) Rewrite(dst, old []byte, changed []bool, src BlockSource) (out []byte, ok bool, err error) {
	r := &e.rewrite
	h, err := ParseHeader(old)
	if err != nil {
		return dst, false, err
	}
	r.header = h
	r.plan = e.params.plan(int(h.NBytes))
	r.changed = changed
	defer func() {
		r.old = nil
		r.changed = nil
	}()

	if int64(h.CBytes) > int64(len(old)) || len(changed) != r.plan.layout.NumBlocks || !e.canExchange() {
		return dst, false, nil
	}

	r.old = old[:h.CBytes]
	if h.Special() != SpecialNone {
		ok, err = r.constant()
	} else {
		ok = r.locate()
	}
	if !ok || err != nil {
		return dst, false, err
	}

	src, failed := e.rounded(src)
	out, ok, err = e.recode(dst, src)
	if err == nil {
		err = failed()
	}
	if err == nil && ok {
		err = e.check(out[len(dst):], src, changed)
	}
	if err != nil {
		return dst, false, fmt.Errorf("encode chunk: %w", err)
	}
	return out, ok, nil
}

// rewriter holds the state of Rewrite.
type rewriter struct {
	header         Header // of the old chunk
	plan           plan
	old            []byte
	changed        []bool
	table          table       // block offsets of the old chunk
	item           []byte      // the repeated item of an old special chunk
	filler         wholeSource // source of a block of an old special chunk
	firstUnchanged int         // first unchanged block of an old special chunk, or -1

	toEncode   []int  // numbers of the blocks to encode
	streamsBuf []byte // their streams, each in a place for the maximum size of a block
	sizes      []int
}

// canExchange reports whether this encoder would write streams of the same form as the old
// chunk's.
func (e *Encoder) canExchange() bool {
	r := &e.rewrite
	h := &r.header
	p := r.plan
	if p.stored || p.layout.NumBlocks == 0 || e.workers[0].chain.Has(shuffle.IDDelta) || e.opts.Blosc1 || e.opts.Dict {
		return false
	}

	if h.Special() != SpecialNone {
		return true
	}
	return h.Version == versionStable && h.Flags == e.regularFlags(p) && h.Flags2 == 0 && h.BloscFlags == 0 && int(h.TypeSize) == p.typeSize &&
		h.Pipeline == e.pipeline && e.canDecode(h) && h.Layout() == p.layout && h.BlockSize == int32(p.layout.BlockSize)
}

// canDecode reports whether this encoder's streams and those of a chunk with the same flags have
// the same decoder: LZ4 and LZ4HC share one, others do not.
func (e *Encoder) canDecode(h *Header) bool {
	return h.Codec == e.opts.Codec || headerFlags(h.Flags).wireCode() != wireInCodecByte &&
		h.Codec.Parameter() == e.opts.Codec.Parameter()
}

// locate reads the old chunk's offset table. It returns false if that is invalid.
func (r *rewriter) locate() bool {
	n := r.plan.layout.NumBlocks
	if checkTable(&r.header, n, len(r.old)) != nil || r.table.read(&r.header, r.old, len(r.old), n) != nil {
		return false
	}

	r.toEncode = r.toEncode[:0]
	for i, changed := range r.changed {
		if changed {
			r.toEncode = append(r.toEncode, i)
		} else if r.plan.lead > 0 && !r.isWrapped(i) {
			return false
		}
	}
	return true
}

// streams returns the streams of an unchanged block, with what precedes them.
func (r *rewriter) streams(block int) []byte {
	from, to := r.table.block(block)
	if r.plan.lead > 0 {
		from, to = r.table.wrapped(block, len(r.old))
	}
	return r.old[from:to]
}

// isWrapped reports whether a block has the bytes in front of it that ZarrBlocks puts there.
func (r *rewriter) isWrapped(block int) bool {
	from, to := r.table.wrapped(block, len(r.old))
	return isWrapped(&r.header, r.plan.layout, block, r.old, from, to, from+wrapperSize)
}

// constant prepares for an old special chunk. All its blocks, except a shorter last one, have the
// same streams, so at most two of the unchanged blocks are encoded. It returns false if items cross
// block boundaries.
func (r *rewriter) constant() (bool, error) {
	var err error
	if r.item, err = SpecialItem(r.item, r.old); err != nil {
		return false, err
	}

	l := r.plan.layout
	if len(r.item) == 0 || l.BlockSize%len(r.item) != 0 {
		return false, nil
	}

	r.firstUnchanged = slices.Index(r.changed, false)
	r.toEncode = r.toEncode[:0]
	for i, changed := range r.changed {
		if changed || r.first(i) == i {
			r.toEncode = append(r.toEncode, i)
		}
	}
	return true, nil
}

// first returns the first unchanged block of a special chunk that has the same content as the
// unchanged block i.
func (r *rewriter) first(i int) int {
	l := r.plan.layout
	if from, to := l.Block(i); to-from < l.BlockSize {
		return i
	}
	return r.firstUnchanged
}

// recode encodes the blocks of toEncode on all workers, and appends the new chunk. It returns false
// if that would be larger than the data.
func (e *Encoder) recode(dst []byte, src BlockSource) (out []byte, ok bool, err error) {
	r := &e.rewrite

	done := false
	defer func() {
		r.streamsBuf = nil
		r.filler.data = nil
		e.release(done)
	}()

	if err := e.recodeBlocks(src); err != nil {
		done = true
		return dst, false, err
	}

	out, ok = e.exchange(dst)
	done = true
	return out, ok, nil
}

func (e *Encoder) recodeBlocks(src BlockSource) error {
	r := &e.rewrite

	space := e.workers[0].acquire()
	most := r.plan.place(1)
	space.streams = slab.Resize(space.streams, len(r.toEncode)*most)
	r.streamsBuf = space.streams

	if r.header.Special() != SpecialNone {
		space.filler = slab.Resize(space.filler, r.plan.layout.BlockSize)
		r.filler = wholeSource{data: space.filler}
		pattern(r.filler.data, r.item, 0)
	}

	r.sizes = slices.Grow(r.sizes[:0], len(r.toEncode))[:len(r.toEncode)]
	for _, w := range e.workers[:max(1, min(len(e.workers), len(r.toEncode)))] {
		if err := w.begin(r.plan.typeSize); err != nil {
			return err
		}
		if err := w.chain.Validate(&w.ctx); err != nil {
			return err
		}
	}

	if len(e.workers) == 1 || len(r.toEncode) == 1 {
		for k := range r.toEncode {
			err := e.watched.err()
			if err != nil {
				return err
			}

			if err = e.recodeOne(e.workers[0], k, most, src); err != nil {
				return err
			}
		}
		return nil
	}
	return parallel.For(e.watched.context(), len(e.workers), len(r.toEncode), func(worker, k int) error {
		return e.recodeOne(e.workers[worker], k, most, src)
	})
}

func (e *Encoder) recodeOne(w *blockEncoder, k, most int, src BlockSource) error {
	r := &e.rewrite
	i := r.toEncode[k]
	if !r.changed[i] {
		src = &r.filler
	}

	from, to := r.plan.layout.Block(i)
	w.space.block = slab.Resize(w.space.block, to-from)
	streams, err := w.encode(r.streamsBuf[k*most:k*most:(k+1)*most], src.Block(w.space.block, i), r.plan, nil)
	r.sizes[k] = len(streams)
	return err
}

// exchange assembles the new chunk. It returns false if that would be larger than the data.
func (e *Encoder) exchange(dst []byte) ([]byte, bool) {
	r := &e.rewrite
	h := e.header(r.plan, e.regularFlags(r.plan))

	start := len(dst)
	n := r.plan.layout.NumBlocks
	most := r.plan.place(1)
	limit := r.plan.layout.NBytes + h.Size()
	body := h.Size() + 4*n
	if r.plan.lead > 0 {
		limit = body + r.plan.place(n)
	}

	if body > limit {
		return dst, false
	}

	out := fresh.Grow(dst, limit)[:start+body]
	k := 0
	for i := range n {
		var streams []byte
		switch {
		case k < len(r.toEncode) && r.toEncode[k] == i:
			streams = r.streamsBuf[k*most:][:r.sizes[k]]
			k++
		case r.header.Special() != SpecialNone:
			same, _ := slices.BinarySearch(r.toEncode, r.first(i))
			streams = r.streamsBuf[same*most:][:r.sizes[same]]
		default:
			streams = r.streams(i)
		}
		if len(out)-start+len(streams) > limit {
			return dst, false
		}
		binary.LittleEndian.PutUint32(out[start+h.Size()+4*i:], uint32(len(out)-start+r.plan.lead))
		out = append(out, streams...)
	}

	h.CBytes = int32(len(out) - start)
	h.Append(out[:start])
	e.wrapBlocks(out[start:], &h, r.plan)
	return out, true
}
