package frame

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

func TestSalvageOfSoundFramesSavesEverything(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		w := wreckOf(t, 7, true, sparse)
		r := w.saved(t, nil, nil)
		w.layersKept(t, r)
		if !r.Whole() || r.Guide != GuideIndex || len(r.Faults) > 0 || r.Saved != 7 || r.Info.Sparse != sparse {
			t.Fatalf("%+v", r)
		}
		got, want := must(Open("out", &OpenOptions{FS: w.fs})).cur.Load().head, w.head
		if got.Pipeline != want.Pipeline || got.Codec != want.Codec || got.BlockSize != want.BlockSize {
			t.Fatalf("the header is %+v, was %+v", got, w.head)
		}
	}
}

// places lists where a contiguous frame can be damaged, and which chunks are lost by that.
var places = []struct {
	name   string
	damage func(w *wreck, b []byte) []byte
	lost   []int
	guide  Guide
	layers bool // whether all metalayers survive
}{
	{"header zeroed", func(w *wreck, b []byte) []byte { clear(b[:87]); return b }, nil, GuideFoundIndex, true},
	{"header torn in the middle", func(w *wreck, b []byte) []byte { clear(b[8:40]); return b }, nil, GuideFoundIndex, true},
	{"magic", func(w *wreck, b []byte) []byte { b[3] ^= 0x20; return b }, nil, GuideFoundIndex, true},
	{"frame length", func(w *wreck, b []byte) []byte { b[format.AtFrameLen+1] = 9; return b }, nil, GuideIndex, true},
	{"chunk size", func(w *wreck, b []byte) []byte { b[format.AtChunkSize+2] ^= 0x40; return b }, nil,
		GuideIndex, true},
	{"chunk size and a chunk", func(w *wreck,
		b []byte) []byte {
		b[format.AtChunkSize+2] ^= 0x40
		ruin(b, w.at[5]+40, 30)
		return b
	}, []int{5}, GuideIndex, true},
	{"smaller chunk size and a chunk", func(w *wreck,
		b []byte) []byte {
		b[format.AtChunkSize+2] ^= 0x04
		ruin(b, w.at[5]+40, 30)
		return b
	}, []int{5}, GuideFoundIndex, true},
	{"too many decoded bytes", func(w *wreck, b []byte) []byte { b[format.AtNBytes+5] = 1; return b },
		nil, GuideFoundIndex, true},
	{"too few decoded bytes", func(w *wreck,
		b []byte) []byte {
		b[format.AtNBytes+7]--
		b[format.AtNBytes+6] = 0
		return b
	}, nil, GuideIndex, true},
	{"cbytes", func(w *wreck, b []byte) []byte { b[format.AtCBytes+6] ^= 1; return b }, nil, GuideFoundIndex, true},
	{"index zeroed", func(w *wreck, b []byte) []byte { clear(w.index(b)); return b }, nil, GuidePosition, true},
	{"header of the index", func(w *wreck, b []byte) []byte { w.index(b)[3] = 0; return b }, nil, GuidePosition, true},
	{"header and index", func(w *wreck, b []byte) []byte { clear(b[:87]); clear(w.index(b)); return b }, nil, GuidePosition, true},
	{"trailer cut", func(w *wreck, b []byte) []byte { return b[:len(b)-10] }, nil, GuideIndex, true},
	{"trailer gone", func(w *wreck, b []byte) []byte { return b[:w.trailer(b)] }, nil, GuideIndex, false},
	{"trailer and index gone", func(w *wreck, b []byte) []byte { return b[:w.ends[8]] }, nil, GuidePosition, false},
	{"header gone, cut behind the chunks", func(w *wreck, b []byte) []byte { clear(b[:87]); return b[:w.ends[8]] }, nil, GuidePosition, false},
	{"a byte of a chunk", func(w *wreck, b []byte) []byte { ruin(b, w.at[4]+40, 30); return b }, []int{4}, GuideIndex, true},
	{"header of a chunk", func(w *wreck, b []byte) []byte { clear(b[w.at[2] : w.at[2]+32]); return b }, []int{2}, GuideIndex, true},
	{"first and last chunk", func(w *wreck, b []byte) []byte { ruin(b, w.at[0]+36, 30); ruin(b, w.at[8]+36, 30); return b }, []int{0, 8}, GuideIndex, true},
	{"a chunk and the index", func(w *wreck, b []byte) []byte { ruin(b, w.at[4]+40, 30); clear(w.index(b)); return b }, []int{4}, GuidePosition, true},
	{"headers of chunks and the index", func(w *wreck, b []byte) []byte {
		clear(b[w.at[2] : w.at[2]+32])
		clear(b[w.at[6]:w.ends[6]])
		clear(w.index(b))
		return b
	}, []int{2, 6}, GuidePosition, true},
	{"a chunk and the header", func(w *wreck, b []byte) []byte { clear(b[w.at[2] : w.at[2]+32]); clear(b[:87]); return b }, []int{2}, GuideFoundIndex, true},
	{"header and metalayers zeroed", func(w *wreck,
		b []byte) []byte {
		clear(b[:w.head.HeaderLen])
		return b
	}, nil, GuideFoundIndex, false},
	{"header and metalayers and index zeroed", func(w *wreck,
		b []byte) []byte {
		clear(b[:w.head.HeaderLen])
		clear(w.index(b))
		return b
	}, nil, GuidePosition, false},
	{"two neighbours and the index", func(w *wreck, b []byte) []byte { clear(b[w.at[3]:w.ends[4]]); clear(w.index(b)); return b }, []int{3, 4}, GuidePosition, true},
	{"cut in the middle of chunk 5", func(w *wreck, b []byte) []byte { return b[:w.at[5]+50] }, []int{5, 6, 7, 8}, GuidePosition, false},
	{"a hole from chunk 3 to 5", func(w *wreck, b []byte) []byte { clear(b[w.at[3]+20 : w.at[5]+20]); return b }, []int{3, 4, 5}, GuideIndex, true},
}

