package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/metalist"
	"github.com/cairn-go/cairn/internal/test/golden"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/shuffle"
)

// treeKind is a store (docs/format/stores.md).
const treeKind golden.Kind = "tree"

// loadTrees returns the stores that the real library wrote: archives, embed stores, and
// directories, which the repository keeps as archives.
func loadTrees(m *golden.Manifest) ([]*seedFile, error) {
	names, err := filepath.Glob(filepath.Join(m.Dir, "../../store/testdata/*.*"))
	if err != nil {
		return nil, err
	}
	var seeds []*seedFile
	for _, name := range names {
		base := filepath.Base(name)
		if !strings.Contains(base, ".b2") || strings.Contains(base, "huge") {
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files := map[string][]byte{"": b}
		if strings.HasSuffix(base, ".zip") {
			if files, err = unzip(b); err != nil {
				return nil, fmt.Errorf("%s: %w", base, err)
			}
		}
		if len(b) <= maxSeed {
			seeds = append(seeds, newSeed(base, treeKind, files))
		}
	}
	if len(seeds) < 5 {
		return nil, fmt.Errorf("only %d stores", len(seeds))
	}
	return seeds, nil
}

// unzip returns the files of an archive.
func unzip(b []byte) (map[string][]byte, error) {
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, f := range z.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		if files[f.Name], err = io.ReadAll(r); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// Ids of the codec and the filter of the caller.
const (
	userCodec  = 200
	userFilter = 201
)

// xored is a codec and a filter of the caller. It inverts bits; as a codec, it also omits zeros at
// the end.
type xored struct{}

func (xored) Encode(dst, src []byte) (int, error) {
	body := bytes.TrimRight(src, "\x00")
	if len(body) > len(dst) {
		return 0, nil
	}
	turn(dst[:len(body)], body)
	return len(body), nil
}

func (xored) Decode(dst, src []byte) error {
	if len(src) > len(dst) {
		return fmt.Errorf("%d bytes for %d", len(src), len(dst))
	}
	turn(dst[:len(src)], src)
	clear(dst[len(src):])
	return nil
}

func turn(dst, src []byte) {
	for i, b := range src {
		dst[i] = ^b
	}
}

// registries returns registries with the codec and the filter of the caller.
func registries() (*codecs.Registry, *shuffle.Registry, error) {
	c, f := new(codecs.Registry), new(shuffle.Registry)
	run := func(dst, src []byte, _ uint8, _ *shuffle.Context) error {
		turn(dst, src)
		return nil
	}
	return c, f, cmp.Or(c.Add(codecs.Row{
		ID: userCodec, Name: "xored",
		NewEncoder: func(codecs.Params) (codecs.Encoder, error) { return xored{}, nil },
		NewDecoder: func(codecs.Params) (codecs.Decoder, error) { return xored{}, nil },
	}), f.Add(shuffle.Row{ID: userFilter, Name: "xored", Forward: run, Backward: run}))
}

// farFrames adds frames with the codec and the filter of the caller, frames with blocks of variable
// length, and frames of the betas.
func (m *maker) farFrames() {
	c, f, err := registries()
	if err != nil {
		m.err = err
		return
	}
	for _, made := range []struct {
		name string
		frame.Options
	}{
		{"made-user-codec", frame.Options{TypeSize: 4, Codec: codecs.ByID(userCodec, 0)}},
		{"made-user-filter", frame.Options{TypeSize: 2, Codec: codecs.LZ4, Filters: []shuffle.Spec{{ID: userFilter}, shuffle.Byte}}},
		{"made-bytedelta", frame.Options{TypeSize: 4, Codec: codecs.Zstd, Filters: []shuffle.Spec{shuffle.Byte, shuffle.ByteDelta(4)}}},
		{"made-int-trunc", frame.Options{TypeSize: 4, Codec: codecs.Zstd, Filters: []shuffle.Spec{shuffle.IntTrunc(9), shuffle.Byte}}},
	} {
		made.BlockSize, made.Codecs, made.Engine.Filters = 128, c, f
		m.frame("%s", made.name)(smallFrame(&made.Options))
	}
	for _, codec := range []codecs.Codec{codecs.BloscLZ, codecs.LZ4, codecs.Zlib, codecs.Zstd} {
		m.frame("made-blocks-%v", codec)(blocksFrame(codec))
	}
	for _, second := range []bool{false, true} {
		m.frame("made-beta-%v", second)(betaFrame(second))
	}
}

// blocksFrame makes a frame of three chunks with blocks of variable length.
func blocksFrame(codec codecs.Codec) ([]byte, error) {
	return built(&frame.Options{TypeSize: 4, Codec: codec}, func(ctx context.Context, f *frame.Frame) error {
		for k := range uint64(3) {
			blocks := [][]byte{sample(100, k), sample(1, k), sample(333, k), make([]byte, 50)}
			if _, err := f.AppendBlocks(ctx, blocks); err != nil {
				return err
			}
		}
		return nil
	})
}

// betaFrame makes a frame of 2.0.0-beta.1 or, with second, of the later betas
// (docs/format/frame.md): two chunks, their index, a metalayer, and for the later betas a trailer
// with user metadata.
func betaFrame(second bool) ([]byte, error) {
	f, err := frame.New(&frame.Options{TypeSize: 4, Commits: frame.Commits{Deterministic: true}})
	if err != nil {
		return nil, err
	}
	defer f.Abort()
	var body, index []byte
	for k := range 2 {
		if _, err := f.Append(context.Background(), sample(400, uint64(k))); err != nil {
			return nil, err
		}
		c, err := f.EncodedChunk(nil, k)
		if err != nil {
			return nil, err
		}
		c = bytes.Clone(c)
		c[0] = 4
		index = binary.LittleEndian.AppendUint64(index, uint64(len(body)))
		body = append(body, c...)
	}
	packed := append(append([]byte{4, 1, 7, 8, 16, 0, 0, 0, 16, 0, 0, 0, 48, 0, 0, 0}, make([]byte, 16)...), index...)
	be := binary.BigEndian
	h := append([]byte{0x9c}, "\xa8b2frame\x00\xd2\x00\x00\x00\x00\xcf\x00\x00\x00\x00\x00\x00\x00\x00\xa4\x24\x06\x55\x00"...)
	if second {
		h[0], h[0x19], h[0x1a] = 0x9d, 0x21, 0
	}
	h = be.AppendUint64(append(h, 0xd3), 800)
	h = be.AppendUint64(append(h, 0xd3), uint64(len(body)))
	h = append(h, "\xd2\x00\x00\x00\x04\xd2\x00\x00\x01\x90\xd1\x00\x01\xd1\x00\x01\xc3"...)
	if second {
		h = append(append(h, 0xd8, 1, 1), make([]byte, 15)...)
	}
	h = metalist.AppendHeader(h, int64(len(h)), []meta.Layer{{Name: "early", Content: []byte("bird")}})
	be.PutUint32(h[atHeaderLen:], uint32(len(h)))
	b := slices.Concat(h, body, packed)
	if second {
		b = append(b, betaTrailer([]byte(strings.Repeat("\x00", 40)))...)
	}
	be.PutUint64(b[atFrameLen:], uint64(len(b)))
	return b, nil
}

// betaTrailer returns a trailer with one unnamed chunk.
func betaTrailer(user []byte) []byte {
	b := append([]byte{0x94, 0x01, 0xc6, 0, 0, 0, byte(len(user))}, user...)
	b = append(b, 0xce, 0, 0, 0, byte(len(b)+23), 0xd8, 0)
	return append(b, make([]byte, 16)...)
}

// oldChunks adds chunks of the alphas and betas of Blosc2, and one with the codec and the filter of
// the caller.
func (m *maker) oldChunks() {
	c, f, err := registries()
	if err != nil {
		m.err = err
		return
	}
	for _, made := range []struct {
		name    string
		version byte
		chunk.Options
	}{
		{"made-alpha.chunk", 3, chunk.Options{Codec: codecs.LZ4, Filters: []shuffle.Spec{shuffle.None}}},
		{"made-beta.chunk", 4, chunk.Options{Codec: codecs.Zstd}},
		{"made-user.chunk", 5, chunk.Options{Codec: codecs.ByID(userCodec, 0),
			Filters: []shuffle.Spec{{ID: userFilter}}}},
	} {
		made.TypeSize, made.BlockSize, made.Codecs, made.Engine.Filters = 4, 256, c, f
		var b []byte
		e, err := chunk.NewEncoder(&made.Options)
		if err == nil {
			b, err = e.Append([]byte{}, sample(1000, 1))
		}
		if err == nil {
			b[0] = made.version
		}
		m.add(golden.Chunk, "%s", made.name)(b, err)
	}
}
