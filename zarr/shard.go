package zarr

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
)

// A shard is a chunk that is divided into inner chunks, each encoded on its own, in any order and
// with any gaps (codec sharding_indexed):
//
//	[index] ‹inner chunks› [index]      the index is at one of the ends
//
// The index, encoded by codecs of its own, has two u64 for each inner chunk in C order: the offset
// in the shard and the number of bytes, or twice 2^64-1 for an inner chunk of fill values.
type sharding struct {
	inner   []int64 // shape of inner chunks
	chain   *chain  // of inner chunks
	index   *chain
	atStart bool
	part    *grid.Partition // the shard, and its inner chunks
	fill    []byte
}

const (
	indexEntry   = 16 // bytes of an entry
	missingEntry = math.MaxUint64
)

// missing is the range of an inner chunk that is not there.
var missing = [2]int64{-1, 0}

// entries decodes an index: the offset and size of each inner chunk, within a shard of size bytes.
func (s *sharding) entries(encoded []byte, size int64) ([][2]int64, error) {
	w, err := s.index.worker()
	if err != nil {
		return nil, err
	}
	b, err := w.decode(nil, encoded)
	if err != nil {
		return nil, fmt.Errorf("index of a shard: %w", err)
	}

	list := make([][2]int64, len(b)/indexEntry)
	most := s.chain.maxEncoded()
	for i := range list {
		at := binary.LittleEndian.Uint64(b[i*indexEntry:])
		n := binary.LittleEndian.Uint64(b[i*indexEntry+8:])
		switch {
		case at == missingEntry && n == missingEntry:
			list[i] = missing
		case n > uint64(size) || at > uint64(size)-n:
			return nil, corruptChunk("inner chunk %d is %d bytes at %d of a shard of %d", i, n, at, size)
		case n > uint64(most):
			return nil, fmt.Errorf("inner chunk %d has %d bytes, the most is %d: %w", i, n, most, cairn.ErrLimit)
		default:
			list[i] = [2]int64{int64(at), int64(n)}
		}
	}
	return list, nil
}

// indexAt returns where the index of a shard of size bytes begins.
func (s *sharding) indexAt(size int64) (int64, error) {
	n := s.index.encodedSize()
	switch {
	case size < n:
		return 0, corruptChunk("a shard of %d bytes, whose index has %d", size, n)
	case s.atStart:
		return 0, nil
	}
	return size - n, nil
}

// readIndex reads the index of a shard.
func (s *sharding) readIndex(ctx context.Context, o object) ([][2]int64, error) {
	at, err := s.indexAt(o.size())
	if err != nil {
		return nil, err
	}

	encoded := make([]byte, s.index.encodedSize())
	if err := o.ReadAt(ctx, encoded, at); err != nil {
		return nil, err
	}
	return s.entries(encoded, o.size())
}

// A sharding is also a stage, for shards within shards and for shards that other codecs encode.
// Such shards are decoded as a whole.

func (s *sharding) encodedSize(int64) int64 { return -1 }

// ratio is no limit: inner chunks of fill values have no bytes.
func (s *sharding) ratio() int64 { return math.MaxInt64 }

func (s *sharding) decodedSize([]byte) (int64, error) { return s.part.ChunkCount, nil }

func (s *sharding) decoder() (decoder, error) {
	w, err := s.chain.worker()
	return &shardDecoder{s, w}, err
}

type shardDecoder struct {
	*sharding
	worker *worker
}

func (d *shardDecoder) decode(dst, src []byte) ([]byte, error) {
	at, err := d.indexAt(int64(len(src)))
	if err != nil {
		return nil, err
	}

	list, err := d.entries(src[at:at+d.index.encodedSize()], int64(len(src)))
	if err != nil {
		return nil, err
	}

	var whole grid.Box
	dims := d.part.Dims
	if err := whole.Set(d.part, make([]int64, dims), d.part.Shape[:dims]); err != nil {
		return nil, err
	}

	var piece grid.BoxPiece
	for i := range whole.Pieces {
		whole.Piece(i, &piece)
		e := list[piece.Chunk]
		if e == missing {
			piece.Fill(dst, d.fill)
			continue
		}

		items, err := d.worker.decode(nil, src[e[0]:e[0]+e[1]])
		if err != nil {
			return nil, fmt.Errorf("inner chunk %d: %w", piece.Chunk, err)
		}
		piece.Scatter(dst, 0, items)
	}
	return dst, nil
}
