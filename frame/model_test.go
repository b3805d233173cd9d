package frame

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// model is a frame as plain data.
type model struct {
	chunks [][]byte
	vl     map[string]string
	meta   map[string]string
}

func (m model) clone() model {
	return model{slices.Clone(m.chunks), maps.Clone(m.vl), maps.Clone(m.meta)}
}

// differs compares a state with the model and says what is different.
func (m model) differs(v *Snapshot) error {
	if v.NumChunks() != len(m.chunks) {
		return fmt.Errorf("%d chunks, want %d", v.NumChunks(), len(m.chunks))
	}
	total := 0
	for i, want := range m.chunks {
		buf := make([]byte, len(want)+1)
		n, err := v.ReadChunk(noContext, buf, i)
		if err != nil {
			return err
		}
		if !bytes.Equal(buf[:n], want) {
			return fmt.Errorf("chunk %d differs: %d bytes, want %d", i, n, len(want))
		}
		total += len(want)
	}
	if v.NBytes() != int64(total) {
		return fmt.Errorf("NBytes is %d, want %d", v.NBytes(), total)
	}
	layers, err := v.VLLayers()
	if err != nil {
		return err
	}
	if got := asMap(layers); !maps.Equal(got, m.vl) {
		return fmt.Errorf("variable-length metalayers %v, want %v", got, m.vl)
	}
	if got := asMap(v.Layers()); !maps.Equal(got, m.meta) {
		return fmt.Errorf("fixed metalayers %v, want %v", got, m.meta)
	}
	return nil
}

func asMap(layers []meta.Layer) map[string]string {
	m := map[string]string{}
	for _, l := range layers {
		m[l.Name] = string(l.Content)
	}
	return m
}

// script runs random operations on a frame and its model.
type script struct {
	t         *testing.T
	rng       *rand.Rand
	f         *Frame
	m         model
	committed model
	reopen    func(*Frame) *Frame // nil if the frame cannot be reopened
	sameSize  bool                // only whole chunks, so that the frame keeps its chunk size
	log       []string
}

const modelChunk = 240 // bytes

func (s *script) data() []byte {
	size := modelChunk
	if !s.sameSize && s.rng.IntN(4) == 0 {
		size = 4 * (1 + s.rng.IntN(modelChunk/2))
	}
	b := make([]byte, size)
	switch s.rng.IntN(4) {
	case 0: // zeros
	case 1:
		for i := range size / 4 {
			binary.LittleEndian.PutUint32(b[4*i:], 0x7fc0_0000)
		}
	case 2:
		for i := range b {
			b[i] = byte(s.rng.IntN(256))
		}
	default:
		for i := range b {
			b[i] = byte(i / 8)
		}
		b[0] = byte(s.rng.IntN(256))
	}
	return b
}

func (s *script) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatalf("%v\nafter %v", err, s.log)
	}
}

func (s *script) step() {
	n := len(s.m.chunks)
	op := s.rng.IntN(26)
	s.log = append(s.log, fmt.Sprint(op))
	switch {
	case op < 6:
		d := s.data()
		i, err := s.f.Append(noContext, d)
		s.must(err)
		if i != n {
			s.t.Fatalf("appended as %d, want %d", i, n)
		}
		s.m.chunks = append(s.m.chunks, d)
	case op < 9 && n > 0:
		i, d := s.rng.IntN(n), s.data()
		s.must(s.f.Update(noContext, i, d))
		s.m.chunks[i] = d
	case op < 11:
		i, d := s.rng.IntN(n+1), s.data()
		s.must(s.f.Insert(noContext, i, d))
		s.m.chunks = slices.Insert(s.m.chunks, i, d)
	case op < 14 && n > 0:
		i := s.rng.IntN(n)
		s.must(s.f.Delete(noContext, i))
		s.m.chunks = slices.Delete(s.m.chunks, i, i+1)
	case op == 14:
		order := s.rng.Perm(n)
		s.must(s.f.Reorder(noContext, order))
		old := slices.Clone(s.m.chunks)
		for i, k := range order {
			s.m.chunks[i] = old[k]
		}
	case op == 15:
		s.special()
	case op < 18:
		s.layers()
	case op < 21:
		s.must(s.f.Commit(noContext))
		s.committed = s.m.clone()
	case op == 21:
		s.must(s.f.Rollback())
		s.m = s.committed.clone()
	case op == 22 && s.reopen != nil:
		s.f = s.reopen(s.f)
		s.committed = s.m.clone()
	case op == 23:
		_, err := s.f.Compact(noContext)
		s.must(err)
		s.committed = s.m.clone()
	case op > 23:
		s.arrange()
	}
	s.must(s.m.differs(s.f.Snapshot()))
}

