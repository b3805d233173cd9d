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
	to := 0
	for i := 0; i < len(src); {
		c := int(src[i])
		i++

		if c < lzfLiterals {
			n := c + 1
			if n > len(src)-i || n > len(dst)-to {
				return nil, corrupt(f.ID, "%d literals at byte %d are too many", n, i-1)
			}
			copy(dst[to:to+n], src[i:i+n])
			i += n
			to += n
			continue
		}

		n := c>>5 + 2
		if n == lzfLong+2 && i < len(src) {
			n += int(src[i])
			i++
		}
		if i >= len(src) {
			return nil, corrupt(f.ID, "the stream ends within a match")
		}

		back := c&31<<8 + int(src[i]) + 1
		i++
		if back > to || n > len(dst)-to {
			return nil, corrupt(f.ID, "match of %d bytes from %d back, at byte %d of %d", n, back, to, len(dst))
		}

		copyMatch(dst, to, n, back)
		to += n
	}

	if to != len(dst) {
		return nil, corrupt(f.ID, "%d bytes, want %d", to, len(dst))
	}
	return dst, nil
}

// copyMatch makes n bytes from at on repeat what is back bytes before them, which may overlap them.
func copyMatch(b []byte, at, n, back int) {
	for done := 0; done < n; {
		// What lies between the source and the end repeats itself, so more can be copied each time.
		done += copy(b[at+done:at+n], b[at-back:at+done])
	}
}
