// Package streams has what several formats need to know of the streams of compressors.
package streams

import (
	"bytes"
	"compress/bzip2"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// ZstdChecksum is the bit of a checksum in the descriptor of a frame of Zstandard, which is byte 4.
const ZstdChecksum = 1 << 2

// ErrNoSize means that a frame does not state its decoded size.
var ErrNoSize = errors.New("a frame that does not state its size")

// ZstdSize returns the decoded size that a frame of Zstandard states (RFC 8878, section 3.1.1).
func ZstdSize(src []byte) (int64, error) {
	const magic, single = 0xfd2fb528, 1 << 5
	if len(src) < 5 || binary.LittleEndian.Uint32(src) != magic {
		return 0, errors.New("not a frame")
	}

	descriptor := src[4]
	at := 5 + (1<<(descriptor&3))>>1 // the number of the dictionary takes 0, 1, 2 or 4 bytes
	n := 1 << (descriptor >> 6)
	if descriptor&single == 0 {
		at++ // a byte with the size of the window
		if n == 1 {
			return 0, ErrNoSize
		}
	}

	if len(src) < at+n {
		return 0, errors.New("the frame ends in its head")
	}

	var field [8]byte
	copy(field[:], src[at:at+n])
	size := binary.LittleEndian.Uint64(field[:])
	if n == 2 {
		size += 256
	}
	return int64(min(size, math.MaxInt64)), nil
}

// Bunzip2 decodes streams of bzip2 that have exactly len(dst) bytes.
func Bunzip2(dst, src []byte) error {
	r := bzip2.NewReader(bytes.NewReader(src))
	if n, err := io.ReadFull(r, dst); err != nil {
		return fmt.Errorf("%d bytes, want %d: %w", n, len(dst), err)
	}

	n, err := io.ReadFull(r, make([]byte, 1))
	switch {
	case n > 0:
		return fmt.Errorf("more than %d bytes", len(dst))
	case !errors.Is(err, io.EOF):
		return err
	}
	return nil
}
