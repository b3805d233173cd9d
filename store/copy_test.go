package store

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/derived"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// layersOf returns all metalayers of all frames of a store, including those of groups, as stored.
func layersOf(t *testing.T, s *Store) map[string][]meta.Layer {
	t.Helper()
	all := map[string][]meta.Layer{}
	for i := range s.leaves.all {
		l := &s.leaves.all[i]
		if l.URL != "" {
			continue
		}
		f, err := s.open(l)
		check(t, err)
		vl, err := f.VLLayers()
		check(t, err)
		all[l.Key] = append(slices.Clone(f.Layers()), vl...)
		check(t, f.Close())
	}
	return all
}

func sameLayers(a, b map[string][]meta.Layer) bool {
	if len(a) != len(b) {
		return false
	}
	for key, layers := range a {
		if !slices.EqualFunc(layers, b[key], func(x, y meta.Layer) bool { return x.Name == y.Name && bytes.Equal(x.Content, y.Content) }) {
			return false
		}
	}
	return true
}

// TestCopiesKeepEverything copies the stores of python-blosc2 between all forms. Every metalayer
// must stay unchanged, byte for byte, except the paths of index files of arrays, and so must the
// list of objects.
func TestCopiesKeepEverything(t *testing.T) {
	names, err := filepath.Glob("testdata/*.b2?")
	check(t, err)
	for _, name := range names {
		s, err := Open(name, nil)
		check(t, err)
		want := layersOf(t, s)
		for key, layers := range want {
			want[key] = slices.DeleteFunc(layers, func(l meta.Layer) bool { return derived.IsPlaced(l.Name) })
		}
		objects, err := s.Objects()
		check(t, err)
		for _, ext := range forms {
			path := filepath.Join(t.TempDir(), "copy"+ext)
			check(t, s.Copy(t.Context(), path, nil))
			c, err := Open(path, nil)
			check(t, err)
			if got := layersOf(t, c); !sameLayers(got, want) {
				t.Errorf("%s as %s: metalayers differ: %v, want %v", name, ext, got, want)
			}
			if got, err := c.Objects(); err != nil || len(got) != len(objects) {
				t.Errorf("%s as %s: objects %v, %v", name, ext, got, err)
			}
			if kind := c.kind; ext != ".b2e" && s.kind != EmbedStore && kind != s.kind {
				t.Errorf("%s as %s is a %s", name, ext, kind)
			}
			check(t, c.Close())
			if err := s.Copy(t.Context(), path, nil); err == nil {
				t.Errorf("%s as %s: replaced without being asked", name, ext)
			}
			check(t, s.Copy(t.Context(), path, &ndarray.CopyOptions{Overwrite: true}))
		}
		check(t, s.Close())
	}
}

// attributeValues are values that JSON does not have, as stored by python-blosc2.
func attributeValues() meta.Map {
	return meta.Map{
		{Key: "tuple", Value: meta.Tuple{int64(1), meta.Tuple{"y", nil}}},
		{Key: "frame", Value: meta.Ext{Type: 42, Data: []byte("bytes of a frame")}},
		{Key: "reference", Value: meta.Ext{Type: 43, Data: []byte{0x81, 0xa4, 'k', 'i', 'n', 'd', 0xa3, 'r', 'e', 'f'}}},
		{Key: "complex", Value: meta.Ext{Type: 44, Data: make([]byte, 16)}},
		{Key: "nested", Value: meta.Map{{Key: "set", Value: meta.Ext{Type: 45, Data: []byte{0x90}}}, {Key: int64(5), Value: []any{1.5, true}}}},
	}
}

func TestAttributesOfAllKindsAreKept(t *testing.T) {
	dir := t.TempDir()
	for _, ext := range forms[:2] {
		path := filepath.Join(dir, "s"+ext)
		w, err := Create(path, nil)
		check(t, err)
		for _, p := range attributeValues() {
			check(t, w.SetAttribute(t.Context(), "/", p.Key.(string), p.Value),
				w.SetAttribute(t.Context(), "/g/h", p.Key.(string), p.Value))
		}
		check(t, w.Close())
		s, err := Open(path, nil)
		check(t, err)
		raw := layersOf(t, s)
		for _, again := range forms {
			other := filepath.Join(dir, "copy"+ext[1:]+again)
			check(t, s.Copy(t.Context(), other, nil))
			c, err := Open(other, nil)
			check(t, err)
			got, err := c.Attributes(t.Context(), "/g/h")
			check(t, err)
			if !sameLayers(layersOf(t, c), raw) || len(got) != len(attributeValues()) {
				t.Errorf("%s as %s: %v", ext, again, got)
			}
			check(t, c.Close())
		}
		check(t, s.Close())
	}
}

func TestCopiesWithAnotherCodec(t *testing.T) {
	dir := t.TempDir()
	path, out := filepath.Join(dir, "s.b2d"), filepath.Join(dir, "copy.b2z")
	makeStore(t, path)
	s, err := Open(path, nil)
	check(t, err)
	defer s.Close()
	var done, total int64
	o := &ndarray.CopyOptions{Codec: codecs.LZ4, Level: 9, AutoShapes: true, Progress: func(d, of int64) { done, total = d, of }}
	check(t, s.Copy(t.Context(), out, o))
	c, err := Open(out, nil)
	check(t, err)
	defer c.Close()
	for l := range c.Leaves() {
		f, err := c.Frame(l.Key)
		check(t, err)
		if info := f.Info(); info.Codec != codecs.LZ4 || info.Level != 9 {
			t.Errorf("%s: %v, level %d", l.Key, info.Codec, info.Level)
		}
		check(t, f.Close())
	}
	if got := leafOf[int32](t, c, "/a"); !slices.Equal(got, []int32{1, 2, 3}) || done != total || total == 0 {
		t.Errorf("/a is %v; %d of %d", got, done, total)
	}
	if err := s.Copy(t.Context(), filepath.Join(dir, "x.b2z"), &ndarray.CopyOptions{ChunkShape: ndarray.Shape{5}}); !errors.Is(err, cairn.ErrUnsupported) {
		t.Errorf("one chunk shape for all leaves: %v", err)
	}
	nothingLeft(t, out)
}
