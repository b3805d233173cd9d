package hdf5

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// rowNumbers are rows each of whose items is the number of the row.
func rowNumbers(t testing.TB, from, rows, width int64) ndarray.Source {
	t.Helper()
	items := make([]int16, rows*width)
	for i := range items {
		items[i] = int16(from + int64(i)/width)
	}
	a, err := ndarray.FromSlice(items, ndarray.Shape{rows, width}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// checkRows reads a dataset of row numbers, and returns how many rows there are.
func checkRows(t testing.TB, f *File, key string) (rows int64, err error) {
	t.Helper()
	d, err := f.Dataset(t.Context(), key)
	if err != nil {
		return 0, err
	}
	v, err := ndarray.ViewAs[int16](d)
	if err != nil {
		return 0, err
	}
	items, err := v.Read(t.Context())
	if err != nil {
		return 0, err
	}
	width := d.Shape()[1]
	for i, item := range items {
		if int64(item) != int64(i)/width {
			t.Fatalf("%s: item %d is %d, in a row of %d", key, i, item, int64(i)/width)
		}
	}
	return d.Shape()[0], nil
}

// TestReadersBesideAppender reads a file while it is appended to: in handles from before, and in
// new ones. Each finds a state that was committed.
func TestReadersBesideAppender(t *testing.T) {
	keys := []string{"a", "b"}
	path := filepath.Join(t.TempDir(), "a.h5")
	w, err := Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		o := &DatasetOptions{Chunks: ndarray.Shape{3, 2}, MaxShape: ndarray.Shape{-1, 5}}
		if err := w.Put(t.Context(), key, rowNumbers(t, 0, 2, 5), o); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	done := make(chan error, 1)
	before, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()
	go func() { done <- appendNumbers(t, path, keys, 60) }()
	for reads := 0; ; reads++ {
		select {
		case err := <-done:
			if err != nil || reads == 0 {
				t.Fatalf("%v after %d reads", err, reads)
			}
			return
		default:
		}
		f, err := Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		first, err1 := checkRows(t, f, "a")
		second, err2 := checkRows(t, f, "b")
		rows, err3 := checkRows(t, before, "a")
		if err := errors.Join(err1, err2, err3, f.Close()); err != nil || second < first || rows > first {
			t.Fatalf("%d and %d rows, %d in the first handle: %v", first, second, rows, err)
		}
	}
}

// TestHandlesFromBefore reads a dataset that was opened before it was appended to. Its index is an
// extensible array, whose header has changed in place since.
func TestHandlesFromBefore(t *testing.T) {
	b, err := os.ReadFile("testdata/chunked-latest.h5")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.h5")
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d, err := f.Dataset(t.Context(), "growing")
	if err != nil {
		t.Fatal(err)
	}

	a, err := Append(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	want, err := f.Dataset(t.Context(), "growing1") // read before
	if err != nil {
		t.Fatal(err)
	}
	items, err := ndarray.ViewOf(want).Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := a.AppendRows(t.Context(), "growing", 0, &patterned{ndarray.Shape{50, 33}, d.DType()}); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}

	got, err := ndarray.ViewOf(d).Read(t.Context())
	if err != nil || !bytes.Equal(got, items) {
		t.Errorf("%d bytes, want %d as before (%v)", len(got), len(items), err)
	}
}

// appendNumbers appends to datasets in several commits.
func appendNumbers(t testing.TB, path string, keys []string, commits int64) error {
	a, err := Append(path, nil)
	if err != nil {
		return err
	}
	rows := int64(2)
	for k := range commits {
		n := 1 + k%4
		for _, key := range keys {
			if err := a.AppendRows(t.Context(), key, 0, rowNumbers(t, rows, n, 5)); err != nil {
				return errors.Join(err, a.Abort())
			}
		}
		if err := a.Commit(t.Context()); err != nil {
			return errors.Join(err, a.Abort())
		}
		rows += n
	}
	return a.Close()
}

// grown reads a file that has got longer since somebody looked at its length.
type grown struct{ *bytes.Reader }

func (g grown) Size() (int64, error) { return g.Reader.Size(), nil }

func TestOpensFilesThatHaveGrownSinceTheirLengthWasTaken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.h5")
	w, err := Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Put(t.Context(), "a", rowNumbers(t, 0, 2, 5), nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	short := int64(len(b) - 100)
	if _, err := OpenReader(bytes.NewReader(b), short, nil); !errors.Is(err, cairn.ErrCorrupt) {
		t.Errorf("a file that is cut: %v", err)
	}
	f, err := OpenReader(grown{bytes.NewReader(b)}, short, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