func TestDamageLosesOnlyDamagedParts(t *testing.T) {
	for _, p := range places {
		for _, array := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, array %v", p.name, array), func(t *testing.T) {
				w := wreckOf(t, 9, array, false)
				w.put(t, "in", p.damage(w, bytes.Clone(w.raw)))
				r := w.saved(t, p.lost, nil)
				if r.Guide > p.guide {
					t.Errorf("guided by %v, want %v or better", r.Guide, p.guide)
				}
				if p.layers {
					w.layersKept(t, r)
				}
				if r.Whole() != (len(p.lost) == 0 && p.layers) {
					t.Errorf("whole: %v, lost %v %v, guessed %v", r.Whole(), r.Lost, r.Layers, r.Guessed)
				}
				w = wreckWith(t, 9, array, false, true)
				w.put(t, "in", p.damage(w, bytes.Clone(w.raw)))
				if r := w.saved(t, p.lost, nil); p.layers {
					w.layersKept(t, r)
				}
			})
		}
	}
}

// TestSalvageWithoutIntactChunks checks that Salvage fails for frames without an intact chunk,
// instead of writing only zeros.
func TestSalvageWithoutIntactChunks(t *testing.T) {
	for _, array := range []bool{true, false} {
		w := wreckOf(t, 9, array, false)
		w.put(t, "in", w.raw[:w.at[0]+50])
		r, err := Salvage(noContext, "in", "out", &SalvageOptions{FS: w.fs})
		if !errors.Is(err, cairn.ErrCorrupt) || r.Saved != 0 || r.LostTotal != 9 {
			t.Errorf("%d chunks are saved, %d lost; %v", r.Saved, r.LostTotal, err)
		}
		if _, err := w.fs.Stat("out"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("out: %v", err)
		}
	}
}

func TestDamageToASparseFrame(t *testing.T) {
	for _, p := range []struct {
		name   string
		damage func(t *testing.T, w *wreck)
		lost   []int
	}{
		{"chunk file missing", func(t *testing.T, w *wreck) { w.remove(t, 3) }, []int{3}},
		{"chunk file cut", func(t *testing.T, w *wreck) { w.put(t, "in/"+chunkName(2), readAll(t, w.fs, "in/"+chunkName(2))[:50]) }, []int{2}},
		{"chunk file empty", func(t *testing.T, w *wreck) { w.put(t, "in/"+chunkName(8), nil) }, []int{8}},
		{"index file missing", func(t *testing.T, w *wreck) { w.remove(t, -1) }, nil},
		{"index file and a chunk file missing", func(t *testing.T, w *wreck) { w.remove(t, -1); w.remove(t, 4) }, []int{4}},
		{"index file empty", func(t *testing.T, w *wreck) { w.put(t, "in/"+sparseIndex, nil) }, nil},
		{"header of the index file", func(t *testing.T, w *wreck) {
			b := bytes.Clone(w.raw)
			clear(b[:80])
			w.put(t, "in/"+sparseIndex, b)
		}, nil},
		{"index file cut in the index", func(t *testing.T, w *wreck) {
			w.put(t, "in/"+sparseIndex,
				w.raw[:w.head.HeaderLen+40])
		}, nil},
		{"index file cut, a chunk file missing", func(t *testing.T, w *wreck) {
			w.put(t, "in/"+sparseIndex, w.raw[:w.head.HeaderLen+40])
			w.remove(t, 8)
		}, []int{8}},
	} {
		t.Run(p.name, func(t *testing.T) {
			w := wreckOf(t, 9, true, true)
			p.damage(t, w)
			w.saved(t, p.lost, nil)
		})
	}
}

