package hdf5

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// patterned are items of a dtype whose bytes are numbers.
type patterned struct {
	shape ndarray.Shape
	dtype meta.DType
}

func (p *patterned) Shape() ndarray.Shape { return slices.Clone(p.shape) }

func (p *patterned) DType() meta.DType { return p.dtype }

func (p *patterned) Grid() (chunks, blocks ndarray.Shape) { return nil, nil }

func (p *patterned) ReadBytes(_ context.Context, dst []byte, start, stop []int64) error {
	number := int64(0)
	for d := range start {
		number = number*31 + start[d]
	}
	for i := range dst {
		dst[i] = byte(number*7+int64(i)*3) & 1
	}
	return nil
}

// putFile puts the bytes of a file into a file system.
func putFile(t testing.TB, fsys storage.FS, b []byte) {
	t.Helper()
	f, err := fsys.Create("a.h5")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(b, 0); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Sync(), f.Close(), fsys.SyncDir(".")); err != nil {
		t.Fatal(err)
	}
}

// extendable returns the keys of datasets that may grow, and the first axis along which they may.
func extendable(t testing.TB, f *File) map[string]int {
	t.Helper()
	found := map[string]int{}
	nodes, err := f.Children(t.Context(), "/")
	if err != nil {
		return nil
	}
	for _, n := range nodes {
		if n.Kind != ndarray.ArrayNode {
			continue
		}
		d, err := f.Dataset(t.Context(), n.Key)
		if err != nil || hasVariable(d.datatype) || len(d.shape) != len(d.space.Shape) {
			continue
		}
		for i, most := range d.Info().MaxShape {
			if most < 0 || most > d.shape[i]+20 {
				found[n.Key] = i
				break
			}
		}
	}
	return found
}

// wholes returns the shapes and items of datasets.
func wholes(t testing.TB, fsys storage.FS, keys map[string]int) (map[string]*patternedWhole, error) {
	t.Helper()
	f, err := Open("a.h5", &OpenOptions{FS: fsys, NoCache: true})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all := map[string]*patternedWhole{}
	for key, axis := range keys {
		d, err := f.Dataset(t.Context(), key)
		if err != nil {
			return nil, err
		}
		w := &patternedWhole{shape: d.Shape(), axis: axis, item: int64(d.dtype.Size())}
		w.items = make([]byte, d.bytes()/d.item.Size*w.item)
		if err := d.ReadBytes(t.Context(), w.items, make([]int64, len(w.shape)), w.shape); err != nil {
			return nil, err
		}
		all[key] = w
	}
	return all, nil
}

// A patternedWhole is all items of a dataset.
type patternedWhole struct {
	shape ndarray.Shape
	axis  int
	item  int64
	items []byte
}

// begins reports whether items begin with others, along the axis.
func (w *patternedWhole) begins(other *patternedWhole) bool {
	if w.shape[w.axis] < other.shape[w.axis] {
		return false
	}
	runs, run, wide := int64(1), other.item, w.item
	for d, n := range other.shape {
		switch {
		case d < w.axis:
			runs *= n
		case d == w.axis:
			run *= n
			wide *= w.shape[d]
		default:
			run *= n
			wide *= n
		}
	}
	for i := range runs {
		if !bytes.Equal(w.items[i*wide:][:run], other.items[i*run:][:run]) {
			return false
		}
	}
	return true
}

