package filter

// LZF (filter 32000) is h5py's compressor. A stream consists of
//
//	000nnnnn                      n+1 literal bytes follow
//	nnnooooo oooooooo             n+2 bytes, n from 1 to 6, from o+1 bytes before
//	111ooooo nnnnnnnn oooooooo    n+9 bytes from o+1 bytes before
//
// Parameter 2 is the decoded size, unless other filters come before. (Source: the stream format of
// LibLZF, and h5py's lzf_filter.c.)

const (
	lzfLiterals = 32      // most literals of a run
	lzfWindow   = 1 << 13 // most bytes back
	lzfLong     = 7       // n that means a longer match
	lzfMost     = 255 + lzfLong + 2
)

// lzfSize returns the decoded size of a stream, by its lengths.
func lzfSize(f Filter, src []byte, most int) (int, error) {
	n := 0
	for i := 0; i < len(src) && n <= most; {
		c := int(src[i])
		switch length := c >> 5; {
		case c < lzfLiterals:
			n += c + 1
			i += c + 2
		case length < lzfLong:
			n += length + 2
			i += 2
		case i+1 < len(src):
			n += lzfLong + int(src[i+1]) + 2
			i += 3
		default:
			return 0, corrupt(f.ID, "the stream ends within a match")
		}
	}
	return n, nil
}

func lzfDecode(_ *workspace, f Filter, dst, src []byte) ([]byte, error) {
	i, to := lzfDecodeFast(dst, src)
	var err error
	for err == nil && i < len(src) {
		i, to, err = lzfStep(f, dst, src, i, to)
	}
	if err != nil {
		return nil, err
	}
	if to != len(dst) {
		return nil, corrupt(f.ID, "%d bytes, want %d", to, len(dst))
	}
	return dst, nil
}

// lzfStep decodes the literals or the match at byte i of the stream to byte to, and returns where
// the next ones are.
func lzfStep(f Filter, dst, src []byte, i, to int) (next, end int, err error) {
	c := int(src[i])
	i++

	if c < lzfLiterals {
		n := c + 1
		if n > len(src)-i || n > len(dst)-to {
			return 0, 0, corrupt(f.ID, "%d literals at byte %d are too many", n, i-1)
		}
		copy(dst[to:to+n], src[i:i+n])
		return i + n, to + n, nil
	}

	n := c>>5 + 2
	if n == lzfLong+2 && i < len(src) {
		n += int(src[i])
		i++
	}
	if i >= len(src) {
		return 0, 0, corrupt(f.ID, "the stream ends within a match")
	}

	back := c&31<<8 + int(src[i]) + 1
	i++
	if back > to || n > len(dst)-to {
		return 0, 0, corrupt(f.ID, "match of %d bytes from %d back, at byte %d of %d", n, back, to, len(dst))
	}

	copyMatch(dst, to, n, back)
	return i, to + n, nil
}

const (
	lzfSlop = 32                // bytes that are copied at a time, whatever is needed
	lzfRoom = lzfMost + lzfSlop // left in dst while that goes
)

// lzfDecodeFast decodes as long as more may be copied than is needed. It returns where it stopped,
// before anything that is wrong.
func lzfDecodeFast(dst, src []byte) (i, to int) {
	for i+1+lzfSlop < len(src) && to+lzfRoom < len(dst) {
		c := int(src[i])
		if c < lzfLiterals {
			dst[to] = src[i+1]
			if c > 0 {
				*(*[16]byte)(dst[to:]) = [16]byte(src[i+1:])
				*(*[16]byte)(dst[to+16:]) = [16]byte(src[i+17:])
			}
			i += c + 2
			to += c + 1
			continue
		}

		n := c>>5 + 2
		at := i + 1
		if n == lzfLong+2 {
			n += int(src[at])
			at++
		}
		back := c&31<<8 + int(src[at]) + 1
		if back > to {
			break
		}

		// Most matches are short and near. Wider loads would wait for several stores.
		from := to - back
		d := dst[from : to+lzfRoom]
		e := d[back:]
		e[0] = d[0]
		e[1] = d[1]
		e[2] = d[2]
		if n > 3 {
			if back >= 8 {
				for k := 3; k < n; k += 8 {
					*(*[8]byte)(e[k:]) = [8]byte(d[k:])
				}
			} else {
				copyMatch(dst, to, n, back)
			}
		}
		i = at + 1
		to += n
	}
	return i, to
}

// copyMatch makes n bytes from at on repeat what is back bytes before them, which may overlap them.
func copyMatch(b []byte, at, n, back int) {
	for done := 0; done < n; {
		// What lies between the source and the end repeats itself, so more can be copied each time.
		done += copy(b[at+done:at+n], b[at-back:at+done])
	}
}
