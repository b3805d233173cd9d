package ndarray

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/shuffle"
	"github.com/cairn-go/cairn/storage"
)

// randomDType returns a dtype of any kind that matters to a copy: swapped, structured, of odd size.
func randomDType(rnd *rand.Rand) string {
	return []string{"<f4", ">i8", "|u1", "|S7", "<U3", ">f2",
		"[('a', '<i4'), ('b', '>f8'), ('c', 'S3')]", "<M8[s]", "<c16"}[rnd.IntN(9)]
}

// randomArray makes an array in memory with chunks of all kinds, and its model.
func randomArray(t *testing.T, rnd *rand.Rand, shape Shape, dtype string) (*Untyped, *model) {
	t.Helper()
	o := randomOptions(rnd, shape)
	o.Sparse = rnd.IntN(4) == 0
	o.Meta = []meta.Layer{{Name: "first", Content: []byte("one")}, {Name: "second", Content: noise(rnd, 40)}}
	u, err := NewUntyped(dtype, shape, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { u.Abort() })
	m := &model{shape: shape, item: u.TypeSize(), data: make([]byte, u.Len()*int64(u.TypeSize()))}
	for range rnd.IntN(4) {
		start, stop := randomBox(rnd, shape)
		value := noise(rnd, m.item)
		if rnd.IntN(3) == 0 {
			clear(value)
		}
		check(t, u.writeBox(t.Context(), change{src: value, fill: true}, start, stop))
		m.fill(value, start, stop)
		start, stop = randomBox(rnd, shape)
		src := noise(rnd, len(m.read(start, stop)))
		check(t, u.WriteBox(t.Context(), src, start, stop))
		m.write(src, start, stop)
	}
	check(t, u.Frame().SetVL("notes", noise(rnd, rnd.IntN(3000))), u.Frame().SetVL("empty", nil))
	return u, m
}

// randomCopy returns options with random differences.
func randomCopy(rnd *rand.Rand, shape Shape) *CopyOptions {
	from := randomOptions(rnd, shape)
	o := &CopyOptions{Workers: from.Workers, Memory: 1 << rnd.IntN(24),
		AutoShapes: rnd.IntN(4) == 0, Recode: rnd.IntN(8) == 0}
	if rnd.IntN(3) > 0 {
		o.ChunkShape, o.BlockShape = from.ChunkShape, from.BlockShape
	}
	if o.ChunkShape == nil {
		o.BlockShape = nil // it might exceed the array's chunks
	}
	if rnd.IntN(3) == 0 {
		o.Codec, o.Level, o.Filters = from.Codec, from.Level, from.Filters
	}
	if rnd.IntN(6) == 0 {
		split := chunk.SplitAlways
		o.Split = &split
	}
	o.Sparse = []*bool{nil, new(false), new(true)}[rnd.IntN(3)]
	return o
}

// sameArray compares an array with a model, and its metalayers with those of the source.
func sameArray(t *testing.T, u, from *Untyped, m *model) {
	t.Helper()
	got, err := u.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, m.data) || !slices.Equal(u.Shape(), m.shape) ||
		u.DType().String() != from.DType().String() || u.TypeSize() != m.item {
		t.Fatalf("%v of %s in %v in %v differs from %v of %s in %v in %v", u.Shape(),
			u.DType().String(), u.chunkShape(), u.blockShape(),
			m.shape, from.DType().String(), from.chunkShape(), from.blockShape())
	}
	vl := func(u *Untyped) []meta.Layer {
		layers, err := u.Frame().VLLayers()
		check(t, err)
		return layers
	}
	fixed := func(u *Untyped) []meta.Layer {
		return slices.DeleteFunc(u.Frame().Layers(),
			func(l meta.Layer) bool { return l.Name == meta.LayerB2ND || l.Name == meta.LayerCaterva })
	}
	for _, layers := range [][2][]meta.Layer{{vl(u), vl(from)}, {fixed(u), fixed(from)}} {
		if !slices.EqualFunc(layers[0], layers[1], func(x,
			y meta.Layer) bool {
			return x.Name == y.Name && bytes.Equal(x.Content, y.Content)
		}) {
			t.Fatalf("metalayers %v, want %v", layers[0], layers[1])
		}
	}
}

