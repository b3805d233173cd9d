package ndarray

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/inside"
)

// TestVisitsShowEveryItemOnce checks that blocks make up the array, each item once and in C order,
// whichever goroutine decodes them.
func TestVisitsShowEveryItemOnce(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for round := range 120 {
		shape := randomShape(rnd)
		size := []int{1, 2, 4, 8, 13}[rnd.IntN(5)]
		u, err := NewUntyped(fmt.Sprintf("|S%d", size), shape, randomOptions(rnd, shape))
		if err != nil {
			t.Fatal(err)
		}
		m := &model{shape: shape, item: size, data: make([]byte, int(boxItems(make([]int64,
			len(shape)), shape))*size)}
		exercise(t, rnd, u, m)
		got, seen := make([]byte, len(m.data)), make([]byte, len(m.data))
		var mu sync.Mutex
		show := func(b *inside.Block) error {
			mu.Lock()
			defer mu.Unlock()
			data, twin := b.Data, model{shape, size, got}
			if data == nil {
				data = bytes.Repeat(b.Item, int(b.Items()))
			}
			twin.write(data, b.Start, b.Stop)
			m.box(b.Start, b.Stop, func(at int) { seen[at]++ })
			return nil
		}
		check := func(how string) {
			t.Helper()
			once := func(from int) bool { return seen[from] == 1 }
			for at := 0; at < len(seen); at += size {
				if !once(at) {
					t.Fatalf("round %d, %s: shape %v: item %d came %d times", round, how, shape, at/size, seen[at])
				}
			}
			if !bytes.Equal(got, m.data) {
				t.Fatalf("round %d, %s: shape %v chunks %v blocks %v: items differ", round, how,
					shape, u.chunkShape(), u.blockShape())
			}
			clear(got)
			clear(seen)
		}
		if err := passOver(t.Context(), u, show); err != nil {
			t.Fatal(err)
		}
		check("visit")
		for b, err := range u.Blocks(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			data := bytes.Repeat(b.Values, int(b.Times))
			if err := show(&inside.Block{Start: b.Start, Stop: b.Stop, Data: data}); err != nil {
				t.Fatal(err)
			}
		}
		check("Blocks")
		var inOrder []byte
		for item, err := range u.Values(t.Context()) {
			if err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
			inOrder = append(inOrder, item...)
		}
		if !bytes.Equal(inOrder, m.data) {
			t.Fatalf("round %d: Values differ", round)
		}
	}
}

// weigh returns the sum of the items of an array, each times its number modulo 97, and how many
// runs and blocks a visit yields. foreign says that the file has the other byte order.
func weigh(t *testing.T, a Array[int16], foreign bool) (total int64, runs, shown int, err error) {
	var mu sync.Mutex
	seen := map[int]bool{}
	err = a.View().Inside().Visit(t.Context(), &inside.Visitor{
		Host: true,
		Block: func(b *inside.Block) error {
			mu.Lock()
			defer mu.Unlock()
			shown++
			if b.Chunk == 1 && (b.Data != nil || b.Kind != chunk.SpecialValue || b.Items() != 100*1000) {
				t.Errorf("the chunk of one value comes as %+v", b)
			}
			at := slices.Clone(b.Start)
			for k := range b.Items() {
				data := b.Item
				if b.Data != nil {
					data = b.Data[2*k:]
				}
				if b.Data == nil && foreign {
					data = []byte{data[1], data[0]} // items have the byte order of the file
				}
				v := int16(binary.NativeEndian.Uint16(data))
				total += int64(v) * ((at[0]*1000 + at[1]) % 97)
				advance(at, b.Start, b.Stop)
			}
			return nil
		},
		RunDone: func(_, run int) error {
			mu.Lock()
			defer mu.Unlock()
			seen[run] = true
			return nil
		},
	})
	return total, len(seen), shown, err
}

