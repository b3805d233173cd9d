package frame

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/internal/metalist"
	"github.com/cairn-go/cairn/storage"
)

const inflatedBytes = 16 << 20

// inflatingChunk returns a chunk of some thousand bytes, in one block, that decodes to many more.
func inflatingChunk(t *testing.T) []byte {
	t.Helper()
	data := make([]byte, inflatedBytes)
	for i := range data {
		data[i] = byte(i >> 12)
	}
	o := &chunk.Options{TypeSize: 1, BlockSize: len(data), Codec: codecs.Zstd, Split: chunk.SplitNever}
	e := must(chunk.NewEncoder(o))
	return must(e.Append(nil, data))
}

// inflatingFrame returns a contiguous frame whose chunks are at the given offsets in data.
func inflatingFrame(t *testing.T, data []byte, entries []int64) []byte {
	t.Helper()
	var raw []byte
	for _, e := range entries {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(e))
	}
	h := (&Options{TypeSize: 1}).newHeader()
	h.HeaderLen, h.ChunkSize, h.CBytes = format.HeaderSize(nil), inflatedBytes, int64(len(data))
	h.NBytes = inflatedBytes * int64(len(entries))
	o := &chunk.Options{TypeSize: 8, BlockSize: index.BlockBytes, NoSpecial: true}
	end := metalist.AppendTrailer(encoded(t, o)(raw), nil)
	h.FrameLen = h.HeaderLen + h.CBytes + int64(len(end))
	return slices.Concat(h.Append(nil, nil, false), data, end)
}

// inTime fails the test if run takes longer than decoding an inflatingChunk a few times.
func inTime(t *testing.T, run func()) {
	t.Helper()
	begin := time.Now()
	run()
	if d := time.Since(begin); d > 5*time.Second {
		t.Errorf("took %v", d)
	}
}

// isShared reports whether an error is that for chunks that share bytes.
func isShared(err error) bool {
	return errors.Is(err, cairn.ErrCorrupt) && strings.Contains(err.Error(), errShared.Reason)
}

// Thousands of entries may refer to one chunk, in several batches.
func TestVerifyDecodesAChunkThatIsSharedOnce(t *testing.T) {
	const n = 5000
	b := inflatingFrame(t, inflatingChunk(t), make([]int64, n))
	f := must(FromBytes(b, &OpenOptions{Workers: 2}))
	defer mustClose(t, f)
	inTime(t, func() {
		r, err := f.cur.Load().verify(noContext, 2)
		if err != nil || r.Stored[Unverified] != n || len(r.Overlap) != maxFaults || r.Dead != 0 {
			t.Errorf("%+v, %v", r, err)
		}
	})
	b[len(b)-len(b)/2] ^= 1 // in the chunk
	g := must(FromBytes(b, nil))
	defer mustClose(t, g)
	inTime(t, func() {
		r, err := g.Snapshot().Verify(noContext)
		var ce *cairn.CorruptError
		if !errors.As(err, &ce) || ce.Chunk != 0 || len(r.Faults) != maxFaults {
			t.Fatalf("%v, faults %v", err, r.Faults)
		}
		if !errors.As(r.Faults[7], &ce) || ce.Chunk != 7 {
			t.Errorf("%v, faults %v", err, r.Faults)
		}
	})
}

// Chunks with separate headers may share all other bytes. Each takes as long as a chunk of many
// times the size of the file.
func TestVerifyEndsWhereChunksShareTooMuch(t *testing.T) {
	const n, front = 1500, chunk.HeaderSize + 4
	c := inflatingChunk(t)
	var data []byte
	entries := make([]int64, n)
	for k := range n {
		h := slices.Clone(c[:front])
		before := uint32(front * (n - 1 - k))
		binary.LittleEndian.PutUint32(h[12:], uint32(len(c))+before)
		binary.LittleEndian.PutUint32(h[chunk.HeaderSize:], front+before)
		entries[k] = int64(len(data))
		data = append(data, h...)
	}
	data = append(data, c[front:]...)
	f := must(FromBytes(inflatingFrame(t, data, entries), nil))
	defer mustClose(t, f)
	if info, err := f.Chunk(n / 2); err != nil || info.NBytes != inflatedBytes {
		t.Fatalf("%+v, %v", info, err)
	}
	inTime(t, func() {
		r, err := f.Snapshot().Verify(noContext)
		if !isShared(err) || r.Stored[Unverified] == 0 {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

// TestCopiesOfChunksThatShareBytesFailEarly copies frames in both layouts, as they are and
// encoded again.
func TestCopiesOfChunksThatShareBytesFailEarly(t *testing.T) {
	const n = 400
	fs := storage.NewMemory()
	c := inflatingChunk(t)
	w := &wreck{fs: fs}
	w.put(t, "contiguous", inflatingFrame(t, c, make([]int64, n)))
	s := must(Create("sparse", &Options{FS: fs, Sparse: true, TypeSize: 1, Commits: Commits{Deterministic: true}}))
	must(s.AppendEncoded(noContext, c))
	mustClose(t, s)
	content := readAll(t, fs, "sparse/"+sparseIndex)
	h, err := format.ParseHeader(content, int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	raw := encoded(t, &chunk.Options{TypeSize: 8, BlockSize: index.BlockBytes, NoSpecial: true})(make([]byte, 8*n))
	content = slices.Concat(content[:h.HeaderLen], metalist.AppendTrailer(raw, nil))
	binary.BigEndian.PutUint64(content[format.AtNBytes:], n*inflatedBytes)
	binary.BigEndian.PutUint64(content[format.AtCBytes:], 1<<60)
	binary.BigEndian.PutUint64(content[format.AtFrameLen:], uint64(len(content)))
	w.put(t, "sparse/"+sparseIndex, content)
	for _, name := range []string{"contiguous", "sparse"} {
		f := must(Open(name, &OpenOptions{FS: fs}))
		inTime(t, func() {
			for _, o := range []CopyOptions{{}, {Codec: codecs.LZ4}, {Codec: codecs.LZ4, Workers: 2}} {
				o.FS, o.Sparse = fs, new(false)
				if err := Copy(noContext, "out", f.Snapshot(), &o); !isShared(err) {
					t.Errorf("%s, %+v: %v", name, o, err)
				}
			}
			if r, err := f.Snapshot().Verify(noContext); err != nil || r.Stored[Unverified] != n {
				t.Errorf("%s: %+v, %v", name, r, err)
			}
		})
		mustClose(t, f)
	}
}
