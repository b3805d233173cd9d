package chunk

import (
	"encoding/binary"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/wire"
)

// maxDictSize is the maximum size of a dictionary in bytes.
const maxDictSize = 32 << 10

// setDict reads the dictionary, which follows the offsets, and passes it to the codecs of the
// workers. The dictionary is prepared once per chunk and shared by the workers.
func (c *chunkReader) setDict(workers []*blockDecoder, row codecs.Row) error {
	src := c.src
	if c.dictEnd > 0 {
		src = src[:c.dictEnd]
	}
	dict, err := dictAt(src, c.body)
	if err != nil {
		return err
	}

	c.body += 4 + len(dict)
	if !row.Dict {
		return nil // like C-Blosc2
	}

	var first codecs.DictDecoder
	for _, w := range workers {
		dec, ok := w.codec.(codecs.DictDecoder)
		switch {
		case !ok:
			return fmt.Errorf("decode chunk: codec %s takes no dictionary: %w", row.Name, cairn.ErrUnsupported)
		case first != nil:
			dec.ShareDict(first)
		default:
			if err := dec.SetDict(dict); err != nil {
				return wire.Because(cairn.Corruptf(layerChunk, int64(c.body-len(dict)), "dictionary"), err)
			}
			first = dec
		}
		w.dict = dec
	}
	return nil
}

// dictAt returns the dictionary whose size is at src[at].
func dictAt(src []byte, at int) ([]byte, error) {
	if len(src)-at < 4 {
		return nil, cairn.Corruptf(layerChunk, int64(at), "the chunk ends within the size of its dictionary")
	}
	size := int32(binary.LittleEndian.Uint32(src[at:]))
	if size < 1 || size > maxDictSize || int(size) > len(src)-at-4 {
		return nil, cairn.Corruptf(layerChunk, int64(at),
			"a dictionary of %d bytes is not in 1 to %d, or does not fit", size, maxDictSize)
	}
	return src[at+4:][:size], nil
}
