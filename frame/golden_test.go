package frame

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/internal/metalist"
	"github.com/cairn-go/cairn/internal/test/hexdump"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/shuffle"
	"github.com/cairn-go/cairn/storage"
)

// golden is a frame in testdata/c, made by testdata/gen_frames.py with the real library.
type golden struct {
	name    string
	chunks  int
	nbytes  int64
	size    int // chunk size
	options Options
	values  func(i int) []byte // decoded chunk i; nil if it is not compared
	vl      []meta.Layer
	special int  // kind of AppendSpecial that makes the whole frame; 0 for none
	mutated bool // the layout is one that cairn does not write
	packed  bool // the index is compressed, which cairn's BloscLZ does differently
}

// ramp returns n int32 that count up from start.
func ramp(n, start int) []byte {
	b := make([]byte, 4*n)
	for i := range n {
		binary.LittleEndian.PutUint32(b[4*i:], uint32(start+i))
	}
	return b
}

func plain() Options { return Options{TypeSize: 4, ChunkSize: 400} }

func goldens() []golden {
	greeting := meta.Layer{Name: "greeting", Content: []byte("\xa5hello")}
	many, fill, array, sparse := plain(), plain(), plain(), plain()
	many.ChunkSize = 64
	fill.TypeSize, fill.ChunkSize = 8, 4000
	params := Options{
		TypeSize: 8, ChunkSize: 400, BlockSize: 80, Codec: codecs.LZ4HC, Level: 3, Split: chunk.SplitNever,
		Filters: []shuffle.Spec{shuffle.Delta, shuffle.Bit, shuffle.None, shuffle.None, shuffle.None, shuffle.None},
	}
	sparse.Sparse = true
	array.ChunkSize, array.BlockSize = 40, 40
	array.Meta = []meta.Layer{{Name: "b2nd", Content: []byte("\x97\x00\x01\x91\xd3\x00\x00\x00\x00\x00\x00\x00\x64\x91\xd2\x00\x00\x00\x0a\x91\xd2\x00\x00\x00\x0a\x00\xdb\x00\x00\x00\x03<f4")}}
	sizes := []int{100, 50, 120, 100}
	order := []int{4, 2, 0, 50, 60} // see the script
	return []golden{
		{name: "empty.b2frame", size: -1, options: Options{TypeSize: 4}},
		{name: "vlmeta.b2frame", chunks: 1, nbytes: 400, size: 400, options: plain(), vl: []meta.Layer{greeting, {Name: "void", Content: []byte("\xa0")}},
			values: func(int) []byte { return ramp(100, 0) }},
		{name: "three.b2frame", chunks: 3, nbytes: 1200, size: 400, options: plain(),
			values: func(i int) []byte { return [][]byte{ramp(100, 0), make([]byte, 400), ramp(100, 7)}[i] }},
		{name: "many.b2frame", packed: true, chunks: 2101, nbytes: 2100*64 + 20, size: 64, options: many, values: func(i int) []byte {
			switch {
			case i == 2100:
				return ramp(5, 0)
			case i%50 == 0:
				return bytes.Repeat(binary.LittleEndian.AppendUint32(nil, uint32(i)), 16)
			}
			return make([]byte, 64)
		}},
		{name: "variable.b2frame", chunks: 4, nbytes: 1480, size: 0, options: plain(), values: func(i int) []byte { return ramp(sizes[i], 0) }},
		{name: "fill.b2frame", chunks: 3, nbytes: 9600, size: 4000, options: fill, special: int(chunk.SpecialNaN)},
		{name: "params.b2frame", chunks: 1, nbytes: 400, size: 400, options: params},
		{name: "sparse.b2frame", chunks: 4, nbytes: 1600, size: 400, options: sparse, vl: []meta.Layer{greeting},
			values: func(i int) []byte {
				if i == 3 {
					return make([]byte, 400)
				}
				return ramp(100, i)
			}},
		{name: "mutated.b2frame", chunks: 5, nbytes: 2000, size: 400, options: plain(), mutated: true,
			values: func(i int) []byte { return ramp(100, order[i]) }},
		{name: "deleted.b2frame", size: 400, options: plain(), mutated: true},
		{name: "b2nd.b2nd", chunks: 10, nbytes: 400, size: 40, options: array, special: int(chunk.SpecialZeros)},
	}
}

func (g *golden) path() string { return filepath.Join("testdata", "c", g.name) }

