package zarr

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// zippedArray returns an archive with an array whose chunks are stored as they are.
func zippedArray(t *testing.T, o *SaveOptions) []byte {
	t.Helper()
	fsys := storage.NewMemory()
	o.FS, o.Compressor = fsys, NoCompressor
	src := numbered(t, ndarray.Shape{10, 10}, nil)
	if err := Save(t.Context(), "a.zarr.zip", src, o); err != nil {
		t.Fatal(err)
	}
	b, err := get(t.Context(), files{fsys, ""}, "a.zarr.zip", 1<<20, nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Other programs find members by names that are not ASCII only if the archive says that they are
// UTF-8; otherwise zarr-python reads fill values.
func TestNamesOfMembersAreUTF8(t *testing.T) {
	fsys := storage.NewMemory()
	w, err := Create("a.zarr.zip", &SaveOptions{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"/Größe/Höhe", "/plain"} {
		if err := w.Put(t.Context(), key, numbered(t, ndarray.Shape{4}, nil), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := get(t.Context(), files{fsys, ""}, "a.zarr.zip", 1<<20, nil)
	if err != nil {
		t.Fatal(err)
	}

	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		if want := strings.HasPrefix(f.Name, "Größe"); f.NonUTF8 || f.Flags>>11&1 == 1 != want {
			t.Errorf("%s: flags %#x, NonUTF8 %v", f.Name, f.Flags, f.NonUTF8)
		}
	}
}

// A flipped bit of a member is found, whether a chunk is read as a whole or a part of it.
func TestMembersOfArchivesAreCompared(t *testing.T) {
	for name, o := range map[string]*SaveOptions{
		"chunks": {Chunks: ndarray.Shape{4, 4}, NoShards: true},
		"shards": {Chunks: ndarray.Shape{2, 2}, Shards: ndarray.Shape{4, 4}},
	} {
		whole := zippedArray(t, o)
		z, err := zip.NewReader(bytes.NewReader(whole), int64(len(whole)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			if strings.HasSuffix(f.Name, ".json") {
				continue
			}
			at, err := f.DataOffset()
			if err != nil {
				t.Fatal(err)
			}
			damaged := bytes.Clone(whole)
			damaged[at+int64(f.UncompressedSize64/3)] ^= 4
			s, err := OpenReader(bytes.NewReader(damaged), int64(len(damaged)), nil)
			if err != nil {
				t.Fatal(err)
			}
			a, err := s.Array(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			err = a.ReadBytes(t.Context(), make([]byte, 400), []int64{0, 0}, []int64{10, 10})
			if !errors.Is(err, cairn.ErrChecksum) {
				t.Errorf("%s, %s: %v", name, f.Name, err)
			}
			for range 2 {
				failed := 0
				for i := range int64(100) {
					if a.ReadBytes(t.Context(), make([]byte, 4), []int64{i / 10, i % 10}, []int64{i/10 + 1, i%10 + 1}) != nil {
						failed++
					}
				}
				if failed == 0 || failed > 16 {
					t.Errorf("%s, %s: %d items cannot be read", name, f.Name, failed)
				}
			}
		}
	}
}

// An archive may have the folder of the store in it.
func TestFoldersInArchives(t *testing.T) {
	whole := zippedArray(t, &SaveOptions{Chunks: ndarray.Shape{4, 4}})
	from, err := zip.NewReader(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	for _, prefix := range []string{"a.zarr/", "__MACOSX/a/ a.zarr/", "a.zarr/ b.zarr/"} {
		var packed bytes.Buffer
		to := zip.NewWriter(&packed)
		for folder := range strings.FieldsSeq(prefix) {
			for _, f := range from.File {
				if strings.HasPrefix(folder, "__") && strings.HasSuffix(f.Name, "json") {
					continue
				}
				w, err := to.Create(folder + f.Name)
				if err != nil {
					t.Fatal(err)
				}
				r, err := f.Open()
				if err != nil {
					t.Fatal(err)
				}
				if _, err := io.Copy(w, r); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := to.Close(); err != nil {
			t.Fatal(err)
		}

		s, err := OpenReader(bytes.NewReader(packed.Bytes()), int64(packed.Len()), nil)
		if several := strings.Contains(prefix, "b.zarr"); several != (err != nil) {
			t.Errorf("%s: %v", prefix, err)
		}
		if err != nil {
			continue
		}
		a, err := s.Array(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		item := make([]byte, 4)
		if err := a.ReadBytes(t.Context(), item, []int64{9, 8}, []int64{10, 9}); err != nil || item[0] != 908&0xff {
			t.Errorf("%s: %v %v", prefix, item, err)
		}
	}
}
