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

// Pieces are consecutive pieces of memory that together are a chunk.
type Pieces struct {
	Parts [][]byte // the first one begins with the header and the offsets of all blocks
	Buf   []byte   // memory of the parts that are not of another chunk
}

// Rewrite sets into.Parts to a chunk with the content of old, except for the blocks for which
// changed is true. Those come from src. The streams of the other blocks are neither decoded nor
// copied: the parts with them lie in old. All other parts lie in into.Buf, which is overwritten and
// grows as needed. len(changed) must be the number of blocks.
//
// Rewrite returns false and no parts if blocks cannot be replaced individually: if old has another
// layout, codec or filters than this encoder would use, is stored without compression, uses delta,
// or either has a dictionary; if only one of them has ZarrBlocks; or if the result would be larger
// than the data. Then the caller must encode the whole chunk. Damage in blocks that do not change
// is neither detected nor repaired.
func (e *Encoder) Rewrite(into *Pieces, old []byte, changed []bool, src BlockSource) (ok bool, err error) {
	clear(into.Parts)
	into.Parts = into.Parts[:0]
	r := &e.rewrite
	h, err := ParseHeader(old)
	if err != nil {
		return false, err
	}
	r.header = h
	r.plan = e.params.plan(int(h.NBytes))
	r.changed = changed
	defer func() {
		r.old = nil
		r.changed = nil
	}()

	if int64(h.CBytes) > int64(len(old)) || len(changed) != r.plan.layout.NumBlocks || !e.canExchange() {
		return false, nil
	}

	r.old = old[:h.CBytes]
	if h.Special() != SpecialNone {
		ok, err = r.constant()
	} else {
		ok = r.locate()
	}
	if !ok || err != nil {
		return false, err
	}

	src, failed := e.rounded(src)
	ok, err = e.recode(into, src)
	if err == nil {
		err = failed()
	}
	if err == nil && ok && e.opts.Checked {
		into.join()
		err = e.check(into.Parts[0], src, changed)
	}
	if err != nil {
		into.Parts = into.Parts[:0]
		return false, fmt.Errorf("encode chunk: %w", err)
	}
	return ok, nil
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

	toEncode []int    // numbers of the blocks to encode
	places   [][2]int // where in the memory of the pieces their streams are
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

// recode encodes the blocks of toEncode on all workers, and makes the new chunk. It returns false
// if that would be larger than the data.
func (e *Encoder) recode(into *Pieces, src BlockSource) (ok bool, err error) {
	done := false
	defer func() {
		e.rewrite.filler.data = nil
		e.release(done)
	}()

	if err = e.recodeBlocks(into, src); err == nil {
		ok = e.exchange(into)
	}
	done = true
	return ok, err
}

// head returns the size of what precedes the blocks of the new chunk.
func (r *rewriter) head() int { return HeaderSize + 4*r.plan.layout.NumBlocks }

func (e *Encoder) recodeBlocks(into *Pieces, src BlockSource) error {
	r := &e.rewrite
	most := r.plan.place(1)
	into.Buf = fresh.Grow(into.Buf[:0], r.head()+len(r.toEncode)*most)

	if r.header.Special() != SpecialNone {
		space := e.workers[0].acquire()
		space.filler = slab.Resize(space.filler, r.plan.layout.BlockSize)
		r.filler = wholeSource{data: space.filler}
		pattern(r.filler.data, r.item, 0)
	}

	r.places = slices.Grow(r.places[:0], len(r.toEncode))[:len(r.toEncode)]
	for _, w := range e.workers[:max(1, min(len(e.workers), len(r.toEncode)))] {
		if err := w.begin(r.plan.typeSize); err != nil {
			return err
		}
		if err := w.chain.Validate(&w.ctx); err != nil {
			return err
		}
	}

	if len(e.workers) == 1 || len(r.toEncode) == 1 {
		at := r.head()
		for k := range r.toEncode {
			err := e.watched.err()
			if err != nil {
				return err
			}

			if err = e.recodeOne(e.workers[0], k, into.Buf[at:at:at+most], src); err != nil {
				return err
			}
			r.places[k] = [2]int{at, at + r.places[k][1]}
			at = r.places[k][1]
		}
		into.Buf = into.Buf[:at]
		return nil
	}

	// Several workers need a place of the maximum size for each block.
	body := into.Buf[r.head() : r.head()+len(r.toEncode)*most]
	err := parallel.For(e.watched.context(), len(e.workers), len(r.toEncode), func(worker, k int) error {
		return e.recodeOne(e.workers[worker], k, body[k*most:k*most:(k+1)*most], src)
	})
	for k, place := range r.places {
		at := r.head() + k*most
		r.places[k] = [2]int{at, at + place[1]}
	}
	into.Buf = into.Buf[:r.head()+len(body)]
	return err
}

// recodeOne appends the streams of a block to encode to out, and notes their size as the end of
// their place.
func (e *Encoder) recodeOne(w *blockEncoder, k int, out []byte, src BlockSource) error {
	r := &e.rewrite
	i := r.toEncode[k]
	if !r.changed[i] {
		src = &r.filler
	}

	from, to := r.plan.layout.Block(i)
	w.space.block = slab.Resize(w.space.block, to-from)
	streams, err := w.encode(out, src.Block(w.space.block, i), r.plan, nil)
	r.places[k][1] = len(streams)
	return err
}

// exchange makes the new chunk of the blocks of toEncode and of the others. It returns false if
// that would be larger than the data.
func (e *Encoder) exchange(into *Pieces) bool {
	r := &e.rewrite
	h := e.header(r.plan, e.regularFlags(r.plan))

	n := r.plan.layout.NumBlocks
	limit := r.plan.layout.NBytes + h.Size()
	size := r.head()
	if r.plan.lead > 0 {
		limit = size + r.plan.place(n)
	}
	if size > limit {
		return false
	}

	head := into.Buf[:size]
	into.Parts = append(into.Parts, head)
	special := r.header.Special() != SpecialNone
	k := 0
	for i := range n {
		var streams []byte
		switch {
		case k < len(r.toEncode) && r.toEncode[k] == i:
			streams = r.encoded(into, k)
			k++
		case special:
			same, _ := slices.BinarySearch(r.toEncode, r.first(i))
			streams = r.encoded(into, same)
		default:
			streams = r.streams(i)
		}

		if size+len(streams) > limit {
			into.Parts = into.Parts[:0]
			return false
		}
		binary.LittleEndian.PutUint32(head[h.Size()+4*i:], uint32(size+r.plan.lead))
		size += len(streams)
		into.add(streams)
	}

	h.CBytes = int32(size)
	h.Append(head[:0])
	if r.plan.lead > 0 || len(into.Parts) > size/leastPart {
		into.join()
	}
	e.wrapBlocks(into.Parts[0], &h, r.plan)
	return true
}

// encoded returns the streams of the kth block of toEncode.
func (r *rewriter) encoded(into *Pieces, k int) []byte {
	return into.Buf[r.places[k][0]:r.places[k][1]]
}

// leastPart is the size of parts, in the mean, below which to copy them takes less time than to
// write them where they are.
const leastPart = 1 << 10

// add adds a part, which it joins to the last one if it is behind that in memory.
func (p *Pieces) add(part []byte) {
	end := len(p.Parts) - 1
	last := p.Parts[end]
	n := len(last)
	if cap(last)-n >= len(part) && &last[:n+1][n] == &part[0] {
		p.Parts[end] = last[:n+len(part)]
		return
	}
	p.Parts = append(p.Parts, part)
}

// join copies all parts into one.
func (p *Pieces) join() {
	if len(p.Parts) == 1 {
		return
	}

	size := 0
	for _, part := range p.Parts {
		size += len(part)
	}
	from := len(p.Buf)
	p.Buf = fresh.Grow(p.Buf, size)
	for _, part := range p.Parts {
		p.Buf = append(p.Buf, part...)
	}

	clear(p.Parts)
	p.Parts = append(p.Parts[:0], p.Buf[from:])
}
