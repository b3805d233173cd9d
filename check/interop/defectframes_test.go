package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/metalist"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// frameDefects are the rows of docs/format/defects.md about frames and arrays.
func frameDefects() []defect {
	return []defect{
		{7, "special chunks in frames of variable chunk size", specialInVariable},
		{8, "numbers of chunk files that are larger than all chunks", highNumbers},
		{9, "a metalayer for a frame of special chunks", func(t *testing.T) {
			refuses(t, "defect-09.b2frame", 0, "marker of the metalayers")
			out := filepath.Join(t.TempDir(), "saved")
			r, err := frame.Salvage(t.Context(), findGolden(t, "defect-09.b2frame").Path(), out, nil)
			if !errors.Is(err, cairn.ErrCorrupt) || r.LostTotal != 10 {
				t.Errorf("%d of ten chunks are lost; nothing says what they were: %v", r.LostTotal, err)
			}
			if _, err := os.Stat(out); err == nil {
				t.Error("a frame is written in which nothing is saved")
			}
		}},
		{10, "more than 16 metalayers of variable length", manyLayers},
		{11, "writing a frame inside of a file", func(t *testing.T) {
			refuses(t, "defect-11.b2frame", 24, "length")
			if r := salvaged(t, "defect-11.b2frame", 1200); r.LostTotal != 0 || r.Saved != 3 {
				t.Errorf("%d chunks are saved, %d lost", r.Saved, r.LostTotal)
			}
			if _, err := frame.Open("any", &frame.OpenOptions{Mode: frame.ReadWrite, Offset: 24}); !errors.Is(err, cairn.ErrReadOnly) {
				t.Error(err)
			}
		}},
		{12, "a frame without its magic bytes", func(t *testing.T) {
			raw := goldenBytes(t, "short-last-chunk.b2frame")
			raw[3] ^= 1
			if _, err := frame.FromBytes(raw, nil); !errors.Is(err, cairn.ErrCorrupt) {
				t.Error(err)
			}
		}},
		{17, "content of another length in a metalayer", func(t *testing.T) {
			f := opened(t, "defect-17.b2frame")
			if got, err := f.Layer("tag"); err != nil || string(got) != "ABC123456789" {
				t.Errorf("%q, %v", got, err)
			}
		}},
		{18, "a 17th fixed metalayer", seventeenLayers},
		{19, "the markers of 16 dimensions", sixteenDimensions},
		{20, "chunks beyond the grid", func(t *testing.T) {
			surplus(t, "defect-20.b2nd", 5, 4)
			surplus(t, "defect-20-row.b2nd", 3, 3)
		}},
		{22, "appending behind a single short chunk", func(t *testing.T) {
			refuses(t, "defect-22.b2frame", 0, "do not fit")
			if r := salvaged(t, "defect-22.b2frame", 100); r.LostTotal != 0 || r.Saved != 1 {
				t.Errorf("%d chunks are saved, %d lost", r.Saved, r.LostTotal)
			}
		}},
		{23, "a short last chunk that moves", func(t *testing.T) {
			hasSizes(t, "defect-23.b2frame", 100, 400, 400, 100)
			hasSizes(t, "defect-23-special.b2frame", 100, 400, 100)
		}},
	}
}

// opened opens a golden for reading.
func opened(t *testing.T, name string) *frame.Frame {
	t.Helper()
	f, err := frame.Open(findGolden(t, name).Path(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// refuses checks that opening a golden fails with an error that contains why.
func refuses(t *testing.T, name string, offset int64, why string) {
	t.Helper()
	_, err := frame.Open(findGolden(t, name).Path(), &frame.OpenOptions{Offset: offset})
	if !errors.Is(err, cairn.ErrCorrupt) || !strings.Contains(err.Error(), why) {
		t.Errorf("%s opens with %v, want %q in it", name, err, why)
	}
}

// salvaged salvages a golden and checks that the result is sound and has nbytes decoded bytes.
func salvaged(t *testing.T, name string, nbytes int64) frame.SalvageReport {
	t.Helper()
	out := filepath.Join(t.TempDir(), "saved")
	r, err := frame.Salvage(t.Context(), findGolden(t, name).Path(), out, nil)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := frame.Verify(t.Context(), out, nil); err != nil || v.Info.NBytes != nbytes {
		t.Errorf("%d bytes are saved of %s, want %d; %v", v.Info.NBytes, name, nbytes, err)
	}
	return r
}

// hasSizes checks that all chunks can be read and have the given decoded sizes.
func hasSizes(t *testing.T, name string, sizes ...int) {
	t.Helper()
	f := opened(t, name)
	var got []int
	for i := range f.NumChunks() {
		n, err := f.ReadChunk(t.Context(), make([]byte, 1000), i)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, n)
	}
	if !slices.Equal(got, sizes) {
		t.Errorf("%s has chunks of %v bytes, want %v", name, got, sizes)
	}
}

// specialInVariable reads the chunks before and behind one whose size is lost, and checks that
// cairn does not write such chunks.
func specialInVariable(t *testing.T) {
	f := opened(t, "defect-07.b2frame")
	for i, size := range []int{400, 200, 800, -1, 100} {
		n, err := f.ReadChunk(t.Context(), make([]byte, 1000), i)
		if size < 0 && !(errors.Is(err, cairn.ErrCorrupt) && strings.Contains(err.Error(), "special chunk without a size")) || size >= 0 && (err != nil || n != size) {
			t.Errorf("chunk %d: %d bytes, %v, want %d", i, n, err, size)
		}
	}
	path := filepath.Join(t.TempDir(), "f")
	if _, err := specialChunks(path); err != nil {
		t.Fatal(err)
	}
	g, err := frame.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for i := 3; i < 6; i++ {
		if info, err := g.Chunk(i); err != nil || info.InIndex || info.NBytes != 120 {
			t.Errorf("chunk %d is %+v, %v", i, info, err)
		}
	}
}

// highNumbers reads a sparse frame that the real library cannot open, and checks that it can after
// a change by cairn.
func highNumbers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "f")
	if err := os.CopyFS(dir, os.DirFS(findGolden(t, "defect-08.b2frame").Path())); err != nil {
		t.Fatal(err)
	}
	f, err := frame.Open(dir, &frame.OpenOptions{Mode: frame.ReadWrite})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		got := make([]byte, 400)
		if _, err := f.ReadChunk(t.Context(), got, i); err != nil || !bytes.Equal(got, append(bytes.Repeat([]byte{byte(197 + i)}, 399), 'x')) {
			t.Errorf("chunk %d: %v, or other data", i, err)
		}
	}
	if err := f.Delete(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	limit := f.CBytes() - chunk.HeaderSize
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.chunk"))
	if err != nil || len(files) != 2 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, name := range files {
		var id int64
		if _, err := fmt.Sscanf(filepath.Base(name), "%08X.chunk", &id); err != nil || id > limit {
			t.Errorf("%s is beyond %d, %v", name, limit, err)
		}
	}
}

