package zarr

import (
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"unicode/utf8"
)

// Texts of variable length are the dtype "string" with the codec vlen-utf8 in version 3, and
// objects with the filter vlen-utf8 in version 2. A chunk of them is, all numbers little-endian:
//
//	u32   number of items
//	      for each item u32 n, n bytes of UTF-8
//
// They are read as items of a fixed size, the length of the longest text, for which all chunks are
// read when the array is opened.

// nameVLen is the codec and the filter of texts.
const nameVLen = "vlen-utf8"

// texts is the stage of texts, which have up to width characters.
type texts struct{ width int }

func (t texts) encodedSize(int64) int64           { return -1 }
func (t texts) ratio() int64                      { return int64(t.width) + 1 }
func (t texts) decodedSize([]byte) (int64, error) { return 0, unsupported("texts of texts") }
func (t texts) decoder() (decoder, error)         { return t, nil }

func (t texts) decode(dst, src []byte) ([]byte, error) {
	clear(dst)
	size := 4 * t.width
	n, err := eachText(src, func(i int, text []byte) error {
		if utf8.RuneCount(text) > t.width || (i+1)*size > len(dst) {
			return corruptChunk("text %d is longer than the array had any, or one too many", i)
		}
		item := dst[i*size:]
		for _, r := range string(text) {
			binary.LittleEndian.PutUint32(item, uint32(r))
			item = item[4:]
		}
		return nil
	})

	if err == nil && n*size != len(dst) {
		err = corruptChunk("%d texts, want %d", n, len(dst)/size)
	}
	return dst, err
}

// eachText calls do with the texts of a chunk, and returns their number.
func eachText(src []byte, do func(i int, text []byte) error) (int, error) {
	if len(src) < 4 {
		return 0, corruptChunk("%d bytes of texts", len(src))
	}
	count := int64(binary.LittleEndian.Uint32(src))
	src = src[4:]
	if count > int64(len(src)/4) {
		return 0, corruptChunk("%d texts in %d bytes", count, len(src))
	}

	for i := range int(count) {
		if len(src) < 4 {
			return 0, corruptChunk("the end is in text %d", i)
		}
		n := int64(binary.LittleEndian.Uint32(src))
		src = src[4:]
		if n > int64(len(src)) || !utf8.Valid(src[:n]) {
			return 0, corruptChunk("text %d has %d bytes, or is not UTF-8", i, n)
		}

		if err := do(i, src[:n]); err != nil {
			return 0, err
		}
		src = src[n:]
	}
	return int(count), nil
}

// longest returns the length of the longest text of an array, at least 1, and that of its fill
// value.
func (m *metadata) longest(ctx context.Context, k keys, key string) (int, error) {
	w, err := m.chain.worker()
	if err != nil {
		return 0, err
	}

	most := max(1, m.textFill)
	a := &Array{metadata: m, keys: k, key: key}
	var encoded []byte
	for chunk := range m.part.ChunkCount {
		name := a.chunkKey(chunk)
		encoded, err = get(ctx, k, name, m.chain.most, encoded)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, in("chunk "+name, err)
		}

		raw, _, err := w.undo(encoded, 1)
		if err != nil {
			return 0, in("chunk "+name, err)
		}

		_, err = eachText(raw, func(_ int, text []byte) error {
			most = max(most, utf8.RuneCount(text))
			return nil
		})
		if err != nil {
			return 0, in("chunk "+name, err)
		}
	}
	return most, nil
}

// measured returns a node whose texts have a size.
func (s *Store) measured(ctx context.Context, key string, n *node) (*node, error) {
	if n.array == nil || n.array.sized == nil {
		return n, nil
	}
	if n.array.shard != nil {
		return nil, unsupported("texts in shards")
	}

	width, err := n.array.longest(ctx, s.keys, key)
	if err != nil {
		return nil, err
	}
	m, err := n.array.sized(width)
	if err != nil {
		return nil, err
	}
	m.sized = nil

	sized := &node{array: m, version: n.version}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.nodes[key] != nil {
		s.nodes[key] = sized
	}
	return sized, nil
}
