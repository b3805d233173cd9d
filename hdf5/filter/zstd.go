package filter

import (
	"errors"
	"math"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/streams"
)

// Zstandard (filter 32015) makes a frame (RFC 8878) of a chunk. Its parameter is the level.

func zstdDecode(w *workspace, f Filter, dst, src []byte) ([]byte, error) {
	return codecDecode(w, codecs.Zstd, f, dst, src)
}

func zstdEncode(w *workspace, f Filter, dst, src []byte) ([]byte, error) {
	return codecEncode(w, codecs.Zstd, zstdLevel(f.param(0)), dst, src)
}

// zstdLevel returns the level of ours, of 9, for one of Zstandard's, of 22.
func zstdLevel(level int64) int {
	if int32(level) <= 0 {
		return 2
	}
	return int(min(level+1, 18)) / 2
}

// zstdSize returns the decoded size that the frame states.
func zstdSize(f Filter, src []byte, _ int) (int, error) {
	size, err := streams.ZstdSize(src)
	switch {
	case errors.Is(err, streams.ErrNoSize):
		return 0, unsupported(f, "without the size in the frame, behind another compressor, cannot be decoded")
	case err != nil:
		return 0, broken(f.ID, err)
	}
	return int(min(size, math.MaxInt32)), nil
}
