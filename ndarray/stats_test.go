package ndarray

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/decoded"
	"github.com/cairn-go/cairn/storage"
)

// counted returns an array of four chunks of eight blocks of 512 bytes. The last chunk is zeros;
// the others hold hash-like numbers, which hardly compress.
func counted(t *testing.T, o Options) Array[int32] {
	t.Helper()
	o.ChunkShape, o.BlockShape, o.Workers = Shape{32, 32}, Shape{4, 32}, 2
	a, err := New[int32](Shape{128, 32}, &o)
	check(t, err)
	values := make([]int32, 96*32)
	for i := range values {
		values[i] = int32(i*i*i) >> 3
	}
	check(t, a.Write(t.Context(), values, Range(0, 96)))
	return a
}

// done returns the Stats of the work that a function did to an array, without the times.
func done(t *testing.T, u *Untyped, what func()) Stats {
	t.Helper()
	before := u.Stats()
	what()
	d := u.Stats().Sub(before)
	d.ReadTime, d.DecodeTime, d.EncodeTime, d.WriteTime = 0, 0, 0, 0
	return d
}

func expect(t *testing.T, what string, got, want Stats) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

func TestStatsOfReads(t *testing.T) {
	ctx := t.Context()
	a := counted(t, Options{NoCache: true})
	u := a.Untyped
	stored := int64(0) // bytes of the chunks with data, each with a checksum of 8 bytes
	for c, err := range a.Chunks(ctx) {
		check(t, err)
		if c.Kind == chunk.SpecialNone {
			stored += c.Stored
		}
	}
	read := func() { _, err := a.Read(ctx); check(t, err) }
	all := Stats{ChunksRead: 3, ChunksSpecial: 1, BlocksDecoded: 24, BytesDecoded: 24 * 512, BytesRead: stored + 3*8}
	expect(t, "everything", done(t, u, read), all)
	if s := u.Stats(); s.DecodeTime <= 0 || s.EncodeTime <= 0 || s.WriteTime <= 0 || s.ReadTime != 0 {
		t.Errorf("times %+v", s)
	}

	box := done(t, u, func() { _, err := a.Read(ctx, Range(30, 38)); check(t, err) })
	box.BytesRead = 0
	expect(t, "two blocks of one chunk and one of the next", box,
		Stats{ChunksRead: 2, BlocksDecoded: 3, BlocksSkipped: 13, BytesDecoded: 3 * 512})
	item := done(t, u, func() { _, err := a.At(127, 3); check(t, err) })
	item.BytesRead = 0
	expect(t, "an item of zeros", item, Stats{ChunksSpecial: 1})

	visited := done(t, u, func() { check(t, passOver(ctx, a, nothing)) })
	expect(t, "a pass", visited, all)
	s, err := a.Snapshot(ctx)
	check(t, err)
	expect(t, "a snapshot", done(t, u, func() { _, err := s.Read(ctx); check(t, err) }), all)
	if s.Stats() != a.Stats() {
		t.Error("an array and its snapshot count apart")
	}
	check(t, s.Close(), a.Close())
}

func TestStatsOfWrites(t *testing.T) {
	ctx := t.Context()
	direct := Options{Codec: codecs.LZ4, WriteBehind: 1} // nothing fits into the buffer
	a := counted(t, direct)
	u := a.Untyped
	rest := func(s Stats) Stats { // counts that do not depend on the codec
		s.BytesRead, s.BytesWritten = 0, 0
		return s
	}
	expect(t, "creation", rest(done(t, u, func() { a = counted(t, direct) })), Stats{})
	u = a.Untyped
	written := u.Stats()
	if written.ChunksEncoded != 3 || written.ChunksWritten != 3 || written.BytesEncoded != 3*4096 || written.ChunksRead != 0 || written.BytesWritten < 3*chunk.HeaderSize {
		t.Errorf("whole chunks: %+v", written)
	}
	row := make([]int32, 32)
	expect(t, "a row", rest(done(t, u, func() { check(t, a.Write(ctx, row, Index(33))) })),
		Stats{ChunksRead: 1, BlocksDecoded: 1, BlocksSkipped: 7, BytesDecoded: 512, ChunksRecoded: 1, BytesEncoded: 512, ChunksWritten: 1})
	block := make([]int32, 4*32)
	expect(t, "a block", rest(done(t, u, func() { check(t, a.Write(ctx, block, Range(36, 40))) })),
		Stats{ChunksRecoded: 1, BytesEncoded: 512, ChunksWritten: 1})
	fill := done(t, u, func() { check(t, a.Fill(ctx, 7, Range(0, 64))) })
	if rest(fill) != (Stats{ChunksWritten: 2}) || fill.BytesWritten != 2*(chunk.HeaderSize+4) {
		t.Errorf("a fill: %+v", fill)
	}
	check(t, a.Close())
}

// TestStatsOfFiles reads single blocks of a large chunk of a file; only their bytes may be read,
// once the chunk is known to be sound.
func TestStatsOfFiles(t *testing.T) {
	a, err := Create[int32](filepath.Join(t.TempDir(), "a"), Shape{1 << 16}, &Options{ChunkShape: Shape{1 << 16}, BlockShape: Shape{1 << 12}, Level: chunk.Stored})
	check(t, err)
	values := make([]int32, 1<<16)
	for i := range values {
		values[i] = int32(i * i)
	}
	check(t, a.Write(t.Context(), values), a.Commit(t.Context()))
	_, err = a.At(0) // compares the chunk with its checksum
	check(t, err)
	got := done(t, a.Untyped, func() { _, err := a.At(20000); check(t, err) })
	if got.BytesRead < 1<<14 || got.BytesRead > 1<<16 {
		t.Errorf("%d bytes read for a block", got.BytesRead)
	}
	got.BytesRead = 0
	expect(t, "an item", got, Stats{ChunksRead: 1, BlocksDecoded: 1, BlocksSkipped: 15, BytesDecoded: 1 << 14, CacheMisses: 1})
	check(t, a.Close())
}

