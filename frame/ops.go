package frame

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/index"
)

// Append encodes data as a chunk, adds it at the end, and returns its index.
func (f *Frame) Append(ctx context.Context, data []byte) (int, error) {
	return f.appendWith(ctx, func(v change) ([]byte, error) { return v.encode(data) })
}

// AppendEncoded adds an encoded chunk at the end and returns its index. c is not retained. A
// special chunk becomes an index entry if the frame allows that.
func (f *Frame) AppendEncoded(ctx context.Context, c []byte) (int, error) {
	return f.appendWith(ctx, func(change) ([]byte, error) { return c, nil })
}

func (f *Frame) appendWith(ctx context.Context, make func(v change) ([]byte, error)) (int, error) {
	var number int
	err := f.edit.change(ctx, func(v change) error {
		number = v.index.Len()
		c, err := make(v)
		if err != nil {
			return err
		}
		return v.insert(v.index.Len(), c)
	})
	return number, err
}

// Insert encodes data as a chunk and inserts it before chunk i; i may be the number of chunks.
func (f *Frame) Insert(ctx context.Context, i int, data []byte) error {
	return f.put(ctx, i, data, change.insert)
}

// put encodes data and calls insert or replace.
func (f *Frame) put(ctx context.Context, i int, data []byte, put func(v change, i int, c []byte) error) error {
	return f.edit.change(ctx, func(v change) error {
		c, err := v.encode(data)
		if err != nil {
			return err
		}
		return put(v, i, c)
	})
}

// Update encodes data as a chunk and replaces chunk i by it.
func (f *Frame) Update(ctx context.Context, i int, data []byte) error {
	return f.put(ctx, i, data, change.replace)
}

// InsertEncoded inserts an encoded chunk before chunk i.
func (d *insideFrame) InsertEncoded(ctx context.Context, i int, c []byte) error {
	return d.edit.change(ctx, func(v change) error { return v.insert(i, c) })
}

// UpdateEncoded replaces chunk i by an encoded chunk, in pieces. The caller tells of a failure by
// Fail, unless it can try again.
func (d *insideFrame) UpdateEncoded(ctx context.Context, i int, c ...[]byte) error {
	return d.edit.apply(ctx, func(v change) error {
		v.touched = true
		return v.putChunk(i, c, true)
	})
}

// Delete removes chunk i.
func (f *Frame) Delete(ctx context.Context, i int) error {
	return f.edit.change(ctx, func(v change) error {
		if err := v.checkChunk(i); err != nil {
			return err
		}
		if ok, err := v.regular(); err != nil {
			return err
		} else if !ok && !v.head.Variable() {
			if err := v.turnVariable(); err != nil {
				return err
			}
		}

		decoded, stored, err := v.sizes(i)
		if err != nil {
			return err
		}
		if v.head.NBytes == decoded && v.index.Len() > 1 {
			return fmt.Errorf("deleting the only chunk that is not empty: %w", cairn.ErrUnsupported)
		}

		if i == v.index.Len()-1 {
			v.last = 0
		}
		if v.index, err = v.index.Remove(i); err != nil {
			return err
		}

		v.head.NBytes -= decoded
		v.lose(stored)
		return nil
	})
}

// Reorder changes the order of the chunks: the new chunk i is the old chunk order[i]. It copies no
// data.
func (f *Frame) Reorder(ctx context.Context, order []int) error {
	return f.edit.change(ctx, func(v change) error {
		if err := checkOrder(order, v.index.Len()); err != nil {
			return err
		}
		if v.index.Len() == 0 {
			return nil
		}

		ok, err := v.regular()
		if err != nil {
			return err
		}
		last, err := v.lastSize()
		if err != nil {
			return err
		}

		if short := last < int64(v.head.ChunkSize); short && order[v.index.Len()-1] != v.index.Len()-1 {
			ok = false
		}
		if !ok && !v.head.Variable() {
			if err := v.turnVariable(); err != nil {
				return err
			}
		}

		if order[v.index.Len()-1] != v.index.Len()-1 {
			v.last = 0
		}
		old := v.index
		v.index, err = index.Build(old.Len(), old.Fill(), func(i int) (int64, error) { return old.At(order[i]) })
		return err
	})
}

