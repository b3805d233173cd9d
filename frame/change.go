package frame

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/internal/parallel"
)

// change runs one change of the data: edit modifies a draft of the newest state, which then becomes
// the newest. If edit fails, or panics in code of the caller, nothing has changed.
func (e *editor) change(ctx context.Context, edit func(next change) error) error {
	return e.alter(ctx, func(next change) error {
		next.touched = true
		return edit(next)
	})
}

// alter is change for edits that do not affect the data.
func (e *editor) alter(ctx context.Context, edit func(next change) error) error {
	err := e.apply(ctx, edit)
	e.fail(err)
	return err
}

// apply is alter for callers that call fail themselves.
func (e *editor) apply(ctx context.Context, edit func(next change) error) error {
	if err := e.mu.LockWithin(ctx); err != nil {
		return e.env.place(err)
	}
	defer e.mu.Unlock()
	if err := e.waitForLock(ctx); err != nil {
		return e.env.place(err)
	}

	next := e.cur.Load().draft()
	next.ctx = ctx
	e.writer.begin(ctx)
	defer e.dropEncoded()
	err := parallel.Guard(func() error { return edit(change{next, e}) }, func() {
		e.fail(errHalfDone)
		e.writer.undo(e.committed)
		_ = e.releaseUnusedLock() // the panic matters more than this error
	})
	if err != nil {
		e.writer.undo(e.committed)
		return e.env.place(errors.Join(err, e.releaseUnusedLock()))
	}

	next.ctx = nil
	next.head.CBytes = e.writer.extent(&next.state)
	next.head.Version = next.head.WriteVersion()
	e.dirty = true
	e.show(&next.state)
	return nil
}

// countsLive reports whether the number of live bytes must be known exactly: headers of sparse
// frames have it, and a new file must have no holes.
func (v change) countsLive() bool { return v.apart() || v.edit.writer.fresh() }

// encode encodes data as a chunk, in memory that is reused after the change.
func (v change) encode(data []byte) ([]byte, error) {
	if len(data) > chunk.MaxSize {
		return nil, fmt.Errorf("a chunk of %d bytes: %w: at most %d are possible", len(data), cairn.ErrBounds, chunk.MaxSize)
	}
	return v.encodeWith(func(e *chunk.Encoder, dst []byte) ([]byte, error) { return e.Append(dst, data) })
}

// encodeWith calls encode with the encoder of the frame and memory that is reused after the change.
func (v change) encodeWith(encode func(e *chunk.Encoder, dst []byte) ([]byte, error)) ([]byte, error) {
	if v.edit.encoder == nil || v.edit.blockSize != v.head.BlockSize {
		e, err := v.env.newEncoder(&v.head, v.env.workers, nil, nil)
		if err != nil {
			return nil, err
		}
		v.edit.encoder = e
		v.edit.blockSize = v.head.BlockSize
	}
	if v.edit.encoded == nil {
		v.edit.encoded = v.env.takeBuffer()
	}

	c, err := encode(v.edit.encoder, v.edit.encoded.buf[:0])
	if err != nil {
		return c, err
	}
	v.edit.encoded.buf = c
	return c, nil
}

// dropEncoded returns the memory of encode to the pool, and forgets the chunk.
func (e *editor) dropEncoded() {
	if e.encoded != nil {
		e.env.returnBuffer(e.encoded)
		e.encoded = nil
	}
	clear(e.whole[:])
}

// entryFor returns the index entry for a chunk: a special entry if the frame allows it. Otherwise
// it stores the chunk.
func (v change) entryFor(c [][]byte, h chunk.Header) (int64, error) {
	kind := h.Special()
	size := int(h.NBytes)
	typeSize := int(v.head.TypeSize)
	if kind == chunk.SpecialNone || kind == chunk.SpecialValue {
		return v.stage(c)
	}

	// A special entry has no type size of its own, so the items must be the same with the frame's.
	switch {
	case kind == chunk.SpecialNaN && int(h.TypeSize) != typeSize:
		stored, err := appendStoredNaN(nil, size, int(h.TypeSize), typeSize)
		if err != nil {
			return 0, err
		}
		return v.stage([][]byte{stored})
	case kind == chunk.SpecialUninit && size%typeSize != 0:
		kind = chunk.SpecialZeros
	}

	if !v.head.Variable() {
		entry, _ := index.Special(kind)
		return entry, nil
	}
	stored, err := appendStoredSpecial(nil, kind, size, typeSize)
	if err != nil {
		return 0, err
	}

	return v.stage([][]byte{stored})
}