// A countingFS counts the bytes that are read from its files.
type countingFS struct {
	storage.FS
	read *int64
}

type countingFile struct {
	storage.File
	read *int64
}

func (f countingFS) Open(name string) (storage.File, error) {
	file, err := f.FS.Open(name)
	return countingFile{file, f.read}, err
}

func (f countingFile) ReadAt(b []byte, off int64) (int, error) {
	n, err := f.File.ReadAt(b, off)
	*f.read += int64(n)
	return n, err
}

// TestStatsCountWhatIsReadForChecksums compares BytesRead with what files count, for reads of one
// item and of everything, at first and again.
func TestStatsCountWhatIsReadForChecksums(t *testing.T) {
	ctx := t.Context()
	for kind := range 4 {
		sparse, checks := kind&1 != 0, kind&2 != 0
		m := storage.NewMemory()
		a, err := Create[int32]("a", Shape{1 << 18}, &Options{ChunkShape: Shape{1 << 17}, BlockShape: Shape{1 << 12},
			Level: chunk.Stored, Sparse: sparse, FS: m})
		check(t, err)
		values := make([]int32, 1<<18)
		for i := range values {
			values[i] = int32(i * i)
		}
		check(t, a.Write(ctx, values), a.Close())

		o := &OpenOptions{FS: countingFS{m, new(int64)}, Workers: 1}
		if !checks {
			o.Verify = frame.VerifyOff
		}
		a, err = OpenAs[int32]("a", o)
		check(t, err)
		for what, read := range []func() error{
			func() error { _, err := a.At(20000); return err },
			func() error { _, err := a.At(30000); return err },
			func() error { _, err := a.Read(ctx, Range(1<<17, 1<<17+100)); return err },
			func() error { _, err := a.Read(ctx); return err },
		} {
			read0, stat0 := *o.FS.(countingFS).read, a.Stats().BytesRead
			check(t, read())
			read, stat := *o.FS.(countingFS).read-read0, a.Stats().BytesRead-stat0
			if read != stat {
				t.Errorf("sparse %v, checks %v, read %d: %d bytes, Stats says %d", sparse, checks, what, read, stat)
			}
			if what == 0 && (stat > 1<<19) != checks {
				t.Errorf("sparse %v, checks %v: %d bytes for the first item", sparse, checks, stat)
			}
		}
		check(t, a.Close())
	}
}

func TestStatsOfTheCacheAndOfBufferedWrites(t *testing.T) {
	ctx := t.Context()
	a := counted(t, Options{WriteBehind: 1 << 20})
	u := a.Untyped
	keepIn(u, 8*(512+decoded.EntryBytes))
	at := func(i int64) func() { return func() { _, err := a.At(i, 0); check(t, err) } }
	first := done(t, u, at(5))
	if first.CacheMisses != 1 || first.CacheHits != 0 || first.BlocksDecoded != 1 {
		t.Errorf("the first item of a block: %+v", first)
	}
	second := done(t, u, at(6)) // a loop, so the block is kept
	if second.CacheMisses != 1 || second.BlocksDecoded != 1 {
		t.Errorf("the second: %+v", second)
	}
	expect(t, "the third", done(t, u, at(7)), Stats{CacheHits: 1})
	others := done(t, u, func() {
		for i := int64(0); i < 96; i += 4 {
			at(i)()
			at(i)()
		}
	})
	if others.CacheMisses+others.CacheHits != 48 || others.BlocksDecoded != others.CacheMisses || others.CacheMisses < 16 {
		t.Errorf("24 blocks in the place of 8: %+v", others)
	}
	waits := done(t, u, func() {
		for i := range int64(20) {
			check(t, a.Set(3, i, i))
		}
	})
	if waits.ChunksWritten != 0 || waits.Flushes != 0 || waits.BlocksDecoded > 6 {
		t.Errorf("20 buffered writes: %+v", waits)
	}
	flushed := done(t, u, func() { check(t, a.flushNow(ctx), a.flushNow(ctx)) })
	if flushed.Flushes != 1 || flushed.ChunksRecoded != 1 || flushed.ChunksWritten != 1 || flushed.ChunksEncoded != 0 {
		t.Errorf("a flush: %+v", flushed)
	}
	check(t, a.Close())
}

// TestStatsAddAndSubtractAllFields checks that add covers every field.
func TestStatsAddAndSubtractAllFields(t *testing.T) {
	var s Stats
	v := reflect.ValueOf(&s).Elem()
	for i := range v.NumField() {
		v.Field(i).SetInt(int64(i + 1))
	}
	if s.Sub(Stats{}) != s || s.Sub(s) != (Stats{}) || (Stats{}).Sub(s).Sub(Stats{}) == (Stats{}) {
		t.Error("a field is left out")
	}
	sum := s
	sum.add(&s, 1)
	for i := range v.NumField() {
		if reflect.ValueOf(sum).Field(i).Int() != int64(2*i+2) {
			t.Errorf("%s is left out", v.Type().Field(i).Name)
		}
	}
}
