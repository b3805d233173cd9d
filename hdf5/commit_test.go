package hdf5

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// makeSeries writes a file of a scale and n datasets that grow along it, and returns their keys.
func makeSeries(t testing.TB, fsys storage.FS, n int) map[string]int {
	t.Helper()
	w, err := Create("a.h5", &CreateOptions{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]int{"/time": 0}
	scale := []Attribute{{Name: attrClass, Value: scaleClass}}
	if err := w.Put(t.Context(), "time", held(t, make([]int16, 2), ndarray.Shape{2}), &DatasetOptions{Chunks: ndarray.Shape{4},
		MaxShape: ndarray.Shape{-1}, Attributes: scale}); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		key := fmt.Sprintf("/v%d", i)
		keys[key] = 0
		o := &DatasetOptions{Chunks: ndarray.Shape{4, 1, 2}, MaxShape: ndarray.Shape{-1, 2, 2},
			Attributes: []Attribute{{Name: "comment", Value: fmt.Sprint(make([]int, 60))}}}
		if err := w.Put(t.Context(), key, held(t, make([]int16, 8), ndarray.Shape{2, 2, 2}), o); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return keys
}

// halfCommitted returns a file whose last commit has changed some datasets, and a note of it.
func halfCommitted(t testing.TB) []byte {
	t.Helper()
	fsys := storage.NewMemory()
	keys := makeSeries(t, fsys, 9)
	a, err := Append("a.h5", &AppendOptions{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	for key := range keys {
		shape, err := a.Shape(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		shape[0] += 2
		if err := a.Extend(t.Context(), key, shape); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}

	size, err := a.disk.Size()
	if err != nil {
		t.Fatal(err)
	}
	list, err := a.noted(size)
	if err != nil || len(list) < 2 {
		t.Fatalf("%d patches are noted (%v)", len(list), err)
	}
	b := make([]byte, size)
	if err := a.readAll(b, 0); err != nil {
		t.Fatal(err)
	}
	copy(b[list[1].at:], list[1].before)
	if err := a.Abort(); err != nil {
		t.Fatal(err)
	}
	return b
}

// TestNotedCommits completes a commit whose note is whole, and no other.
func TestNotedCommits(t *testing.T) {
	b := halfCommitted(t)
	note := bytes.Index(b, []byte(redoMagic))
	for at := note - 1; at < len(b); at++ {
		damaged := bytes.Clone(b)
		if at >= note {
			damaged[at] ^= 0x10
		}
		fsys := storage.NewMemory()
		putFile(t, fsys, damaged)
		a, err := Append("a.h5", &AppendOptions{FS: fsys})
		if err != nil {
			t.Fatal(err)
		}
		now := make([]byte, note)
		if err := a.readAll(now, 0); err != nil {
			t.Fatal(err)
		}
		if changed := !bytes.Equal(now, b[:note]); changed != (at < note) {
			t.Fatalf("byte %d of the note is damaged: %t", at-note, changed)
		}
		if err := a.Abort(); err != nil {
			t.Fatal(err)
		}
	}
}

// rowsOf returns how many rows datasets have, or -1 if that differs.
func rowsOf(all map[string]*patternedWhole) int64 {
	rows := all["/time"].shape[0]
	for _, w := range all {
		if w.shape[0] != rows {
			return -1
		}
	}
	return rows
}

// TestCommitsOfSeveralDatasets crashes appends to a scale and datasets of the same length. If these
// are few, they always have the same length. If not, they have it after the next appender has
// opened the file, and until then the scale is the shortest.
func TestCommitsOfSeveralDatasets(t *testing.T) {
	for _, n := range []int{4, 11} {
		r := storagetest.NewRecorder()
		keys := makeSeries(t, r, n)
		settled := r.Len()
		states, _, to := appendTo(t, r, keys)
		log := storagetest.NewLog(r.Ops())
		apart, points := 0, 0
		for c := range log.Crashes(storagetest.Sweep{Seed: 1, Subsets: 3, Samples: 2, Durable: settled}, settled, len(log.Ops)) {
			if points++; points%3 > 0 {
				continue
			}
			had := 0
			for had < len(to) && to[had] <= c.At && !(c.Model == storagetest.Torn && c.At == to[had]) {
				had++
			}
			image := log.Image(c)
			left, err := wholes(t, image, keys)
			if err != nil {
				t.Fatalf("%v: %v\n%s", c, err, log.Describe(c))
			}
			for key, w := range left {
				if w.shape[0] < left["/time"].shape[0] {
					t.Fatalf("%v: %s has %d rows, the scale %d\n%s", c, key, w.shape[0], left["/time"].shape[0], log.Describe(c))
				}
			}
			if rowsOf(left) < 0 {
				apart++
			}

			a, err := Append("a.h5", &AppendOptions{FS: image})
			if err != nil {
				t.Fatalf("%v: %v", c, err)
			}
			if err := a.Close(); err != nil {
				t.Fatalf("%v: %v", c, err)
			}
			whole, err := wholes(t, image, keys)
			if err != nil {
				t.Fatalf("%v: %v", c, err)
			}
			is := -1
			for i, s := range states {
				if rowsOf(whole) == rowsOf(s) {
					is = i
				}
			}
			if is < had || is > had+1 {
				t.Fatalf("%v: state %d after %d commits\n%s", c, is, had, log.Describe(c))
			}
			for key, w := range whole {
				if !w.begins(states[is][key]) {
					t.Fatalf("%v: %s has other items\n%s", c, key, log.Describe(c))
				}
			}
		}
		if (apart == 0) != (n < 5) {
			t.Errorf("%d datasets: %d states where they differ in length", n, apart)
		}
	}
}
