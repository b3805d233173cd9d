package format

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/cairn-go/cairn"
)

var fuzzLimits = cairn.Limits{MaxHeader: 1 << 16, MaxMeta: 1 << 18, MaxIndex: 1 << 18, MaxChunk: 1 << 18, MaxAlloc: 1 << 18}

// checkError fails the test for an error that bad bytes do not cause.
func checkError(t *testing.T, err error) {
	t.Helper()
	for _, target := range []error{cairn.ErrCorrupt, cairn.ErrUnsupported, cairn.ErrChecksum, cairn.ErrLimit} {
		if errors.Is(err, target) {
			return
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// trusting returns a reader of bytes as a file with addresses of 8 bytes, whose checksums do not
// matter.
func trusting(t *testing.T, b []byte) *Reader {
	f := Bare(b, fuzzLimits)
	f.Trusting = true
	return f.In(t.Context())
}

// addFiles adds small files of testdata as seeds.
func addFiles(f *testing.F, add func(b []byte)) {
	names, err := filepath.Glob("../../testdata/*.h5")
	if err != nil || len(names) == 0 {
		f.Fatal("no files", err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		if len(b) <= 20<<10 {
			add(b)
		}
	}
}

// FuzzMessage reads the messages of headers.
func FuzzMessage(f *testing.F) {
	addFiles(f, func(b []byte) {
		file, err := Open(f.Context(), bytes.NewReader(b), int64(len(b)), fuzzLimits)
		if err != nil {
			f.Fatal(err)
		}
		r := file.In(f.Context())
		for at := range int64(len(b)) {
			if h, err := r.Header(at); err == nil {
				for _, m := range h.messages {
					f.Add(m.kind, m.flags, m.data)
				}
			}
		}
	})
	f.Fuzz(func(t *testing.T, kind, flags uint8, data []byte) {
		r := trusting(t, data)
		h := &Header{messages: []message{{kind: kind, flags: flags, at: None, data: data}}}
		_, err := r.Dataspace(h)
		checkError(t, err)
		_, err = r.Datatype(h)
		checkError(t, err)
		_, err = r.Layout(h)
		checkError(t, err)
		_, _, err = r.Fill(h)
		checkError(t, err)
		_, err = r.Pipeline(h)
		checkError(t, err)
		_, err = r.Links(h)
		checkError(t, err)
		_, err = r.Attributes(h)
		checkError(t, err)
	})
}

// FuzzHeap reads objects of fractal heaps and collections of global ones.
func FuzzHeap(f *testing.F) {
	addFiles(f, func(b []byte) {
		for _, signature := range []string{"FRHP", "GCOL", "BTHD"} {
			if at := bytes.Index(b, []byte(signature)); at >= 0 {
				f.Add(b, uint16(at), []byte("\x00\x20\x00\x00\x00\x10\x00"))
			}
		}
	})
	f.Fuzz(func(t *testing.T, b []byte, at uint16, id []byte) {
		r := trusting(t, b)
		if h, err := r.FractalHeap(int64(at)); err == nil {
			_, err = r.Object(h, id)
			checkError(t, err)
			checkError(t, r.heapLinks(int64(at), int64(at), func([]byte) error { return nil }))
		} else {
			checkError(t, err)
		}
		if g, err := r.Collection(int64(at)); err == nil {
			for number := range g.objects {
				_, err := g.Object(HeapRef{1, int64(at), number}, 1)
				checkError(t, err)
			}
		} else {
			checkError(t, err)
		}
		checkError(t, r.walkTree2(int64(at), func(*tree2, []byte) error { return nil }))
	})
}

// FuzzIndex looks chunks up in indexes of all kinds.
func FuzzIndex(f *testing.F) {
	addFiles(f, func(b []byte) {
		for kind, signature := range map[uint8]string{0: "TREE", 3: "FAHD", 4: "EAHD", 5: "BTHD"} {
			for at := 0; ; at++ {
				i := bytes.Index(b[at:], []byte(signature))
				if i < 0 {
					break
				}
				at += i
				f.Add(b, uint16(at), kind, uint16(1), uint16(2), true)
				f.Add(b, uint16(at), kind, uint16(0), uint16(0), false)
			}
		}
	})
	f.Fuzz(func(t *testing.T, b []byte, at uint16, kind uint8, x, y uint16, packed bool) {
		r := trusting(t, b)
		l := &Layout{Class: Chunked, Address: int64(at), Chunk: []int64{3, 5}, ItemSize: 4, Index: IndexKind(kind % 6)}
		l.filtered = packed
		s := Dataspace{Shape: []int64{1 << 18, 1 << 18}, Max: []int64{1 << 18, 1 << 18}}
		if l.Index == ExtensibleIndex {
			s.Max[kind/6%2] = None
		}
		ix, err := NewIndex(l, s, 60, packed)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // from the file, and from what is kept
			_, err = r.Chunk(ix, []int64{int64(x), int64(y)})
			checkError(t, err)
		}
	})
}

// FuzzVirtual reads the mappings of virtual datasets, and uses what they select.
func FuzzVirtual(f *testing.F) {
	names, err := filepath.Glob("../../testdata/links/*.h5")
	if err != nil || len(names) == 0 {
		f.Fatal("no files", err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		file, err := Open(f.Context(), bytes.NewReader(b), int64(len(b)), fuzzLimits)
		if err != nil {
			f.Fatal(err)
		}
		for at := bytes.Index(b, []byte("GCOL")); at >= 0; at = -1 {
			g, err := file.In(f.Context()).Collection(int64(at))
			if err != nil {
				f.Fatal(err)
			}
			for _, object := range g.objects {
				f.Add(object, int64(5))
			}
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, index int64) {
		list, err := trusting(t, nil).mappings(b)
		checkError(t, err)
		index = max(0, min(index, mostIndex))
		for _, m := range list {
			for _, a := range append(m.Source.Axes, m.Target.Axes...) {
				if a.Unlimited() {
					a = a.Within(index)
				}
				n := a.Before(index)
				if n > a.Items() {
					t.Fatalf("%d of %d items are before %d", n, a.Items(), index)
				}
				if n > 0 && a.At(n-1) >= index {
					t.Fatalf("item %d is at %d, before %d", n-1, a.At(n-1), index)
				}
				if n < a.Items() && a.At(n) < index {
					t.Fatalf("item %d is at %d, not before %d", n, a.At(n), index)
				}
			}
		}
	})
}