func TestCopiesAreEqualInAllShapes(t *testing.T) {
	var methods [3]int
	for seed := range uint64(rounds(250)) {
		rnd := rand.New(rand.NewPCG(seed, 71))
		shape := randomShape(rnd)
		u, m := randomArray(t, rnd, shape, randomDType(rnd))
		o := randomCopy(rnd, shape)
		p, err := PlanCopy(u, o)
		if err != nil {
			t.Fatal(err)
		}
		methods[p.Method]++
		c, err := handleOf(p.make(t.Context(), ""))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		t.Run(fmt.Sprintf("%d-%v", seed, p.Method), func(t *testing.T) {
			sameArray(t, c, u, m)
			want := u.Info().Sparse
			if o.Sparse != nil {
				want = *o.Sparse
			}
			if c.Info().Sparse != want {
				t.Fatalf("sparse is %v, want %v", c.Info().Sparse, want)
			}
			if !slices.Equal(c.chunkShape(), p.ChunkShape) || !slices.Equal(c.blockShape(),
				p.BlockShape) || c.NumChunks() != p.NumChunks {
				t.Fatalf("chunks of %v in %v, planned were %v in %v", c.chunkShape(), c.blockShape(),
					p.ChunkShape, p.BlockShape)
			}
			// The copy can be changed like any array.
			exercise(t, rnd, c, m)
			check(t, c.Abort())
		})
	}
	for method, n := range methods {
		if n < rounds(20) {
			t.Errorf("%v was tried %d times only", CopyMethod(method), n)
		}
	}
}

func TestSavedCopiesVerify(t *testing.T) {
	for seed := range uint64(30) {
		rnd := rand.New(rand.NewPCG(seed, 72))
		shape := randomShape(rnd)
		u, m := randomArray(t, rnd, shape, randomDType(rnd))
		path := filepath.Join(t.TempDir(), "copy.b2nd")
		o := randomCopy(rnd, shape)
		check(t, u.Save(t.Context(), path, o))
		if err := u.Save(t.Context(), path, o); !errors.Is(err, fs.ErrExist) {
			t.Fatalf("a second copy under the name: %v", err)
		}
		o.Overwrite = true
		check(t, u.Save(t.Context(), path, o))
		if _, err := Verify(t.Context(), path, nil); err != nil {
			t.Fatal(err)
		}
		c, err := Open(path, nil)
		check(t, err)
		sameArray(t, c, u, m)
		check(t, c.Close())
	}
}

func TestCopiesTakeOverChunksAsTheyAre(t *testing.T) {
	for _, c := range arrays(t) {
		t.Run(c.Name, func(t *testing.T) {
			u, err := Open(c.Path(), nil)
			check(t, err)
			defer u.Close()
			p, err := PlanCopy(u, nil)
			check(t, err)
			if p.Method != CopyTakeOver || p.Decodes != 0 || p.Passes != 0 {
				t.Fatalf("it would %v, with %d decodes", p.Method, p.Decodes)
			}
			copied, err := handleOf(p.make(t.Context(), ""))
			check(t, err)
			defer copied.Abort()
			for i := range u.NumChunks() {
				want, err := u.Frame().EncodedChunk(nil, int(i))
				check(t, err)
				got, err := copied.Frame().EncodedChunk(nil, int(i))
				check(t, err)
				if h, _ := chunk.ParseHeader(want); !bytes.Equal(got, want) && h.Special() == chunk.SpecialNone {
					t.Fatalf("chunk %d is another one", i)
				}
			}
			// Chunks that no codec here can read were nevertheless taken over; everything else is
			// also equal in other shapes.
			if c.NeedsCodec != 0 {
				if _, err := u.Read(t.Context()); errors.Is(err, cairn.ErrUnsupported) {
					return
				}
			}
			other, err := Copy(t.Context(), copied, &CopyOptions{AutoShapes: true, Codec: codecs.LZ4,
				Filters: []shuffle.Spec{shuffle.Byte}, Memory: 1})
			check(t, err)
			defer other.Abort()
			for _, have := range []*Untyped{copied, other} {
				data, err := have.Read(t.Context())
				check(t, err)
				if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != c.DecodedSHA256 {
					t.Fatalf("%d bytes differ from the library's %d", len(data), c.DecodedSize)
				}
			}
		})
	}
}

func TestOddArraysAreCopied(t *testing.T) {
	want := slices.Concat(count(3)...)[:100]
	files := map[string]odd{
		"regular":            {meta: vector("|u1"), typeSize: 1, chunks: count(3), blockSize: 10},
		"recut":              {meta: vector("|u1"), typeSize: 1, chunks: count(3), blockSize: 8},
		"surplus":            {meta: vector("|u1"), typeSize: 1, chunks: count(5), blockSize: 10},
		"own block size":     {meta: vector("|u1"), typeSize: 1, chunks: count(3)},
		"dtype of no sense":  {meta: vector("quux"), typeSize: 1, chunks: count(3), blockSize: 10},
		"dtype of two bytes": {meta: vector("<i2"), typeSize: 1, chunks: count(3), blockSize: 10},
	}
	for name, o := range files {
		t.Run(name, func(t *testing.T) {
			u, err := Open(o.create(t), nil)
			check(t, err)
			defer u.Close()
			options := []*CopyOptions{nil, {Level: 1}, {ChunkShape: Shape{33}},
				{BlockShape: Shape{7}}, {Recode: true}}
			for _, co := range options {
				c, err := Copy(t.Context(), u, co)
				check(t, err)
				sameArray(t, c, u, &model{shape: Shape{100}, item: 1, data: want})
				if n := c.Frame().NumChunks(); int64(n) != c.NumChunks() {
					t.Fatalf("%d chunks in the frame, %d are needed", n, c.NumChunks())
				}
				if size := int64(c.Frame().BlockSize()); size != c.part.BlockSize {
					t.Fatalf("block size %d in the header, the array's is %d", size, c.part.BlockSize)
				}
				check(t, c.Abort())
			}
		})
	}
	t.Run("missing", func(t *testing.T) {
		u, err := Open(odd{meta: vector("|u1"), typeSize: 1, chunks: count(2), blockSize: 10}.create(t), nil)
		check(t, err)
		defer u.Close()
		options := []*CopyOptions{nil, {Level: 1}, {ChunkShape: Shape{33}}}
		for _, co := range options {
			if _, err := Copy(t.Context(), u, co); !errors.Is(err, cairn.ErrCorrupt) {
				t.Fatalf("a copy without the last chunk: %v", err)
			}
		}
	})
}

