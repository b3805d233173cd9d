package wire

import (
	"errors"
	"fmt"
	"io"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/osfile/fresh"
)

// readStep is the size of the steps in which a buffer grows, so that a false length cannot cause a
// large allocation.
const readStep = 1 << 20

// ReadFull reads n bytes at off, using buf's memory and growing it while bytes are available.
func ReadFull(r io.ReaderAt, buf []byte, off, n int64) ([]byte, error) {
	return ReadMore(r, buf[:0], off, n)
}

// ReadMore is ReadFull for a buffer that already contains the first of these bytes.
func ReadMore(r io.ReaderAt, buf []byte, off, n int64) ([]byte, error) {
	for have := int64(len(buf)); have < n; {
		step := min(n-have, max(readStep, have, int64(cap(buf))-have))
		buf = fresh.Grow(buf, int(step))[:have+step]
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

// Missing converts the end of a file within required data to a CorruptError.
func Missing(err error, layer string, off int64) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return Because(cairn.Corruptf(layer, off, "the file ends early"), err)
	}
	return err
}