func TestOnlyBrokenMetalayersAreLost(t *testing.T) {
	w := wreckOf(t, 4, true, false)
	for name, c := range map[string]struct {
		damage func(b []byte)
		lost   []string
	}{
		"count of layers": {func(b []byte) { b[format.AtLayers+5] = 0x7f }, nil},
		"offset of units": {func(b []byte) { b[bytes.Index(b, []byte("units"))+6] = 0x7f }, []string{"units"}},
		"shape":           {func(b []byte) { b[bytes.Index(b, []byte("\x97\x00\x01"))+2] = 77 }, []string{"b2nd"}},
		"value of first":  {func(b []byte) { at := w.vlValue(t, b, "first"); clear(b[at : at+16]) }, []string{"first"}},
		"tail of trailer": {func(b []byte) { clear(b[len(b)-23:]) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := wreckOf(t, 4, true, false)
			b := bytes.Clone(w.raw)
			c.damage(b)
			w.put(t, "in", b)
			r := w.saved(t, nil, nil)
			var lost []string
			for _, l := range r.Layers {
				lost = append(lost, l.Name)
			}
			if !slices.Equal(lost, c.lost) {
				t.Fatalf("lost %v, want %v", r.Layers, c.lost)
			}
			f := must(Open("out", &OpenOptions{FS: w.fs}))
			if _, err := f.Layer(meta.LayerB2ND); (err != nil) != (name == "shape") {
				t.Fatal(err)
			}
		})
	}
}

func TestLostChunksAreFilled(t *testing.T) {
	w := wreckOf(t, 5, false, false)
	b := bytes.Clone(w.raw)
	ruin(b, w.at[1]+40, 30)
	w.put(t, "in", b[:w.at[3]+9])
	w.saved(t, []int{1, 3, 4}, &SalvageOptions{Fill: func(int, []meta.Layer) ([]byte, error) { return []byte{1, 2, 3, 4}, nil }})
	_, err := Salvage(noContext, "in", "out2", &SalvageOptions{FS: w.fs, Fill: func(int, []meta.Layer) ([]byte, error) { return []byte{1}, nil }})
	if !errors.Is(err, cairn.ErrType) {
		t.Fatal(err)
	}
	if _, err := w.fs.Stat("out2"); err == nil {
		t.Fatal("a failure left something behind")
	}
}

func TestSalvageOfSpecialChunks(t *testing.T) {
	fs := storage.NewMemory()
	f := must(Create("in", &Options{FS: fs, TypeSize: 8, ChunkSize: 800}))
	if err := f.AppendSpecial(noContext, chunk.SpecialNaN, 800*70_000); err != nil {
		t.Fatal(err)
	}
	data := bytes.Repeat([]byte("abcdefgh"), 100)
	must(f.Append(noContext, data))
	if err := f.AppendSpecial(noContext, chunk.SpecialZeros, 800*3+160); err != nil {
		t.Fatal(err)
	}
	mustClose(t, f)
	b := readAll(t, fs, "in")
	for name, damage := range map[string]func(b []byte){"sound": func([]byte) {}, "torn": func(b []byte) { clear(b[1:9]) }} {
		c := bytes.Clone(b)
		damage(c)
		w := &wreck{fs: storage.NewMemory()}
		w.put(t, "in", c)
		r, err := Salvage(noContext, "in", "out", &SalvageOptions{FS: w.fs})
		if err != nil || r.Saved != 70_005 || r.LostTotal > 0 {
			t.Fatalf("%s: %+v, %v", name, r, err)
		}
		out := must(Open("out", &OpenOptions{FS: w.fs}))
		got := make([]byte, 800)
		if n, err := out.ReadChunk(noContext, got, 70_000); err != nil || n != 800 || !bytes.Equal(got, data) {
			t.Fatalf("%s: %v", name, err)
		}
		if info := must(out.Chunk(5)); info.Kind != chunk.SpecialNaN {
			t.Fatalf("%s: chunk 5 is %v", name, info.Kind)
		}
	}
}

func TestSalvageOfOtherFiles(t *testing.T) {
	w := &wreck{fs: storage.NewMemory()}
	for name, b := range map[string][]byte{"empty": nil, "text": bytes.Repeat([]byte("no frame at all "), 100)} {
		w.put(t, "in", b)
		r, err := Salvage(noContext, "in", "out", &SalvageOptions{FS: w.fs, Overwrite: true})
		if err == nil {
			t.Fatalf("%s: %+v", name, r)
		}
	}
	if _, err := Salvage(noContext, "in", "./in", &SalvageOptions{FS: w.fs, Overwrite: true}); !errors.Is(err, cairn.ErrBounds) {
		t.Fatal(err)
	}
}

// FuzzSalvage checks that Salvage fails or writes a sound frame.
func FuzzSalvage(f *testing.F) {
	for _, p := range places {
		w := wreckOf(f, 9, true, false)
		f.Add(p.damage(w, bytes.Clone(w.raw)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		w := &wreck{fs: storage.NewMemory()}
		w.put(t, "in", b)
		r, err := Salvage(noContext, "in", "out",
			&SalvageOptions{FS: w.fs, Engine: chunk.Engine{Limits: cairn.Limits{MaxAlloc: 1 << 20,
				MaxIndex: 1 << 16}}})
		if err != nil {
			return
		}
		if v, err := Verify(noContext, "out", &OpenOptions{FS: w.fs}); err != nil && !errors.Is(err, cairn.ErrUnsupported) {
			t.Fatalf("%v %v from %+v", err, v.Faults, r)
		}
	})
}
