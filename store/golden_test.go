package store

import (
	"archive/zip"
	"bytes"
	"io"
	"math"
	"os"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// unpacked returns a directory that testdata contains as an archive.
func unpacked(t testing.TB, name string) fstest.MapFS {
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	fsys := fstest.MapFS{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		fsys[f.Name] = &fstest.MapFile{Data: data}
	}
	return fsys
}

// TestGoldens reads stores written by python-blosc2, all with the same leaves.
func TestGoldens(t *testing.T) {
	for _, c := range []struct {
		name string
		kind Kind
		tree bool
	}{{"dict.b2z", DictStore, false}, {"tree.b2z", TreeStore, true}, {"embedded.b2z", TreeStore, true}, {"embed.b2e", EmbedStore, false}} {
		s, err := Open("testdata/"+c.name, nil)
		check(t, err)
		compareGolden(t, s, c.kind, c.tree)
		check(t, s.Close())
	}
	s, err := Open(".", &OpenOptions{FS: storage.IOFS(unpacked(t, "testdata/tree.b2d.zip"))})
	check(t, err)
	compareGolden(t, s, TreeStore, true)
	check(t, s.Close())
}

func compareGolden(t *testing.T, s *Store, kind Kind, tree bool) {
	t.Helper()
	var keys []string
	for l := range s.Leaves() {
		keys = append(keys, l.Key)
	}
	if want := []string{"/a", "/g/b", "/g/bytes", "/g/h/zeros"}; !slices.Equal(keys, want) || s.kind != kind {
		t.Errorf("%s: a %s of %q", s.name, s.kind, keys)
	}
	a := leafOf[int32](t, s, "/a")
	for i, v := range a {
		if int(v) != i {
			t.Fatalf("%s: item %d of /a is %d", s.name, i, v)
		}
	}
	b, zeros := leafOf[float64](t, s, "/g/b"), leafOf[float32](t, s, "/g/h/zeros")
	if len(a) != 1000 || len(b) != 12 || math.Abs(b[5]-5.0/11) > 1e-15 || len(zeros) != 3000 || slices.Max(zeros) != 0 {
		t.Errorf("%s: %d, %v, %d", s.name, len(a), b, len(zeros))
	}
	f, err := s.Frame("/g/bytes")
	check(t, err)
	data := make([]byte, 32)
	if _, err := f.ReadChunk(t.Context(), data, 0); err != nil || !bytes.Equal(data, bytes.Repeat([]byte("abcdefgh"), 4)) {
		t.Errorf("%s: /g/bytes: %q, %v", s.name, data, err)
	}
	check(t, f.Close())
	root, err := s.Attributes(t.Context(), "/")
	check(t, err)
	g, err := s.Attributes(t.Context(), "/g")
	check(t, err)
	if !tree && len(root)+len(g) > 0 {
		t.Errorf("%s: attributes %v and %v", s.name, root, g)
	}
	title, _ := root.Get("title")
	pair, _ := root.Get("pair")
	units, _ := g.Get("units")
	if p, ok := pair.(meta.Tuple); tree && (title != "a tree" || units != "K" || !ok || len(p) != 2) {
		t.Errorf("%s: attributes %v and %v", s.name, root, g)
	}
}

// leafOf reads a whole leaf.
func leafOf[T ndarray.Element](t *testing.T, s *Store, key string) []T {
	t.Helper()
	u, err := s.Array(t.Context(), key)
	check(t, err)
	defer u.Close()
	a, err := ndarray.As[T](u)
	check(t, err)
	items, err := a.Read(t.Context())
	check(t, err)
	return items
}

// TestOtherFilesInStores checks the kinds of leaves, and reads the columns of a table.
func TestOtherFilesInStores(t *testing.T) {
	s, err := Open("testdata/containers.b2z", nil)
	check(t, err)
	defer s.Close()
	for key, want := range map[string]Kind{"/array": Array, "/objects": Object, "/batches": Batch, "/table/_cols/x": Array, "/table/_meta": Frame} {
		if got, err := s.Kind(key); err != nil || got != want {
			t.Errorf("%s is a %s, %v", key, got, err)
		}
	}
	objects, err := s.Objects()
	if err != nil || len(objects) != 1 || objects["/table"] != Table {
		t.Errorf("objects %v, %v", objects, err)
	}
	if x := leafOf[int64](t, s, "/table/_cols/x"); x[0] != 1 || x[1] != 2 {
		t.Errorf("column x: %v", x)
	}
	if y := leafOf[float64](t, s, "/table/_cols/y"); y[0] != 1.5 || y[1] != 3 {
		t.Errorf("column y: %v", y)
	}
}

// TestCompressedMembers opens an archive of another program, whose compressed leaves cannot be read
// in place.
func TestCompressedMembers(t *testing.T) {
	data, err := os.ReadFile("testdata/tree.b2d.zip")
	check(t, err)
	if _, err := OpenReader(bytes.NewReader(data), int64(len(data)), "x.b2z", nil); err == nil {
		t.Error("a compressed embed store was opened")
	} else if want := `open x.b2z: member "embed.b2e" is compressed, and cannot be read where it is: unpack the archive: unsupported`; err.Error() != want {
		t.Errorf("%v", err)
	}
}
