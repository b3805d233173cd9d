package npy

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// zipOf returns an archive with one member per header, each with the same content.
func zipOf(t testing.TB, content []byte, headers ...zip.FileHeader) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, h := range headers {
		w, err := z.CreateRaw(&h)
		if err == nil {
			_, err = w.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestOtherMembers opens members that are refused, or not listed.
func TestOtherMembers(t *testing.T) {
	file := fileOf(t, 4, false, 10)
	n := uint64(len(file))
	b := zipOf(t, file,
		zip.FileHeader{Name: "lzma.npy", Method: 14, CompressedSize64: n, UncompressedSize64: n},
		zip.FileHeader{Name: "new.npy", Method: 77, CompressedSize64: n, UncompressedSize64: n},
		zip.FileHeader{Name: "secret.npy", Flags: encrypted, CompressedSize64: n, UncompressedSize64: n},
		zip.FileHeader{Name: "lie.npy", CompressedSize64: n, UncompressedSize64: n + 1},
		zip.FileHeader{Name: "huge.npy", Method: zip.Deflate, CompressedSize64: n, UncompressedSize64: 1 << 63},
		zip.FileHeader{Name: "twice.npy", CompressedSize64: n, UncompressedSize64: n},
		zip.FileHeader{Name: "twice.npy", CompressedSize64: n, UncompressedSize64: n},
		zip.FileHeader{Name: "text.txt", CompressedSize64: n, UncompressedSize64: n},
		zip.FileHeader{Name: "sum.npy", CRC32: 1, CompressedSize64: n, UncompressedSize64: n})
	z, err := OpenArchiveReader(bytes.NewReader(b), int64(len(b)), &OpenOptions{Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := z.Names(); !slices.Equal(got, []string{"lzma", "new", "secret", "lie", "huge", "twice", "sum"}) {
		t.Errorf("names %q", got)
	}
	for _, c := range []struct {
		name string
		want error
		text string
	}{
		{"lzma", cairn.ErrUnsupported, "method 14 (LZMA)"},
		{"new.npy", cairn.ErrUnsupported, "method 77"},
		{"secret", cairn.ErrUnsupported, "encryption"},
		{"lie", cairn.ErrCorrupt, "is stored in"},
		{"huge", cairn.ErrCorrupt, "a member of"},
		{"twice", cairn.ErrCorrupt, "two members"},
		{"text", cairn.ErrNotFound, "no array"},
		{"sum", cairn.ErrChecksum, "sum.npy"},
	} {
		if _, err := z.Array(t.Context(), c.name); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	for _, bad := range [][]byte{nil, []byte("PK\x03\x04"), b[:len(b)-30]} {
		if _, err := OpenArchiveReader(bytes.NewReader(bad), int64(len(bad)), nil); !errors.Is(err, cairn.ErrCorrupt) {
			t.Errorf("an archive of %d bytes: %v", len(bad), err)
		}
	}
}

// TestMembersAreReadAgain reads a compressed member that exceeds the window backwards.
func TestMembersAreReadAgain(t *testing.T) {
	u := ndarray.Items(make([]int8, 400_000), ndarray.Shape{100, 4000})
	var b bytes.Buffer
	err := WriteArchive(t.Context(), &b, func(put PutFunc) error { return put("x", u) }, &SaveOptions{Deflate: true})
	if err != nil {
		t.Fatal(err)
	}
	o := &OpenOptions{Limits: cairn.Limits{MaxAlloc: 50_000}}
	z, err := OpenArchiveReader(bytes.NewReader(b.Bytes()), int64(b.Len()), o)
	if err != nil {
		t.Fatal(err)
	}
	a, err := z.Array(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	row := make([]byte, 4000)
	for _, k := range []int64{0, 99, 98, 50, 90, 10, 11, 99} {
		row[0] = 1
		if err := a.ReadBytes(t.Context(), row, []int64{k, 0}, []int64{k + 1, 4000}); err != nil || row[0] != 0 {
			t.Errorf("row %d: %v", k, err)
		}
	}
}

// TestSavingReplacesFilesAtOnce checks what is at a path before and after.
func TestSavingReplacesFilesAtOnce(t *testing.T) {
	memory := storage.NewMemory()
	one, two := ndarray.Items([]int8{1}, ndarray.Shape{1}), ndarray.Items([]int8{2, 3}, ndarray.Shape{2})
	o := &SaveOptions{FS: memory}
	if err := Save(t.Context(), "x.npy", one, o); err != nil {
		t.Fatal(err)
	}
	if err := Save(t.Context(), "x.npy", two, o); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file was replaced: %v", err)
	}
	failing := errors.New("full")
	put := func(PutFunc) error { return failing }
	o.Overwrite = true
	if err := SaveArchive(t.Context(), "x.npy", put, o); !errors.Is(err, failing) {
		t.Error(err)
	}
	items := func() []byte {
		a, err := Open("x.npy", &OpenOptions{FS: memory})
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		b, err := ndarray.ViewOf(a).Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if got := items(); !bytes.Equal(got, []byte{1}) {
		t.Errorf("a failure left %v", got)
	}
	if err := Save(t.Context(), "x.npy", two, o); err != nil {
		t.Fatal(err)
	}
	if got := items(); !bytes.Equal(got, []byte{2, 3}) {
		t.Errorf("the new file has %v", got)
	}
	if entries, err := memory.ReadDir("."); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	twice := func(put PutFunc) error { return errors.Join(put("a", one), put("a.npy", two)) }
	if err := WriteArchive(t.Context(), &bytes.Buffer{}, twice, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("two arrays of one name: %v", err)
	}
}

// TestSavingToAFullDisk makes each change of the file system fail in turn, alone or as if the disk
// were full from then on: the old file stays, or the new one is complete.
func TestSavingToAFullDisk(t *testing.T) {
	old, fresh := ndarray.Items([]int8{1}, ndarray.Shape{1}), ndarray.Items([]int8{2, 3}, ndarray.Shape{2})
	var files [2]bytes.Buffer
	for i, src := range []ndarray.Source{old, fresh} {
		if err := Write(t.Context(), &files[i], src, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, full := range []bool{false, true} {
		for failAt := 1; ; failAt++ {
			memory := storage.NewMemory()
			if err := Save(t.Context(), "x.npy", old, &SaveOptions{FS: memory}); err != nil {
				t.Fatal(err)
			}
			faults := &storagetest.Faults{FS: memory, FailAt: failAt, Full: full}
			failed := Save(t.Context(), "x.npy", fresh, &SaveOptions{FS: faults, Overwrite: true})
			if failed == nil {
				if failAt < 3 {
					t.Errorf("only %d operations can fail", failAt-1)
				}
				break
			}
			if !errors.Is(failed, storagetest.ErrInjected) {
				t.Errorf("operation %d: %v", failAt, failed)
			}
			f, err := memory.Open("x.npy")
			if err != nil {
				t.Fatalf("operation %d: %v", failAt, err)
			}
			size, err := f.Size()
			if err != nil {
				t.Fatal(err)
			}
			got := make([]byte, size)
			if _, err := f.ReadAt(got, 0); err != nil && !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			want := files[0].Bytes()
			if errors.Is(failed, cairn.ErrCommitted) {
				want = files[1].Bytes()
			}
			if !bytes.Equal(got, want) {
				t.Errorf("operation %d left %d bytes, and failed with %v", failAt, size, failed)
			}
			if entries, err := memory.ReadDir("."); !full && (err != nil || len(entries) != 1) {
				t.Errorf("operation %d left %v, %v", failAt, entries, err)
			}
		}
	}
}
