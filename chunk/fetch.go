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
	// the beginning of the chunk up to the end of its offset table, and what follows from the first
	// part on. The bytes between the parts are stale
	buf   []byte
	gap   int // bytes that buf lacks between the table and the first part
	table table
	ends  []int    // where the wanted blocks end: at the next block or the end of the chunk
	parts [][2]int // ranges to read
}

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

	f := &d.fetch
	n := h.blocks()
	d.reader = chunkReader{decoder: d, header: h, layout: h.Layout(), end: n, want: want, sink: sink}
	if want != nil {
		d.reader.end = min(n, len(want))
	}

	space := d.workers[0].acquire()
	f.buf = space.fetched
	fetch := func() error {
		if err := f.plan(&d.reader, r, at); err != nil {
			return err
		}
		if err := f.readParts(d.watched.context(), r, at); err != nil {
			return err
		}
		return d.reader.take(f)
	}

	err := fetch()
	space.fetched = f.buf
	f.buf = nil
	if err != nil {
		d.reader.release(true)
		return err
	}
	return d.reader.decode()
}

// take makes the parts that were read the source.
func (c *chunkReader) take(f *fetcher) (err error) {
	c.src = f.buf
	c.gap = f.gap
	c.partial = true
	if c.header.VLBlocks() {
		c.layout, err = c.decoder.wantedLayout(&c.header, c.src, func(i int) bool { return i < c.end && c.wanted(i) })
	}
	return err
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
	if n := len(f.parts); n > 0 {
		f.reserve(f.parts[n-1][1] - f.gap)
	}

	for _, p := range f.parts {
		part := f.buf[p[0]-f.gap : p[1]-f.gap]
		off := at + int64(p[0])
		if ok {
			offsets = append(offsets, off)
			into = append(into, part)
		} else if err := readAt(r, part, off); err != nil {
			return err
		}
	}
	if !ok {
		return nil
	}
	return many.ReadParts(ctx, offsets, into)
}

// reserve makes buf at least n bytes long and keeps what is in it.
func (f *fetcher) reserve(n int) {
	if n <= len(f.buf) {
		return
	}
	if n > cap(f.buf) {
		f.buf = append(make([]byte, 0, n), f.buf...)
	}
	f.buf = f.buf[:n]
}

// plan determines which parts of the chunk to read. A chunk without a valid offset table is read
// whole, so that the decoder reports what is wrong.
func (f *fetcher) plan(c *chunkReader, r io.ReaderAt, at int64) error {
	h := &c.header
	size := int(c.header.CBytes)
	table := c.header.Size()
	f.buf = f.buf[:0]
	f.gap = 0

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

	// The offsets have to be read first, since they say where the wanted blocks are.
	f.reserve(int(body))
	if err := readAt(r, f.buf, at); err != nil {
		return err
	}
	if f.table.read(h, f.buf, size, n) != nil {
		return nil
	}

	// A dictionary has no stated end before it is read, so its maximum size is taken.
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
	if h.VLBlocks() {
		f.reserve(size) // the decoder looks at all of it
	} else {
		f.close(int(body))
	}
	return nil
}

// close leaves out what is between the first from bytes of the chunk and the first part.
func (f *fetcher) close(from int) {
	if len(f.parts) > 0 {
		f.gap = max(0, f.parts[0][0]-from)
	}
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
	f.reserve(payload)
	f.close(payload)
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
