package frame

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/remains"
	"github.com/cairn-go/cairn/internal/metalist"
	"github.com/cairn-go/cairn/internal/wire"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// wreck is a frame to damage, with its expected contents.
type wreck struct {
	fs     storage.FS
	chunks [][]byte // decoded
	at     []int64  // offset of each chunk in the file
	ends   []int64
	raw    []byte // of the file, or of the index file
	head   format.Header
	vl     map[string]string
}

const wreckItems = 300 // of 4 bytes, per chunk

// wreckOf makes a frame named "in" of n chunks similar to real data; array adds a b2nd metalayer.
func wreckOf(t testing.TB, n int, array, sparse bool) *wreck {
	t.Helper()
	return wreckWith(t, n, array, sparse, false)
}

// wreckWith is wreckOf with or without checksums.
func wreckWith(t testing.TB, n int, array, sparse, sums bool) *wreck {
	t.Helper()
	w := &wreck{fs: storage.NewMemory(), vl: map[string]string{"first": "some value", "second": "another one"}}
	o := &Options{FS: w.fs, TypeSize: 4, BlockSize: 400, Sparse: sparse, Commits: Commits{Deterministic: !sums}}
	if array {
		b := meta.B2ND{Shape: []int64{int64(n) * wreckItems}, ChunkShape: []int32{wreckItems},
			BlockShape: []int32{100}, DType: "<i4"}
		o.Meta = []meta.Layer{{Name: meta.LayerB2ND, Content: b.Append(nil)}, {Name: "units",
			Content: []byte("\xa1K")}}
	}
	f := must(Create("in", o))
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	for range n {
		data := make([]byte, 4*wreckItems)
		for k := range wreckItems {
			binary.LittleEndian.PutUint32(data[4*k:], uint32(k*k)+rng.Uint32N(16))
		}
		w.chunks = append(w.chunks, data)
		must(f.Append(noContext, data))
	}
	for name, value := range w.vl {
		if err := f.SetVL(name, []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	mustClose(t, f)
	name := "in"
	if sparse {
		name = "in/" + sparseIndex
	}
	w.raw = readAll(t, w.fs, name)
	f = must(Open("in", &OpenOptions{FS: w.fs}))
	for i := range n {
		info := must(f.Chunk(i))
		w.at, w.ends = append(w.at, info.Offset), append(w.ends, info.Offset+int64(info.CBytes))
	}
	w.head = f.cur.Load().head
	mustClose(t, f)
	return w
}

func readAll(t testing.TB, fsys storage.FS, name string) []byte {
	t.Helper()
	file, err := fsys.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	return must(wire.ReadFull(file, nil, 0, must(file.Size())))
}

// put writes the damaged file.
func (w *wreck) put(t testing.TB, name string, b []byte) {
	t.Helper()
	if err := w.fs.RemoveAll(name); err != nil {
		t.Fatal(err)
	}
	file, err := w.fs.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteAt(b, 0); err != nil {
		t.Fatal(err)
	}
}

// saved salvages "in", and checks that exactly the chunks in lost are lost.
func (w *wreck) saved(t *testing.T, lost []int, o *SalvageOptions) SalvageReport {
	t.Helper()
	before := snapshotOf(t, w.fs)
	options := SalvageOptions{}
	if o != nil {
		options = *o
	}
	options.FS = w.fs
	r, err := Salvage(noContext, "in", "out", &options)
	if err != nil {
		t.Fatal(err)
	}
	after := snapshotOf(t, w.fs)
	for name, b := range before {
		if !bytes.Equal(after[name], b) {
			t.Fatalf("%s was changed", name)
		}
	}
	var told []int
	for _, l := range r.Lost {
		if l.Err == nil {
			t.Fatalf("chunk %d is lost for no reason", l.Chunk)
		}
		for k := range l.Count {
			told = append(told, l.Chunk+k)
		}
	}
	if !slices.Equal(told, lost) || r.LostTotal != len(lost) {
		t.Fatalf("lost %v (%d), want %v; faults %v; lost %v", told, r.LostTotal, lost, r.Faults, r.Lost)
	}
	if v, err := Verify(noContext, "out", &OpenOptions{FS: w.fs}); err != nil {
		t.Fatalf("the new frame: %v (%v)", err, v.Faults)
	}
	f := must(Open("out", &OpenOptions{FS: w.fs}))
	defer mustClose(t, f)
	if f.NumChunks() != len(w.chunks) {
		t.Fatalf("%d chunks, want %d", f.NumChunks(), len(w.chunks))
	}
	got := make([]byte, 4*wreckItems)
	for i, want := range w.chunks {
		if slices.Contains(lost, i) {
			want = make([]byte, len(want))
			if o != nil && o.Fill != nil {
				want = bytes.Repeat(must(o.Fill(4, nil)), wreckItems)
			}
		}
		if n, err := f.ReadChunk(noContext, got, i); err != nil || !bytes.Equal(got[:n], want) {
			t.Fatalf("chunk %d differs: %v", i, err)
		}
	}
	return r
}

// layersKept checks that all metalayers were saved.
func (w *wreck) layersKept(t *testing.T, r SalvageReport) {
	t.Helper()
	f := must(Open("out", &OpenOptions{FS: w.fs}))
	defer mustClose(t, f)
	for name, value := range w.vl {
		if got, err := f.VL(name); err != nil || string(got) != value {
			t.Fatalf("metalayer %s is %q, %v; lost %v", name, got, err, r.Layers)
		}
	}
	if len(r.Layers) > 0 {
		t.Fatalf("lost metalayers %v", r.Layers)
	}
}

func snapshotOf(t *testing.T, fsys storage.FS) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	var walk func(dir string)
	walk = func(dir string) {
		for _, e := range must(fsys.ReadDir(dir)) {
			name := dir + "/" + e.Name
			if e.Dir {
				walk(name)
			} else {
				files[name] = readAll(t, fsys, name)
			}
		}
	}
	walk(".")
	return files
}

func ruin(b []byte, at int64, n int) {
	for i := range n {
		b[int(at)+i] ^= 0xa5
	}
}

func (w *wreck) index(b []byte) []byte { return b[w.head.HeaderLen+w.head.CBytes : w.trailer(b)] }

func (w *wreck) trailer(b []byte) int { return bytes.LastIndex(b, remains.TrailerBegins) }

// remove removes a chunk file, or the index file for -1.
func (w *wreck) remove(t *testing.T, id int64) {
	t.Helper()
	name := "in/" + sparseIndex
	if id >= 0 {
		name = "in/" + chunkName(id)
	}
	if err := w.fs.Remove(name); err != nil {
		t.Fatal(err)
	}
}

// vlValue returns the offset of the value of a metalayer of variable length.
func (w *wreck) vlValue(t testing.TB, b []byte, name string) int {
	t.Helper()
	from := w.trailer(b)
	layers := must(metalist.ParseTrailer(b[from:]))
	return bytes.LastIndex(b, layers[layerNamed(layers, name)].Content)
}
