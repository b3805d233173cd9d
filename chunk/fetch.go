package chunk

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/wire"
	"github.com/cairn-go/cairn/shuffle"
)

// fetchGap is the number of unneeded bytes that are read to merge two reads into one.
const fetchGap = 4096

// fetcher reads the parts of a chunk that some of its blocks need.
type fetcher struct {
	// as long as the chunk; parts that were read are at their offsets, the rest is stale
	buf   []byte
	table table
	ends  []int    // where the wanted blocks end: at the next block or the end of the chunk
	parts [][2]int // ranges to read
	read  int64    // bytes read so far, of all chunks
}

// Fetched returns the number of bytes that DecodeBlocksAt has read so far, over all chunks.
func (d *Decoder) Fetched() int64 { return d.fetch.read }

// DecodeBlocksAt is [Decoder.DecodeBlocks] for a chunk at offset at of r whose header is h, as
// ParseHeader returned it. It reads only the offset table, the dictionary if there is one, and the
// wanted blocks, with delta also block 0. r must have h.CBytes bytes at that offset.
//
// A block ends where the block with the next larger offset begins. A block that extends beyond that
// is corrupt here, although DecodeBlocks, which sees all bytes, may decode it. No known writer
// produces such chunks.
func (d *Decoder) DecodeBlocksAt(h Header, r io.ReaderAt, at int64, want []bool, sink BlockSink) error {
	if err := h.check(); err != nil {
		return err
	}
	if int64(h.CBytes) > min(d.limits.MaxChunk, d.limits.MaxAlloc) {
		return fmt.Errorf("decode chunk: %d bytes: %w: MaxChunk is %d, MaxAlloc %d", h.CBytes, cairn.ErrLimit, d.limits.MaxChunk, d.limits.MaxAlloc)
	}
	f, n := &d.fetch, h.blocks()
	f.buf = grow(f.buf, int(h.CBytes))
	d.reader = chunkReader{decoder: d, header: h, src: f.buf, layout: h.Layout(), end: n, want: want, sink: sink}
	if want != nil {
		d.reader.end = min(n, len(want))
	}
	err := f.plan(&d.reader, r, at)
	if err == nil {
		err = f.readParts(d.watched.context(), r, at)
	}
	if err == nil && h.VLBlocks() {
		c := &d.reader
		c.layout, err = d.wantedLayout(&h, f.buf, func(i int) bool { return i < c.end && c.wanted(i) })
	}
	if err != nil {
		d.reader.release(true)
		return err
	}
	return d.reader.decode()
}

// A partsReader reads several parts of a chunk at once: into[i] from offset at[i].
type partsReader interface {
	ReadParts(ctx context.Context, at []int64, into [][]byte) error
}

// readParts reads the planned parts.
func (f *fetcher) readParts(ctx context.Context, r io.ReaderAt, at int64) error {
	many, ok := r.(partsReader)
	var offsets []int64
	var into [][]byte
	for _, p := range f.parts {
		part, off := f.buf[p[0]:p[1]], at+int64(p[0])
		f.read += int64(len(part))
		if ok {
			offsets, into = append(offsets, off), append(into, part)
		} else if err := readAt(r, part, off); err != nil {
			return err
		}
	}
	if !ok {
		return nil
	}
	return many.ReadParts(ctx, offsets, into)
}

// plan determines which parts of the chunk to read. A chunk without a valid offset table is read
// whole, so that the decoder reports what is wrong.
func (f *fetcher) plan(c *chunkReader, r io.ReaderAt, at int64) error {
	h, size, table := &c.header, len(f.buf), c.header.Size()
	f.parts = append(f.parts[:0], [2]int{0, size})
	if h.Memcpyed() && size == table+c.layout.NBytes && c.end <= size {
		f.planStored(c, table)
		return nil
	}
	n := h.blocks()
	body := int64(table) + 4*int64(n)
	if h.Special() != SpecialNone || headerFlags(h.Flags).memcpyed() || body > int64(size) {
		return nil
	}
	if err := readAt(r, f.buf[:body], at); err != nil {
		return err
	}
	f.read += body
	if f.table.read(h, f.buf, n) != nil {
		return nil
	}
	f.parts = f.parts[:0]
	if h.HasDict() && n > 0 {
		c.dictEnd = min(f.table.first(), int(body)+4+maxDictSize)
		f.parts = append(f.parts, [2]int{int(body), c.dictEnd})
	}
	delta := !h.VLBlocks() && slices.ContainsFunc(h.Pipeline[:], func(s shuffle.Spec) bool { return s.ID == shuffle.IDDelta })
	blocks := max(c.end, min(1, n)) // delta needs block 0 even if it is not wanted
	f.ends = slices.Grow(f.ends[:0], blocks)[:blocks]
	for i := range blocks {
		if wanted := i < c.end && c.wanted(i); !wanted && (i > 0 || !delta) {
			continue
		}
		from, to := f.table.block(i)
		f.ends[i] = to
		f.parts = append(f.parts, [2]int{from, to})
	}
	c.ends = f.ends
	f.join()
	return nil
}

// planStored is plan for a memcpyed chunk, whose blocks are contiguous.
func (f *fetcher) planStored(c *chunkReader, payload int) {
	f.parts = f.parts[:0]
	for i := range c.end {
		if c.wanted(i) {
			from, to := c.layout.Block(i)
			f.parts = append(f.parts, [2]int{payload + from, payload + to})
		}
	}
	f.join()
}

// join merges parts that are adjacent or nearly so.
func (f *fetcher) join() {
	slices.SortFunc(f.parts, func(a, b [2]int) int { return a[0] - b[0] })
	n := 0
	for _, p := range f.parts {
		if n > 0 && p[0] <= f.parts[n-1][1]+fetchGap {
			f.parts[n-1][1] = max(f.parts[n-1][1], p[1])
			continue
		}
		f.parts[n] = p
		n++
	}
	f.parts = f.parts[:n]
}

// readAt fills b.
func readAt(r io.ReaderAt, b []byte, off int64) error {
	_, err := wire.ReadFull(r, b, off, int64(len(b)))
	return wire.Missing(err, layerChunk, 0)
}
