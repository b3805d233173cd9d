package format

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
)

// TestLookup3 compares with checksums that h5py has written: those of a superblock and a header.
func TestLookup3(t *testing.T) {
	b, err := os.ReadFile("../../testdata/basic-latest.h5")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := lookup3(b[:44]), binary.LittleEndian.Uint32(b[44:]); got != want {
		t.Errorf("checksum %08x, want %08x", got, want)
	}
	if got := lookup3(nil); got != 0xdeadbeef {
		t.Errorf("checksum %08x of nothing", got)
	}
	b[36] ^= 1 // of the address of the root group
	if _, err := Open(t.Context(), bytes.NewReader(b), int64(len(b)), cairn.Limits{}); !errors.Is(err, cairn.ErrChecksum) {
		t.Errorf("damage goes unnoticed: %v", err)
	}
}

// TestSuperblock1 turns a superblock of version 0 into one of version 1, which has four bytes more.
func TestSuperblock1(t *testing.T) {
	b, err := os.ReadFile("../../testdata/basic-earliest.h5")
	if err != nil {
		t.Fatal(err)
	}
	zero, err := Open(t.Context(), bytes.NewReader(b), int64(len(b)), cairn.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	b[8] = 1
	copy(b[28:80], slices.Clone(b[24:76]))
	copy(b[24:], "\x20\x00\x00\x00")
	one, err := Open(t.Context(), bytes.NewReader(b), int64(len(b)), cairn.Limits{})
	if err != nil || one.Root != zero.Root || one.Version != 1 {
		t.Fatalf("%+v, want %+v (%v)", one.Superblock, zero.Superblock, err)
	}
	if h, err := one.In(t.Context()).Header(one.Root); err != nil || !h.IsGroup() {
		t.Fatal(err)
	}
}

// TestClosing opens files that cannot be trusted.
func TestClosing(t *testing.T) {
	b, err := os.ReadFile("../../testdata/basic-latest.h5")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), bytes.NewReader(b), int64(len(b)-1), cairn.Limits{})
	if !errors.Is(err, cairn.ErrCorrupt) {
		t.Errorf("a truncated file: %v", err)
	}
	b[11] = flagWriting
	binary.LittleEndian.PutUint32(b[44:], lookup3(b[:44]))
	_, err = Open(t.Context(), bytes.NewReader(b), int64(len(b)), cairn.Limits{})
	if !errors.Is(err, cairn.ErrLocked) {
		t.Errorf("a file that was not closed: %v", err)
	}

	b[11] |= flagSWMR // readers may come at any time
	binary.LittleEndian.PutUint32(b[44:], lookup3(b[:44]))
	f, err := Open(t.Context(), bytes.NewReader(b), int64(len(b)), cairn.Limits{})
	if err != nil || !f.Growing() {
		t.Errorf("a file of SWMR: %v", err)
	}
}

func header(kind uint8, data string) *Header {
	return &Header{messages: []message{{kind: kind, at: None, data: []byte(data)}}}
}

