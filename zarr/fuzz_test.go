package zarr

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
)

// small are limits under which a fuzzer stays fast.
var small = cairn.Limits{MaxHeader: 1 << 16, MaxMeta: 1 << 18, MaxChunk: 1 << 18, MaxIndex: 1 << 16,
	MaxAlloc: 1 << 18}

// twoKeys is a store with a document, and one content for all chunks.
type twoKeys struct {
	name       string
	doc, chunk []byte
}

func (k twoKeys) open(_ context.Context, key string) (object, error) {
	b := k.chunk
	switch path.Base(key) {
	case k.name:
		b = k.doc
	case nameV3, nameArrayV2, nameGroupV2, nameAttributesV2, nameConsolidated:
		return nil, fs.ErrNotExist
	}
	return &content{r: io.NewSectionReader(bytes.NewReader(b), 0, int64(len(b)))}, nil
}

func (k twoKeys) list(context.Context, string) ([]string, error) { return []string{k.name, "a/"}, nil }
func (k twoKeys) close() error                                   { return nil }

// allowed fails unless an error is one that bad input may cause.
func allowed(t *testing.T, err error) {
	t.Helper()
	for _, ok := range []error{
		cairn.ErrCorrupt, cairn.ErrChecksum, cairn.ErrUnsupported, cairn.ErrLimit, cairn.ErrNotFound,
		io.ErrUnexpectedEOF,
	} {
		if err == nil || errors.Is(err, ok) {
			return
		}
	}
	t.Fatal(err)
}

// seedDocs calls add with the metadata of each golden array, and one of its chunks.
func seedDocs(f *testing.F, add func(v3 bool, doc, chunk []byte)) {
	for name := range goldens(f) {
		r, err := zip.OpenReader("testdata/" + name + ".zip")
		if err != nil {
			f.Fatal(err)
		}
		docs, chunks := map[string][]byte{}, map[string][]byte{}
		for _, m := range r.File {
			in, err := m.Open()
			if err != nil {
				f.Fatal(err)
			}
			b, err := io.ReadAll(in)
			if err != nil {
				f.Fatal(err)
			}
			node, _, _ := strings.Cut(m.Name, "/")
			switch path.Base(m.Name) {
			case nameV3, nameArrayV2:
				docs[node] = b
			case nameGroupV2, nameAttributesV2, nameConsolidated:
			default:
				chunks[node] = b
			}
		}
		for node, doc := range docs {
			add(strings.Contains(string(doc), "node_type"), doc, chunks[node])
		}
		_ = r.Close()
	}
}

// FuzzArray reads the first and last items of an array, whatever its metadata and its chunks are.
func FuzzArray(f *testing.F) {
	seedDocs(f, func(v3 bool, doc, chunk []byte) { f.Add(v3, doc, chunk) })
	f.Fuzz(func(t *testing.T, v3 bool, doc, chunk []byte) {
		k := twoKeys{nameArrayV2, doc, chunk}
		if v3 {
			k.name = nameV3
		}
		s := newStore("fuzz", &OpenOptions{Workers: 1, Limits: small})
		s.keys = k
		s, err := s.begin()
		if err != nil {
			allowed(t, err)
			return
		}
		if _, err := appendJSON(nil, s.nodes[""].attributes, ""); err != nil {
			t.Fatal(err)
		}
		a, err := s.Array(t.Context(), "")
		if err != nil {
			allowed(t, err)
			return
		}
		start, stop := make([]int64, len(a.shape)), make([]int64, len(a.shape))
		n := int64(a.DType().Size())
		for d, extent := range a.shape {
			stop[d] = min(extent, 3)
			n *= stop[d]
		}
		if n > 1<<20 {
			return
		}
		allowed(t, a.ReadBytes(t.Context(), make([]byte, n), start, stop))
		for d, extent := range a.shape {
			start[d], stop[d] = extent-stop[d], extent
		}
		allowed(t, a.ReadBytes(t.Context(), make([]byte, n), start, stop))
	})
}

func FuzzJSON(f *testing.F) {
	seedDocs(f, func(_ bool, doc, _ []byte) { f.Add(doc) })
	f.Add([]byte(`{"a":[1,-2.5e3,"\u00e9\ud83d\ude00",NaN,-Infinity,Infinity,18446744073709551615,1e999]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := parseJSON(b, 1<<20)
		if err != nil {
			allowed(t, err)
			return
		}
		text, err := appendJSON(nil, v, "")
		if err != nil {
			allowed(t, err) // NaN and infinity are only read
			return
		}
		if !json.Valid(text) {
			t.Fatalf("%q became %q", b, text)
		}
		again, err := parseJSON(text, 1<<20)
		if err != nil {
			t.Fatalf("%q became %q: %v", b, text, err)
		}
		if twice, err := appendJSON(nil, again, ""); err != nil || !bytes.Equal(text, twice) {
			t.Fatalf("%q became %q and %q: %v", b, text, twice, err)
		}
	})
}

// FuzzZip opens archives.
func FuzzZip(f *testing.F) {
	for _, name := range []string{"tree-v2", "tree-v3", "consolidated-v2", "consolidated-v3"} {
		b, err := os.ReadFile("testdata/" + name + ".zip")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := OpenReader(bytes.NewReader(b), int64(len(b)), &OpenOptions{Workers: 1, Limits: small})
		if err != nil {
			allowed(t, err)
			return
		}
		keys, err := keysOf(t, s)
		allowed(t, err)
		for _, key := range keys[:min(len(keys), 20)] {
			a, err := s.Array(t.Context(), key)
			if err != nil {
				allowed(t, err)
				continue
			}
			start, stop := make([]int64, len(a.shape)), make([]int64, len(a.shape))
			n := int64(a.DType().Size())
			for d, extent := range a.shape {
				stop[d] = min(extent, 2)
				n *= stop[d]
			}
			if n < 1<<20 {
				allowed(t, a.ReadBytes(t.Context(), make([]byte, n), start, stop))
			}
		}
	})
}
