package frame

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/internal/metalist"
	"github.com/cairn-go/cairn/shuffle"
)

// withIndex returns a frame whose index has the given entries, over one chunk of data.
func withIndex(t testing.TB, chunkSize int32, nbytes int64, encode func(entries []byte) []byte,
	entries ...int64) []byte {
	t.Helper()
	e, err := chunk.NewEncoder(&chunk.Options{TypeSize: 4})
	if err != nil {
		t.Fatal(err)
	}
	data, err := e.Append(nil, ramp(100, 0))
	if err != nil {
		t.Fatal(err)
	}
	var raw []byte
	for _, entry := range entries {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(entry))
	}
	h := (&Options{TypeSize: 4}).newHeader()
	h.HeaderLen, h.ChunkSize, h.NBytes, h.CBytes = format.HeaderSize(nil), chunkSize, nbytes, int64(len(data))
	end := metalist.AppendTrailer(encode(raw), nil)
	h.FrameLen = h.HeaderLen + h.CBytes + int64(len(end))
	return append(append(h.Append(nil, nil, false), data...), end...)
}

func encoded(t testing.TB, o *chunk.Options) func([]byte) []byte {
	return func(raw []byte) []byte {
		e, err := chunk.NewEncoder(o)
		if err != nil {
			t.Fatal(err)
		}
		c, err := e.Append(nil, raw)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
}

func TestIndexEntriesAreChecked(t *testing.T) {
	zeros, _ := index.Special(chunk.SpecialZeros)
	stored := encoded(t, &chunk.Options{Level: chunk.Stored})
	for _, c := range []struct {
		name    string
		size    int32
		nbytes  int64
		entries []int64
		want    string
	}{
		{"good", 400, 1200, []int64{0, zeros, 0}, ""},
		{"more entries than the sizes need", 400, 400, []int64{0, zeros, zeros}, ""},
		{"beyond the data", 400, 800, []int64{0, 1 << 40}, "corrupt chunk 1"},
		{"in the last bytes", 400, 800, []int64{0, 180}, "corrupt chunk 1"},
		{"no kind", 400, 800, []int64{-1 << 63, 0}, "corrupt index entry of chunk 0: 0x8000000000000000"},
		{"too few", 400, 1200, []int64{0, 0}, "2 entries"},
		{"none", 400, 400, nil, "corrupt index"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := FromBytes(withIndex(t, c.size, c.nbytes, stored, c.entries...), nil)
			if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) ||
				!errors.Is(err, cairn.ErrCorrupt)) {
				t.Fatalf("got %v", err)
			}
		})
	}
}

func TestSpecialEntriesInVariableFramesAreRefused(t *testing.T) {
	zeros, _ := index.Special(chunk.SpecialZeros)
	f, err := FromBytes(withIndex(t, 0, 400, encoded(t, &chunk.Options{Level: chunk.Stored}), 0, zeros), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	buf := make([]byte, 400)
	if _, err := f.ReadChunk(noContext, buf, 0); err != nil {
		t.Fatal(err)
	}
	_, err = f.ReadChunk(noContext, buf, 1)
	if !errors.Is(err, cairn.ErrCorrupt) || !strings.Contains(err.Error(), "chunk 1") ||
		!strings.Contains(err.Error(), "variable") {
		t.Fatalf("got %v", err)
	}
}

func TestIndexesOfOtherWritersAreRead(t *testing.T) {
	entries := make([]int64, 3000)
	for i := range entries {
		entries[i], _ = index.Special(chunk.SpecialNaN)
		if i%7 == 0 {
			entries[i] = 0
		}
	}
	nbytes := int64(400 * len(entries))
	for name, o := range map[string]*chunk.Options{
		"zstd in one block": {TypeSize: 8, BlockSize: 8 * len(entries)},
		"odd blocks":        {TypeSize: 1, BlockSize: 1001, Codec: codecs.LZ4, Filters: []shuffle.Spec{shuffle.None}},
		"tiny blocks":       {TypeSize: 1, BlockSize: 3, Level: chunk.Stored},
		"split bitshuffle": {TypeSize: 8, Codec: codecs.LZ4, Filters: []shuffle.Spec{shuffle.Bit},
			Split: chunk.SplitAlways, BlockSize: 4096},
	} {
		f, err := FromBytes(withIndex(t, 400, nbytes, encoded(t, o), entries...), nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, want := range entries {
			if got, err := f.cur.Load().index.At(i); err != nil || got != want {
				t.Fatalf("%s: entry %d is %#x, want %#x", name, i, got, want)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCompressedIndexBombsAreRefused(t *testing.T) {
	// 64 MiB of zeros in a chunk of a few bytes.
	bomb := func([]byte) []byte { return appendZeroRuns(nil, 64<<20, 8) }
	b := withIndex(t, 400, 400, bomb)
	var err error
	used := allocated(func() { _, err = FromBytes(b, nil) })
	if !errors.Is(err, cairn.ErrLimit) || used > 2<<20 {
		t.Fatalf("%d bytes allocated, %v", used, err)
	}
	f, err := FromBytes(b, &OpenOptions{Engine: chunk.Engine{Limits: cairn.Limits{MaxIndex: 64 << 20}}})
	if err != nil {
		t.Fatalf("a limit that was asked for: %v", err)
	}
	if f.NumChunks() != 8<<20 {
		t.Fatalf("%d chunks", f.NumChunks())
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
