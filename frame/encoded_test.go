package frame

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

func special(t *testing.T, kind chunk.Special, value []byte, nbytes, typeSize int) []byte {
	t.Helper()
	c, err := chunk.AppendSpecial(nil, kind, value, nbytes, typeSize, 0)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestEncodedSpecialChunks checks which encoded special chunks become index entries, and that all
// keep their items.
func TestEncodedSpecialChunks(t *testing.T) {
	nan32 := bytes.Repeat(binary.LittleEndian.AppendUint32(nil, 0x7fc00000), 20)
	nan64 := bytes.Repeat(binary.LittleEndian.AppendUint64(nil, math.Float64bits(math.NaN())&^1), 10)
	zeros := make([]byte, 80)
	for _, c := range []struct {
		name     string
		typeSize int
		chunk    []byte
		inIndex  bool
		want     []byte
	}{
		{"zeros", 8, special(t, chunk.SpecialZeros, nil, 80, 4), true, zeros},
		{"NaN", 8, special(t, chunk.SpecialNaN, nil, 80, 8), true, nan64},
		{"NaN of another size", 8, special(t, chunk.SpecialNaN, nil, 80, 4), false, nan32},
		{"NaN that does not come out even", 32, special(t, chunk.SpecialNaN, nil, 80, 4), false, nan32},
		{"value", 8, special(t, chunk.SpecialValue, []byte("01234567"), 80, 8), false, bytes.Repeat([]byte("01234567"), 10)},
		{"unspecified", 8, special(t, chunk.SpecialUninit, nil, 80, 4), true, zeros},
		{"unspecified of half items", 32, special(t, chunk.SpecialUninit, nil, 80, 4), true, zeros},
	} {
		for _, variable := range []bool{false, true} {
			f, err := New(&Options{TypeSize: c.typeSize})
			if err != nil {
				t.Fatal(err)
			}
			if variable {
				mustAppend(t, f, ramp(10, 0), ramp(20, 0))
			}
			mustAppend(t, f, ramp(20, 0))
			at := f.NumChunks() - 1
			if err := f.Inside().InsertEncoded(noContext, at, c.chunk); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			b, err := f.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			mustClose(t, f)
			if f, err = FromBytes(b, nil); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			got := make([]byte, 80)
			if _, err := f.ReadChunk(noContext, got, at); err != nil || !bytes.Equal(got, c.want) {
				t.Fatalf("%s: % x, %v", c.name, got, err)
			}
			info, err := f.Chunk(at)
			if err != nil || info.InIndex != (c.inIndex && !variable) || f.Info().Variable != variable {
				t.Fatalf("%s, variable=%v: %+v, %v", c.name, variable, info, err)
			}
			if !info.InIndex && info.Kind != chunk.SpecialNone && info.Kind != chunk.SpecialValue {
				t.Fatalf("%s: C-Blosc2 refuses a stored chunk of kind %v", c.name, info.Kind)
			}
			mustClose(t, f)
		}
	}
}

// vlChunk is a chunk of two blocks of variable length, 29 and 3 bytes, both stored.
func vlChunk() []byte {
	c := []byte{6, 1, 0x15, 1, 32, 0, 0, 0, 2, 0, 0, 0, 80, 0, 0, 0}
	c = append(c, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0)
	c = append(c, 40, 0, 0, 0, 73, 0, 0, 0)
	c = append(append(c, 29, 0, 0, 0), "the quick brown fox jumps on "...)
	return append(append(c, 3, 0, 0, 0), "dog"...)
}

func TestBlocksOfVariableLengthAreNotMixedWithOthers(t *testing.T) {
	f, err := New(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.AppendEncoded(noContext, vlChunk()); err != nil {
		t.Fatal(err)
	}
	if _, err := f.AppendEncoded(noContext, vlChunk()); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Append(noContext, ramp(8, 0)); !errors.Is(err, cairn.ErrUnsupported) {
		t.Fatalf("appending another kind: %v", err)
	}
	if err := f.AppendSpecial(noContext, chunk.SpecialZeros, 32); !errors.Is(err, cairn.ErrUnsupported) {
		t.Fatalf("appending zeros: %v", err)
	}
	b, err := f.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if b[format.AtGeneral] != 0x93 {
		t.Fatalf("flags %#x", b[format.AtGeneral])
	}
	mustClose(t, f)
	f, err = FromBytes(b, &OpenOptions{Mode: ReadWrite})
	if err != nil {
		t.Fatal(err)
	}
	c, err := f.EncodedChunk(nil, 1)
	if err != nil || !bytes.Equal(c, vlChunk()) {
		t.Fatalf("% x, %v", c, err)
	}
	if err := f.Update(noContext, 0, ramp(8, 0)); !errors.Is(err, cairn.ErrUnsupported) {
		t.Fatalf("updating to another kind: %v", err)
	}
	if err := f.Delete(noContext, 0); err != nil {
		t.Fatal(err)
	}
	if err := f.Update(noContext, 0, ramp(8, 0)); err != nil {
		t.Fatalf("the only chunk may become of another kind: %v", err)
	}
	mustClose(t, f)
}

func TestChunksThatFramesCannotHold(t *testing.T) {
	f, err := New(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	small := []byte{2, 1, 0x02, 1, 4, 0, 0, 0, 4, 0, 0, 0, 20, 0, 0, 0, 'a', 'b', 'c', 'd'}
	if _, err := f.AppendEncoded(noContext, small); !errors.Is(err, cairn.ErrUnsupported) {
		t.Fatalf("less than 32 bytes: %v", err)
	}
	if _, err := f.AppendEncoded(noContext, append(special(t, chunk.SpecialZeros, nil, 80, 1), 0)); !errors.Is(err, cairn.ErrCorrupt) {
		t.Fatalf("a byte too many: %v", err)
	}
}

func TestMetalayersOfANewFrameAreRolledBack(t *testing.T) {
	for _, withChunk := range []bool{false, true} {
		m := storage.NewMemory()
		f := mustCreate(t, "f", &Options{FS: m, Meta: []meta.Layer{{Name: "a", Content: []byte("1")}}})
		if withChunk {
			mustAppend(t, f, ramp(9, 9))
		}
		if err := f.SetMeta("b", []byte("much longer")); err != nil {
			t.Fatal(err)
		}
		mustAppend(t, f, ramp(10, 0))
		if err := f.Rollback(); err != nil {
			t.Fatal(err)
		}
		mustAppend(t, f, ramp(10, 5))
		got := make([]byte, 40)
		if _, err := f.ReadChunk(noContext, got, 0); err != nil || !bytes.Equal(got, ramp(10, 5)) {
			t.Fatalf("before the commit: %v", err)
		}
		mustClose(t, f)
		f, err := Open("f", &OpenOptions{FS: m})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.ReadChunk(noContext, got, 0); err != nil || !bytes.Equal(got, ramp(10, 5)) || len(f.Layers()) != 1 {
			t.Fatalf("after it: %v, %v", f.Layers(), err)
		}
		if info := f.Info(); info.FrameLen != info.HeaderLen+info.CBytes+int64(len(mustEnd(t, f))) {
			t.Fatalf("dead bytes in a frame written in one go: %+v", info)
		}
		mustClose(t, f)
	}
}

func mustEnd(t *testing.T, f *Frame) []byte {
	t.Helper()
	end, err := f.cur.Load().draft().end(&index.Packer{}, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return end
}