// TestTypedVisits visits typed arrays: with foreign byte order, and with a chunk of many runs, from
// memory and from a file.
func TestTypedVisits(t *testing.T) {
	values := make([]int16, 1300*1000)
	for i := range values {
		values[i] = int16(i * 7)
	}
	path := filepath.Join(t.TempDir(), "a.b2nd")
	o := &Options{ChunkShape: Shape{1200, 1000}, BlockShape: Shape{50, 300}, Workers: 3, Codec: codecs.LZ4}
	file, err := CreateUntyped(path, ">i2", Shape{1300, 1000}, o)
	if err != nil {
		t.Fatal(err)
	}
	memory, err := NewUntyped("<i2", Shape{1300, 1000}, o)
	if err != nil {
		t.Fatal(err)
	}
	bigHost := binary.NativeEndian.Uint16([]byte{0, 1}) == 1
	for _, u := range []*Untyped{file, memory} {
		a, err := As[int16](u)
		if err == nil {
			err = a.Write(t.Context(), values)
		}
		if err == nil {
			err = a.Fill(t.Context(), -3, From(1200))
		}
		if err == nil {
			err = a.Commit(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		want := int64(0)
		for i, v := range values {
			if i >= 1200*1000 {
				v = -3
			}
			want += int64(v) * int64(i%97)
		}
		total, runs, shown, err := weigh(t, a, (u == file) != bigHost)
		if err != nil || total != want || runs < 4 || shown != 24*4+1 {
			t.Fatalf("total %d, want %d; %d runs, %d blocks: %v", total, want, runs, shown, err)
		}
		i := 0
		for v, err := range a.Values(t.Context()) {
			if err != nil || i < 1200*1000 && v != values[i] || i >= 1200*1000 && v != -3 {
				t.Fatalf("value %d is %d, %v", i, v, err)
			}
			i++
		}
		if i != len(values) {
			t.Fatalf("%d values", i)
		}
	}
}

func TestChunksReportSpecialKinds(t *testing.T) {
	a, err := New[float32](Shape{50}, &Options{ChunkShape: Shape{10}, Uninit: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if err := errors.Join(a.Fill(ctx, 0, Range(10, 20)), a.Fill(ctx, float32(math.NaN()), Range(20,
		30)), a.Fill(ctx, 2.5, Range(30, 40)),
		a.Write(ctx, []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, Range(40, 50))); err != nil {
		t.Fatal(err)
	}
	want := []chunk.Special{
		chunk.SpecialUninit, chunk.SpecialZeros, chunk.SpecialNaN, chunk.SpecialValue, chunk.SpecialNone,
	}
	items := [][]byte{{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0xc0, 0x7f}, {0, 0, 0x20, 0x40}, nil}
	i := 0
	for c, err := range a.Chunks(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		if c.Index != int64(i) || c.Kind != want[i] || !bytes.Equal(c.Item, items[i]) ||
			c.Start[0] != int64(10*i) || c.Items() != 10 || c.Decoded != 40 {
			t.Errorf("chunk %d is %+v", i, c)
		}
		if (c.Stored > 0) != (i >= 1) && i != 1 && i != 2 {
			t.Errorf("chunk %d: %d bytes stored", i, c.Stored)
		}
		i++
	}
	if i != 5 {
		t.Fatalf("%d chunks", i)
	}
	for range a.Chunks(ctx) {
		break
	}
}

// TestVisitsEndSoon checks that an error of the visitor, or the end of the context, ends a visit
// long before everything is decoded.
func TestVisitsEndSoon(t *testing.T) {
	for _, workers := range []int{1, 4} {
		a, err := New[uint32](Shape{400, 1000}, &Options{ChunkShape: Shape{10, 1000},
			BlockShape: Shape{5, 1000}, Level: chunk.Stored, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		values := make([]uint32, 400*1000)
		for i := range values {
			values[i] = uint32(i)
		}
		if err := a.Write(t.Context(), values); err != nil {
			t.Fatal(err)
		}
		refuse, calls := errors.New("enough"), 0
		var mu sync.Mutex
		err = passOver(t.Context(), a, func(*inside.Block) error {
			mu.Lock()
			defer mu.Unlock()
			if calls++; calls >= 3 {
				return refuse
			}
			return nil
		})
		if !errors.Is(err, refuse) || calls > 3+2*workers {
			t.Errorf("%d workers: %d calls, %v", workers, calls, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		calls = 0
		err = passOver(ctx, a, func(*inside.Block) error {
			mu.Lock()
			defer mu.Unlock()
			if calls++; calls == 3 {
				cancel()
			}
			return nil
		})
		if !errors.Is(err, context.Canceled) || calls > 3+2*workers {
			t.Errorf("%d workers, cancelled: %d calls, %v", workers, calls, err)
		}
		turns, last := 0, error(nil)
		for _, err := range a.Values(ctx) {
			turns, last = turns+1, err
		}
		if turns != 1 || !errors.Is(last, context.Canceled) {
			t.Errorf("Values after the end: %d turns, %v", turns, last)
		}
		for _, err := range a.Values(t.Context()) {
			if err != nil {
				t.Error(err)
			}
			break
		}
		for _, err := range a.Blocks(t.Context()) {
			if err != nil {
				t.Error(err)
			}
			break
		}
	}
}

// TestVisitsReportDamage checks that decoding blocks of a damaged chunk is an error; special chunks
// are never decoded.
func TestVisitsReportDamage(t *testing.T) {
	a, err := New[int32](Shape{4, 3000}, &Options{ChunkShape: Shape{1, 3000}, BlockShape: Shape{1, 1000}})
	if err != nil {
		t.Fatal(err)
	}
	values := make([]int32, 3000)
	for i := range values {
		values[i] = int32(i * i)
	}
	if err := a.Write(t.Context(), values, Index(2)); err != nil {
		t.Fatal(err)
	}
	raw, err := a.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	info, err := a.Frame().Chunk(2)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		raw[info.Offset+60+int64(i)] ^= 0xff
	}
	u, err := OpenReader(bytes.NewReader(raw), int64(len(raw)), nil)
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	last := error(nil)
	for b, err := range u.Blocks(t.Context()) {
		if err != nil {
			last = err
			break
		}
		if b.Times != 3000 {
			t.Errorf("chunk %d comes as %d items", b.Chunk, len(b.Values))
		}
		shown++
	}
	if shown != 2 || !errors.Is(last, cairn.ErrCorrupt) {
		t.Fatalf("%d chunks shown, then %v", shown, last)
	}
}
