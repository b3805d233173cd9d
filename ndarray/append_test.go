package ndarray

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/storage"
)

// A grower is one way to grow an array row by row.
type grower struct {
	name  string
	dtype string
	shape Shape // the initial shape
	chunk Shape // nil for the default
	axis  int
	row   func(i int) []byte
	grow  func(u *Untyped, i int, row []byte) error
}

// binaryOf returns numbers as bytes in file order.
func binaryOf(numbers any) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, numbers)
	if err != nil {
		panic(err)
	}
	return b
}

// floatRow returns 64 numbers that compress as measurements do.
func floatRow(i int) []byte {
	row := make([]float32, 64)
	for k := range row {
		row[k] = float32(math.Round(1000*math.Sin(float64(i)/50+float64(k)))) / 8
	}
	return binaryOf(row)
}

type sample struct {
	Time  int64
	Value float32
	Flag  uint8
}

func growers(t *testing.T) []grower {
	ctx := t.Context()
	floats := grower{name: "append", dtype: "<f4", shape: Shape{0, 64}, chunk: Shape{512, 64}, row: floatRow,
		grow: func(u *Untyped, _ int, row []byte) error { return u.Append(ctx, 0, row) }}
	columns, insert, resize, both := floats, floats, floats, floats
	columns.name, columns.shape, columns.chunk, columns.axis = "append along axis 1", Shape{64, 0}, Shape{64, 512}, 1
	columns.grow = func(u *Untyped, _ int, row []byte) error { return u.Append(ctx, 1, row) }
	insert.name = "insert at the end"
	insert.grow = func(u *Untyped, i int, row []byte) error { return u.Insert(ctx, 0, int64(i), row) }
	resize.name = "resize and write"
	resize.grow = func(u *Untyped, i int, row []byte) error {
		if err := u.Resize(ctx, Shape{int64(i + 1), 64}, nil); err != nil {
			return err
		}
		return u.Write(ctx, row, Index(int64(i)))
	}
	both.name = "resize ahead and write"
	both.grow = func(u *Untyped, i int, row []byte) error {
		if i%500 == 0 {
			if err := u.Resize(ctx, Shape{int64(i + 500), 64}, nil); err != nil {
				return err
			}
		}
		return u.Write(ctx, row, Index(int64(i)))
	}
	record := func(i int) sample { return sample{int64(i * i), float32(i*i%1009) / 4, uint8(i % 3)} }
	records := grower{name: "records", shape: Shape{0}, chunk: Shape{1000},
		dtype: "[('Time', '<i8'), ('Value', '<f4'), ('Flag', '|u1')]",
		row: func(i int) []byte {
			var b bytes.Buffer
			r := record(i)
			b.Write(binaryOf([]int64{r.Time}))
			b.Write(binaryOf([]float32{r.Value}))
			b.WriteByte(r.Flag)
			return b.Bytes()
		},
		grow: func(u *Untyped, i int, _ []byte) error {
			v, err := As[sample](u)
			if err != nil {
				return err
			}
			if err := u.Resize(ctx, Shape{int64(i + 1)}, nil); err != nil {
				return err
			}
			return v.Set(record(i), int64(i))
		}}
	return []grower{floats, columns, insert, resize, both, records}
}

// TestGrowingRowByRowWritesLittle counts the bytes that reach storage. Full chunks must be written
// once, and partly filled ones once per commit.
func TestGrowingRowByRowWritesLittle(t *testing.T) {
	for _, g := range growers(t) {
		for _, sparse := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/sparse=%v", g.name, sparse), func(t *testing.T) { growsCheaply(t, g, sparse) })
		}
	}
}

func growsCheaply(t *testing.T, g grower, sparse bool) {
	const rows, commits = 10_000, 20
	fsys := &storagetest.Faults{FS: storage.NewMemory()}
	u, err := CreateUntyped("a", g.dtype, g.shape, &Options{FS: fsys, Sparse: sparse, ChunkShape: g.chunk})
	check(t, err)
	var want []byte
	for i := range rows {
		row := g.row(i)
		want = append(want, row...)
		check(t, g.grow(u, i, row))
		if n := u.buffer.pending.size(); n > defaultBufferBytes {
			t.Fatalf("%d bytes wait", n)
		}
		if (i+1)%(rows/commits) == 0 {
			check(t, u.Commit(t.Context()))
		}
	}
	data, err := u.Bytes()
	check(t, err, u.Close())
	// Each commit writes an index and a trailer, which take far less than this.
	if most := 3*int64(len(data)) + commits*1024; fsys.Written() > most {
		t.Errorf("%d bytes written for %d", fsys.Written(), len(data))
	}
	u, err = Open("a", &OpenOptions{FS: fsys})
	check(t, err)
	got, err := u.Read(t.Context())
	check(t, err, u.Close())
	if g.axis == 1 {
		want = transposed(want, rows, u.TypeSize())
	}
	if !bytes.Equal(got[:len(want)], want) {
		t.Error("other items than were appended")
	}
}

