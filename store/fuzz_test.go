package store

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
)

// FuzzEmbedMap opens embed stores with arbitrary lists of leaves, over 100 bytes, part of which may
// be a frame.
func FuzzEmbedMap(f *testing.F) {
	for _, v := range []any{
		entry(0, 100), entry(10, 50), entry(-1, 5), entry(int64(1)<<62, int64(1)<<62), nil, []any{1}, meta.Map{{Key: "embed_map", Value: meta.Map{}}},
		meta.Map{{Key: "embed_map", Value: meta.Map{{Key: "/r", Value: meta.Map{{Key: "urlbase", Value: "https://example.org/"}, {Key: "path", Value: "x.b2nd"}}}}}},
		meta.Map{{Key: "embed_map", Value: meta.Map{{Key: "/a/../b", Value: meta.Map{{Key: "offset", Value: 0}, {Key: "length", Value: 1}}}}}, {Key: "current_offset", Value: 7}},
	} {
		packed, err := meta.Pack(v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(packed, []byte("x"))
	}
	mark, err := meta.Pack(meta.Map{{Key: "version", Value: 1}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, list, body []byte) {
		fr, err := frame.New(&frame.Options{TypeSize: 1, ChunkSize: 64, Level: -1,
			Commits: frame.Commits{Deterministic: true}, Meta: []meta.Layer{{Name: "b2embed", Content: mark}}})
		if err != nil {
			t.Fatal(err)
		}
		defer fr.Abort()
		body = append(bytes.Clone(body), make([]byte, 100)...)
		for k := 0; k < 100; k += 64 {
			if _, err := fr.Append(t.Context(), body[k:min(k+64, 100)]); err != nil {
				t.Fatal(err)
			}
		}
		if err := fr.SetVL(embedMap, list); err != nil {
			t.Fatal(err)
		}
		leaves, err := embeddedLeaves(fr)
		for _, l := range leaves {
			if l.URL == "" && (l.Offset < 0 || l.Size < 0 || l.Offset+l.Size > 100) {
				t.Fatalf("%+v is not within 100 bytes", l)
			}
		}
		if err != nil && !errors.Is(err, cairn.ErrCorrupt) && !errors.Is(err, cairn.ErrUnsupported) && !errors.Is(err, cairn.ErrLimit) {
			t.Fatalf("an error of no kind: %v", err)
		}
		data, err := fr.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		look(t, data)
	})
}

// FuzzArchive opens archives whose members have arbitrary names and records: for each member,
// twelve bytes of says are xored to its directory record, from the flags on. An embed store is
// always there.
func FuzzArchive(f *testing.F) {
	leaf, embed := goldenMember(f, "dict.b2z", "a.b2nd"), goldenMember(f, "dict.b2z", embedName)
	f.Add("a.b2nd\ng/b.b2nd\ng/__vlmeta__.b2f", []byte{}, uint16(0), leaf)
	f.Add("a.b2nd\na.b2nd\n../x.b2f\n/y.b2nd\nembed.b2e", []byte{0, 0, 0, 0, 0, 0, 8}, uint16(3), leaf)
	f.Add(strings.Repeat("a/", 2000)+"x.b2nd", bytes.Repeat([]byte{255}, 60), uint16(9), leaf[:50])
	f.Fuzz(func(t *testing.T, names string, says []byte, end uint16, content []byte) {
		var out bytes.Buffer
		z := zip.NewWriter(&out)
		list := append(strings.Split(names, "\n"), embedName)
		for _, name := range list[max(0, len(list)-50):] {
			b := content
			if name == embedName {
				b = embed
			}
			w, err := z.CreateRaw(&zip.FileHeader{Name: name, CompressedSize64: uint64(len(b)), UncompressedSize64: uint64(len(b))})
			if err != nil {
				return
			}
			if _, err := w.Write(b); err != nil {
				return // a folder
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		data := out.Bytes()
		from := bytes.LastIndex(data, []byte("PK\x05\x06"))
		if k := int(end >> 8); k >= 4 && k < 22 {
			data[from+k] ^= byte(end)
		}
		for at := 0; len(says) > 0; says = says[min(len(says), 12):] {
			next := bytes.Index(data[at:], []byte("PK\x01\x02"))
			if next < 0 {
				break
			}
			at += next
			for i, b := range says[:min(len(says), 12)] {
				if place := at + []int{8, 10, 20, 21, 23, 24, 25, 27, 30, 42, 43, 45}[i]; place < len(data) {
					data[place] ^= b
				}
			}
			at += 4
		}
		look(t, data)
	})
}

// FuzzKind determines the kinds of frames with arbitrary metalayers, fixed and of variable length.
func FuzzKind(f *testing.F) {
	for i, m := range marks {
		f.Add(uint8(i), []byte("\x81\xa4kind\xa7c2array"), []byte("\xa1x"))
		f.Add(uint8(i), []byte{}, []byte(m.layer))
	}
	f.Fuzz(func(t *testing.T, which uint8, content, value []byte) {
		name := marks[int(which)%len(marks)].layer
		fr, err := frame.New(&frame.Options{TypeSize: 1, ChunkSize: 64,
			Commits: frame.Commits{Deterministic: true},
			Meta:    []meta.Layer{{Name: name, Content: content}, {Name: "other", Content: value}}})
		if err != nil {
			return
		}
		defer fr.Abort()
		kind, err := KindOf(fr)
		if err != nil || kind == Frame || int(kind) >= len(kindNames) {
			t.Fatalf("%s: %v, %v", name, kind, err)
		}
		for _, layer := range []string{"kind", "_object_registry"} {
			if err := fr.SetVL(layer, value); err != nil {
				t.Fatal(err)
			}
		}
		data, err := fr.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		s, err := OpenReader(bytes.NewReader(data), int64(len(data)), "x", nil)
		if err != nil {
			return
		}
		defer s.Close()
		if objects, err := s.Objects(); err == nil {
			for key, kind := range objects {
				if kind != Table && kind != RemoteStore {
					t.Fatal(fmt.Sprint(key, kind))
				}
			}
		}
	})
}
