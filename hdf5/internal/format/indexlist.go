package format

import (
	"encoding/binary"
	"errors"

	"github.com/cairn-go/cairn"
)

// errEnough ends a walk.
var errEnough = errors.New("enough chunks")

// EachChunk calls do with the coordinates of each chunk that an index has, in the grid of chunks,
// until it returns false. It reports whether it has come to the end; it does not begin with indexes
// that are lists of all chunks there can be.
func (r *Reader) EachChunk(ix *Index, do func(at []int64) bool) (ended bool, err error) {
	if ix.address == None {
		return true, nil
	}

	at := make([]int64, ix.rank)
	place := func(coordinates []byte, unit []int64) error {
		for d := range at {
			n := binary.LittleEndian.Uint64(coordinates[8*d:])
			if int64(n) < 0 {
				return cairn.Corruptf("chunk index", -1, "coordinate %d of a chunk", n)
			}
			at[d] = int64(n)
			if unit != nil {
				at[d] /= unit[d]
			}
		}
		if !do(at) {
			return errEnough
		}
		return nil
	}

	switch ix.layout.Index {
	case TreeIndex:
		err = r.walkTree(ix.address, chunkTree, ix.rank, func(key []byte, _ int64) error {
			return place(key[8:], ix.layout.Chunk)
		})
	case Tree2Index:
		err = r.walkTree2(ix.address, func(t *tree2, record []byte) error {
			head := t.recordSize - 8*ix.rank
			if head < 0 {
				return cairn.Corruptf(layerTree2, r.offset(ix.address), "records of %d bytes", t.recordSize)
			}
			return place(record[head:], nil)
		})
	default:
		return false, nil
	}

	if errors.Is(err, errEnough) {
		return false, nil
	}
	return err == nil, err
}
