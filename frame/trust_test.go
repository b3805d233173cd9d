package frame

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/internal/metalist"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// trusted returns a frame of three chunks with checksums, and the offset of the second.
func trusted(t testing.TB) (b []byte, second int) {
	t.Helper()
	f := must(New(&Options{TypeSize: 4, Codec: codecs.LZ4,
		Meta: []meta.Layer{{Name: "fixed", Content: []byte("content")}}}))
	for i := range 3 {
		must(f.Append(noContext, ramp(100, i)))
	}
	if err := f.SetVL("name", []byte("value")); err != nil {
		t.Fatal(err)
	}
	b = must(f.Bytes())
	g := must(FromBytes(b, nil))
	second = int(must(g.Chunk(1)).Offset)
	if err := errors.Join(g.Close(), f.Abort()); err != nil {
		t.Fatal(err)
	}
	return b, second
}

// TestVerdicts checks the rows of the table in docs/reliability.md.
func TestVerdicts(t *testing.T) {
	good, second := trusted(t)
	size := int(must(format.ParseHeader(good, int64(len(good)))).HeaderLen)
	footer := func(b []byte) []byte {
		return b[bytes.Index(b[second:], []byte(format.FooterMagic))+second:][:format.FooterSize]
	}
	unmark := func(b []byte) { b[format.AtWitness] = 0 }
	unpoint := func(b []byte) { clear(b[len(b)-format.PointerSize:]) }
	rot := func(b []byte) { b[second+40] ^= 4 }
	all, rest := [3]Verdict{Verified, Verified, Verified}, [3]Verdict{Verified, Unverified, Verified}
	alone := [3]Verdict{VerifiedChunkOnly, VerifiedChunkOnly, VerifiedChunkOnly}
	restAlone := [3]Verdict{VerifiedChunkOnly, Unverified, VerifiedChunkOnly}
	type edits []func([]byte)
	for name, c := range map[string]struct {
		edits   edits
		opening error // of opening
		frame   Verdict
		chunks  [3]Verdict
		fault   bool // reading the second chunk fails
		layer   string
	}{
		"as written": {frame: Verified, chunks: all},
		"rot":        {edits: edits{rot}, frame: Verified, chunks: rest, fault: true},
		"footer rot": {edits: edits{func(b []byte) { footer(b)[5] ^= 1 }}, frame: Verified,
			chunks: rest, fault: true},
		"no footer":      {edits: edits{func(b []byte) { clear(footer(b)) }}, frame: Verified, chunks: rest, fault: true},
		"another writer": {edits: edits{unmark, unpoint}, chunks: alone},
		"another writer replaced a chunk": {edits: edits{unmark, unpoint, func(b []byte) { clear(footer(b)) }},
			chunks: restAlone},
		"another writer, other bytes": {edits: edits{unmark, unpoint, func(b []byte) { footer(b)[4]++ }},
			chunks: restAlone},
		"another writer, header only": {edits: edits{unmark, func(b []byte) { b[size-1] ^= 1 }},
			frame: VerifiedButHeader, chunks: all, layer: "contenu"},
		"another writer, header, then rot": {edits: edits{unmark, rot}, frame: VerifiedButHeader,
			chunks: rest, fault: true},
		"torn or changed by hand": {edits: edits{unpoint}, opening: cairn.ErrCorrupt},
		"header rot":              {edits: edits{func(b []byte) { b[size-1] ^= 1 }}, frame: Verified, chunks: all},
		"pointer rot":             {edits: edits{func(b []byte) { b[len(b)-3] ^= 1 }}, frame: Verified, chunks: all},
		"record rot":              {edits: edits{func(b []byte) { b[len(b)-60] ^= 1 }}, chunks: alone},
		"record rot, then chunk rot": {edits: edits{func(b []byte) { b[len(b)-60] ^= 1 }, rot},
			chunks: restAlone, fault: true},
		"trailer rot": {edits: edits{func(b []byte) { b[bytes.Index(b, []byte("value"))] ^= 1 }},
			opening: cairn.ErrChecksum},
		"index rot": {edits: edits{indexRot}, opening: cairn.ErrChecksum},
	} {
		t.Run(name, func(t *testing.T) {
			b := bytes.Clone(good)
			for _, edit := range c.edits {
				edit(b)
			}
			f, err := FromBytes(b, nil)
			if c.opening != nil {
				if !errors.Is(err, c.opening) {
					t.Fatalf("opening: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			checkVerdicts(t, f.Snapshot(), c.frame, c.chunks, c.fault, int64(second))
			if want := c.layer; want != "" && string(must(f.Layer("fixed"))) == "content" {
				t.Fatal("the other writer's header is gone")
			}
		})
	}
}

// indexRot flips a bit of the last entry of the index of a small frame.
func indexRot(b []byte) {
	h := must(format.ParseHeader(b, int64(len(b))))
	b[h.IndexAt()+32+16] ^= 1
}

// chunkVerdict compares chunk i with its checksum.
func chunkVerdict(f *Snapshot, i int) (Verdict, error) {
	v := f.cur.Load()
	entry, err := v.entry(i)
	if err != nil {
		return Unverified, err
	}
	res := v.verifyChunk(i, entry)
	return res.verdict, v.inChunk(i, entry, res.err)
}

func checkVerdicts(t *testing.T, v *Snapshot, frame Verdict, chunks [3]Verdict, fault bool, second int64) {
	t.Helper()
	if got := v.Info().Verdict; got != frame {
		t.Fatalf("the frame is %v, want %v", got, frame)
	}
	for i, want := range chunks {
		got, err := chunkVerdict(v, i)
		_, read := v.ReadChunk(noContext, make([]byte, 400), i)
		if failing := fault && i == 1; failing {
			var ce *cairn.CorruptError
			if !errors.Is(read, cairn.ErrChecksum) || !errors.As(err, &ce) || ce.Chunk != 1 ||
				ce.Offset != second || !errors.Is(err, cairn.ErrChecksum) {
				t.Fatalf("chunk 1: %v, reading: %v", err, read)
			}
			continue
		}
		if err != nil || got != want || read != nil {
			t.Fatalf("chunk %d is %v (%v, reading: %v), want %v", i, got, err, read, want)
		}
	}
	r, err := v.Verify(noContext)
	if errors.Is(err, cairn.ErrChecksum) != (fault || v.cur.Load().cover != nil && v.cur.Load().cover.damage != nil) {
		t.Fatalf("verify: %v", err)
	}
	sum := 0
	for _, n := range r.Stored {
		sum += n
	}
	if want := map[bool]int{false: 3, true: 2}[fault]; sum != want || r.Info.Verdict != frame {
		t.Fatalf("verify counts %v, %v", r.Stored, r.Info.Verdict)
	}
}

// TestWritersFindDamageInTheirChunks flips a bit of a chunk behind the handle that wrote and
// committed it. The handle never read the chunk, so it has to compare it.
func TestWritersFindDamageInTheirChunks(t *testing.T) {
	m := storage.NewMemory()
	f := must(Create("f", &Options{TypeSize: 4, FS: m}))
	must(f.Append(noContext, ramp(100, 0)))
	if err := f.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	v := f.cur.Load()
	at := v.source.place(must(v.index.At(0))).offset + 40
	file := must(m.OpenRW("f"))
	b := make([]byte, 1)
	must(file.ReadAt(b, at))
	b[0] ^= 1
	must(file.WriteAt(b, at))
	if _, err := f.ReadChunk(noContext, make([]byte, 400), 0); !errors.Is(err, cairn.ErrChecksum) {
		t.Errorf("read: %v", err)
	}
	mustClose(t, f)
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestChunksOfOtherWritersAreAdopted commits changes to frames without checksums. Afterwards all
// chunks have one, at the same offsets.
func TestChunksOfOtherWritersAreAdopted(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		for _, compact := range []bool{false, true} {
			m := storage.NewMemory()
			f := must(Create("f", &Options{TypeSize: 4, FS: m, Sparse: sparse,
				Commits: Commits{Deterministic: true}}))
			for i := range 3 {
				must(f.Append(noContext, ramp(100, i)))
			}
			mustClose(t, f)
			f = must(Open("f", &OpenOptions{FS: m, Mode: ReadWrite}))
			must(f.Append(noContext, ramp(100, 3)))
			if v := must(chunkVerdict(f.Snapshot(), 0)); v != Unverified {
				t.Fatalf("before: %v", v)
			}
			if err := f.Commit(noContext); err != nil {
				t.Fatal(err)
			}
			if compact {
				must(f.Compact(noContext))
			}
			if err := f.SetVL("a", []byte("b")); err != nil {
				t.Fatal(err)
			}
			mustClose(t, f)
			r, err := Verify(noContext, "f", &OpenOptions{FS: m})
			if err != nil || r.Info.Verdict != Verified || r.Stored != [Verified + 1]int{Verified: 4} {
				t.Fatalf("sparse=%v: %v, %v, %v", sparse, err, r.Info.Verdict, r.Stored)
			}
		}
	}
}

// TestNumbersOfAdoptedChunksAreUsedAgain deletes adopted chunks and adds others, which get their
// numbers in a sparse frame.
func TestNumbersOfAdoptedChunksAreUsedAgain(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		m := storage.NewMemory()
		f := must(Create("f", &Options{TypeSize: 4, FS: m, Sparse: sparse, Commits: Commits{Deterministic: true}}))
		for i := range 3 {
			must(f.Append(noContext, ramp(100, i)))
		}
		mustClose(t, f)
		f = must(Open("f", &OpenOptions{FS: m, Mode: ReadWrite}))
		for i := range 3 {
			if err := errors.Join(f.Delete(noContext, 2), f.Commit(noContext),
				f.Insert(noContext, 0, ramp(100, 10+i)), f.Commit(noContext)); err != nil {
				t.Fatal(err)
			}
		}
		mustClose(t, f)
		f = must(Open("f", &OpenOptions{FS: m, Verify: VerifyAlways}))
		buf := make([]byte, 400)
		for i := range 3 {
			n, err := f.ReadChunk(noContext, buf, i)
			if err != nil || !bytes.Equal(buf[:n], ramp(100, 12-i)) {
				t.Errorf("sparse=%v: chunk %d: %v, or other bytes", sparse, i, err)
			}
		}
		mustClose(t, f)
	}
}

// TestDeterministicFramesHaveNoChecksums checks that also the witnesses of an earlier commit are
// gone.
func TestDeterministicFramesHaveNoChecksums(t *testing.T) {
	m := storage.NewMemory()
	good, _ := trusted(t)
	put(t, m, "f", good)
	f := must(Open("f", &OpenOptions{FS: m, Mode: ReadWrite, Commits: Commits{Deterministic: true}}))
	must(f.Append(noContext, ramp(100, 9)))
	got := make([]byte, 400)
	must(f.ReadChunk(noContext, got, 3))
	mustClose(t, f)
	b := content(t, m, "f")
	if b[format.AtWitness] != 0 || !format.IsZero(b[len(b)-format.PointerSize:]) {
		t.Fatal("a witness is left")
	}
	r, err := Verify(noContext, "f", &OpenOptions{FS: m})
	if err != nil || r.Info.Verdict != Unverified || r.Stored != [Verified + 1]int{VerifiedChunkOnly: 3, Unverified: 1} {
		t.Fatalf("%v, %v, %v", err, r.Info.Verdict, r.Stored)
	}
}

// resign corrects the checksums of a changed record and of the pointer to it.
func resign(b []byte) {
	if len(b) < metalist.TrailerTail {
		return
	}
	end := len(b) - metalist.TrailerTail
	size, _, _, ok := format.ParsePointer(b)
	if !ok || size > int64(end) {
		return
	}
	r := b[int64(end)-size : end]
	binary.LittleEndian.PutUint32(r[len(r)-4:], format.Checksum(r[:len(r)-4]))
	binary.LittleEndian.PutUint32(b[len(b)-8:], format.Checksum(r[:len(r)-4]))
}

func TestHostileRecords(t *testing.T) {
	good, _ := trusted(t)
	end := len(good) - metalist.TrailerTail
	size, _, _, _ := format.ParsePointer(good)
	at := end - int(size)
	for field := 8; field < format.RecordHeader; field += 4 {
		for _, v := range []uint32{0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, uint32(len(good))} {
			for _, torn := range []bool{false, true} {
				b := bytes.Clone(good)
				binary.LittleEndian.PutUint32(b[at+field:], v)
				if torn {
					b[format.AtFrameLen+3]++
				}
				resign(b)
				used := allocated(func() {
					f, err := FromBytes(b, &OpenOptions{Mode: ReadWrite})
					sane(t, err)
					if err == nil {
						_, err = f.Snapshot().Verify(noContext)
						sane(t, err)
						must(f.Append(noContext, ramp(100, 1)))
						sane(t, f.Close())
					}
				})
				if used > 8<<20 {
					t.Fatalf("field %#x = %#x allocates %d bytes", field, v, used)
				}
			}
		}
	}
}

// FuzzRecover opens damaged frames whose record has correct checksums, so that readers use its
// fields.
func FuzzRecover(f *testing.F) {
	good, _ := trusted(f)
	f.Add(good)
	torn := bytes.Clone(good)
	torn[format.AtFrameLen+7]++
	f.Add(torn)
	for _, s := range specimens(f) {
		if s.files[0] == "f" {
			f.Add(content(f, s.fs, "f"))
		}
	}
	limits := cairn.Limits{MaxChunk: 1 << 20, MaxAlloc: 1 << 20, MaxIndex: 1 << 20,
		MaxHeader: 1 << 16, MaxTrailer: 1 << 16}
	f.Fuzz(func(t *testing.T, b []byte) {
		b = bytes.Clone(b)
		resign(b)
		fr, err := FromBytes(b, &OpenOptions{Engine: chunk.Engine{Limits: limits}})
		if err != nil {
			sane(t, err)
			return
		}
		for i := range min(fr.NumChunks(), 20) {
			_, err := chunkVerdict(fr.Snapshot(), i)
			sane(t, err)
		}
		if fr.NumChunks() < 10_000 {
			_, err = fr.Snapshot().Verify(noContext)
			sane(t, err)
		}
		mutateHostile(t, b, limits)
	})
}

func TestComparingAllocatesNothing(t *testing.T) {
	good, _ := trusted(t)
	dst := make([]byte, 400)
	for _, mode := range []VerifyMode{VerifyOff, VerifyOnFirstTouch, VerifyAlways} {
		f := must(FromBytes(good, &OpenOptions{Verify: mode}))
		read := func() { must(f.ReadChunk(noContext, dst, 1)) }
		read()
		if n := testing.AllocsPerRun(100, read); n >= 1 {
			t.Errorf("mode %d: %v allocations", mode, n)
		}
		mustClose(t, f)
	}
}

// TestChunksThatShareTheirBytesAreNotAdopted checks that Adopt does not read such chunks, which
// could take very long.
func TestChunksThatShareTheirBytesAreNotAdopted(t *testing.T) {
	f := must(New(&Options{Level: chunk.Stored, Commits: Commits{Deterministic: true}}))
	must(f.Append(noContext, measured(1<<16)))
	f.env.Deterministic = false
	v := f.cur.Load().draft()
	v.cover = nil
	next := must(v.adopt(noContext, maxAdoptBytes))
	if next == &v.state || !next.cover.full || len(next.cover.table) != format.RowSize {
		t.Fatal("one chunk was not adopted")
	}
	v.index = index.Repeat(10_000, entryAt(t, v.index, 0))
	if next := must(v.adopt(noContext, maxAdoptBytes)); next != &v.state {
		t.Fatal("ten thousand that are one were adopted")
	}
	mustClose(t, f)
}