// manyLayers changes and copies a frame that has more metalayers than a writer may add.
func manyLayers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	c, err := crowdedTrailer(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := reopened(path, func(_ context.Context, f *frame.Frame) error { return f.SetVL("layer7", []byte("new")) }); err != nil {
		t.Fatal(err)
	}
	c.vl["layer7"] = []byte("new")
	f, err := frame.Open(path, &frame.OpenOptions{Mode: frame.ReadWrite})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.SetVL("more", nil); !errors.Is(err, cairn.ErrLimit) {
		t.Errorf("one more: %v", err)
	}
	again := filepath.Join(t.TempDir(), "again")
	if err := frame.Copy(t.Context(), again, f.Snapshot(), nil); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.readOurs(path), c.readOurs(again)); err != nil {
		t.Error(err)
	}
}

func seventeenLayers(t *testing.T) {
	layers := make([]meta.Layer, metalist.MaxLayers+1)
	for i := range layers {
		layers[i].Name = fmt.Sprint("layer", i)
	}
	if f, err := frame.New(&frame.Options{Meta: layers}); err == nil {
		f.Abort()
		t.Error("a frame with 17 metalayers is made")
	}
	f, err := frame.New(&frame.Options{Meta: layers[:metalist.MaxLayers]})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.SetMeta("more", nil); !errors.Is(err, cairn.ErrLimit) {
		t.Errorf("one more: %v", err)
	}
	if _, err := metalist.ParseHeader(metalist.AppendHeader(nil, 0, layers), 0); !errors.Is(err, cairn.ErrCorrupt) {
		t.Errorf("a header with 17 is read: %v", err)
	}
	if got := opened(t, "meta-sixteen.b2frame").Layers(); len(got) != metalist.MaxLayers {
		t.Errorf("%d metalayers, want 16", len(got))
	}
}

// sixteenDimensions checks that files of C-Blosc2 and of cairn have the marker that C-Blosc2 writes
// for 16 dimensions, an empty string in MessagePack.
func sixteenDimensions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if _, err := manyDimensions(path); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{findGolden(t, "nd16-18-zlib.b2nd").Path(), path} {
		u, err := ndarray.Open(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		layer, err := u.Frame().Layer(meta.LayerB2ND)
		if err != nil || layer[2] != 16 || layer[3] != 0xa0 || len(u.Shape()) != 16 {
			t.Errorf("%s: % x, %v", name, layer[:4], err)
		}
		if err := u.Close(); err != nil {
			t.Error(err)
		}
	}
}

// surplus checks that an array can be read although it has more chunks than its shape needs, and
// that a copy does not have them.
func surplus(t *testing.T, name string, chunks, needed int) {
	t.Helper()
	u, err := ndarray.Open(findGolden(t, name).Path(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	want, err := u.Read(t.Context())
	checkDecoded(t, findGolden(t, name), want, err)
	r, err := ndarray.Verify(t.Context(), findGolden(t, name).Path(), nil)
	if err != nil || u.Frame().NumChunks() != chunks || r.Surplus != int64(chunks-needed) {
		t.Errorf("%s: %d chunks, %d surplus, %v; want %d and %d", name, u.Frame().NumChunks(), r.Surplus, err, chunks, chunks-needed)
	}
	c, err := ndarray.Copy(t.Context(), u, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Abort()
	if got, err := c.Read(t.Context()); err != nil || !bytes.Equal(got, want) || c.Frame().NumChunks() != needed {
		t.Errorf("the copy of %s has %d chunks, want %d, %v, or other items", name, c.Frame().NumChunks(), needed, err)
	}
}
