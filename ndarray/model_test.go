package ndarray

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
	"github.com/cairn-go/cairn/storage"
)

// model is a dense model of an array: all of its items in C order.
type model struct {
	shape Shape
	item  int
	data  []byte
}

// rounds scales a number of random cases: -short is for emulated machines and the race detector.
func rounds(n int) int {
	if testing.Short() {
		return n / 4
	}
	return n
}

// box calls visit for the offset in data of every item of a box, in C order.
func (m *model) box(start, stop []int64, visit func(at int)) {
	for i := range start {
		if start[i] >= stop[i] {
			return
		}
	}
	at := slices.Clone(start)
	for {
		offset := int64(0)
		for i := range at {
			offset = offset*m.shape[i] + at[i]
		}
		visit(int(offset) * m.item)
		i := len(at) - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i] < stop[i] {
				break
			}
			at[i] = start[i]
		}
		if i < 0 {
			return
		}
	}
}

func (m *model) read(start, stop []int64) []byte {
	out := []byte{}
	m.box(start, stop, func(at int) { out = append(out, m.data[at:at+m.item]...) })
	return out
}

func (m *model) write(src []byte, start, stop []int64) {
	m.box(start, stop, func(at int) { src = src[copy(m.data[at:at+m.item], src):] })
}

func (m *model) fill(value []byte, start, stop []int64) {
	m.box(start, stop, func(at int) { copy(m.data[at:], value) })
}

// randomShape returns a shape of at most some thousands of items.
func randomShape(rnd *rand.Rand) Shape {
	dims := rnd.IntN(7)
	if rnd.IntN(12) == 0 {
		dims = 7 + rnd.IntN(10)
	}
	side := []int{1, 3000, 70, 18, 8, 6, 5}[min(dims, 6)]
	if dims > 6 {
		side = 2
	}
	shape := make(Shape, dims)
	for i := range shape {
		shape[i] = int64(1 + rnd.IntN(side))
		if rnd.IntN(40) == 0 {
			shape[i] = 0
		}
	}
	return shape
}

func randomOptions(rnd *rand.Rand, shape Shape) *Options {
	o := &Options{
		Codec:   []codecs.Codec{codecs.BloscLZ, codecs.LZ4, codecs.Zstd, codecs.Zlib}[rnd.IntN(4)],
		Level:   []int{chunk.Stored, 1, 5}[rnd.IntN(3)],
		Workers: []int{1, 2, 8}[rnd.IntN(3)],
	}
	o.Filters = [][]shuffle.Spec{nil, {shuffle.None}, {shuffle.Bit}, {shuffle.Delta, shuffle.Byte}}[rnd.IntN(4)]
	chunks, blocks := make(Shape, len(shape)), make(Shape, len(shape))
	for i, n := range shape {
		chunks[i] = 1 + rnd.Int64N(n+2)
		blocks[i] = 1 + rnd.Int64N(chunks[i])
	}
	switch rnd.IntN(4) {
	case 0: // both are chosen automatically
	case 1:
		o.BlockShape = blocks
	case 2:
		o.ChunkShape = chunks
	default:
		o.ChunkShape, o.BlockShape = chunks, blocks
	}
	o.Uninit = rnd.IntN(5) == 0
	return o
}

func randomBox(rnd *rand.Rand, shape Shape) (start, stop []int64) {
	start, stop = make([]int64, len(shape)), slices.Clone(shape)
	if rnd.IntN(4) == 0 {
		return start, append([]int64{}, stop...)
	}
	for i, n := range shape {
		start[i] = rnd.Int64N(n + 1)
		stop[i] = start[i] + rnd.Int64N(n-start[i]+1)
	}
	return start, append([]int64{}, stop...)
}

// noise returns bytes that are partly random, partly repetitive and partly zero.
func noise(rnd *rand.Rand, n int) []byte {
	b := make([]byte, n)
	kind := rnd.IntN(3)
	for i := range b {
		switch kind {
		case 0:
			b[i] = byte(rnd.Uint32())
		case 1:
			b[i] = byte(i / 7)
		}
	}
	return b
}

