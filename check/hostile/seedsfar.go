package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/shuffle"
)

// treeSeeds returns the stores that the real library wrote: archives, embed stores, and
// directories, which the repository keeps as archives.
func treeSeeds(dir string) ([]*seedFile, error) {
	seeds, err := seedsLike(filepath.Join(dir, "../../store/testdata/*.b2*"), func(name string, b []byte) ([]*seedFile, error) {
		if len(b) > maxSeed || strings.Contains(name, "huge") {
			return nil, nil
		}
		files := map[string][]byte{"": b}
		if strings.HasSuffix(name, ".zip") {
			var err error
			if files, err = unzip(b); err != nil {
				return nil, err
			}
		}
		return []*seedFile{newSeed(name, stores, files)}, nil
	})
	if err != nil {
		return nil, err
	}
	crowds, err := crowds(seeds)
	return append(seeds, crowds...), err
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
	c := new(codecs.Registry)
	f := new(shuffle.Registry)
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

// farFrames adds frames and a chunk with the codec and the filter of the caller, and frames with
// blocks of variable length.
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
		made.BlockSize = 128
		made.Codecs = c
		made.Engine.Filters = f
		m.frame("%s", made.name)(smallFrame(&made.Options))
	}

	for _, codec := range []codecs.Codec{codecs.BloscLZ, codecs.LZ4, codecs.Zlib, codecs.Zstd} {
		m.frame("made-blocks-%v", codec)(blocksFrame(codec))
	}
	m.add(chunks, "made-user.chunk")(userChunk(c, f))
}

// userChunk makes a chunk with the codec and the filter of the caller.
func userChunk(c *codecs.Registry, f *shuffle.Registry) ([]byte, error) {
	e, err := chunk.NewEncoder(&chunk.Options{
		Engine: chunk.Engine{Codecs: c, Filters: f}, TypeSize: 4, BlockSize: 256,
		Codec: codecs.ByID(userCodec, 0), Filters: []shuffle.Spec{{ID: userFilter}},
	})
	if err != nil {
		return nil, err
	}
	return e.Append(nil, sample(1000, 1))
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
