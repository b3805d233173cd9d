package zstd

const (
	errBlockType reason = "block has the reserved type"
	errBlockSize reason = "block is too large"
)

// A blockType is the way in which a block is stored.
type blockType uint8

const (
	blockRaw blockType = iota
	blockRLE
	blockCompressed
	blockReserved
)

const blockHeaderSize = 3

// A blockHeader is last:1 type:2 size:21, little-endian (RFC 8878 §3.1.1.2).
type blockHeader struct {
	last   bool
	kind   blockType
	size   int // decoded size of raw and RLE blocks, else the stored size
	stored int // number of bytes after the header
}

func parseBlockHeader(src []byte, window uint64) (h blockHeader, err error) {
	if len(src) < blockHeaderSize {
		return h, errTruncated
	}

	v := uint32(src[0]) | uint32(src[1])<<8 | uint32(src[2])<<16
	h = blockHeader{last: v&1 != 0, kind: blockType(v >> 1 & 3), size: int(v >> 3)}
	h.stored = h.size

	switch {
	case h.kind == blockReserved:
		return h, errBlockType
	case h.size > maxBlock || uint64(h.size) > window:
		return h, errBlockSize
	case h.kind == blockRLE:
		h.stored = 1
	}

	if h.stored > len(src)-blockHeaderSize {
		return h, errTruncated
	}
	return h, nil
}

// block decodes the block whose bytes are src[at:] to dst[out:], and returns the number of bytes
// written.
func (d *Decoder) block(dst []byte, out int, src []byte, at int, h blockHeader) (int, error) {
	if h.kind != blockCompressed {
		n, err := d.fit(h.size, len(dst)-out)
		if err != nil {
			return 0, err
		}
		to := dst[out : out+n]
		if h.kind == blockRaw {
			skipped := d.unneeded(out, n)
			copy(to[skipped:], src[at+skipped:])
		} else {
			fill(to, src[at])
		}
		return n, nil
	}

	lits, err := d.parseLiterals(src, at)
	if err != nil {
		return 0, err
	}

	if lits.wanted, err = d.fit(lits.size, len(dst)-out); err != nil {
		return 0, err
	}

	count, modesAt, err := sequenceCount(src[lits.end:])
	if err != nil {
		return 0, err
	}

	if count > 0 {
		return d.sequences(dst, out, src, lits, count, lits.end+modesAt)
	}
	// There are only literals: decode them directly to the output.
	if lits.end+modesAt != len(src) {
		return 0, errSequenceRest
	}

	lits.skipped = d.unneeded(out, lits.wanted)
	return lits.wanted, d.literalsInto(dst[out:out+lits.wanted], src, lits)
}

// fit returns how many of n bytes to decode if there is room for so many.
func (d *Decoder) fit(n, room int) (int, error) {
	if n > room && !d.cut {
		return 0, errRoom
	}
	return min(n, room), nil
}

// unneeded returns how many of n bytes at out nobody needs, neither the caller nor later matches.
func (d *Decoder) unneeded(out, n int) int {
	if !d.partly || out+n < d.hi {
		return 0
	}
	return min(n, max(0, d.lo-out))
}

// fill sets all of b to v, with copies of doubling length.
func fill(b []byte, v byte) {
	if len(b) == 0 {
		return
	}
	b[0] = v
	for n := 1; n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}