func (s *script) special() {
	kind := []chunk.Special{chunk.SpecialZeros, chunk.SpecialNaN, chunk.SpecialUninit}[s.rng.IntN(3)]
	size := int64(s.f.ChunkSize())
	if size <= 0 {
		size = modelChunk
	}
	nbytes := size * int64(1+s.rng.IntN(3))
	if s.f.ChunkSize() <= 0 {
		nbytes = size
	} else if !s.sameSize {
		nbytes += 4 * s.rng.Int64N(size/4)
	}
	s.must(s.f.AppendSpecial(noContext, kind, nbytes))
	for ; nbytes > 0; nbytes -= size {
		b := make([]byte, min(size, nbytes))
		for i := range len(b) / 4 {
			if kind == chunk.SpecialNaN {
				binary.LittleEndian.PutUint32(b[4*i:], 0x7fc0_0000)
			}
		}
		s.m.chunks = append(s.m.chunks, b)
	}
}

func (s *script) layers() {
	name := string(rune('a' + s.rng.IntN(5)))
	value := string(bytes.Repeat([]byte{byte('0' + s.rng.IntN(10))}, s.rng.IntN(300)))
	switch s.rng.IntN(4) {
	case 0, 1:
		s.must(s.f.SetVL(name, []byte(value)))
		s.m.vl[name] = value
	case 2:
		if _, ok := s.m.vl[name]; ok {
			s.must(s.f.DeleteVL(name))
			delete(s.m.vl, name)
		}
	case 3:
		old, ok := s.m.meta[name]
		switch {
		case ok && s.rng.IntN(4) > 0:
			value = string(bytes.Repeat([]byte("x"), len(old)))
		}
		s.must(s.f.SetMeta(name, []byte(value)))
		s.m.meta[name] = value
	}
}

// commitAndClose closes a frame of which a script may have asked what is refused: then Close alone
// would drop the changes around it.
func commitAndClose(f *Frame) error {
	if f.edit.broken.Load() != nil {
		if err := f.Commit(noContext); err != nil {
			return err
		}
	}
	return f.Close()
}

func TestRandomScriptsAgreeWithAModel(t *testing.T) {
	scripts, steps := 12, 120
	if testing.Short() {
		scripts = 3
	}
	for _, place := range []string{"memory", "disk"} {
		for _, sparse := range []bool{false, true} {
			for seed := range scripts {
				name := fmt.Sprintf("%s/sparse=%v/%d", place, sparse, seed)
				t.Run(name, func(t *testing.T) { runScript(t, place, sparse, uint64(seed), steps) })
			}
		}
	}
}

func runScript(t *testing.T, place string, sparse bool, seed uint64, steps int) {
	fsys, path := storage.FS(storage.NewMemory()), "f.b2frame"
	if place == "disk" {
		fsys, path = storage.OS(), filepath.Join(t.TempDir(), path)
		steps /= 4 // syncs take their time
	}
	s := &script{t: t, rng: rand.New(rand.NewPCG(seed, 1)), sameSize: seed%2 == 0}
	s.m = model{vl: map[string]string{}, meta: map[string]string{"z": "fixed"}}
	s.committed = s.m.clone()
	o := &Options{TypeSize: 4, Sparse: sparse, FS: fsys, Meta: []meta.Layer{{Name: "z", Content: []byte("fixed")}}}
	if seed%3 == 0 {
		o.Codec, o.Level = codecs.LZ4, 1
	}
	if seed%4 < 2 {
		o.ChunkSize = modelChunk
	}
	f, err := Create(path, o)
	if err != nil {
		t.Fatal(err)
	}
	s.f = f
	s.reopen = func(f *Frame) *Frame {
		s.must(commitAndClose(f))
		f, err := Open(path, &OpenOptions{Mode: ReadWrite, FS: fsys})
		s.must(err)
		return f
	}
	for range steps {
		s.step()
	}
	b, err := s.f.Bytes()
	s.must(err)
	s.must(commitAndClose(s.f))
	report, err := Verify(noContext, path, &OpenOptions{FS: fsys})
	s.must(err)
	if len(report.Overlap) > 0 || len(report.Orphans) > 0 {
		t.Fatalf("report %+v", report)
	}
	for _, open := range []func() (*Frame, error){
		func() (*Frame, error) { return Open(path, &OpenOptions{FS: fsys}) },
		func() (*Frame, error) { return FromBytes(b, nil) },
		func() (*Frame, error) { return OpenReader(bytes.NewReader(b), int64(len(b)), nil) },
	} {
		f, err := open()
		s.must(err)
		s.must(s.m.differs(f.Snapshot()))
		s.must(f.Close())
	}
	entries, err := fsys.ReadDir(parentDir(path))
	s.must(err)
	if len(entries) != 1 {
		t.Fatalf("left behind: %+v", entries)
	}
	if err := s.f.Close(); !errors.Is(err, errClosed) {
		t.Fatalf("closing twice: %v", err)
	}
}
