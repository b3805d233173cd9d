package frame

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
)

// AppendBlocks encodes blocks as a chunk with blocks of variable length, adds it at the end, and
// returns its index. Each block must have at least one byte. A frame cannot contain both such
// chunks and other ones. C-Blosc2 reads them from version 3.0 on.
func (f *Frame) AppendBlocks(ctx context.Context, blocks [][]byte) (int, error) {
	return f.appendWith(ctx, func(v change) ([]byte, error) { return v.encodeVL(blocks) })
}

// blockSizes returns the decoded sizes of the blocks of chunk i.
func (v *state) blockSizes(i int) ([]int, error) {
	var sizes []int
	_, err := v.decode(context.Background(), i, func(d *decoding, c []byte) (int, error) {
		l, err := d.decoder.Layout(c)
		if err != nil {
			return 0, err
		}
		// a chunk of zeros can state a billion blocks in 32 bytes
		if need := 8 * int64(l.NumBlocks); need > v.env.engine.Limits.MaxAlloc {
			return 0, fmt.Errorf("sizes of %d blocks: %w: %d bytes are more than Limits.MaxAlloc, %d",
				l.NumBlocks, cairn.ErrLimit, need, v.env.engine.Limits.MaxAlloc)
		}
		sizes = slices.Grow(sizes, l.NumBlocks)
		for k := range l.NumBlocks {
			from, to := l.Block(k)
			sizes = append(sizes, to-from)
		}
		return 0, nil
	})
	return sizes, err
}

// readBlock decodes block k of chunk i into dst and returns its size.
func (v *state) readBlock(ctx context.Context, dst []byte, i, k int) (int, error) {
	v = v.within(ctx)
	info, err := v.chunkInfo(i, (*state).peek)
	if err != nil {
		return 0, err
	}

	if info.InIndex || info.CBytes < partFrom || v.lends() {
		return v.decode(ctx, i, func(d *decoding, c []byte) (int, error) { return d.decoder.DecodeBlock(dst, c, k) })
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}

	n := int(info.Header.BlockSize)
	if !info.Header.VLBlocks() {
		n = info.Header.Layout().NumBlocks
	}
	if k < 0 || k >= n {
		return 0, v.env.place(fmt.Errorf("block %d of %d of chunk %d: %w", k, n, i, cairn.ErrBounds))
	}

	d := v.env.getDecoding()
	defer v.env.putDecoding(d)
	sink := &oneBlock{dst: dst}
	d.want = slices.Grow(d.want[:0], k+1)[:k+1]
	clear(d.want)
	d.want[k] = true
	if err := v.decodeBlocks(ctx, d.decoder, i, info.Header, d.want, sink); err != nil {
		return 0, err
	}

	if sink.size > len(dst) {
		return 0, v.env.place(fmt.Errorf("block %d of chunk %d: %d bytes do not fit into %d: %w",
			k, i, sink.size, len(dst), cairn.ErrBounds))
	}
	return sink.size, nil
}

// partFrom is the stored size from which reading only a part of a chunk is worth more than one
// system call.
const partFrom = 16 << 10

// oneBlock is a sink for one block.
type oneBlock struct {
	dst  []byte
	size int
}

// Dst returns the memory for the block, or nil if it is too small.
func (s *oneBlock) Dst(_, size int) []byte {
	if s.size = size; size > len(s.dst) {
		return nil
	}
	return s.dst[:size]
}

// Put drops a block that does not fit.
func (s *oneBlock) Put(int, []byte) {}

// encodeVL encodes blocks as a chunk, in memory that is reused after the change.
func (v change) encodeVL(blocks [][]byte) ([]byte, error) {
	return v.encodeWith(func(e *chunk.Encoder, dst []byte) ([]byte, error) { return e.AppendVL(dst, blocks) })
}