// TestStoppedCopiesLeaveNothing cancels copies after each step that they report.
func TestStoppedCopiesLeaveNothing(t *testing.T) {
	u, err := NewUntyped("<i4", Shape{40, 50}, &Options{ChunkShape: Shape{8, 50}, BlockShape: Shape{4, 10}})
	check(t, err)
	defer u.Abort()
	rnd := rand.New(rand.NewPCG(5, 73))
	check(t, u.Write(t.Context(), noise(rnd, 8000)))
	options := []*CopyOptions{{}, {Level: 1}, {ChunkShape: Shape{40, 5}, Memory: 1}, {Sparse: new(true)}}
	for _, o := range options {
		for steps := 1; ; steps++ {
			fsys := storage.NewMemory()
			ctx, cancel := context.WithCancel(t.Context())
			n, last := 0, int64(0)
			co := *o
			co.FS = fsys
			co.Progress = func(done, total int64) {
				if done <= last || done > total {
					t.Errorf("%d of %d bytes are done, after %d", done, total, last)
				}
				last = done
				if n++; n == steps {
					cancel()
				}
			}
			err := u.Save(ctx, "copy.b2nd", &co)
			cancel()
			entries, _ := fsys.ReadDir(".")
			if err == nil {
				if len(entries) != 1 {
					t.Fatalf("%v beside the copy", entries)
				}
				break
			}
			if !errors.Is(err, context.Canceled) || len(entries) != 0 {
				t.Fatalf("stopped after %d steps with %v, %d things are left", steps, err, len(entries))
			}
		}
	}
}

func TestCopyPlansRefuseArraysThatChangedShape(t *testing.T) {
	u, err := NewUntyped("<i4", Shape{4}, nil)
	check(t, err)
	defer u.Abort()
	p, err := PlanCopy(u, nil)
	check(t, err)
	b2nd := meta.B2ND{Shape: []int64{3}, ChunkShape: narrow(u.chunkShape()),
		BlockShape: narrow(u.blockShape()), DType: "<i4"}
	check(t, u.Frame().SetMeta(meta.LayerB2ND, b2nd.Append(nil)))
	if _, err := handleOf(p.make(t.Context(), "")); !errors.Is(err, cairn.ErrConflict) {
		t.Fatalf("a plan for another shape: %v", err)
	}
}

func TestCopiesRefuseInvalidOptions(t *testing.T) {
	u, err := NewUntyped("<i4", Shape{4, 4}, nil)
	check(t, err)
	defer u.Abort()
	options := []*CopyOptions{
		{ChunkShape: Shape{4}}, {ChunkShape: Shape{4, -1}}, {Level: 12}, {Workers: -1},
		{Memory: -1}, {BlockShape: Shape{1 << 40, 1}},
	}
	for _, o := range options {
		if _, err := PlanCopy(u, o); err == nil {
			t.Errorf("%+v was planned", o)
		}
	}
}

// TestRunsOfSpecialChunksCostNothing copies an array of a hundred million chunks.
func TestRunsOfSpecialChunksCostNothing(t *testing.T) {
	u, err := NewUntyped("<f8", Shape{100_000_000, 1000}, &Options{ChunkShape: Shape{1, 1000}, Fill: nan()})
	check(t, err)
	defer u.Abort()
	check(t, u.WriteBox(t.Context(), make([]byte, 8), []int64{77_777_777, 5}, []int64{77_777_778, 6}))
	for _, o := range []*CopyOptions{nil, {Level: 9}} {
		c, err := Copy(t.Context(), u, o)
		check(t, err)
		for row, want := range map[int64]byte{77_777_777: 0, 77_777_778: 0x7f} {
			var item [8]byte
			check(t, c.ReadBytes(t.Context(), item[:], []int64{row, 5}, []int64{row + 1, 6}))
			if item[7] != want {
				t.Fatalf("row %d holds %x", row, item)
			}
		}
		check(t, c.Abort())
	}
}
