package chunk

import "github.com/cairn-go/cairn/codecs"

// spanSink copies the bytes [lo, hi) of a chunk to dst.
type spanSink struct {
	dst    []byte
	lo, hi int
	layout Layout
}

// Dst returns the place of a block that lies entirely within the span.
func (s *spanSink) Dst(index, size int) []byte {
	from, to := s.layout.Block(index)
	if from < s.lo || to > s.hi {
		return nil
	}
	return s.dst[from-s.lo:][:size]
}

// Put copies the part of a block that lies within the span.
func (s *spanSink) Put(index int, data []byte) {
	from, to := s.layout.Block(index)
	lo := max(from, s.lo)
	hi := min(to, s.hi)
	copy(s.dst[lo-s.lo:], data[lo-from:hi-from])
}

// Needs returns the range of a block that lies within the span.
func (s *spanSink) Needs(index, _ int) (from, to int) {
	start, end := s.layout.Block(index)
	return max(start, s.lo) - start, min(end, s.hi) - start
}

// deliver decodes block i into dst, which is a worker's memory, and calls Put or PutPlanes. If the
// filters allow it, it decodes only the items that the sink needs.
func (c *chunkReader) deliver(w *blockDecoder, dst []byte, i int, ref []byte) error {
	rows := c.header.streams(c.layout, i)
	if c.header.VLBlocks() || !w.chain.Sliceable(len(dst), rows, &w.ctx) {
		err := c.decodeBlock(w, dst, i, ref)
		if err != nil {
			return err
		}

		c.sink.Put(i, dst)
		return nil
	}

	lo := 0
	hi := len(dst) / rows
	if sink, ok := c.sink.(partialSink); ok {
		from, to := sink.Needs(i, len(dst))
		lo = from / rows
		hi = (to-1)/rows + 1
	}

	src, at, err := c.streams(i)
	if err != nil {
		return err
	}

	if sink, ok := c.sink.(planeSink); ok && w.interleaves(len(dst), rows, hi-lo) {
		planes, err := w.readPlanes(dst, src, at, i, rows, lo, hi)
		if err != nil || sink.PutPlanes(i, planes) {
			return c.inChunk(err)
		}
		w.interleave(dst, planes, lo, hi)
	} else if err := w.decodeItems(dst, src, at, i, rows, lo, hi, nil); err != nil {
		return c.inChunk(err)
	}

	c.sink.Put(i, dst)
	return nil
}

// decodePart fills row[lo:hi], and more of row if the codec cannot decode a range.
func (w *blockDecoder) decodePart(row []byte, lo, hi int, src []byte) error {
	if d, ok := w.codec.(codecs.RangeDecoder); ok {
		return d.DecodeRange(row, src, lo, hi)
	}
	return w.codec.Decode(row, src)
}
