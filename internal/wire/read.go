package wire

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cairn-go/cairn"
)

// readStep is how much memory a length may claim before any of the bytes it speaks of have been
// seen.
const readStep = 1 << 20

// ReadFull reads n bytes at off into buf's memory, which grows as the bytes turn out to be there.
func ReadFull(r io.ReaderAt, buf []byte, off, n int64) ([]byte, error) {
	return ReadMore(r, buf[:0], off, n)
}

// ReadMore is ReadFull for a buffer that has the first of these bytes already.
func ReadMore(r io.ReaderAt, buf []byte, off, n int64) ([]byte, error) {
	for have := int64(len(buf)); have < n; {
		step := min(n-have, max(readStep, have, int64(cap(buf))-have))
		buf = slices.Grow(buf, int(step))[:have+step]
		got, err := r.ReadAt(buf[have:], off+have)
		if int64(got) < step {
			if err == nil || errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, fmt.Errorf("read %d bytes at offset %d: %w", n, off, err)
		}
		have += step
	}
	return buf, nil
}

// Missing turns the end of a file inside of what must be there into a corruption.
func Missing(err error, layer string, off int64) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return Because(cairn.Corruptf(layer, off, "the file ends early"), err)
	}
	return err
}
