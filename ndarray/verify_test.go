package ndarray

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
)

// odd is an inconsistent array: a frame made by hand.
type odd struct {
	meta      meta.B2ND
	typeSize  int
	chunks    [][]byte // decoded
	blockSize int      // of the chunks; 0 means automatic
	plain     bool     // without metalayer
}

func (o odd) create(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "odd.b2nd")
	fo := &frame.Options{TypeSize: o.typeSize, ChunkSize: len(o.chunks[0]), BlockSize: o.blockSize}
	if !o.plain {
		fo.Meta = []meta.Layer{{Name: meta.LayerB2ND, Content: o.meta.Append(nil)}}
	}
	f, err := frame.Create(path, fo)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range o.chunks {
		if _, err := f.Append(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// vector is the geometry of 100 items in chunks of 40 and blocks of 10.
func vector(dtype string) meta.B2ND {
	return meta.B2ND{Shape: []int64{100}, ChunkShape: []int32{40}, BlockShape: []int32{10}, DType: dtype}
}

// count returns chunks of 40 consecutive bytes.
func count(chunks int) [][]byte {
	var out [][]byte
	for c := range chunks {
		data := make([]byte, 40)
		for i := range data {
			data[i] = byte(c*40 + i)
		}
		out = append(out, data)
	}
	return out
}

func TestOddArraysReadRightOrNotAtAll(t *testing.T) {
	want := slices.Concat(count(3)...)[:100]
	for _, c := range []struct {
		name   string
		odd    odd
		openAs error  // nil if it opens
		read   error  // nil if reading gives want
		verify string // part of the error
		note   string // part of the remark on the dtype
	}{
		{"as it should be", odd{vector("|u1"), 1, count(3), 10, false}, nil, nil, "", ""},
		{"chunks cut otherwise", odd{vector("|u1"), 1, count(3), 25, false}, nil, nil, "", ""},
		{"surplus chunks", odd{vector("|u1"), 1, count(5), 10, false}, nil, nil, "", ""},
		{"missing chunk", odd{vector("|u1"), 1, count(2), 10, false}, nil, cairn.ErrCorrupt, "the shape needs 3", ""},
		{"chunks of another size", odd{vector("<i2"), 2, count(3), 10, false}, nil, cairn.ErrCorrupt, "wants 80", ""},
		{"unknown dtype", odd{vector("mystery"), 1, count(3), 10, false}, nil, nil, "", "mystery"},
		{"dtype of another size", odd{vector("<f8"), 1, count(3), 10, false}, nil, nil, "", "8 bytes, but items have 1"},
		{"no array", odd{vector("|u1"), 1, count(3), 10, true}, cairn.ErrNotFound, nil, "no b2nd metalayer", ""},
		{"impossible chunk", odd{meta.B2ND{Shape: []int64{1}, ChunkShape: []int32{1 << 30}, BlockShape: []int32{1}, DType: "<f8"}, 8, count(3), 0, false},
			cairn.ErrCorrupt, nil, "exceeds", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := c.odd.create(t)
			r, err := Verify(t.Context(), path, nil)
			if (err == nil) != (c.verify == "") || err != nil && !strings.Contains(err.Error(), c.verify) {
				t.Errorf("verify: %v, want %q in it", err, c.verify)
			}
			if (r.DTypeNote == "") != (c.note == "") || !strings.Contains(r.DTypeNote, c.note) {
				t.Errorf("remark on the dtype: %q, want %q in it", r.DTypeNote, c.note)
			}
			u, err := Open(path, nil)
			if !errors.Is(err, c.openAs) {
				t.Fatalf("open: %v, want %v", err, c.openAs)
			}
			if err != nil {
				return
			}
			defer u.Close()
			got, err := u.Read(t.Context())
			if !errors.Is(err, c.read) {
				t.Fatalf("read: %v, want %v", err, c.read)
			}
			if err == nil && !bytes.Equal(got, want) {
				t.Fatalf("read %v", got)
			}
		})
	}
}

// The metalayer has two older forms: one ends after the block shape, the other has no byte for the
// dtype's format.
func TestAncestorsOfTheMetalayerRead(t *testing.T) {
	m := vector("|u1")
	content := m.Append(nil)
	shapes := content[:len(content)-1-5-len("|u1")]
	for _, c := range []struct {
		layer meta.Layer
		dtype string
	}{
		{meta.Layer{Name: meta.LayerCaterva, Content: shapes}, "|S1"},
		{meta.Layer{Name: meta.LayerB2ND, Content: shapes}, "|S1"},
		{meta.Layer{Name: meta.LayerB2ND, Content: append(slices.Clone(shapes),
			"\xdb\x00\x00\x00\x05uint8"...)}, "|u1"},
	} {
		f, err := frame.New(&frame.Options{ChunkSize: 40, BlockSize: 10, Meta: []meta.Layer{c.layer}})
		if err != nil {
			t.Fatal(err)
		}
		for _, data := range count(3) {
			if _, err := f.Append(t.Context(), data); err != nil {
				t.Fatal(err)
			}
		}
		b, err := f.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		u, err := FromBytes(b, nil)
		if err != nil {
			t.Fatalf("%s: %v", c.dtype, err)
		}
		got, err := u.Read(t.Context())
		if err != nil || !bytes.Equal(got, slices.Concat(count(3)...)[:100]) || u.DType().String() != c.dtype {
			t.Fatalf("%q, want %q: %v %v", u.DType().String(), c.dtype, got, err)
		}
		if _, err := As[uint8](u); (err == nil) != (c.dtype == "|u1") {
			t.Fatalf("%q as uint8: %v", c.dtype, err)
		}
	}
}

func TestVerifyCountsUnusualChunks(t *testing.T) {
	r, err := Verify(t.Context(), odd{vector("|u1"), 1, count(4), 25, false}.create(t), nil)
	if err != nil || r.Surplus != 1 || r.Recut != 3 || r.DType != "|u1" || !slices.Equal(r.Shape, Shape{100}) {
		t.Fatalf("%+v %v", r, err)
	}
}

// An array written once, in slabs of whole chunks, has a file without gaps: header, chunks, index,
// trailer.
func TestSlabsLeaveNoGaps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "slabs.b2nd")
	u, err := CreateUntyped(path, "<u4", Shape{50, 30, 20}, &Options{ChunkShape: Shape{8, 11, 20}, BlockShape: Shape{4, 5, 20}, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	slab := make([]byte, 8*30*20*4)
	for row := int64(0); row < 50; row += 8 {
		for i := range slab {
			slab[i] = byte(int64(i)*row/3 + int64(i)%7)
		}
		stop := min(row+8, 50)
		if err := u.WriteBox(t.Context(), slab[:(stop-row)*30*20*4], []int64{row, 0, 0}, []int64{stop, 30, 20}); err != nil {
			t.Fatal(err)
		}
	}
	if err := u.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := Verify(t.Context(), path, nil)
	if err != nil || r.Frame.Dead != 0 || r.Frame.Special != 0 || r.Recut != 0 || r.Frame.Live+8*int64(r.Frame.Info.NumChunks) != r.Frame.Info.CBytes {
		t.Fatalf("%+v %v", r, err)
	}
}

func TestOddArraysAreNotTyped(t *testing.T) {
	for dtype, want := range map[string]error{"mystery": nil, "<f8": cairn.ErrType} {
		u, err := Open(odd{vector(dtype), 1, count(3), 10, false}.create(t), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := As[float64](u); err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%s as float64: %v", dtype, err)
		}
		if err := u.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A repeated value may have another width than the items; it still fills the chunk.
func TestRepeatedValuesOfOtherWidths(t *testing.T) {
	for _, c := range []struct {
		dtype string
		item  int
		value []byte
	}{
		{"<i4", 4, []byte{1, 2, 3, 4}},
		{"<i4", 4, []byte{7}},
		{"<i4", 4, []byte{1, 2}},
		{"<i2", 2, []byte{1, 2, 3, 4}},
		{"|S3", 3, []byte{1, 2, 3, 4, 5, 6}},
	} {
		u, err := NewUntyped(c.dtype, Shape{10}, &Options{ChunkShape: Shape{4}, BlockShape: Shape{2}})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			encoded, err := chunk.AppendSpecial(nil, chunk.SpecialValue, c.value, 4*c.item, c.item, 2*c.item)
			if err != nil {
				t.Fatal(err)
			}
			if err := u.Frame().Inside().UpdateEncoded(t.Context(), i, encoded); err != nil {
				t.Fatal(err)
			}
		}
		part := bytes.Repeat(c.value, 4*c.item/len(c.value))
		want := bytes.Repeat(part, 3)[c.item : 9*c.item]
		got, err := u.Read(t.Context(), Range(1, 9))
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%s of %v: %v, want %v (%v)", c.dtype, c.value, got, want, err)
		}
	}
}

func TestErrorsNameTheFileTheChunkAndThePlace(t *testing.T) {
	path := odd{vector("|u1"), 1, count(3), 10, false}.create(t)
	f, err := frame.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Chunk(1)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// The decoded size, which should be 40.
	raw[info.Offset+4] = 39
	if err := os.WriteFile(path, raw, 0o644); err != nil {
		t.Fatal(err)
	}
	var ce *cairn.CorruptError
	checking, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer checking.Close()
	_, err = checking.Read(t.Context())
	if !errors.Is(err, cairn.ErrChecksum) || !errors.As(err, &ce) || ce.Chunk != 1 || ce.Offset != info.Offset || !strings.Contains(err.Error(), path) {
		t.Fatalf("%v (chunk at %d)", err, info.Offset)
	}
	u, err := Open(path, &OpenOptions{Verify: frame.VerifyOff})
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	_, err = u.Read(t.Context())
	if !errors.As(err, &ce) || ce.Chunk != 1 || ce.Offset != info.Offset+4 || !strings.Contains(err.Error(), path) {
		t.Fatalf("%v (chunk at %d)", err, info.Offset)
	}
	if _, err := u.Read(t.Context(), To(40)); err != nil {
		t.Fatalf("a chunk beside the corrupt one: %v", err)
	}
}

func TestReadOnlyAndClosedHandlesFail(t *testing.T) {
	path := odd{vector("|u1"), 1, count(3), 10, false}.create(t)
	u, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Write(t.Context(), make([]byte, 100)); !errors.Is(err, cairn.ErrReadOnly) {
		t.Errorf("write through a reader: %v", err)
	}
	if err := u.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := u.Read(t.Context()); !errors.Is(err, cairn.ErrClosed) {
		t.Errorf("read after close: %v", err)
	}
	if _, err := Create[uint8](path, Shape{1}, nil); !errors.Is(err, os.ErrExist) {
		t.Errorf("create over a file: %v", err)
	}
	a, err := Create[uint8](path, Shape{1}, &Options{Overwrite: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Abort(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, nil); err != nil {
		t.Errorf("the file is gone after Abort: %v", err)
	}
}
