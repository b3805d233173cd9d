package frame

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// flips is how many bits TestFlippedBitsNeverGiveWrongData flips in each file.
var flips = flag.Int("flips", 250, "bits to flip in each small file")

// specimen is a small frame in its own file system, with its expected contents.
type specimen struct {
	name  string
	fs    storage.FS
	files []string
	want  model
}

// specimens returns frames of many kinds, all of them with checksums.
func specimens(t testing.TB) []specimen {
	t.Helper()
	var all []specimen
	for _, sparse := range []bool{false, true} {
		for _, kind := range []string{"empty", "one", "codecs", "dead", "variable", "special", "many", "stored", "adopted"} {
			s := specimen{name: fmt.Sprintf("%s, sparse=%v", kind, sparse), fs: storage.NewMemory()}
			s.want = model{vl: map[string]string{}, meta: map[string]string{}}
			s.make(t, kind, sparse)
			s.files = []string{"f"}
			if sparse {
				s.files = nil
				for _, e := range must(s.fs.ReadDir("f")) {
					s.files = append(s.files, "f/"+e.Name)
				}
			}
			all = append(all, s)
		}
	}
	return all
}

func (s *specimen) make(t testing.TB, kind string, sparse bool) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	o := Options{TypeSize: 4, ChunkSize: 400, Sparse: sparse, FS: s.fs, Meta: []meta.Layer{{Name: "fixed", Content: []byte("content")}}}
	s.want.meta["fixed"] = "content"
	count := map[string]int{"empty": 0, "one": 1, "many": 40}[kind]
	switch kind {
	case "codecs", "dead", "special", "stored", "adopted", "variable":
		count = 4
	}
	if kind == "stored" {
		o.Level = chunk.Stored
	}
	if kind == "variable" {
		o.ChunkSize = 0
	}
	o.Deterministic = kind == "adopted"
	list := []codecs.Codec{codecs.Zstd, codecs.LZ4, codecs.BloscLZ, codecs.Zlib}
	if kind == "codecs" {
		o.Codec = codecs.LZ4
	}
	f, err := Create("f", &o)
	check(err)
	for i := range count {
		d := ramp(100, i)
		if kind == "variable" {
			d = ramp(20+10*i, i)
		}
		e, err := chunk.NewEncoder(&chunk.Options{TypeSize: 4, Codec: list[i%len(list)], Level: o.Level})
		check(err)
		_, err = f.AppendEncoded(noContext, must(e.Append(nil, d)))
		check(err)
		s.want.chunks = append(s.want.chunks, d)
		if kind == "dead" {
			check(f.Commit(noContext))
		}
	}
	if kind == "special" {
		check(f.AppendSpecial(noContext, chunk.SpecialZeros, 800))
		s.want.chunks = append(s.want.chunks, make([]byte, 400), make([]byte, 400))
	}
	check(f.SetVL("name", bytes.Repeat([]byte("value"), 8)))
	s.want.vl["name"] = "valuevaluevaluevaluevaluevaluevaluevalue"
	if kind == "dead" {
		check(f.Update(noContext, 1, ramp(100, 77)))
		s.want.chunks[1] = ramp(100, 77)
	}
	check(f.Close())
	if kind == "adopted" {
		f, err := Open("f", &OpenOptions{FS: s.fs, Mode: ReadWrite})
		check(err)
		_, err = f.Append(noContext, ramp(100, 50))
		check(err)
		s.want.chunks = append(s.want.chunks, ramp(100, 50))
		check(f.Close())
	}
}

// content returns the bytes of a file of the specimen.
func content(t testing.TB, fsys storage.FS, name string) []byte {
	t.Helper()
	f := must(fsys.Open(name))
	defer f.Close()
	b := make([]byte, must(f.Size()))
	if n, err := f.ReadAt(b, 0); n < len(b) {
		t.Fatal(err)
	}
	return b
}

// with returns a copy of the specimen's files with one file replaced.
func (s *specimen) with(t testing.TB, name string, b []byte) storage.FS {
	t.Helper()
	m := storage.NewMemory()
	if s.files[0] != "f" {
		must(0, m.Mkdir("f"))
	}
	for _, other := range s.files {
		if other == name {
			put(t, m, other, b)
		} else {
			put(t, m, other, content(t, s.fs, other))
		}
	}
	return m
}

// reads reads everything. It returns whether a read failed, and a description of wrong data that
// was returned without an error.
func (m *model) reads(v *Snapshot) (failed bool, wrong error) {
	if v.NumChunks() != len(m.chunks) {
		return false, fmt.Errorf("%d chunks, want %d", v.NumChunks(), len(m.chunks))
	}
	total := int64(0)
	for i, want := range m.chunks {
		total += int64(len(want))
		got := make([]byte, len(want)+1)
		n, err := v.ReadItems(noContext, got[:4], i, 1, 2)
		if err == nil && !bytes.Equal(got[:n], want[4:8]) {
			return false, fmt.Errorf("an item of chunk %d differs", i)
		}
		failed = failed || err != nil
		info, err := v.Chunk(i)
		if err == nil && info.NBytes != len(want) {
			return false, fmt.Errorf("chunk %d says it has %d bytes", i, info.NBytes)
		}
		if n, err = v.ReadChunk(noContext, got, i); err == nil && !bytes.Equal(got[:n], want) {
			return false, fmt.Errorf("chunk %d differs", i)
		}
		failed = failed || err != nil
	}
	if v.NBytes() != total || v.TypeSize() != 4 {
		return false, fmt.Errorf("%d bytes of items of %d", v.NBytes(), v.TypeSize())
	}
	for name, want := range m.vl {
		got, err := v.VL(name)
		if err == nil && string(got) != want {
			return false, fmt.Errorf("metalayer %q differs", name)
		}
		failed = failed || err != nil
	}
	if got := asMap(v.Layers()); len(got) != len(m.meta) || got["fixed"] != m.meta["fixed"] {
		return false, fmt.Errorf("fixed metalayers %v", got)
	}
	return failed, nil
}

func TestFlippedBitsNeverGiveWrongData(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 15))
	total, found, harmless, healed := 0, 0, 0, 0
	for _, s := range specimens(t) {
		if failed, err := s.want.reads(must(Open("f", &OpenOptions{FS: s.fs})).Snapshot()); failed || err != nil {
			t.Fatalf("%s: %v, %v", s.name, failed, err)
		}
		for range *flips {
			name := s.files[rng.IntN(len(s.files))]
			b := content(t, s.fs, name)
			bit := rng.IntN(8 * len(b))
			b[bit/8] ^= 1 << (bit % 8)
			for _, mode := range []Mode{ReadOnly, ReadWrite} {
				m := s.with(t, name, b)
				total++
				f, err := Open("f", &OpenOptions{FS: m, Mode: mode})
				if err != nil {
					if !errors.Is(err, cairn.ErrCorrupt) {
						t.Fatalf("%s, bit %d of %s: %v", s.name, bit, name, err)
					}
					found++
					continue
				}
				failed, err := s.want.reads(f.Snapshot())
				if err != nil {
					t.Fatalf("%s, bit %d of %s (byte %#x of %d): wrong data without an error: %v", s.name, bit, name, bit/8, len(b), err)
				}
				switch {
				case failed:
					found++
				case f.Info().Healed:
					healed++
				default:
					harmless++
				}
				if err := f.Abort(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	t.Logf("%d openings after a flipped bit: %d with an error, %d healed, %d right anyway", total, found, healed, harmless)
	if found < total/4 || healed == 0 || harmless > total/2 {
		t.Fatal("that is not what flipped bits do")
	}
}
