package ndarray_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// packedFile writes a frame of int32 items 0, 1, 2… that has the metalayer of a packed array, as
// python-blosc2 does.
func packedFile(t *testing.T, chunkItems, blockItems int, description any, items int) string {
	t.Helper()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "p.bl2")
	f, err := frame.Create(path, &frame.Options{TypeSize: 4, ChunkSize: 4 * chunkItems, BlockSize: 4 * blockItems})
	if err != nil {
		t.Fatal(err)
	}
	all := make([]byte, 4*items)
	for i := range items {
		all[4*i], all[4*i+1] = byte(i), byte(i>>8)
	}
	for c := range slices.Chunk(all, 4*chunkItems) {
		if _, err := f.Append(ctx, c); err != nil {
			t.Fatal(err)
		}
	}
	b, err := meta.Pack(description)
	if err == nil {
		err = f.SetVL("__pack_tensor__", b)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

func describe(dtype any, shape ...any) any { return meta.Tuple{"numpy", meta.Tuple(shape), dtype} }

// Boxes of a packed array have the items of the array, wherever its chunks and blocks end.
func TestPackedArraysAreRead(t *testing.T) {
	shape := describe("<i4", int64(30), int64(7), int64(11))
	for _, chunkItems := range []int{500, 700, 2} { // rows fit, or do not, or are in pieces
		readPacked(t, packedFile(t, chunkItems, min(chunkItems, 64), shape, 30*7*11))
	}
}

// readPacked reads a packed array of 30 × 7 × 11 items, and boxes of it.
func readPacked(t *testing.T, path string) {
	t.Helper()
	ctx := context.Background()
	shape := ndarray.Shape{30, 7, 11}
	p, err := ndarray.OpenPacked(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if !slices.Equal(p.Shape(), shape) || p.DType().String() != "<i4" {
		t.Fatalf("%v of %v", p.Shape(), p.DType())
	}
	a, err := ndarray.Copy(ctx, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := a.Read(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for i := range len(whole) / 4 {
		if whole[4*i] != byte(i) || whole[4*i+1] != byte(i>>8) {
			t.Fatalf("item %d is %v", i, whole[4*i:4*i+4])
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		start, stop, size := make([]int64, 3), make([]int64, 3), int64(4)
		for i, n := range shape {
			start[i] = random.Int64N(n + 1)
			stop[i] = start[i] + random.Int64N(n-start[i]+1)
			size *= stop[i] - start[i]
		}
		got, want := make([]byte, size), make([]byte, size)
		if err := errors.Join(p.ReadBytes(ctx, got, start, stop), a.ReadBytes(ctx, want, start, stop)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("box from %v to %v differs", start, stop)
		}
	}
	if err := p.ReadBytes(ctx, make([]byte, 4), []int64{30, 0, 0}, []int64{31, 1, 1}); !errors.Is(err, cairn.ErrBounds) {
		t.Errorf("a box outside: %v", err)
	}
}

func TestPackedArraysOfOtherShapes(t *testing.T) {
	for _, c := range []struct {
		description any
		items       int
	}{
		{describe("<f4"), 1}, {describe("<i4", int64(0), int64(5)), 0}, {describe("<i4", int64(5), int64(0)), 0},
		{describe("<u4", int64(12)), 12},
		{describe([]any{[]any{"a", "<i2"}, []any{"b", "|u1"}, []any{"", "|V1"}}, int64(3), int64(4)), 12},
	} {
		p, err := ndarray.OpenPacked(packedFile(t, 5, 5, c.description, c.items), nil)
		if err != nil {
			t.Errorf("%v: %v", c.description, err)
			continue
		}
		v := ndarray.ViewOf(p)
		if got, err := v.Read(t.Context()); err != nil || len(got) != 4*c.items {
			t.Errorf("%v: %d bytes, %v", c.description, len(got), err)
		}
		p.Close()
	}
}

// TestPackedArraysOfLargeItems reads items of more than 255 bytes, which frames state as 1 byte,
// and which do not end where chunks do.
func TestPackedArraysOfLargeItems(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "p.bl2")
	f, err := frame.Create(path, &frame.Options{TypeSize: 1, ChunkSize: 1000})
	if err != nil {
		t.Fatal(err)
	}
	all := make([]byte, 300*10)
	for i := range all {
		all[i] = byte(i / 7)
	}
	for c := range slices.Chunk(all, 1000) {
		if _, err := f.Append(ctx, c); err != nil {
			t.Fatal(err)
		}
	}
	b, err := meta.Pack(describe("|S300", int64(5), int64(2)))
	if err == nil {
		err = f.SetVL("__pack_tensor__", b)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	p, err := ndarray.OpenPacked(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	got := make([]byte, 300*4)
	if err := p.ReadBytes(ctx, got, []int64{1, 0}, []int64{3, 2}); err != nil || !bytes.Equal(got, all[600:1800]) {
		t.Errorf("other items, %v", err)
	}
}

func TestPackedArraysRefuse(t *testing.T) {
	huge := int64(1) << 40
	for name, v := range map[string]any{
		"no tuple": "x", "two elements": meta.Tuple{"numpy", meta.Tuple{}}, "other size": describe("<i4", int64(13)),
		"other items": describe("<i8", int64(6)), "overflow": describe("<i4", huge, huge, huge),
		"negative": describe("<i4", int64(-12)),
		"no dtype": describe(int64(4), int64(12)), "text as extent": describe("<i4", "12"),
	} {
		_, err := ndarray.OpenPacked(packedFile(t, 5, 5, v, 12), nil)
		if !errors.Is(err, cairn.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	path := packedFile(t, 5, 5, describe("<i4", int64(3), int64(4)), 12)
	_, err := ndarray.OpenPacked(path, &ndarray.OpenOptions{Mode: ndarray.ReadWrite})
	if !errors.Is(err, cairn.ErrReadOnly) {
		t.Errorf("opened for writing: %v", err)
	}
	if _, err := ndarray.Open(path, nil); !errors.Is(err, cairn.ErrNotFound) {
		t.Errorf("opened as an array: %v", err)
	}
	plain, err := ndarray.FromSlice([]int32{1, 2}, ndarray.Shape{2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := plain.Bytes()
	if err == nil {
		err = os.WriteFile(path, b, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ndarray.OpenPacked(path, nil); !errors.Is(err, cairn.ErrNotFound) {
		t.Errorf("an array that is not packed: %v", err)
	}
}

// FuzzPacked describes the items of a frame in any way. Whatever is accepted can be read, and has
// as many bytes as the frame.
func FuzzPacked(f *testing.F) {
	for _, d := range []any{describe("<i4", int64(3), int64(4)), describe("<i4", int64(5), int64(0)),
		describe([]any{[]any{"a", "<i2"}, []any{"", "|V2"}}, int64(12)), meta.Tuple{"numpy", int64(1) << 62}} {
		b, err := meta.Pack(d)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, uint8(12), false)
	}
	f.Fuzz(func(t *testing.T, layer []byte, items uint8, bytesOnly bool) {
		o := &frame.Options{TypeSize: 4, ChunkSize: 20}
		if bytesOnly {
			o.TypeSize = 1
		}
		made, err := frame.New(o)
		if err != nil {
			t.Fatal(err)
		}
		for c := range slices.Chunk(make([]byte, 4*int(items)), 20) {
			if _, err := made.Append(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
		if made.SetVL("__pack_tensor__", layer) != nil {
			return
		}
		b, err := made.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		p, err := ndarray.OpenPackedReader(bytes.NewReader(b), int64(len(b)), nil)
		if err != nil {
			return
		}
		size, stop := int64(p.DType().Size()), p.Shape()
		for _, n := range stop {
			size *= n
		}
		if size != 4*int64(items) {
			t.Fatalf("%v of %v in %d bytes", stop, p.DType(), 4*int(items))
		}
		if err := p.ReadBytes(t.Context(), make([]byte, size), make([]int64, len(stop)), stop); err != nil {
			t.Fatal(err)
		}
	})
}