// TestOldMessages reads messages of versions that no recent library writes.
func TestOldMessages(t *testing.T) {
	r := Bare(make([]byte, 100), cairn.Limits{}).In(t.Context())
	const address = "\x40\x00\x00\x00\x00\x00\x00\x00"
	for _, c := range []struct {
		name, data string
		want       Layout
	}{
		{"contiguous 1", "\x01\x02\x01\x00\x00\x00\x00\x00" + address + "\x03\x00\x00\x00\x04\x00\x00\x00",
			Layout{Class: Contiguous, Address: 64}},
		{"chunked 2", "\x02\x02\x02\x00\x00\x00\x00\x00" + address + "\x03\x00\x00\x00\x04\x00\x00\x00",
			Layout{Class: Chunked, Address: 64, Chunk: []int64{3}, ItemSize: 4}},
		{"compact 1", "\x01\x01\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00abc",
			Layout{Class: Compact, Address: None, Data: []byte("abc")}},
	} {
		l, err := r.Layout(header(msgLayout, c.data))
		if err != nil || l.Class != c.want.Class || l.Address != c.want.Address || !slices.Equal(l.Chunk, c.want.Chunk) ||
			l.ItemSize != c.want.ItemSize || !bytes.Equal(l.Data, c.want.Data) {
			t.Errorf("%s: %+v (%v)", c.name, l, err)
		}
	}
	for data, want := range map[string]string{
		"\x01\x02\x02\x01\x03\x00\x00\x00abc": "abc", "\x02\x02\x02\x00": "", "\x02\x02\x02\x01\x01\x00\x00\x00x": "x",
		"\x03\x20\x02\x00\x00\x00yz": "yz", "\x03\x10": "",
	} {
		if value, _, err := r.Fill(header(msgFill, data)); err != nil || string(value) != want {
			t.Errorf("fill value % x: %q (%v)", data, value, err)
		}
	}
	if value, _, err := r.Fill(header(msgOldFill, "\x02\x00\x00\x00ab")); err != nil || string(value) != "ab" {
		t.Errorf("old fill value: %q (%v)", value, err)
	}
	// version 2, a datatype of one byte, a scalar
	a, err := r.Attributes(header(msgAttribute, "\x02\x00\x02\x00\x0c\x00\x04\x00a\x00"+
		"\x10\x08\x00\x00\x01\x00\x00\x00\x00\x00\x08\x00"+"\x02\x00\x00\x00"+"\x07"))
	if err != nil || len(a) != 1 || a[0].Err != nil || a[0].Name != "a" || a[0].Type.Size != 1 || string(a[0].Data) != "\x07" {
		t.Errorf("attribute of version 2: %+v (%v)", a, err)
	}
	// a compound of version 1 whose only field has the shape (2)
	d, err := r.ParseDatatype([]byte("\x16\x01\x00\x00\x08\x00\x00\x00" + "f\x00\x00\x00\x00\x00\x00\x00" + "\x00\x00\x00\x00" +
		"\x01\x00\x00\x00" + "\x00\x00\x00\x00" + "\x00\x00\x00\x00" + "\x02\x00\x00\x00" + "\x00\x00\x00\x00" +
		"\x00\x00\x00\x00" + "\x00\x00\x00\x00" + "\x10\x08\x00\x00\x04\x00\x00\x00\x00\x00\x20\x00"))
	if err != nil || d.String() != "compound {f: array [2] of int32}" {
		t.Errorf("compound of version 1: %v (%v)", d, err)
	}
}

// TestLoops reads groups and trees that go in circles.
func TestLoops(t *testing.T) {
	// a node of level 1 whose children are itself
	b := []byte("TREE\x00\x01\x02\x00")
	b = append(b, bytes.Repeat([]byte{0xff}, 16)...)
	b = append(b, make([]byte, 5*8)...)
	r := Bare(b, cairn.Limits{}).In(t.Context())
	err := r.walkTree(0, groupTree, 0, func([]byte, int64) error { return nil })
	if !errors.Is(err, cairn.ErrCorrupt) {
		t.Errorf("a B-tree in circles: %v", err)
	}
	// a header that continues in itself
	h := []byte("\x01\x00\x01\x00\x01\x00\x00\x00\x18\x00\x00\x00\x00\x00\x00\x00" +
		"\x10\x00\x10\x00\x00\x00\x00\x00" + "\x10\x00\x00\x00\x00\x00\x00\x00" + "\x18\x00\x00\x00\x00\x00\x00\x00")
	r = Bare(h, cairn.Limits{}).In(t.Context())
	if _, err := r.Header(0); !errors.Is(err, cairn.ErrLimit) {
		t.Errorf("a header in circles: %v", err)
	}
}

// TestSizesOfParts refuses datatypes whose size is not that of their parts.
func TestSizesOfParts(t *testing.T) {
	r := Bare(nil, cairn.Limits{}).In(t.Context())
	const float = "\x11\x20\x1f\x00\x04\x00\x00\x00\x00\x00\x20\x00\x17\x08\x00\x17\x7f\x00\x00\x00"
	if d, err := r.ParseDatatype([]byte("\x5b\x00\x00\x00\x08\x00\x00\x00" + float)); err != nil || d.Base.FloatKind() != "f4" {
		t.Errorf("complex number: %v (%v)", d, err)
	}
	for _, data := range []string{ // a complex number, an enum, an array, a compound
		"\x5b\x00\x00\x00\xff\x7f\x00\x00" + float,
		"\x38\x00\x00\x00\x02\x00\x00\x00\x10\x08\x00\x00\x04\x00\x00\x00\x00\x00\x20\x00",
		"\x3a\x00\x00\x00\x09\x00\x00\x00\x01\x02\x00\x00\x00" + float,
		"\x36\x01\x00\x00\x03\x00\x00\x00a\x00\x00" + float,
	} {
		if d, err := r.ParseDatatype([]byte(data)); !errors.Is(err, cairn.ErrCorrupt) {
			t.Errorf("% x: %v (%v)", data, d, err)
		}
	}
}