func TestFramesOfTheRealLibraryAreRead(t *testing.T) {
	for _, g := range goldens() {
		t.Run(g.name, func(t *testing.T) {
			f, err := Open(g.path(), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if f.NumChunks() != g.chunks || f.NBytes() != g.nbytes || f.ChunkSize() != g.size || f.TypeSize() != g.options.TypeSize {
				t.Fatalf("%+v", f.Info())
			}
			for i := range g.chunks {
				if g.values == nil {
					break
				}
				want := g.values(i)
				got := make([]byte, len(want))
				if n, err := f.ReadChunk(noContext, got, i); err != nil || n != len(want) || !bytes.Equal(got, want) {
					t.Fatalf("chunk %d: %d bytes, %v, want %d", i, n, err, len(want))
				}
			}
			layers, err := f.VLLayers()
			if err != nil || fmt.Sprint(layers) != fmt.Sprint(g.vl) && len(g.vl)+len(layers) > 0 {
				t.Fatalf("variable-length metalayers %q, %v", layers, err)
			}
			if fmt.Sprint(f.Layers()) != fmt.Sprint(g.options.Meta) {
				t.Fatalf("fixed metalayers %q", f.Layers())
			}
			if _, err := Verify(noContext, g.path(), &OpenOptions{Workers: 2}); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestFramesAreWrittenAsTheRealLibraryWritesThem copies the encoded chunks of a frame and compares
// the files.
func TestFramesAreWrittenAsTheRealLibraryWritesThem(t *testing.T) {
	for _, g := range goldens() {
		if g.mutated {
			continue
		}
		t.Run(g.name, func(t *testing.T) {
			from, err := Open(g.path(), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer from.Close()
			path := filepath.Join(t.TempDir(), g.name)
			g.options.Deterministic = true
			f, err := Create(path, &g.options)
			if err != nil {
				t.Fatal(err)
			}
			if g.special != 0 {
				if err := f.AppendSpecial(noContext, chunk.Special(g.special), g.nbytes); err != nil {
					t.Fatal(err)
				}
			}
			for i := f.NumChunks(); i < g.chunks; i++ {
				c, err := from.EncodedChunk(nil, i)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := f.AppendEncoded(noContext, c); err != nil {
					t.Fatal(err)
				}
			}
			for _, l := range g.vl {
				if err := f.SetVL(l.Name, l.Content); err != nil {
					t.Fatal(err)
				}
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			compareFiles(t, g.path(), path, g.name, g.packed)
		})
	}
}

func compareFiles(t *testing.T, want, got, name string, packed bool) {
	t.Helper()
	info, err := os.Stat(want)
	if err != nil {
		t.Fatal(err)
	}
	if info.IsDir() {
		a, err := os.ReadDir(want)
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadDir(got)
		if err != nil || len(a) != len(b) {
			t.Fatalf("%d files, want %d, %v", len(b), len(a), err)
		}
		for _, e := range a {
			compareFiles(t, filepath.Join(want, e.Name()), filepath.Join(got, e.Name()), e.Name(), packed && e.Name() == sparseIndex)
		}
		return
	}
	a, err := os.ReadFile(want)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(got)
	if err != nil {
		t.Fatal(err)
	}
	if packed {
		a, b = unpacked(t, a), unpacked(t, b)
	}
	if !bytes.Equal(a, b) {
		t.Errorf("%s differs from the real one (-), got (+):\n%s", name, hexdump.Diff(hexdump.Annotate(a, nil), hexdump.Annotate(b, nil)))
	}
}

// unpacked returns a frame with an uncompressed index and the frame length for that.
func unpacked(t *testing.T, b []byte) []byte {
	t.Helper()
	h, err := format.ParseHeader(b, int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	at, end := h.HeaderLen, h.FrameLen
	if h.FrameType == format.TypeContiguous {
		at += h.CBytes
	}
	start, _, _, err := readTrailer(bytes.NewReader(b), 0, &h, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	ch, err := chunk.ParseHeader(b[at:])
	if err != nil || ch.Layout().BlockSize != min(index.BlockBytes, int(ch.NBytes)) || int64(ch.CBytes) != start-at {
		t.Fatalf("index %+v, %v", ch, err)
	}
	limits := index.Limits{Limits: cairn.Limits{}.WithDefaults()}
	x, err := index.Decode(b[at:start], 0, limits, func(int, int64) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	out := bytes.Clone(b[:at])
	for i := range x.Len() {
		out = binary.LittleEndian.AppendUint64(out, uint64(entryAt(t, x, i)))
	}
	out = append(out, b[start:end]...)
	binary.BigEndian.PutUint64(out[format.AtFrameLen:], uint64(len(out)))
	return out
}

// TestAnnotatedFrames shows the goldens byte by byte.
func TestAnnotatedFrames(t *testing.T) {
	var out strings.Builder
	for _, g := range goldens() {
		path := g.path()
		if g.options.Sparse {
			path = filepath.Join(path, sparseIndex)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s\n\n%s\n", g.name, describe(t, b))
	}
	hexdump.Golden(t, "testdata/frames.txt", out.String())
}

// describe annotates a frame; the bytes of chunks are only counted.
func describe(t *testing.T, b []byte) string {
	t.Helper()
	parts := []hexdump.Part{
		{Len: 1, Meaning: "array of 14"}, {Len: 9, Meaning: "magic"}, {Len: 5, Meaning: "header_len"}, {Len: 9, Meaning: "frame_len"},
		{Len: 2, Meaning: "version, offset width, variable and VL flags"}, {Len: 1, Meaning: "frame type"}, {Len: 1, Meaning: "codec and level"}, {Len: 1, Meaning: "split mode"},
		{Len: 9, Meaning: "nbytes"}, {Len: 9, Meaning: "cbytes"}, {Len: 5, Meaning: "typesize"}, {Len: 5, Meaning: "blocksize"}, {Len: 5, Meaning: "chunksize"},
		{Len: 6, Meaning: "threads"}, {Len: 1, Meaning: "has variable-length metalayers"}, {Len: 2, Meaning: "filters follow"},
		{Len: 6, Meaning: "filters"}, {Len: 1, Meaning: "codec"}, {Len: 1, Meaning: "codec parameter"}, {Len: 6, Meaning: "filter parameters"}, {Len: 2, Meaning: "dictionaries, 0"},
	}
	h, err := format.ParseHeader(b, int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	start, _, _, err := readTrailer(bytes.NewReader(b), 0, &h, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	parts = append(parts, hexdump.Part{Len: int(h.HeaderLen) - format.FixedHeader, Meaning: "metalayers"})
	if h.NBytes > 0 {
		dataLen := h.CBytes
		if h.FrameType == format.TypeSparse {
			dataLen = 0
		}
		end := h.HeaderLen + dataLen
		parts = append(parts, hexdump.Part{Len: int(dataLen), Meaning: "chunks"}, hexdump.Part{Len: chunk.HeaderSize, Meaning: "index: chunk header"},
			hexdump.Part{Len: int(start-end) - chunk.HeaderSize, Meaning: "index: entries"})
	}
	parts = append(parts, hexdump.Part{Len: int(h.FrameLen-start) - metalist.TrailerTail,
		Meaning: "trailer: metalayers"},
		hexdump.Part{Len: 5, Meaning: "trailer_len"}, hexdump.Part{Len: 18, Meaning: "fingerprint: none"})
	text := hexdump.Annotate(b, parts)
	var kept []string
	lines := strings.Split(text, "\n")
	inChunks := 0
	for _, l := range lines {
		switch {
		case strings.HasSuffix(l, "# chunks"):
			inChunks = 1
		case strings.Contains(l, "#"):
			inChunks = 0
		case inChunks > 0:
			inChunks++
		}
		if inChunks == 3 {
			l = "      …"
		}
		if inChunks <= 3 {
			kept = append(kept, l)
		}
	}
	return strings.Join(kept, "\n")
}

func TestMutatedFramesOfTheRealLibraryAreContinued(t *testing.T) {
	for _, g := range goldens() {
		if g.options.Sparse {
			continue
		}
		t.Run(g.name, func(t *testing.T) {
			b, err := os.ReadFile(g.path())
			if err != nil {
				t.Fatal(err)
			}
			m := storage.NewMemory()
			put(t, m, "f", b)
			f, err := Open("f", &OpenOptions{Mode: ReadWrite, FS: m})
			if err != nil {
				t.Fatal(err)
			}
			size := max(f.ChunkSize(), 80)
			data := bytes.Repeat([]byte{1, 2, 3, 4, 5, 6, 7, 8}, size/8)
			if _, err := f.Append(noContext, data); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := Verify(noContext, "f", &OpenOptions{FS: m}); err != nil {
				t.Fatal(err)
			}
			f, err = Open("f", &OpenOptions{FS: m})
			if err != nil {
				t.Fatal(err)
			}
			got := make([]byte, size)
			if _, err := f.ReadChunk(noContext, got, g.chunks); err != nil || !bytes.Equal(got, data) {
				t.Fatalf("the appended chunk: %v", err)
			}
			if g.values != nil {
				want := g.values(0)
				got := make([]byte, len(want))
				if _, err := f.ReadChunk(noContext, got, 0); err != nil || !bytes.Equal(got, want) {
					t.Fatalf("chunk 0: %v", err)
				}
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// put writes a file.
func put(t testing.TB, fsys storage.FS, name string, b []byte) {
	t.Helper()
	file, err := fsys.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteAt(b, 0); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}
