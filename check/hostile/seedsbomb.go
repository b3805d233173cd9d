package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/shuffle"
)

// Small files that state much data: shapes without the chunks for them, chunks that share their
// bytes, packed values that unpack to many times their size, archives of many members.

// bombs adds such files.
func (m *maker) bombs() {
	m.frame("made-far-shape")(farShape())
	m.frame("made-shared-chunk")(sharedChunk(3000, false))
	m.frame("made-shared-stream")(sharedChunk(600, true))
	m.frame("made-empty-lists")(packedLayers(1, flatLists))
	m.frame("made-many-lists")(packedLayers(15, flatLists))
	m.frame("made-deep-lists")(packedLayers(3, deepLists))
}

// crowds returns archives of many members, with the list of a store.
func crowds(trees []*seedFile) ([]*seedFile, error) {
	for _, s := range trees {
		if list := s.files["embed.b2e"]; list != nil {
			return []*seedFile{
				newSeed("made-many-members", stores, map[string][]byte{"": manyMembers(1500, 0, list)}),
				newSeed("made-many-folders", stores, map[string][]byte{"": manyMembers(1500, 60, list)}),
			}, nil
		}
	}
	return nil, fmt.Errorf("no store has a list")
}

// farShape makes an array whose shape has four billion chunks, in a file of a thousand.
func farShape() ([]byte, error) {
	const size = 1 << 30
	m := meta.B2ND{Shape: []int64{1 << 62}, ChunkShape: []int32{size}, BlockShape: []int32{1 << 20}, DType: "|u1"}
	o := &frame.Options{
		ChunkSize: size, BlockSize: 1 << 20, Meta: []meta.Layer{{Name: meta.LayerB2ND, Content: m.Append(nil)}},
	}
	return built(o, func(ctx context.Context, f *frame.Frame) error {
		return f.AppendSpecial(ctx, chunk.SpecialZeros, 1024*size)
	})
}

// sharedChunk makes an array of n chunks of 16 MiB that share all bytes in the file, or all except
// their headers.
func sharedChunk(n int, headers bool) ([]byte, error) {
	const size, block, front = 16 << 20, 1 << 20, chunk.HeaderSize + 4*16
	data := make([]byte, size)
	for i := range data {
		data[i] = byte(i >> 12)
	}

	e, err := chunk.NewEncoder(&chunk.Options{
		BlockSize: block, Codec: codecs.Zstd, Filters: []shuffle.Spec{shuffle.None},
	})
	if err != nil {
		return nil, err
	}
	c, err := e.Append(nil, data)
	if err != nil {
		return nil, err
	}

	m := meta.B2ND{
		Shape: []int64{int64(n) * size}, ChunkShape: []int32{size}, BlockShape: []int32{block}, DType: "|u1",
	}
	o := &frame.Options{
		ChunkSize: size, BlockSize: block, Commits: frame.Commits{Deterministic: true},
		Meta: []meta.Layer{{Name: meta.LayerB2ND, Content: m.Append(nil)}},
	}
	b, err := built(o, func(ctx context.Context, f *frame.Frame) error {
		_, err := f.AppendEncoded(ctx, c)
		return err
	})
	if err != nil {
		return nil, err
	}

	chunks := c
	entries := make([]byte, 8*n)
	if headers {
		chunks = nil
		for k := range n {
			h := slices.Clone(c[:front])
			before := uint32(front * (n - 1 - k))
			binary.LittleEndian.PutUint32(h[12:], uint32(len(c))+before)
			for at := chunk.HeaderSize; at < front; at += 4 {
				binary.LittleEndian.PutUint32(h[at:], binary.LittleEndian.Uint32(h[at:])+before)
			}
			binary.LittleEndian.PutUint64(entries[8*k:], uint64(len(chunks)))
			chunks = append(chunks, h...)
		}
		chunks = append(chunks, c[front:]...)
	}

	index, err := packIndex(false, entries)
	if err != nil {
		return nil, err
	}

	a := examine(b)
	b = slices.Concat(b[:a.header], chunks, index, b[a.index.to:])
	binary.BigEndian.PutUint64(b[atNBytes:], uint64(n)*size)
	binary.BigEndian.PutUint64(b[atCBytes:], uint64(len(chunks)))
	return fix(a, b), nil
}

// Values that take much more memory than bytes: lists of empty lists, one beside or in the other.
func flatLists(n int) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{0xdd}, uint32(n)), bytes.Repeat([]byte{0x90}, n)...)
}

func deepLists(n int) []byte { return append(bytes.Repeat([]byte{0x91}, n-1), 0xc0) }

// packedLayers makes a frame with metalayers of variable length, half a MiB in all.
func packedLayers(layers int, value func(n int) []byte) ([]byte, error) {
	return built(nil, func(_ context.Context, f *frame.Frame) error {
		for k := range layers {
			if err := f.SetVL(fmt.Sprint("layer", k), value(1<<19/layers)); err != nil {
				return err
			}
		}
		return nil
	})
}

// manyMembers makes an archive of empty members with the names of leaves.
func manyMembers(n, folders int, list []byte) []byte {
	members := make([]member, n, n+1)
	for k := range members {
		name := fmt.Sprintf("leaf%d.b2nd", k)
		if folders > 0 {
			name = fmt.Sprintf("g%d/%s", k%folders, name)
		}
		members[k] = member{name: name}
	}
	return packArchive(append(members, member{name: "embed.b2e", data: list}))
}