// appendTo appends rows to datasets in several commits, and returns the states after them, and the
// operations before and after them.
func appendTo(t *testing.T, r *storagetest.Recorder, keys map[string]int) (states []map[string]*patternedWhole, from, to []int) {
	t.Helper()
	note := func() {
		now, err := wholes(t, r, keys)
		if err != nil {
			t.Fatal(err)
		}
		states = append(states, now)
	}
	note()
	a, err := Append("a.h5", &AppendOptions{FS: r, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, rows := range []int64{1, 2, 9} {
		for key, axis := range keys {
			d, err := a.File().Dataset(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			shape := d.Shape()
			shape[axis] = rows
			if err := a.AppendRows(t.Context(), key, axis, &patterned{shape, d.dtype}); err != nil {
				t.Fatal(err)
			}
		}
		from = append(from, r.Len())
		if err := a.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		to = append(to, r.Len())
		note()
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return states, from, to
}

// TestCrashesWhileAppending appends to files of h5py, and crashes that.
func TestCrashesWhileAppending(t *testing.T) {
	files := 0
	names, err := filepath.Glob("testdata/*.h5")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		r := storagetest.NewRecorder()
		putFile(t, r, b)
		keys := map[string]int{}
		a, err := Append("a.h5", &AppendOptions{FS: r})
		if err != nil {
			if !errors.Is(err, cairn.ErrUnsupported) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		axes := extendable(t, a.File())
		for _, key := range slices.Sorted(maps.Keys(axes)) {
			if path.Base(key) == "far" {
				continue // its items take long to read
			}
			if _, err := a.Shape(t.Context(), key); err == nil && (len(keys) < 3 || path.Base(key) == "larger") {
				keys[key] = axes[key]
			} else if err == nil {
				continue
			} else if !errors.Is(err, cairn.ErrUnsupported) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := a.Abort(); err != nil {
			t.Fatal(err)
		}
		if len(keys) == 0 {
			continue
		}
		files++
		settled := r.Len()
		states, from, to := appendTo(t, r, keys)
		crashAppends(t, name, r, settled, keys, states, from, to)
	}
	if files == 0 {
		t.Error("no file has datasets that grow")
	}
}

// crashAppends looks for a crash that loses what was committed.
func crashAppends(t *testing.T, name string, r *storagetest.Recorder, settled int, keys map[string]int,
	states []map[string]*patternedWhole, from, to []int) {
	t.Helper()
	log := storagetest.NewLog(r.Ops())
	points := 0
	for c := range log.Crashes(storagetest.Sweep{Seed: 1, Subsets: 3, Samples: 2, Durable: settled}, settled, len(log.Ops)) {
		if points++; points > 300 && c.Model != storagetest.Kill {
			continue // those of more commits are alike
		}
		had := 0
		for had < len(to) && to[had] <= c.At && !(c.Model == storagetest.Torn && c.At == to[had]) {
			had++
		}
		got, err := wholes(t, log.Image(c), keys)
		if err != nil {
			t.Fatalf("%s: %v after %d commits: %v\n%s", name, c, had, err, log.Describe(c))
		}
		for key, w := range got {
			under := had < len(from) && c.At > from[had]
			if old := states[had][key]; !w.begins(old) || !under && !slices.Equal(w.shape, old.shape) {
				t.Fatalf("%s: %s: %v after %d commits: shape %v, had %v\n%s", name, key, c, had, w.shape, old.shape,
					log.Describe(c))
			}
		}
	}
}

// held returns items as a source on machines of either byte order.
func held(t testing.TB, items []int16, shape ndarray.Shape) ndarray.Source {
	t.Helper()
	a, err := ndarray.FromSlice(items, shape, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAppendedItemsAreRead(t *testing.T) {
	fsys := storage.NewMemory()
	w, err := Create("a.h5", &CreateOptions{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	shape := ndarray.Shape{3, 5}
	if err := w.Put(t.Context(), "g/x", held(t, make([]int16, 15), shape), &DatasetOptions{Chunks: ndarray.Shape{2, 2},
		MaxShape: ndarray.Shape{-1, 40}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	a, err := Append("a.h5", &AppendOptions{FS: fsys, Memory: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := appendInTurns(t, a)
	if err := a.Extend(t.Context(), "g/x", ndarray.Shape{19, 20}); err != nil {
		t.Fatal(err)
	}
	if err := a.AppendRows(t.Context(), "g/x", 1, held(t, make([]int16, 19*21), ndarray.Shape{19, 21})); !errors.Is(err, cairn.ErrUnsupported) {
		t.Errorf("more than the bound: %v", err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}

	f, err := Open("a.h5", &OpenOptions{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d, err := f.Dataset(t.Context(), "g/x")
	if err != nil {
		t.Fatal(err)
	}
	v, err := ndarray.ViewAs[int16](d)
	if err != nil {
		t.Fatal(err)
	}
	got, err := v.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, make([]int16, 20))
	if !slices.Equal(got, slices.Concat(want...)) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

// appendInTurns appends to both axes, and returns the rows.
func appendInTurns(t *testing.T, a *Appender) [][]int16 {
	t.Helper()
	want := [][]int16{make([]int16, 5), make([]int16, 5), make([]int16, 5)}
	next := int16(1)
	for k := range 30 {
		axis := k % 2
		rows := ndarray.Shape{int64(len(want)), int64(len(want[0]))}
		rows[axis] = 1
		items := make([]int16, rows[0]*rows[1])
		for i := range items {
			items[i] = next
			next++
		}
		if axis == 0 {
			want = append(want, items)
		} else {
			for i := range want {
				want[i] = append(want[i], items[i])
			}
		}
		if err := a.AppendRows(t.Context(), "g/x", axis, held(t, items, rows)); err != nil {
			t.Fatal(err)
		}
		if k%3 == 0 {
			if err := a.Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	return want
}

// FuzzAppend appends to damaged files. What was not an error must be read.
func FuzzAppend(f *testing.F) {
	for _, name := range []string{"chunked-earliest.h5", "chunked-latest.h5", "scales-earliest.h5", "small.h5"} {
		b, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, true)
		f.Add(b, false)
	}
	f.Add(halfCommitted(f), false)
	f.Fuzz(func(t *testing.T, b []byte, trusting bool) {
		fsys := storage.NewMemory()
		putFile(t, fsys, b)
		a, err := Append("a.h5", &AppendOptions{FS: fsys, Workers: 1, Limits: fuzzLimits})
		if err != nil {
			if !expected(err) {
				t.Fatal(err)
			}
			return
		}
		a.file.format.Trusting = trusting
		for key, axis := range extendable(t, a.file) {
			d, err := a.file.Dataset(t.Context(), key)
			if err != nil {
				continue
			}
			shape := d.Shape()
			shape[axis] = 1
			p := &patterned{shape, d.dtype}
			n := int64(d.dtype.Size())
			for _, extent := range shape {
				n *= min(extent, 1<<16)
			}
			if n > 1<<16 || d.part == nil || d.part.ChunkSize > 1<<18 {
				continue
			}
			if err := a.AppendRows(t.Context(), key, axis, p); err != nil && !expected(err) && !errors.Is(err, cairn.ErrType) {
				t.Fatal(err)
			}
		}
		if err := a.Close(); err != nil && !expected(err) {
			t.Fatal(err)
		}
	})
}