// insert inserts a chunk before position i.
func (v change) insert(i int, c []byte) error { return v.putChunk(i, v.whole(c), false) }

// replace replaces chunk i.
func (v change) replace(i int, c []byte) error { return v.putChunk(i, v.whole(c), true) }

// whole returns the chunk of a change as pieces, in memory for the change.
func (v change) whole(c []byte) [][]byte {
	v.edit.whole[0] = c
	return v.edit.whole[:]
}

// putChunk inserts a chunk before position i, or replaces chunk i.
func (v change) putChunk(i int, c [][]byte, replace bool) error {
	h, err := checkEncoded(c...)
	if err != nil {
		return err
	}
	others := v.index.Len()
	switch {
	case replace:
		others--
		err = v.checkChunk(i)
	case i < 0 || i > others:
		err = fmt.Errorf("position %d of %d chunks: %w", i, others, cairn.ErrBounds)
	case others >= format.MaxChunks:
		err = fmt.Errorf("one more chunk than %d: %w", format.MaxChunks, cairn.ErrLimit)
	}
	if err != nil {
		return err
	}

	if err := v.admit(h, others == 0); err != nil {
		return err
	}
	if err := v.fit(i, others, int64(h.NBytes), replace); err != nil {
		return err
	}

	// The size of the old chunk is read before the new one is stored: a chunk whose size is unknown
	// cannot be replaced, and nothing should be stored for it.
	if err := v.await(i); err != nil {
		return err
	}
	var oldSize, oldBytes int64
	if replace {
		if oldSize, oldBytes, err = v.sizes(i); err != nil {
			return err
		}
	}

	entry, err := v.entryFor(c, h)
	if err != nil {
		return err
	}
	if i == others {
		v.last = int64(h.NBytes)
	}

	put := v.index.Insert
	if replace {
		put = v.index.Set
	}
	if v.index, err = put(i, entry); err != nil {
		return err
	}

	v.head.NBytes += int64(h.NBytes) - oldSize
	v.lose(oldBytes)
	return nil
}

// lose subtracts the stored bytes of a removed chunk from the live bytes; stored is -1 if unknown.
func (v *draft) lose(stored int64) {
	if v.live == unknownLive || stored < 0 {
		v.live = unknownLive
		return
	}
	v.live = max(0, v.live-stored)
}

// sizes returns the decoded size of chunk i, and how many bytes of state.live it has, -1 if
// unknown. It does not fail for an unreadable chunk whose decoded size follows from the frame.
func (v change) sizes(i int) (decoded, stored int64, err error) {
	entry, err := v.entryAt(i)
	if err != nil {
		return 0, 0, err
	}
	if entry < 0 {
		decoded, err = v.sizeOf(i)
		return decoded, 0, err
	}

	look := (*state).describe
	known := false
	if !v.countsLive() && i < v.index.Len()-1 && !v.head.Variable() {
		if known, err = v.regular(); err == nil && known {
			if v.live == unknownLive {
				return int64(v.head.ChunkSize), -1, nil
			}
			look = (*state).peek
		}
	}

	info, err := look(&v.state, i, entry)
	stored = int64(info.CBytes) + v.footer()
	switch {
	case known && err != nil:
		return int64(v.head.ChunkSize), -1, nil
	case known:
		return int64(v.head.ChunkSize), stored, nil
	}

	return int64(info.NBytes), stored, v.inChunkUnnamed(i, entry, err)
}
