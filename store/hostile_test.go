package store

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// look opens bytes as a store and reads as much of it as it can.
func look(t testing.TB, data []byte) {
	limits := cairn.Limits{MaxAlloc: 1 << 20, MaxIndex: 1 << 20, MaxMeta: 1 << 20}
	s, err := OpenReader(bytes.NewReader(data), int64(len(data)), "x",
		&OpenOptions{Workers: 1, Engine: chunk.Engine{Limits: limits}})
	if err != nil {
		return
	}
	defer s.Close()
	objects, _ := s.Objects()
	for key := range objects {
		s.Table(t.Context(), key)
	}
	for l := range s.Leaves() {
		kind, err := s.Kind(l.Key)
		s.Children(t.Context(), l.Key)
		s.Attributes(t.Context(), l.Key)
		if err != nil || !kind.hasItems() {
			continue
		}
		if u, err := s.Array(t.Context(), l.Key); err == nil {
			u.Read(t.Context(), ndarray.To(100))
			u.Close()
		}
	}
}

// TestDamagedStores truncates and modifies golden stores. Reading them may fail, but must not
// panic.
func TestDamagedStores(t *testing.T) {
	cuts, changes := 100, 600
	if testing.Short() { // under emulation everything takes ten times as long
		cuts, changes = cuts/10, changes/10
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	names, err := filepath.Glob("testdata/*.b2?")
	check(t, err)
	for _, name := range names {
		sound, err := os.ReadFile(name)
		check(t, err)
		for cut := 0; cut < len(sound); cut += 1 + len(sound)/cuts {
			look(t, sound[:cut])
		}
		for range changes {
			data := bytes.Clone(sound)
			for range 1 + rnd.IntN(3) {
				data[rnd.IntN(len(data))] = byte(rnd.Uint32())
			}
			look(t, data)
		}
	}
}

// TestEmbedMapsWithMissingBytes writes embed stores whose lists refer to missing bytes.
func TestEmbedMapsWithMissingBytes(t *testing.T) {
	for name, list := range map[string]any{
		"no map":            meta.Map{{Key: "current_offset", Value: 0}},
		"a list":            []any{1},
		"a number as key":   meta.Map{{Key: "embed_map", Value: meta.Map{{Key: 5, Value: meta.Map{}}}}},
		"no offset":         meta.Map{{Key: "embed_map", Value: meta.Map{{Key: "/a", Value: meta.Map{{Key: "length", Value: 5}}}}}},
		"negative offset":   entry(-1, 5),
		"negative length":   entry(0, -5),
		"beyond the end":    entry(90, 20),
		"far beyond":        entry(int64(1<<62), int64(1<<62)),
		"offset is a text":  entry("0", 5),
		"length is missing": entry(0, nil),
	} {
		data := embedStore(t, list)
		if _, err := OpenReader(bytes.NewReader(data), int64(len(data)), "x.b2e", nil); !errors.Is(err, cairn.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	data := embedStore(t, entry(10, 50))
	s, err := OpenReader(bytes.NewReader(data), int64(len(data)), "x.b2e", nil)
	check(t, err)
	if _, err := s.Array(t.Context(), "/a"); !errors.Is(err, cairn.ErrCorrupt) {
		t.Errorf("bytes that are no frame: %v", err)
	}
	check(t, s.Close())
}

func entry(offset, length any) any {
	return meta.Map{{Key: "embed_map", Value: meta.Map{{Key: "/a", Value: meta.Map{{Key: "offset", Value: offset}, {Key: "length", Value: length}}}}}}
}

// embedStore returns an embed store of 100 bytes with a list of leaves.
func embedStore(t *testing.T, list any) []byte {
	mark, err := meta.Pack(meta.Map{{Key: "version", Value: 1}})
	check(t, err)
	f, err := frame.New(&frame.Options{TypeSize: 1, ChunkSize: 64, Meta: []meta.Layer{{Name: "b2embed", Content: mark}}})
	check(t, err)
	for _, n := range []int{64, 36} {
		_, err = f.Append(t.Context(), bytes.Repeat([]byte{0xfe}, n))
		check(t, err)
	}
	packed, err := meta.Pack(list)
	check(t, err, f.SetVL(embedMap, packed))
	data, err := f.Bytes()
	check(t, err, f.Close())
	return data
}

// TestRemoteLeaves uses an entry that is the address of a remote array.
func TestRemoteLeaves(t *testing.T) {
	data := embedStore(t, meta.Map{{Key: "embed_map", Value: meta.Map{{Key: "/r", Value: meta.Map{{Key: "urlbase", Value: "https://example.org/"}, {Key: "path", Value: "x.b2nd"}}}}}})
	s, err := OpenReader(bytes.NewReader(data), int64(len(data)), "x.b2e", nil)
	check(t, err)
	defer s.Close()
	kind, err := s.Kind("/r")
	l, leafErr := s.Leaf("/r")
	check(t, err, leafErr)
	if _, err := s.Array(t.Context(), "/r"); kind != Remote || l.URL != "https://example.org/x.b2nd" || !errors.Is(err, cairn.ErrUnsupported) {
		t.Errorf("%s %q: %v", kind, l.URL, err)
	}
}

// FuzzOpen opens arbitrary bytes as a store.
func FuzzOpen(f *testing.F) {
	names, err := filepath.Glob("testdata/*.b2?")
	if err != nil || len(names) == 0 {
		f.Fatal(names, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { look(t, data) })
}
