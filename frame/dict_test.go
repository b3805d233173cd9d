package frame

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// TestDict writes chunks with dictionaries, also after the frame was opened again, and reads single
// blocks and items of them.
func TestDict(t *testing.T) {
	ctx := context.Background()
	part := []byte("some bytes that are in every block, at one place or another; ")
	var data []byte
	for i := range 40 {
		data = append(data, part[i%7:]...)
		for j := range 900 {
			data = append(data, byte(i*j>>3))
		}
	}
	for _, codec := range []codecs.Codec{codecs.Zstd, codecs.LZ4, codecs.LZ4HC} {
		path := filepath.Join(t.TempDir(), "dict.b2frame")
		f, err := Create(path, &Options{Codec: codec, Filters: []shuffle.Spec{shuffle.None}, BlockSize: 500, Dict: true})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := f.Append(ctx, data); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			if f, err = Open(path, &OpenOptions{Mode: ReadWrite}); err != nil {
				t.Fatal(err)
			}
		}
		if !f.Info().Dict {
			t.Errorf("%v: the header says nothing of dictionaries", codec)
		}
		dst := make([]byte, len(data))
		for i := range 2 {
			if info, err := f.Chunk(i); err != nil || !info.Header.HasDict() {
				t.Errorf("%v: chunk %d has no dictionary, %v", codec, i, err)
			}
			if n, err := f.ReadItems(ctx, dst, i, 1234, 2345); err != nil || !bytes.Equal(dst[:n], data[1234:2345]) {
				t.Errorf("%v: items: %v, or other bytes", codec, err)
			}
			if n, err := f.ReadBlock(ctx, dst, i, 9); err != nil || !bytes.Equal(dst[:n], data[4500:5000]) {
				t.Errorf("%v: block 9: %v, or other bytes", codec, err)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestForeignDictFlag changes a frame whose header asks for dictionaries with a codec that has
// none, as C-Blosc2 writes it.
func TestForeignDictFlag(t *testing.T) {
	f, err := New(&Options{Codec: codecs.BloscLZ, Commits: Commits{Deterministic: true}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := f.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	b = slices.Clone(b)
	b[0x55] |= 1
	g, err := FromBytes(b, &OpenOptions{Mode: ReadWrite})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Append(context.Background(), make([]byte, 100)); err != nil {
		t.Error(err)
	}
	if _, err := New(&Options{Codec: codecs.BloscLZ, Dict: true}); err == nil {
		t.Error("a new frame is allowed to ask for it")
	}
}
