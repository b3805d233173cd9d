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
func (f *Frame) change(ctx context.Context, edit func(next *draft) error) error {
	return f.alter(ctx, func(next *draft) error {
		next.touched = true
		return edit(next)
	})
}

// alter is change for edits that do not affect the data.
func (f *Frame) alter(ctx context.Context, edit func(next *draft) error) error {
	err := f.apply(ctx, edit)
	f.fail(err)
	return err
}

// apply is alter for callers that call fail themselves.
func (f *Frame) apply(ctx context.Context, edit func(next *draft) error) error {
	if err := f.mu.LockWithin(ctx); err != nil {
		return f.env.place(err)
	}
	defer f.mu.Unlock()
	if err := f.waitForLock(ctx); err != nil {
		return f.env.place(err)
	}
	next := f.cur.Load().draft()
	next.ctx = ctx
	f.writer.begin(ctx)
	defer f.dropEncoded()
	err := parallel.Guard(func() error { return edit(next) }, func() {
		f.fail(errHalfDone)
		f.writer.undo(f.committed)
		_ = f.releaseUnusedLock() // the panic matters more than this error
	})
	if err != nil {
		f.writer.undo(f.committed)
		return f.env.place(errors.Join(err, f.releaseUnusedLock()))
	}
	next.ctx = nil
	next.head.CBytes = f.writer.extent(&next.state)
	next.head.Version = next.head.WriteVersion()
	f.dirty = true
	f.show(&next.state)
	return nil
}

// countsLive reports whether the number of live bytes must be known exactly: headers of sparse
// frames have it, and a new file must have no holes.
func (f *Frame) countsLive(v *state) bool { return v.apart() || f.writer.fresh() }

// stage stores a chunk and returns its index entry.
func (f *Frame) stage(v *draft, c []byte) (int64, error) {
	entry, err := f.writer.stage(c)
	if err == nil {
		if v.live != unknownLive {
			v.live += int64(len(c)) + v.footer()
		}
		if f.env.Deterministic && v.cover != nil && v.cover.full {
			v.cover = v.cover.partial()
		}
		v.head.CBytes = f.writer.extent(&v.state)
	}
	return entry, err
}

// encode encodes data as a chunk, in memory that is reused after the change.
func (f *Frame) encode(v *draft, data []byte) ([]byte, error) {
	if len(data) > chunk.MaxSize {
		return nil, fmt.Errorf("a chunk of %d bytes: %w: at most %d are possible", len(data), cairn.ErrBounds, chunk.MaxSize)
	}
	return f.encodeWith(v, func(e *chunk.Encoder, dst []byte) ([]byte, error) { return e.Append(dst, data) })
}

// encodeWith calls encode with the encoder of the frame and memory that is reused after the change.
func (f *Frame) encodeWith(v *draft, encode func(e *chunk.Encoder, dst []byte) ([]byte, error)) ([]byte, error) {
	if f.encoder == nil || f.blockSize != v.head.BlockSize {
		e, err := f.env.newEncoder(&v.head, f.env.workers, nil)
		if err != nil {
			return nil, err
		}
		f.encoder, f.blockSize = e, v.head.BlockSize
	}
	if f.encoded == nil {
		f.encoded = f.env.takeBuffer()
	}
	c, err := encode(f.encoder, f.encoded.buf[:0])
	if err == nil {
		f.encoded.buf = c
	}
	return c, err
}

// dropEncoded returns the memory of encode to the pool.
func (f *Frame) dropEncoded() {
	if f.encoded != nil {
		f.env.returnBuffer(f.encoded)
		f.encoded = nil
	}
}

// checkEncoded parses the header of a chunk that the caller encoded.
func (f *Frame) checkEncoded(c []byte) (chunk.Header, error) {
	h, err := chunk.ParseHeader(c)
	if err == nil && int64(h.CBytes) != int64(len(c)) {
		err = cairn.Corruptf("chunk", 12, "the header says %d bytes, but %d were given", h.CBytes, len(c))
	}
	return h, err
}

// entryFor returns the index entry for a chunk: a special entry if the frame allows it. Otherwise
// it stores the chunk.
func (f *Frame) entryFor(v *draft, c []byte, h chunk.Header) (int64, error) {
	kind, size, typeSize := h.Special(), int(h.NBytes), int(v.head.TypeSize)
	if kind == chunk.SpecialNone || kind == chunk.SpecialValue {
		return f.stage(v, c)
	}
	// A special entry has no type size of its own, so the items must be the same with the frame's.
	switch {
	case kind == chunk.SpecialNaN && int(h.TypeSize) != typeSize:
		stored, err := appendStoredNaN(nil, size, int(h.TypeSize), typeSize)
		if err != nil {
			return 0, err
		}
		return f.stage(v, stored)
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
	return f.stage(v, stored)
}

// insert inserts a chunk before position i.
func (f *Frame) insert(v *draft, i int, c []byte) error { return f.putChunk(v, i, c, false) }

// replace replaces chunk i.
func (f *Frame) replace(v *draft, i int, c []byte) error { return f.putChunk(v, i, c, true) }

func (f *Frame) putChunk(v *draft, i int, c []byte, replace bool) error {
	h, err := f.checkEncoded(c)
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
	if err := f.fit(v, i, others, int64(h.NBytes), replace); err != nil {
		return err
	}
	if err := v.await(i); err != nil {
		return err
	}
	var oldSize, oldBytes int64
	if replace {
		if oldSize, oldBytes, err = f.sizes(v, i); err != nil {
			return err
		}
	}
	entry, err := f.entryFor(v, c, h)
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

func (v *state) checkChunk(i int) error {
	if i < 0 || i >= v.index.Len() {
		return fmt.Errorf("chunk %d of %d: %w", i, v.index.Len(), cairn.ErrBounds)
	}
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
func (f *Frame) sizes(v *draft, i int) (decoded, stored int64, err error) {
	entry, err := v.entryAt(i)
	if err != nil {
		return 0, 0, err
	}
	if entry < 0 {
		decoded, err = v.sizeOf(i)
		return decoded, 0, err
	}
	look, known := (*state).describe, false
	if !f.countsLive(&v.state) && i < v.index.Len()-1 && !v.head.Variable() {
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
