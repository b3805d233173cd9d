package frame

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/internal/metalist"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// allocated returns how many bytes run allocates.
func allocated(run func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	run()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestAFrameOfManyMillionChunksOpensInLittleMemory(t *testing.T) {
	path := filepath.Join("testdata", "hostile", "open-bomb-172B.b2frame")
	var f *Frame
	var err error
	used := allocated(func() { f, err = Open(path, nil) })
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if used > 2<<20 {
		t.Fatalf("opening allocates %d bytes", used)
	}
	if f.NumChunks() != 200_000_000 {
		t.Fatalf("%d chunks", f.NumChunks())
	}
	// Chunks are 1 GiB each.
	buf := []byte{1, 2, 3}
	used = allocated(func() { _, err = f.ReadItems(noContext, buf, 123_456_789, 500_000_000, 500_000_003) })
	if err != nil || used > 1<<20 || !bytes.Equal(buf, make([]byte, 3)) {
		t.Fatalf("reading of a chunk: %v, %d bytes, %v", buf, used, err)
	}
}

func TestAFrameOfManyMillionChunksCanBeChanged(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "hostile", "open-bomb-172B.b2frame"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := FromBytes(b, &OpenOptions{Mode: ReadWrite})
	if err != nil {
		t.Fatal(err)
	}
	c, err := chunk.AppendSpecial(nil, chunk.SpecialValue, []byte{7}, f.ChunkSize(), 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	used := allocated(func() { err = f.Inside().UpdateEncoded(noContext, 1000, c) })
	if err != nil || used > 1<<20 {
		t.Fatalf("updating allocates %d bytes, %v", used, err)
	}
	for i, want := range map[int]byte{999: 0, 1000: 7, 1001: 0, 199_999_999: 0} {
		got := []byte{1}
		if _, err := f.ReadItems(noContext, got, i, 10, 11); err != nil || got[0] != want {
			t.Fatalf("chunk %d reads %d, %v", i, got[0], err)
		}
	}
	if err := f.Abort(); err != nil {
		t.Fatal(err)
	}
}

func TestHostileFramesOfTheRealLibrary(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "hostile", "c-blosc2-vlmeta-short-content.b2frame"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := FromBytes(b, nil); !errors.Is(err, cairn.ErrCorrupt) {
		t.Fatalf("a wrong magic: %v", err)
	}
	copy(b[1:], format.Magic) // C-Blosc2 does not check it
	f, err := FromBytes(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	bad := 0
	for _, name := range f.VLNames() {
		if _, err := f.VL(name); errors.Is(err, cairn.ErrCorrupt) {
			bad++
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if bad == 0 {
		t.Fatal("a metalayer that is shorter than a chunk header was decoded")
	}
	if _, err := Verify(noContext, filepath.Join("testdata", "hostile", "c-blosc2-vlblocks-lazy-overread.b2frame"), nil); err == nil {
		t.Fatal("block offsets that lead out of the chunk went unnoticed")
	}
}

// sample returns a small frame with every feature except checksums, which would find the damage
// before the parsers do.
func sample(t testing.TB) []byte {
	t.Helper()
	f, err := New(&Options{TypeSize: 4, ChunkSize: 400, Commits: Commits{Deterministic: true},
		Meta: []meta.Layer{{Name: "fixed", Content: []byte("content")}}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		if _, err := f.Append(noContext, ramp(100, i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.AppendSpecial(noContext, chunk.SpecialZeros, 1000); err != nil {
		t.Fatal(err)
	}
	if err := f.SetVL("name", bytes.Repeat([]byte("value"), 20)); err != nil {
		t.Fatal(err)
	}
	b, err := f.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return b
}

func TestFieldsOfTheHeaderAreChecked(t *testing.T) {
	frame := sample(t)
	tail := len(frame) - metalist.TrailerTail
	set := func(at int, v byte) func([]byte) []byte {
		return func(b []byte) []byte { b[at] = v; return b }
	}
	put32 := func(at int, v uint32) func([]byte) []byte {
		return func(b []byte) []byte { binary.BigEndian.PutUint32(b[at:], v); return b }
	}
	put64 := func(at int, v uint64) func([]byte) []byte {
		return func(b []byte) []byte { binary.BigEndian.PutUint64(b[at:], v); return b }
	}
	h := must(format.ParseHeader(frame, int64(len(frame))))
	indexAt := int(h.HeaderLen + h.CBytes)
	for _, c := range []struct {
		name string
		edit func(b []byte) []byte
		want string // part of the message
		is   error
	}{
		{"empty file", func([]byte) []byte { return nil }, "too few", cairn.ErrCorrupt},
		{"short file", func(b []byte) []byte { return b[:60] }, "too few", cairn.ErrCorrupt},
		{"cut off", func(b []byte) []byte { return b[:len(b)-1] }, "frame length", cairn.ErrCorrupt},
		{"marker", set(0, 0x9f), "marker", cairn.ErrCorrupt},
		{"magic", func(b []byte) []byte { b[3] ^= 1; return b }, "magic", cairn.ErrCorrupt},
		{"version", set(format.AtGeneral, 0x14), "version 4", cairn.ErrUnsupported},
		{"sparse", set(format.AtFrameType, 1), "directory", cairn.ErrUnsupported},
		{"frame type", set(format.AtFrameType, 2), "frame type 2", cairn.ErrCorrupt},
		{"small header", put32(format.AtHeaderLen, 86), "header length 86", cairn.ErrCorrupt},
		{"negative header", put32(format.AtHeaderLen, 1<<31), "header length", cairn.ErrCorrupt},
		{"huge header", put32(format.AtHeaderLen, 1<<31-1), "frame length", cairn.ErrCorrupt},
		{"negative frame", put64(format.AtFrameLen, 1<<63), "frame length", cairn.ErrCorrupt},
		{"small frame", put64(format.AtFrameLen, 111), "frame length", cairn.ErrCorrupt},
		{"huge frame", put64(format.AtFrameLen, 1<<62), "frame length", cairn.ErrCorrupt},
		{"negative nbytes", put64(format.AtNBytes, 1<<63), "negative", cairn.ErrCorrupt},
		{"huge nbytes", put64(format.AtNBytes, 1<<62), "chunks", cairn.ErrCorrupt},
		{"more nbytes", put64(format.AtNBytes, 400*1000), "entries", cairn.ErrCorrupt},
		{"negative cbytes", put64(format.AtCBytes, 1<<63), "negative", cairn.ErrCorrupt},
		{"huge cbytes", put64(format.AtCBytes, 1<<62), "do not fit", cairn.ErrCorrupt},
		{"no typesize", put32(format.AtTypeSize, 0), "typesize 0", cairn.ErrCorrupt},
		{"negative block size", put32(format.AtBlockSize, 1<<31), "block size", cairn.ErrCorrupt},
		{"chunk size without chunks", put32(format.AtChunkSize, 1<<32-1), "chunk size -1", cairn.ErrCorrupt},
		{"negative chunk size", put32(format.AtChunkSize, 1<<31), "chunk size", cairn.ErrCorrupt},
		{"filters", set(format.AtFilters-1, 7), "7 filters", cairn.ErrCorrupt},
		{"metalayers", set(format.AtLayers, 0), "metalayers", cairn.ErrCorrupt},
		{"trailer marker", set(tail, 0), "trailer", cairn.ErrCorrupt},
		{"trailer length", set(tail+1, 0x7f), "length", cairn.ErrCorrupt},
		{"small trailer", put32(tail+1, 20), "length 20", cairn.ErrCorrupt},
		{"index typesize", set(indexAt+3, 0), "corrupt index", cairn.ErrCorrupt},
		{"index length", func(b []byte) []byte { b[indexAt+4] += 4; return b }, "multiple", cairn.ErrCorrupt},
		{"index too long", set(indexAt+14, 1), "corrupt index", cairn.ErrCorrupt},
		{"chunk", set(int(h.HeaderLen)+3, 0), "corrupt chunk 0 at offset", cairn.ErrCorrupt},
		{"chunk too long", set(int(h.HeaderLen)+15, 1), "corrupt chunk 0 at offset", cairn.ErrCorrupt},
		{"chunk decodes to too much", set(int(h.HeaderLen)+5, 9), "corrupt chunk 0 at offset", cairn.ErrCorrupt},
		{"trailing bytes", func(b []byte) []byte { return append(b, "whatever"...) }, "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := c.edit(bytes.Clone(frame))
			m := storage.NewMemory()
			put(t, m, "temp.b2nd", b)
			_, err := Verify(noContext, "temp.b2nd", &OpenOptions{FS: m})
			if !errors.Is(err, c.is) || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v", err)
			}
			if err != nil && !strings.Contains(err.Error(), "temp.b2nd: ") {
				t.Fatalf("the message does not name the frame: %v", err)
			}
		})
	}
}

func TestWrongLengthsAllocateLittle(t *testing.T) {
	b := sample(t)
	binary.BigEndian.PutUint64(b[format.AtFrameLen:], 1<<40)
	var err error
	used := allocated(func() { _, err = OpenReader(bytes.NewReader(b), 1<<40, nil) })
	if !errors.Is(err, cairn.ErrCorrupt) || used > 2<<20 {
		t.Fatalf("%d bytes allocated, %v", used, err)
	}
	b = sample(t)
	h, err := format.ParseHeader(b, int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	binary.BigEndian.PutUint32(b[format.AtHeaderLen:], 15<<20)
	binary.BigEndian.PutUint64(b[format.AtFrameLen:], uint64(h.FrameLen+16<<20))
	used = allocated(func() { _, err = OpenReader(bytes.NewReader(b), 1<<40, nil) })
	if !errors.Is(err, cairn.ErrCorrupt) || used > 4<<20 {
		t.Fatalf("%d bytes allocated, %v", used, err)
	}
}

func TestLimitsHold(t *testing.T) {
	b := sample(t)
	for name, l := range map[string]cairn.Limits{
		"header": {MaxHeader: 50}, "trailer": {MaxTrailer: 30}, "index": {MaxIndex: 8},
	} {
		if _, err := FromBytes(b, &OpenOptions{Engine: chunk.Engine{Limits: l}}); !errors.Is(err, cairn.ErrLimit) {
			t.Errorf("%s: %v", name, err)
		}
	}
	f, err := FromBytes(b, &OpenOptions{Engine: chunk.Engine{Limits: cairn.Limits{MaxChunk: 100, MaxMeta: 10}}})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.ReadChunk(noContext, make([]byte, 400), 0); !errors.Is(err, cairn.ErrLimit) {
		t.Errorf("chunk: %v", err)
	}
	if _, err := f.VL("name"); !errors.Is(err, cairn.ErrLimit) {
		t.Errorf("metalayer: %v", err)
	}
}

func TestMetalayersThatShareTheirBytesCostLittle(t *testing.T) {
	f, err := New(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.SetVL("a", make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	v := f.cur.Load()
	for i := range 5000 {
		v.vl = append(v.vl, meta.Layer{Name: string(rune(0x4e00 + i)), Content: v.vl[0].Content})
	}
	used := allocated(func() { _, err = v.verify(noContext, 1) })
	if err != nil || used > 16<<20 {
		t.Fatalf("verifying allocates %d bytes, %v", used, err)
	}
	if _, err := v.vlLayers(); !errors.Is(err, cairn.ErrLimit) {
		t.Fatalf("decoding them all: %v", err)
	}
	mustClose(t, f)
}
