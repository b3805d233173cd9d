package zarr

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/fstest"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// bloscStore makes a store of one array, in Blosc chunks with blocks of so many bytes. Item i is
// value(i).
func bloscStore(t *testing.T, shape, chunks []int64, o chunk.Options, value func(i int64) uint32) fstest.MapFS {
	t.Helper()
	text := func(v []int64) string {
		return string(bytes.ReplaceAll([]byte(fmt.Sprint(v)), []byte(" "), []byte(",")))
	}
	doc := fmt.Sprintf(`{"zarr_format":2,"shape":%s,"chunks":%s,"dtype":"<u4","fill_value":0,"order":"C",
		"filters":null,"compressor":{"id":"blosc","cname":"lz4","clevel":5,"shuffle":1,"blocksize":0}}`,
		text(shape), text(chunks))
	store := fstest.MapFS{nameArrayV2: {Data: []byte(doc)}}
	e, err := chunk.NewEncoder(&o)
	if err != nil {
		t.Fatal(err)
	}
	count, grid := int64(1), make([]int64, len(shape))
	for d := range shape {
		grid[d] = (shape[d] + chunks[d] - 1) / chunks[d]
		count *= grid[d]
	}
	for c := range count {
		origin, key := make([]int64, len(shape)), ""
		for d, rest := len(shape)-1, c; d >= 0; d-- {
			origin[d] = rest % grid[d] * chunks[d]
			key = fmt.Sprintf(".%d", rest%grid[d]) + key
			rest /= grid[d]
		}
		var items []byte
		eachItem(chunks, func(at []int64) {
			i := int64(0)
			for d := range at {
				i = i*shape[d] + origin[d] + at[d]
			}
			items = binary.LittleEndian.AppendUint32(items, value(i))
		})
		encoded, err := e.Append(nil, items)
		if err != nil {
			t.Fatal(err)
		}
		store[key[1:]] = &fstest.MapFile{Data: encoded}
	}
	return store
}

// eachItem calls do for all coordinates of a shape, in C order.
func eachItem(shape []int64, do func(at []int64)) {
	at := make([]int64, len(shape))
	for {
		do(at)
		d := len(shape) - 1
		for ; d >= 0; d-- {
			if at[d]++; at[d] < shape[d] {
				break
			}
			at[d] = 0
		}
		if d < 0 {
			return
		}
	}
}

// TestBlocks reads boxes of chunks whose blocks are boxes, are none, or are shorter at the end.
func TestBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	smooth := func(i int64) uint32 { return uint32(i / 3) }
	noise := func(i int64) uint32 { return uint32(i) * 2654435761 }
	for _, c := range []struct {
		shape, chunks []int64
		block         int
		filter        shuffle.Spec
		level         int
	}{ // blocks of 4 and 3 planes, 10 and 7 rows, a whole chunk, 5 stored planes, half a plane
		{[]int64{50, 40, 30}, []int64{20, 30, 25}, 4 * 25 * 30 * 4, shuffle.Byte, 5},
		{[]int64{50, 40, 30}, []int64{20, 30, 25}, 3 * 25 * 30 * 4, shuffle.Byte, 5},
		{[]int64{50, 40, 30}, []int64{20, 30, 25}, 10 * 25 * 4, shuffle.Bit, 5},
		{[]int64{50, 40, 30}, []int64{20, 30, 25}, 7 * 25 * 4, shuffle.Byte, 5},
		{[]int64{50, 40, 30}, []int64{20, 30, 25}, 1 << 20, shuffle.Byte, 5},
		{[]int64{50, 40, 30}, []int64{20, 30, 25}, 5 * 30 * 25 * 4, shuffle.Byte, -1},
		{[]int64{6, 5, 8, 90}, []int64{2, 3, 8, 90}, 4 * 90 * 4, shuffle.Byte, 5},
		{[]int64{9000}, []int64{7000}, 1000 * 4, shuffle.Byte, 5},
		{[]int64{9000}, []int64{7000}, 1024 * 4, shuffle.None, 5},
	} {
		for i, value := range []func(int64) uint32{smooth, noise} {
			store := bloscStore(t, c.shape, c.chunks, chunk.Options{TypeSize: 4, BlockSize: c.block, Codec: codecs.LZ4,
				Level: c.level, Filters: []shuffle.Spec{c.filter}, Blosc1: true}, value)
			s, err := OpenFS(store, ".", &OpenOptions{Workers: 2})
			if err != nil {
				t.Fatal(err)
			}
			a, err := s.Array(t.Context(), "/")
			if err != nil {
				t.Fatal(err)
			}
			for range 30 {
				checkBox(t, fmt.Sprint(c, i), a, c.shape, rng, value)
			}
		}
	}
}