// exercise makes random changes to an array and its model and compares all kinds of reads.
func exercise(t *testing.T, rnd *rand.Rand, u *Untyped, m *model) {
	t.Helper()
	ctx := t.Context()
	for range 6 {
		start, stop := randomBox(rnd, m.shape)
		size := len(m.read(start, stop))
		var err error
		switch rnd.IntN(3) {
		case 0:
			src := noise(rnd, size)
			err = u.WriteBox(ctx, src, start, stop)
			m.write(src, start, stop)
		case 1:
			value := noise(rnd, m.item)
			err = u.writeBox(ctx, change{src: value, fill: true}, start, stop)
			m.fill(value, start, stop)
		}
		if err != nil {
			t.Fatalf("change %v to %v of shape %v: %v", start, stop, m.shape, err)
		}
		start, stop = randomBox(rnd, m.shape)
		compare(t, u, m, start, stop)
	}
	compare(t, u, m, make([]int64, len(m.shape)), slices.Clone([]int64(m.shape)))
}

func compare(t *testing.T, u *Untyped, m *model, start, stop []int64) {
	t.Helper()
	if stop == nil {
		stop = []int64{}
	}
	want := m.read(start, stop)
	got := bytes.Repeat([]byte{0xa5}, len(want))
	if err := u.ReadBytes(context.Background(), got, start, stop); err != nil {
		t.Fatalf("read %v to %v of shape %v: %v", start, stop, m.shape, err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("read %v to %v of shape %v chunks %v blocks %v differs from the model", start,
			stop, m.shape, u.chunkShape(), u.blockShape())
	}
}

func TestArraysBehaveLikeTheDenseModel(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	dtypes := []string{"|u1", "<i2", "<f4", ">i4", "<c16", "|S3",
		"[('a', '<i4'), ('b', '<f8', (2,))]", "|S300", "<M8[ns]", "|b1"}
	for round := range rounds(250) {
		shape := randomShape(rnd)
		dtype := dtypes[rnd.IntN(len(dtypes))]
		o := randomOptions(rnd, shape)
		name := fmt.Sprintf("round %d: %s %v %+v", round, dtype, shape, *o)
		var u *Untyped
		var err error
		path := ""
		o.Sparse = rnd.IntN(3) == 0
		switch rnd.IntN(4) {
		case 0:
			path = filepath.Join(t.TempDir(), "a.b2nd")
		case 1:
			path, o.FS = "a.b2nd", storage.NewMemory()
		}
		if path == "" {
			u, err = NewUntyped(dtype, shape, o)
		} else {
			u, err = CreateUntyped(path, dtype, shape, o)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		m := &model{shape: shape, item: u.TypeSize(), data: make([]byte, int(u.Len())*u.TypeSize())}
		exercise(t, rnd, u, m)
		u = reopen(t, u, path, o)
		if t.Failed() {
			t.Fatal(name)
		}
		exercise(t, rnd, u, m)
		if err := u.Close(); err != nil {
			t.Fatalf("%s: close: %v", name, err)
		}
	}
}

// reopen closes an array and opens it again for writing.
func reopen(t *testing.T, u *Untyped, path string, o *Options) *Untyped {
	t.Helper()
	oo := &OpenOptions{Mode: ReadWrite, Workers: o.Workers, FS: o.FS}
	var again *Untyped
	var err error
	if path == "" {
		b, bytesErr := u.Bytes()
		if bytesErr != nil {
			t.Fatal(bytesErr)
		}
		again, err = FromBytes(slices.Clone(b), oo)
	} else {
		if err := u.Close(); err != nil {
			t.Fatal(err)
		}
		again, err = Open(path, oo)
	}
	if err != nil {
		t.Fatal(err)
	}
	if again.DType().String() != u.DType().String() || !slices.Equal(again.Shape(), u.Shape()) ||
		!slices.Equal(again.chunkShape(), u.chunkShape()) || !slices.Equal(again.blockShape(), u.blockShape()) {
		t.Fatalf("reopened as %s %v %v %v", again.DType().String(), again.Shape(),
			again.chunkShape(), again.blockShape())
	}
	return again
}