// transposed returns rows of items as columns.
func transposed(rows []byte, n, size int) []byte {
	columns, width := make([]byte, len(rows)), len(rows)/n
	for i := range n {
		for k := 0; k < width; k += size {
			copy(columns[(k*n)+i*size:], rows[i*width+k:][:size])
		}
	}
	return columns
}

// TestAppendsWithoutCommitsWriteEachChunkOnce checks that the bytes written equal the size of the
// file, however many rows each call appends.
func TestAppendsWithoutCommitsWriteEachChunkOnce(t *testing.T) {
	for _, at := range []int{1, 7, 100} {
		fsys := &storagetest.Faults{FS: storage.NewMemory()}
		a, err := Create[int64]("a", Shape{0, 32}, &Options{ChunkShape: Shape{64, 16},
			BlockShape: Shape{8, 16}, FS: fsys, WriteBehind: 100_000})
		check(t, err)
		row := make([]int64, 32*at)
		for i := range 7000 / at {
			for k := range row {
				row[k] = int64(i*len(row)+k) * 0x1234_5678_9abc
			}
			check(t, a.Append(t.Context(), 0, row))
			if n := a.Untyped.buffer.pending.size(); n > 100_000 {
				t.Fatalf("%d bytes wait", n)
			}
		}
		check(t, a.Close())
		info, err := fsys.Stat("a")
		check(t, err)
		if n := fsys.Written(); n > info.Size+4096 {
			t.Errorf("%d rows at a time: %d bytes written for a file of %d", at, n, info.Size)
		}
	}
}

// TestAppendsTakeNoMoreMemoryThanTheBuffer measures the heap while rows are appended and read.
func TestAppendsTakeNoMoreMemoryThanTheBuffer(t *testing.T) {
	const buffer, rest = 8 << 20, 4 << 20 // an encoder, a writer and so on
	ctx := t.Context()
	a, err := Create[float32](filepath.Join(t.TempDir(), "a"), Shape{0, 4096}, &Options{
		ChunkShape: Shape{64, 256}, BlockShape: Shape{32, 256}, WriteBehind: buffer, Workers: 1})
	check(t, err)
	row := make([]float32, 4096)
	heap := func() uint64 {
		var s runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&s)
		return s.HeapAlloc
	}
	before := heap()
	most, pending := before, int64(0)
	for i := range int64(3000) {
		for k := range row {
			row[k] = float32(i) + float32(k%256)/256
		}
		check(t, a.Append(ctx, 0, row))
		if i%61 == 0 {
			last, err := a.Read(ctx, Range(max(0, i-40), i+1), Range(0, 300))
			if check(t, err); last[len(last)-300] != float32(i) {
				t.Fatalf("row %d begins with %v", i, last[len(last)-300])
			}
			check(t, a.Set(7, max(0, i-63), 17)) // in a block that has been read
			most, pending = max(most, heap()), max(pending, a.Untyped.buffer.pending.size())
		}
	}
	if most -= before; most > buffer+rest {
		t.Errorf("%d bytes of memory for appends with a buffer of %d", most, int64(buffer))
	}
	if pending < buffer/2 {
		t.Errorf("at most %d bytes were pending, with a buffer of %d", pending, int64(buffer))
	}
	check(t, a.Close())
}

// TestLogsHaveAFewThousandChunks takes the shapes that an array gets before its first row. The
// chunks must be few, since each commit writes eight bytes for each, and small, since each commit
// writes the last of them.
func TestLogsHaveAFewThousandChunks(t *testing.T) {
	for dtype, most := range map[string]int64{"<f8": 8_000, "|V26": 26_000, "|V100": 100_000} {
		u, err := NewUntyped(dtype, Shape{0}, nil)
		check(t, err)
		chunks, _ := u.Grid()
		if n := 1_000_000_000/chunks[0] + 1; n > most {
			t.Errorf("%s: %d chunks for 1e9 rows, at most %d are reasonable", dtype, n, most)
		}
		if size := chunks[0] * int64(u.TypeSize()); size > 5<<18 {
			t.Errorf("%s: each commit writes a chunk of %d bytes", dtype, size)
		}
		check(t, u.Close())
	}
}
