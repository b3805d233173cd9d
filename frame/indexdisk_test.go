package frame

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/storage"
)

// manyChunks returns a frame of n chunks of 32 bytes that contain their number.
func manyChunks(t testing.TB, n int) []byte {
	t.Helper()
	f, err := New(&Options{Level: chunk.Stored, Commits: Commits{Deterministic: true}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if _, err := f.Append(noContext, numbered(i)); err != nil {
			t.Fatal(err)
		}
	}
	b, err := f.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	mustClose(t, f)
	return b
}

func numbered(i int) []byte {
	b := make([]byte, 32)
	binary.LittleEndian.PutUint64(b, uint64(i))
	return b
}

// wantNumbered checks that chunk i contains number.
func wantNumbered(t testing.TB, f *Frame, i, number int) {
	t.Helper()
	got := make([]byte, 32)
	if _, err := f.ReadChunk(noContext, got, i); err != nil || !bytes.Equal(got, numbered(number)) {
		t.Fatalf("chunk %d is %x, %v; want number %d", i, got, err, number)
	}
}

// indexPlace returns the offsets of the index of a contiguous frame and of its encoded block k.
func indexPlace(t testing.TB, b []byte, k int) (index, stream int) {
	t.Helper()
	h, err := format.ParseHeader(b, int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	index = int(h.HeaderLen + h.CBytes)
	return index, index + int(binary.LittleEndian.Uint32(b[index+chunk.HeaderSize+4*k:]))
}

func TestOpeningDecodesOneBlockOfTheIndex(t *testing.T) {
	b := manyChunks(t, 20_000)
	f, err := FromBytes(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	decoded := func() (n int) {
		for k := range 9 { // besides the last one
			if f.cur.Load().index.Decoded(k) {
				n++
			}
		}
		return n
	}
	if decoded() != 0 {
		t.Fatalf("%d blocks are decoded", decoded())
	}
	wantNumbered(t, f, 19_999, 19_999)
	if decoded() != 0 {
		t.Fatal("the last block is another one")
	}
	wantNumbered(t, f, 2500, 2500)
	wantNumbered(t, f, 2501, 2501)
	if decoded() != 1 {
		t.Fatalf("%d blocks are decoded", decoded())
	}
}

func TestDamagedIndexBlocksAreFoundWhenNeeded(t *testing.T) {
	good := manyChunks(t, 10_000)
	for name, damage := range map[string]func(b []byte, index, stream int){
		"stream length": func(b []byte, _, stream int) { b[stream+3] = 0x7f },
		"stream":        func(b []byte, _, stream int) { copy(b[stream+4:], bytes.Repeat([]byte{0xff}, 100)) },
		"block offset":  func(b []byte, index, _ int) { b[index+chunk.HeaderSize+7] = 0x7f },
	} {
		t.Run(name, func(t *testing.T) {
			b := bytes.Clone(good)
			place, stream := indexPlace(t, b, 1)
			damage(b, place, stream)
			f, err := FromBytes(b, &OpenOptions{Mode: ReadWrite})
			if err != nil {
				t.Fatal(err)
			}
			inIndex := func(what string, err error) {
				t.Helper()
				var ce *cairn.CorruptError
				if !errors.As(err, &ce) || ce.Layer != index.Layer ||
					ce.Offset < int64(place) || ce.Offset > int64(len(b)) {
					t.Fatalf("%s: %v", what, err)
				}
			}
			wantNumbered(t, f, 0, 0)
			wantNumbered(t, f, 5000, 5000)
			_, err = f.Chunk(3000)
			inIndex("look at a chunk", err)
			_, err = f.EncodedChunk(nil, index.BlockLen)
			inIndex("read a chunk", err)
			inIndex("update", f.Update(noContext, 4000, numbered(1)))
			inIndex("insert", f.Insert(noContext, 0, numbered(1)))
			if f.cur.Load().specialRun(3000) != 0 {
				t.Fatal("a run of what cannot be read")
			}
			r, err := f.Snapshot().Verify(noContext)
			inIndex("verify", err)
			if len(r.Faults) != 1 {
				t.Fatalf("%d faults: %v", len(r.Faults), r.Faults)
			}
			// Other chunks and changes are not affected by the damage.
			if _, err := f.Append(noContext, numbered(7)); err != nil {
				t.Fatal(err)
			}
			if err := f.Update(noContext, 6000, numbered(8)); err != nil {
				t.Fatal(err)
			}
			if name == "stream" {
				if err := f.Commit(noContext); err != nil {
					t.Fatal(err)
				}
			}
			wantNumbered(t, f, 10_000, 7)
			wantNumbered(t, f, 6000, 8)
			if err := f.Abort(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// packedIndex encodes entries as an index.
func packedIndex(raw []byte) []byte {
	return must(new(index.Packer).Append(nil, must(index.Build(len(raw)/index.EntrySize, 0, func(i int) (int64, error) {
		return int64(binary.LittleEndian.Uint64(raw[index.EntrySize*i:])), nil
	}))))
}

func TestInvalidEntriesAreFoundWithTheirIndexBlock(t *testing.T) {
	entries := make([]int64, 3*index.BlockLen)
	entries[index.BlockLen+5] = 1 << 40
	f, err := FromBytes(withIndex(t, 400, int64(400*len(entries)), packedIndex, entries...), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Chunk(index.BlockLen - 1); err != nil {
		t.Fatal(err)
	}
	_, err = f.Chunk(index.BlockLen)
	if !errors.Is(err, cairn.ErrCorrupt) || !strings.Contains(err.Error(), "corrupt chunk 2053") {
		t.Fatalf("got %v", err)
	}
	if _, err := f.Chunk(2 * index.BlockLen); err != nil {
		t.Fatal(err)
	}
}

func TestConcurrentReadsOfABlockOfTheIndex(t *testing.T) {
	b := manyChunks(t, 9000)
	f, err := FromBytes(b, &OpenOptions{Mode: ReadWrite})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var wg sync.WaitGroup
	begin := make(chan struct{})
	for g := range 8 {
		wg.Go(func() {
			<-begin
			rng := rand.New(rand.NewPCG(uint64(g), 3))
			for range 200 {
				i := rng.IntN(9000) &^ 1 // odd chunks are being changed
				got := make([]byte, 32)
				if _, err := f.ReadChunk(noContext, got, i); err != nil || !bytes.Equal(got, numbered(i)) {
					t.Errorf("chunk %d is %x, %v", i, got, err)
				}
			}
		})
	}
	close(begin)
	for i := 1; i < 9000; i += 100 {
		if err := f.Update(noContext, i, numbered(-i)); err != nil {
			t.Fatal(err)
		}
		if i%1000 == 1 {
			if err := f.Commit(noContext); err != nil {
				t.Fatal(err)
			}
		}
	}
	wg.Wait()
	wantNumbered(t, f, 8901, -8901)
}

func TestCommitEncodesOnlyChangedChunks(t *testing.T) {
	f, err := FromBytes(manyChunks(t, 50_000), &OpenOptions{Mode: ReadWrite, Commits: Commits{Deterministic: true}})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Update(noContext, 30_000, numbered(1)); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(noContext); err != nil {
		t.Fatal(err)
	}
	x := f.cur.Load().index
	for k := range x.Len() / index.BlockLen {
		// Chunk 0 determines the kind of blocks of the frame.
		if changed := k == 0 || k == 30_000/index.BlockLen; x.Decoded(k) != changed {
			t.Fatalf("block %d was decoded: %v", k, !changed)
		}
	}
	reopened, err := FromBytes(must(f.Bytes()), nil)
	if err != nil {
		t.Fatal(err)
	}
	wantNumbered(t, reopened, 30_000, 1)
	wantNumbered(t, reopened, 29_999, 29_999)
	mustClose(t, reopened)
}

func TestLateErrorsOfASparseIndexAreFoundWhenItIsOpenedForWriting(t *testing.T) {
	m := storage.NewMemory()
	f, err := Create("s", &Options{FS: m, Sparse: true, Level: chunk.Stored, Commits: Commits{Deterministic: true}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 * index.BlockLen {
		if _, err := f.Append(noContext, numbered(i)); err != nil {
			t.Fatal(err)
		}
	}
	mustClose(t, f)
	file, err := m.OpenRW("s/" + sparseIndex)
	if err != nil {
		t.Fatal(err)
	}
	head := make([]byte, format.FixedHeader)
	if _, err := file.ReadAt(head, 0); err != nil {
		t.Fatal(err)
	}
	at := int64(binary.BigEndian.Uint32(head[format.AtHeaderLen:])) + chunk.HeaderSize + 4
	if _, err := file.WriteAt([]byte{0, 0, 0, 0x7f}, at); err != nil {
		t.Fatal(err)
	}
	if _, err := Open("s", &OpenOptions{FS: m, Mode: ReadWrite}); !errors.Is(err, cairn.ErrCorrupt) {
		t.Fatalf("for writing: %v", err)
	}
	if f, err = Open("s", &OpenOptions{FS: m}); err != nil {
		t.Fatalf("for reading: %v", err)
	}
	wantNumbered(t, f, 0, 0)
	if _, err := f.Chunk(index.BlockLen); !errors.Is(err, cairn.ErrCorrupt) {
		t.Fatalf("got %v", err)
	}
	if _, err := Verify(noContext, "s", &OpenOptions{FS: m}); !errors.Is(err, cairn.ErrCorrupt) {
		t.Fatalf("verify: %v", err)
	}
	mustClose(t, f)
}
