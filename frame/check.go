package frame

import (
	"bytes"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/internal/asm/crc32c"
	"github.com/cairn-go/cairn/internal/wire"
)

// mustCheck reports whether the chunk of an entry must be compared with its checksum before it is
// used.
func (v *state) mustCheck(entry int64) bool {
	if !v.mayHaveFooter() || v.env.verify == VerifyOff || entry < 0 {
		return false
	}
	if v.env.verify == VerifyAlways {
		return true
	}
	return !v.env.private && !v.source.book().verified.has(entry)
}

// mustCheckPart is mustCheck for a read that needs only a part of the chunk.
func (v *state) mustCheckPart(entry int64) bool {
	return v.env.verify != VerifyWhole && v.mustCheck(entry)
}

// mayHaveFooter reports whether chunks may have footers. If so, a chunk that does not match its
// footer is damaged; otherwise another writer wrote it.
func (v *state) mayHaveFooter() bool { return v.cover != nil && (v.cover.full || v.cover.footers) }

// judge is compare for a chunk that was fetched.
func (v *state) judge(entry int64, c *fetched) (Verdict, error) {
	c.sum = format.Checksum(c.bytes)
	return v.compare(entry, c.sum, c.behind)
}

// compare judges a stored chunk by the checksum of its bytes and by what is behind them.
func (v *state) compare(entry int64, sum uint32, behind []byte) (Verdict, error) {
	own, has := format.ParseFooter(behind)
	c := v.cover
	match := has && own == sum
	if c != nil && !match {
		// A row may be older than the chunk: in a sparse frame, a new chunk can get the number of a
		// deleted one.
		if row, ok := c.table.Sum(entry); ok {
			own = row
			has = true
			match = row == sum
		}
	}

	switch {
	case match && v.mayHaveFooter():
		v.source.book().verified.add(entry)
		if c.full {
			return Verified, nil
		}
		return VerifiedChunkOnly, nil
	case match:
		return VerifiedChunkOnly, nil
	case !v.mayHaveFooter() || !c.full && !has:
		return Unverified, nil
	case !has:
		return Unverified, wire.Because(cairn.Corruptf("chunk", 0, "its checksum is missing"), cairn.ErrChecksum)
	}

	return Unverified, format.Mismatch("chunk", 0, sum, own)
}

// checkStep is how many bytes of a chunk are read at a time to compare it with its checksum.
const checkStep = 256 << 10

// farStep is checkStep for files where every read is a request: one request fetches most chunks.
const farStep = 8 << 20

// checkWhole compares the chunk at the beginning of sp with its checksum, piece by piece. It reads
// into buf, which grows if it must, and returns it. The result holds the whole chunk if that fits
// into one piece, and is empty otherwise.
func (v *state) checkWhole(buf []byte, entry int64, sp *span, cbytes int64) ([]byte, error) {
	n := min(cbytes+format.FooterSize, sp.limit)
	if raw := sp.lend(n); raw != nil {
		sp.total.Add(n)
		_, err := v.compare(entry, format.Checksum(raw[:cbytes]), raw[cbytes:])
		return buf[:0], err
	}

	buf = buf[:0]
	if v.env.verify != VerifyAlways {
		buf = append(buf, v.keptHead(entry)...)
	}
	step := int64(checkStep)
	if _, far := sp.File.(manyReader); far {
		step = farStep
		// one request instead of several
		buf = slices.Grow(buf, int(max(0, min(n, step)-int64(len(buf)))))
	}

	sum := uint32(0)
	var head []byte
	for at := int64(0); ; buf = buf[:0] {
		size := n - at
		if size > step+format.FooterSize {
			size = step
		}
		piece, err := sp.more(buf[:min(int64(len(buf)), size)], at, size)
		if err != nil {
			return buf[:0], wire.Missing(err, "chunk", 0)
		}

		if buf = piece; at == 0 {
			head = bytes.Clone(piece[:min(v.headSize(), size, cbytes)])
		}
		if at += size; at < n {
			sum = crc32c.Update(sum, piece) // more than a footer is left
			continue
		}

		own := min(size, cbytes-(at-size))
		sum = crc32c.Update(sum, piece[:own])
		if _, err = v.compare(entry, sum, piece[own:]); err != nil {
			v.dropHead(entry) // the kept header may be what differs
			return buf[:0], err
		}

		v.keepHead(entry, head)
		if size < n {
			return buf[:0], nil
		}
		return buf, nil
	}
}

// fetched is an encoded chunk in memory.
type fetched struct {
	bytes  []byte
	header chunk.Header
	behind []byte // the bytes behind the chunk, possibly its footer
	lent   bool   // the bytes are the frame's own memory
	sum    uint32 // checksum of the bytes, set by judge
}

// cut splits raw into the chunk and the bytes behind it.
func (c *fetched) cut(raw []byte) {
	n := int(c.header.CBytes)
	c.bytes = raw[:n]
	c.behind = raw[n:]
	if c.lent {
		c.bytes = raw[:n:n] // it must not be appended to
	}
}

// memory returns the buffer for the next chunk: that of this one, or buf if this one is lent.
func (c *fetched) memory(buf []byte) []byte {
	if c.lent || c.bytes == nil {
		return buf
	}
	return c.bytes
}
