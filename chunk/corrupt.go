package chunk

import (
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/wire"
)

// corruptBlock returns an error about a block, at an offset within the chunk.
func corruptBlock(at, block int, format string, args ...any) error {
	return cairn.Corruptf(layerChunk, int64(at), "block %d: %s", block, fmt.Sprintf(format, args...))
}

// wrapBlock adds the location to an error of a codec or filter. ErrUnsupported is not made
// ErrCorrupt.
func wrapBlock(at, block int, part string, err error) error {
	if errors.Is(err, cairn.ErrUnsupported) {
		return fmt.Errorf("decode chunk: block %d: %w", block, err)
	}
	return wire.Because(cairn.Corruptf(layerChunk, int64(at), "block %d: %s", block, part), err)
}
