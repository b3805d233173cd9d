package filter

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
)

// streamed is how many bytes of items make a chunk of which deflate and shuffle are undone
// together, without memory for all bytes in between. That is slower than one after the other.
const streamed = 64 << 20

// inflateShuffled decodes the stream of a chunk whose items have been shuffled: each byte is put to
// its place.
func inflateShuffled(dst, src []byte, item int) error {
	r, err := zlib.NewReader(bytes.NewReader(src))
	if err != nil {
		return broken(Deflate, err)
	}

	count := len(dst) / item
	part := make([]byte, 64<<10)
	for plane := range item {
		for at := 0; at < count; {
			n := min(len(part), count-at)
			if _, err := io.ReadFull(r, part[:n]); err != nil {
				return broken(Deflate, err)
			}
			for i, b := range part[:n] {
				dst[(at+i)*item+plane] = b
			}
			at += n
		}
	}
	if _, err := io.ReadFull(r, dst[count*item:]); err != nil {
		return broken(Deflate, err)
	}

	// The checksum is compared at the end of the stream.
	switch n, err := io.ReadFull(r, part[:1]); {
	case n > 0:
		return corrupt(Deflate, "more than %d bytes", len(dst))
	case !errors.Is(err, io.EOF):
		return broken(Deflate, err)
	}
	return nil
}
