package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/test/golden"
	"github.com/cairn-go/cairn/ndarray"
)

// These tests belong to the table of oddities in docs/support.md: goldens that are valid but
// unusual. The tests over all goldens show that they are decoded correctly, whole and in parts,
// from files and from memory.

// changed opens a copy of a golden for writing, changes it, and returns its path.
func changed(t *testing.T, name string, change func(f *frame.Frame) error) string {
	t.Helper()
	path, from := filepath.Join(t.TempDir(), name), findGolden(t, name)
	if err := os.WriteFile(path, goldenBytes(t, from.Name), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := frame.Open(path, &frame.OpenOptions{Mode: frame.ReadWrite})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(change(f), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// reread returns the decoded chunks of a frame.
func reread(t *testing.T, path string, o *frame.OpenOptions) []byte {
	t.Helper()
	f, err := frame.Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	whole, err := decodeFrame(f)
	if err != nil {
		t.Fatal(err)
	}
	return whole
}

func openArray(t *testing.T, path string, mode ndarray.Mode) *ndarray.Untyped {
	t.Helper()
	u, err := ndarray.Open(path, &ndarray.OpenOptions{Mode: mode})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { u.Close() })
	return u
}

// TestSurplusChunks writes to an array that has more chunks than its shape needs, and changes the
// shape, which drops the surplus.
func TestSurplusChunks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.b2nd")
	if err := os.WriteFile(path, goldenBytes(t, "defect-20.b2nd"), 0o666); err != nil {
		t.Fatal(err)
	}
	u := openArray(t, path, ndarray.ReadWrite)
	rows := noise(16)
	want, err := u.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	copy(want[5*8:], rows)
	if err := u.WriteBox(t.Context(), rows, []int64{5, 0}, []int64{7, 8}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(u.Resize(t.Context(), ndarray.Shape{9, 8}, nil), u.Close()); err != nil {
		t.Fatal(err)
	}
	u = openArray(t, path, ndarray.ReadOnly)
	got, err := u.Read(t.Context())
	if err != nil || !bytes.Equal(got, append(want, make([]byte, 8)...)) || u.Frame().NumChunks() != 6 {
		t.Errorf("%d chunks, %v, or other items", u.Frame().NumChunks(), err)
	}
}

// TestWrongBlockSizes reads chunks whose header states another block size than that of their blocks
// or of their array.
func TestWrongBlockSizes(t *testing.T) {
	decodesGoldens(t, "defect-03.chunk", "defect-26.chunk")
	c := findGolden(t, "ragged-last-chunk.b2frame")
	whole, err := decodeFrame(opened(t, c.Name))
	checkDecoded(t, c, whole, err)
	r, err := ndarray.Verify(t.Context(), findGolden(t, "odd-recut.b2nd").Path(), nil)
	if err != nil || r.Recut != 1 {
		t.Errorf("%d chunks have other blocks, want 1, %v", r.Recut, err)
	}
	u := openArray(t, findGolden(t, "odd-recut.b2nd").Path(), ndarray.ReadOnly)
	items, err := u.Read(t.Context())
	checkDecoded(t, findGolden(t, "odd-recut.b2nd"), items, err)
}

// TestItemsOfMoreThan255Bytes reads and changes frames and arrays with items too large for the type
// size in chunk headers.
func TestItemsOfMoreThan255Bytes(t *testing.T) {
	wide := 0
	for _, c := range manifest(t).Cases {
		if c.Kind != golden.Frame || c.TypeSize <= 255 || c.Sparse {
			continue
		}
		wide++
		more := noise(2 * c.TypeSize)
		want := append(slices.Clone(reread(t, c.Path(), nil)), more...)
		path := changed(t, c.Name, func(f *frame.Frame) error {
			_, err := f.Append(t.Context(), more)
			return err
		})
		if f := opened(t, c.Name); f.TypeSize() != c.TypeSize || !bytes.Equal(reread(t, path, nil), want) {
			t.Errorf("%s has items of %d bytes, or others after a change", c.Name, f.TypeSize())
		}
	}
	if wide < 5 {
		t.Errorf("%d frames with such items", wide)
	}
	u := openArray(t, findGolden(t, "dtype-struct-wide.b2nd").Path(), ndarray.ReadOnly)
	items, err := u.Read(t.Context())
	checkDecoded(t, findGolden(t, "dtype-struct-wide.b2nd"), items, err)
	if u.TypeSize() != 300 {
		t.Errorf("items of %d bytes", u.TypeSize())
	}
}

// TestDTypesOfOtherSizes reads arrays whose dtype has another size than their items. The dtype is
// kept as text, and no Go type matches it.
func TestDTypesOfOtherSizes(t *testing.T) {
	for name, note := range map[string]string{"odd-dtype-narrow.b2nd": "1 bytes, but items have 4", "odd-dtype-wide.b2nd": "8 bytes, but items have 2"} {
		c := findGolden(t, name)
		if r, err := ndarray.Verify(t.Context(), c.Path(), nil); err != nil || !strings.Contains(r.DTypeNote, note) {
			t.Errorf("%s: %q, %v", name, r.DTypeNote, err)
		}
		u := openArray(t, c.Path(), ndarray.ReadOnly)
		if _, err := ndarray.As[uint8](u); !errors.Is(err, cairn.ErrType) {
			t.Errorf("%s as bytes: %v", name, err)
		}
		if _, err := ndarray.As[float64](u); !errors.Is(err, cairn.ErrType) {
			t.Errorf("%s as float64: %v", name, err)
		}
		v, err := ndarray.Copy(t.Context(), u, &ndarray.CopyOptions{AutoShapes: true})
		if err != nil {
			t.Fatal(err)
		}
		defer v.Abort()
		items, err := v.Read(t.Context())
		checkDecoded(t, c, items, err)
		if v.DType().String() != c.DType || v.TypeSize() != c.TypeSize {
			t.Errorf("the copy of %s has items %s of %d bytes", name, v.DType().String(), v.TypeSize())
		}
	}
}

// TestSparseNumbersBeyondTheFileSize reads a sparse frame with chunk numbers that C-Blosc2, which
// checks them like offsets, rejects. In a contiguous frame, an offset must be within the file.
func TestSparseNumbersBeyondTheFileSize(t *testing.T) {
	c := findGolden(t, "defect-08.b2frame")
	whole, err := decodeFrame(opened(t, c.Name))
	checkDecoded(t, c, whole, err)
	raw := goldenBytes(t, "odd-trailing.b2frame")
	f := opened(t, "odd-trailing.b2frame")
	// the entry of the second chunk, in an uncompressed index
	entry := int(f.Info().HeaderLen+f.Info().CBytes) + 32 + 8
	raw[entry+2] = 1
	g, err := frame.FromBytes(raw, nil)
	if err == nil {
		_, err = decodeFrame(g)
	}
	if !errors.Is(err, cairn.ErrCorrupt) {
		t.Errorf("a chunk 64 KiB behind the file: %v", err)
	}
}

// TestDeadSpace counts dead bytes, and removes them by copying and by compacting.
func TestDeadSpace(t *testing.T) {
	for name, some := range map[string]bool{"updated.b2frame": false, "deleted.b2frame": true, "busy.b2frame": true, "emptied-refilled.b2frame": true} {
		c := findGolden(t, name)
		r, err := frame.Verify(t.Context(), c.Path(), nil)
		if err != nil || (r.Dead > 0) != some {
			t.Errorf("%s: %d dead bytes, %v", name, r.Dead, err)
		}
		again := filepath.Join(t.TempDir(), "copy")
		if err := frame.Copy(t.Context(), again, opened(t, name).Snapshot(), nil); err != nil {
			t.Fatal(err)
		}
		compact := changed(t, name, func(f *frame.Frame) error {
			_, err := f.Compact(t.Context())
			return err
		})
		for _, path := range []string{again, compact} {
			r, err := frame.Verify(t.Context(), path, nil)
			if err != nil || r.Dead != 0 {
				t.Errorf("%s: still %d dead bytes, %v", name, r.Dead, err)
			}
			checkDecoded(t, c, reread(t, path, nil), nil)
		}
	}
}

// TestTrailingBytes opens frames with further bytes behind them in every way, and changes one.
func TestTrailingBytes(t *testing.T) {
	c := findGolden(t, "odd-trailing.b2frame")
	checkDecoded(t, c, reread(t, c.Path(), &frame.OpenOptions{Map: true}), nil)
	more := noise(600)
	path := changed(t, c.Name, func(f *frame.Frame) error { return f.Insert(t.Context(), 0, more) })
	if got, want := reread(t, path, nil), append(slices.Clone(more), reread(t, c.Path(), nil)...); !bytes.Equal(got, want) {
		t.Errorf("%d bytes after a change, want %d, or others", len(got), len(want))
	}
	u := openArray(t, findGolden(t, "odd-trailing.b2nd").Path(), ndarray.ReadOnly)
	items, err := u.Read(t.Context())
	checkDecoded(t, findGolden(t, "odd-trailing.b2nd"), items, err)
}

// TestSeveralFramesInOneFile reads each of three frames in one file by its offset. None of them can
// be opened for writing.
func TestSeveralFramesInOneFile(t *testing.T) {
	for _, name := range []string{"odd-several-0.b2frame", "odd-several-1.b2frame", "odd-several-2.b2frame"} {
		c := findGolden(t, name)
		checkDecoded(t, c, reread(t, c.Path(), &frame.OpenOptions{Offset: c.Offset}), nil)
		if _, err := frame.Verify(t.Context(), c.Path(), &frame.OpenOptions{Offset: c.Offset}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := frame.Open(c.Path(), &frame.OpenOptions{Offset: c.Offset, Mode: frame.ReadWrite}); !errors.Is(err, cairn.ErrReadOnly) {
			t.Errorf("%s opens for writing: %v", name, err)
		}
		if _, err := frame.Open(c.Path(), &frame.OpenOptions{Offset: c.Offset + 1}); !errors.Is(err, cairn.ErrCorrupt) {
			t.Errorf("%s opens a byte later: %v", name, err)
		}
	}
}