// AppendSpecial adds chunks of zeros, NaN or unspecified bytes, nbytes decoded bytes in all. They
// have the chunk size of the frame, and the last one may be shorter; in a frame without a chunk
// size, the first call adds a single chunk. They are index entries if the frame allows it, so even
// many of them take little space.
func (f *Frame) AppendSpecial(ctx context.Context, kind chunk.Special, nbytes int64) error {
	return f.edit.change(ctx, func(v change) error {
		_, ok := index.Special(kind)
		typeSize := int64(v.head.TypeSize)
		switch {
		case !ok:
			return fmt.Errorf("chunks of kind %v cannot be special entries: %w", kind, cairn.ErrUnsupported)
		case nbytes <= 0:
			return fmt.Errorf("%d bytes of special chunks: %w", nbytes, cairn.ErrBounds)
		case kind == chunk.SpecialNaN && typeSize != 4 && typeSize != 8:
			return fmt.Errorf("NaN of typesize %d: %w", typeSize, cairn.ErrType)
		case kind != chunk.SpecialZeros && nbytes%typeSize != 0:
			return fmt.Errorf("%d bytes are not a multiple of the item size %d: %w", nbytes, typeSize, cairn.ErrBounds)
		}

		size := int64(v.head.ChunkSize)
		if size <= 0 {
			size = min(nbytes, chunk.MaxSize-chunk.MaxSize%typeSize)
		}
		return v.appendRun(kind, nbytes, size)
	})
}

// appendForeign is appendRun for a frame that copies chunks of another. It sets no block size: its
// computation may need codecs or filters that this program does not have.
func (v change) appendForeign(kind chunk.Special, nbytes, size int64) error {
	if h := &v.head; h.BlockSize == 0 {
		h.BlockSize = 1
		defer func() { h.BlockSize = 0 }()
	}
	return v.appendRun(kind, nbytes, size)
}

// appendRun appends special chunks of size bytes each, nbytes in all; the last may be shorter.
func (v change) appendRun(kind chunk.Special, nbytes, size int64) error {
	typeSize := int(v.head.TypeSize)
	count := (nbytes-1)/size + 1
	if count > int64(format.MaxChunks-v.index.Len()) {
		return fmt.Errorf("%d more chunks than %d: %w: at most %d are possible",
			count, v.index.Len(), cairn.ErrLimit, format.MaxChunks)
	}

	h := chunk.Header{NBytes: int32(min(size, nbytes)), CBytes: chunk.HeaderSize}
	if err := v.admit(h, v.index.Len() == 0); err != nil {
		return err
	}
	if v.index.Len() == 0 && v.head.BlockSize == 0 && !v.head.Variable() {
		// Store the block size, as C-Blosc2 does, for programs that write data into these chunks
		// later.
		e, err := v.env.newEncoder(&v.head, 1, nil, nil)
		if err != nil {
			return err
		}
		v.head.BlockSize = int32(e.Layout(int(size)).BlockSize)
	}

	if err := v.fit(v.index.Len(), v.index.Len(), min(size, nbytes), false); err != nil {
		return err
	}
	if !v.head.Variable() {
		entry, _ := index.Special(kind)
		err := v.await(v.index.Len())
		if err != nil {
			return err
		}

		add := v.index.AppendRun
		if count == 1 {
			// Append reuses the memory of the index; AppendRun would not.
			add = func(entry int64, _ int) (index.Index, error) { return v.index.Append(entry) }
		}
		if v.index, err = add(entry, int(count)); err != nil {
			return err
		}

		v.head.NBytes += nbytes
		v.last = nbytes - (count-1)*size
		return nil
	}

	for nbytes > 0 {
		n := min(size, nbytes)
		c, err := chunk.AppendSpecial(nil, kind, nil, int(n), typeSize, 0)
		if err != nil {
			return err
		}
		if err := v.insert(v.index.Len(), c); err != nil {
			return err
		}
		nbytes -= n
	}

	return nil
}
