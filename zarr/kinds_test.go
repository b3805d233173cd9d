package zarr

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"io"
	"os"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/storage"
)

// TestStoresOfOtherKinds reads stores from an io/fs, a bucket and an archive with compressed
// members.
func TestStoresOfOtherKinds(t *testing.T) {
	for _, name := range []string{"shapes-v2.zip", "shapes-v3.zip"} {
		t.Run(name, func(t *testing.T) { testOtherKinds(t, "testdata/"+name) })
	}
}

func testOtherKinds(t *testing.T, name string) {
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	deflated := deflate(t, &z.Reader)
	want, err := Open(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer want.Close()
	fromFS, err := OpenFS(&z.Reader, ".", nil)
	if err != nil {
		t.Fatal(err)
	}
	fromBucket, err := OpenBucket(t.Context(), storage.FSBucket(unpacked(t, name), "s"), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	fromDeflated, err := OpenReader(bytes.NewReader(deflated.Bytes()), int64(deflated.Len()), nil)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := keysOf(t, want)
	if err != nil {
		t.Fatal(err)
	}
	for kind, s := range map[string]*Store{"fs": fromFS, "bucket": fromBucket, "deflated": fromDeflated} {
		if got, err := keysOf(t, s); err != nil || !slices.Equal(got, keys) {
			t.Errorf("%s: keys %v, want %v: %v", kind, got, keys, err)
		}
		for _, key := range keys[1:] {
			a, err := want.Array(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			b, err := s.Array(t.Context(), key)
			if err != nil {
				t.Errorf("%s: %v", kind, err)
				continue
			}
			if !bytes.Equal(readAll(t, a), readAll(t, b)) {
				t.Errorf("%s: %s differs", kind, key)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := OpenFS(os.DirFS("testdata"), ".", nil); err == nil {
		t.Error("a directory without metadata was opened")
	}
}

// deflate returns an archive with the same members, compressed.
func deflate(t *testing.T, z *zip.Reader) *bytes.Buffer {
	t.Helper()
	var deflated bytes.Buffer
	w := zip.NewWriter(&deflated)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) { return flate.NewWriter(out, 9) })
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		out, err := w.CreateHeader(&zip.FileHeader{Name: f.Name, Method: zip.Deflate})
		if err == nil {
			_, err = io.Copy(out, in)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &deflated
}
