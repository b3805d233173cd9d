package ndarray

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/inside"
)

// repeatedChunk returns an array whose n chunks, of size bytes, share the same bytes of the file.
func repeatedChunk(t *testing.T, n, size int64) *Untyped {
	t.Helper()
	a, err := New[uint8](Shape{size}, &Options{
		ChunkShape: Shape{size}, BlockShape: Shape{size / 4}, Codec: codecs.Zstd,
		Commits: frame.Commits{Deterministic: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	items := make([]uint8, size)
	for i := range items {
		items[i] = byte(i >> 12)
	}
	if err := a.Write(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	b, err := a.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	e, err := chunk.NewEncoder(&chunk.Options{TypeSize: 8, Codec: codecs.BloscLZ, BlockSize: 16 << 10, NoSpecial: true})
	if err != nil {
		t.Fatal(err)
	}
	index, err := e.Append(nil, make([]byte, 8*n))
	if err != nil {
		t.Fatal(err)
	}
	// The header has its own length at 0x0b, and the number of bytes in chunks at 0x27, of items at
	// 0x1e, of the file at 0x10.
	at := int64(binary.BigEndian.Uint32(b[0x0b:])) + int64(binary.BigEndian.Uint64(b[0x27:]))
	end := bytes.LastIndex(b, []byte{0x94, 0x01})
	b = slices.Concat(b[:at], index, b[end:])
	binary.BigEndian.PutUint64(b[0x1e:], uint64(n*size))
	binary.BigEndian.PutUint64(b[0x10:], uint64(len(b)))
	shape := binary.BigEndian.AppendUint64([]byte{0xd3}, uint64(size))
	i := bytes.Index(b, shape) + 1
	binary.BigEndian.PutUint64(b[i:], uint64(n*size))
	u, err := FromBytes(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { u.Close() })
	return u
}

// Without a limit, a visit of all blocks of a file of some kilobytes could take for ever.
func TestVisitsEndWhereChunksShareTheirBytes(t *testing.T) {
	const n, size = 100_000, 8 << 20
	u := repeatedChunk(t, n, size)
	start := time.Now()
	err := passOver(t.Context(), u, func(*inside.Block) error { return nil })
	if !errors.Is(err, cairn.ErrCorrupt) || time.Since(start) > 5*time.Second {
		t.Errorf("%v after %v", err, time.Since(start))
	}
	const at = size/4 + 5<<12
	got, want := make([]byte, 1), []byte{at >> 12 & 0xff}
	err = u.ReadBytes(t.Context(), got, []int64{n/2*size + at}, []int64{n/2*size + at + 1})
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("an item of one of them: %v, %v; want %v", got, err, want)
	}
}