// checkBox reads a random box.
func checkBox(t *testing.T, name string, a *Array, shape []int64, rng *rand.Rand, value func(i int64) uint32) {
	t.Helper()
	start, stop, extent := make([]int64, len(shape)), make([]int64, len(shape)), make([]int64, len(shape))
	for d, n := range shape {
		start[d] = rng.Int64N(n)
		if extent[d] = n - start[d]; rng.IntN(2) == 0 {
			extent[d] = 1 + rng.Int64N(n-start[d])
		}
		stop[d] = start[d] + extent[d]
	}
	var want []byte
	eachItem(extent, func(at []int64) {
		i := int64(0)
		for d := range at {
			i = i*shape[d] + start[d] + at[d]
		}
		want = binary.LittleEndian.AppendUint32(want, value(i))
	})
	got := make([]byte, len(want))
	if err := a.ReadBytes(context.Background(), got, start, stop); err != nil {
		t.Fatalf("%s: %v to %v: %v", name, start, stop, err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("%s: %v to %v differs", name, start, stop)
	}
}

// TestBlocksRead reads a plane of a large chunk, and counts what is read.
func TestBlocksRead(t *testing.T) {
	shape, chunks := []int64{64, 100, 100}, []int64{64, 100, 100}
	store := bloscStore(t, shape, chunks, chunk.Options{TypeSize: 4, BlockSize: 4 * 100 * 100 * 4, Codec: codecs.LZ4,
		Filters: []shuffle.Spec{shuffle.Byte}, Blosc1: true}, func(i int64) uint32 { return uint32(i) * 2654435761 })
	s, err := OpenFS(store, ".", nil)
	if err != nil {
		t.Fatal(err)
	}
	counted := &counting{keys: s.keys}
	s.keys = counted
	a, err := s.Array(t.Context(), "/")
	if err != nil {
		t.Fatal(err)
	}
	dst, start, stop := make([]byte, 4*100*100), []int64{7, 0, 0}, []int64{8, 100, 100}
	if err := a.ReadBytes(context.Background(), dst, start, stop); err != nil {
		t.Fatal(err)
	}
	if size := int64(len(store["0.0.0"].Data)); counted.read == 0 || counted.read > size/8 {
		t.Errorf("%d bytes of %d were read for one of 64 planes", counted.read, size)
	}
}

// counting counts the bytes that are read from keys.
type counting struct {
	keys
	read int64
}

func (c *counting) open(ctx context.Context, key string) (object, error) {
	o, err := c.keys.open(ctx, key)
	return &countingObject{o, c}, err
}

type countingObject struct {
	object
	of *counting
}

func (o *countingObject) ReadAt(ctx context.Context, b []byte, off int64) error {
	o.of.read += int64(len(b))
	return o.object.ReadAt(ctx, b, off)
}

// TestBlocksDamaged reads boxes of chunks with changed bytes, or without some at the end. The
// chunks are so large that only parts of them are read.
func TestBlocksDamaged(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 9))
	shape, value := []int64{16, 40, 40}, func(i int64) uint32 { return uint32(i) * 2654435761 }
	for _, level := range []int{5, -1} {
		store := bloscStore(t, shape, shape, chunk.Options{TypeSize: 4, BlockSize: 2 * 40 * 40 * 4,
			Codec: codecs.LZ4, Level: level, Filters: []shuffle.Spec{shuffle.Byte}, Blosc1: true}, value)
		sound := store["0.0.0"].Data
		if len(sound) <= 4*headSize {
			t.Fatalf("the chunk has only %d bytes", len(sound))
		}
		for range 2000 {
			bad := bytes.Clone(sound)
			for range 1 + rng.IntN(3) {
				within := len(bad)
				if rng.IntN(2) == 0 {
					within = 16 + 4*8 // header and offsets
				}
				bad[rng.IntN(within)] ^= 1 << rng.IntN(8)
			}
			if rng.IntN(4) == 0 {
				bad = bad[:rng.IntN(len(bad))]
			}
			store["0.0.0"].Data = bad
			s, err := OpenFS(store, ".", &OpenOptions{Limits: small, Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			a, err := s.Array(t.Context(), "/")
			if err != nil {
				t.Fatal(err)
			}
			plane := rng.Int64N(16)
			start, stop := []int64{plane, 0, rng.Int64N(40)}, []int64{plane + 1, 40, 40}
			dst := make([]byte, 4*40*(40-start[2]))
			allowed(t, a.ReadBytes(context.Background(), dst, start, stop))
		}
	}
}
