package tree_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/store"
	"github.com/cairn-go/cairn/tree"
	"github.com/cairn-go/cairn/zarr"
)

func check(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// numbers is an array of one dimension with names and an attribute.
func numbers(t *testing.T, items ...int32) *ndarray.Untyped {
	t.Helper()
	a, err := ndarray.FromSlice(items, ndarray.Shape{int64(len(items))}, nil)
	check(t, err)
	check(t, a.SetLabels(ndarray.Labels{Dims: []string{"x"}, Attributes: meta.Map{{Key: "units", Value: "K"}}}))
	return a.Untyped
}

// directory makes a directory with files of many kinds.
func directory(t *testing.T) string {
	dir, ctx := t.TempDir(), t.Context()
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	check(t, os.MkdirAll(at("sub/deeper"), 0o777), os.Mkdir(at("empty"), 0o777))
	a := numbers(t, 1, 2, 3)

	check(t, ndarray.Save(ctx, at("a.b2nd"), a, nil))
	check(t, ndarray.Save(ctx, at("sparse.b2nd"), a, &ndarray.CopyOptions{Sparse: new(true)}))
	check(t, npy.Save(ctx, at("sub/b.npy"), a, nil))
	check(t, npy.SaveArchive(ctx, at("sub/deeper/c.npz"), func(put npy.PutFunc) error {
		return errors.Join(put("one", a), put("g/two", a))
	}, nil))
	e, err := store.Create(at("s.b2z"), nil)
	check(t, err, e.Put(ctx, "/g/x", a, nil), e.SetAttribute(ctx, "/g", "title", "a group"), e.Close())
	w, err := zarr.Create(at("z.zarr"), nil)
	check(t, err, w.Put(ctx, "/g/y", a, nil), w.Close())
	check(t, zarr.Save(ctx, at("one.zarr"), a, nil))
	for from, to := range map[string]string{"../hdf5/testdata/groups-latest.h5": "h.h5", "../netcdf/testdata/netcdf4.nc": "n.nc"} {
		b, err := os.ReadFile(from)
		check(t, err, os.WriteFile(at(to), b, 0o666))
	}
	check(t, os.WriteFile(at("readme.txt"), []byte("about these files"), 0o666))
	check(t, os.WriteFile(at(".hidden.npy"), []byte("x"), 0o666))
	check(t, os.WriteFile(at("short.npy"), []byte("\x93NUMPY\x01\x00\x10\x00{"), 0o666))
	return dir
}

// list returns the nodes of a walk as text.
func list(t *testing.T, tr ndarray.Tree, group string) string {
	t.Helper()
	var b strings.Builder
	for n, err := range ndarray.Walk(t.Context(), tr, group) {
		check(t, err)
		fmt.Fprintln(&b, n.Key, n.Kind)
		if (n.Err != nil) != (n.Kind == ndarray.DamagedNode) && n.Kind != ndarray.LinkNode && n.Kind != ndarray.OtherNode {
			t.Errorf("%s is %v: %v", n.Key, n.Kind, n.Err)
		}
	}
	return b.String()
}

func TestADirectoryIsATreeOfItsFiles(t *testing.T) {
	dir := directory(t)
	tr, err := tree.Open(t.Context(), dir, nil)
	check(t, err)
	defer tr.Close()
	all := list(t, tr, "/")
	var top []string
	for line := range strings.Lines(all) {
		if !strings.HasPrefix(line, "/h.h5/") && !strings.HasPrefix(line, "/n.nc/") {
			top = append(top, line)
		}
	}
	want := `/.hidden.npy other
/a.b2nd array
/empty group
/h.h5 group
/n.nc group
/one.zarr array
/readme.txt other
/s.b2z group
/s.b2z/g group
/s.b2z/g/x array
/short.npy damaged
/sparse.b2nd array
/sub group
/sub/b.npy array
/sub/deeper group
/sub/deeper/c.npz group
/sub/deeper/c.npz/g group
/sub/deeper/c.npz/g/two array
/sub/deeper/c.npz/one array
/z.zarr group
/z.zarr/g group
/z.zarr/g/y array
`
	if got := strings.Join(top, ""); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if !strings.Contains(all, "/h.h5/a/b/c group\n") || !strings.Contains(all, "/n.nc/t2m array\n") {
		t.Errorf("files are not groups of what they hold:\n%s", all)
	}
	if got := list(t, tr, "/sub/deeper/c.npz/g"); got != "/sub/deeper/c.npz/g/two array\n" {
		t.Errorf("a group of a file:\n%s", got)
	}
	if got := list(t, tr, "sub/b.npy"); got != "/sub/b.npy array\n" {
		t.Errorf("a file:\n%s", got)
	}
}

func TestArraysAndAttributesOfADirectory(t *testing.T) {
	tr, err := tree.Open(t.Context(), directory(t), nil)
	check(t, err)
	for _, key := range []string{"/a.b2nd", "sparse.b2nd", "/sub/b.npy", "/sub/deeper/c.npz/g/two", "/s.b2z/g/x", "/z.zarr/g/y",
		"/one.zarr"} {
		src, err := tr.Open(t.Context(), key)
		check(t, err)
		v, err := ndarray.ViewAs[int32](src)
		check(t, err)
		items, err := v.Read(t.Context())
		if err != nil || fmt.Sprint(items) != "[1 2 3]" {
			t.Errorf("%s: %v %v", key, items, err)
		}
		attributes, err := tr.Attributes(t.Context(), key)
		units, _ := attributes.Get("units")
		if hasThem := !strings.Contains(key, ".np"); err != nil || (units == "K") != hasThem {
			t.Errorf("%s: %v %v", key, attributes, err)
		}
		check(t, src.(io.Closer).Close())
	}
	for key, want := range map[string]string{"/s.b2z/g": "[{title a group}]", "/sub": "[]", "/": "[]"} {
		if m, err := tr.Attributes(t.Context(), key); err != nil || fmt.Sprint(m) != want {
			t.Errorf("%s: %v %v", key, m, err)
		}
	}
	for _, key := range []string{"/none", "/sub", "/", "/s.b2z/g", "/s.b2z/none", "/.hidden.npy", "/../x", "/sub/../a.b2nd", "/a.b2nd/x"} {
		if _, err := tr.Open(t.Context(), key); !errors.Is(err, cairn.ErrNotFound) {
			t.Errorf("%s: %v", key, err)
		}
	}
	if _, err := tr.Open(t.Context(), "readme.txt"); !errors.Is(err, cairn.ErrUnsupported) {
		t.Errorf("readme.txt: %v", err)
	}
	check(t, tr.Close())
}

func TestFilesAreTreesToo(t *testing.T) {
	dir := directory(t)
	for name, want := range map[string]string{
		"a.b2nd": "/ array\n", "sparse.b2nd": "/ array\n", "sub/b.npy": "/ array\n", "one.zarr": "/ array\n",
		"sub/deeper/c.npz": "/g group\n/g/two array\n/one array\n", "s.b2z": "/g group\n/g/x array\n",
		"z.zarr": "/g group\n/g/y array\n", "z.zarr/g": "/y array\n",
	} {
		tr, err := tree.Open(t.Context(), filepath.Join(dir, filepath.FromSlash(name)), nil)
		check(t, err)
		if got := list(t, tr, "/"); got != want {
			t.Errorf("%s: got\n%swant\n%s", name, got, want)
		}
		if want == "/ array\n" {
			src, err := tr.Open(t.Context(), "/")
			check(t, err)
			if again, err := tr.Open(t.Context(), ""); err != nil || again.Shape()[0] != 3 || src.Shape()[0] != 3 {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := tr.Children(t.Context(), "/x"); !errors.Is(err, cairn.ErrNotFound) {
				t.Errorf("%s: %v", name, err)
			}
		}
		check(t, tr.Close())
	}
	for name, want := range map[string]error{"readme.txt": cairn.ErrUnsupported, "none": os.ErrNotExist, "short.npy": cairn.ErrCorrupt} {
		if _, err := tree.Open(t.Context(), filepath.Join(dir, name), nil); !errors.Is(err, want) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLinksOutOfADirectoryAreNotFollowed(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret.npy")
	check(t, npy.Save(t.Context(), outside, numbers(t, 7), nil))
	dir := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "link.npy")); err != nil {
		return // a system without such links
	}
	check(t, os.Symlink(filepath.Dir(outside), filepath.Join(dir, "folder")))
	tr, err := tree.Open(t.Context(), dir, nil)
	check(t, err)
	defer tr.Close()
	if got := list(t, tr, "/"); got != "/folder other\n/link.npy other\n" {
		t.Error(got)
	}
	for _, key := range []string{"link.npy", "folder/secret.npy"} {
		if src, err := tr.Open(t.Context(), key); err == nil {
			t.Errorf("%s is read: %v", key, src.Shape())
		}
	}
}

// countedFS counts files that are open.
type countedFS struct {
	storage.FS
	open, most, all *atomic.Int64
}

type countedFile struct {
	storage.File
	open *atomic.Int64
}

func (f countedFS) Open(name string) (storage.File, error) {
	file, err := f.FS.Open(name)
	if err != nil {
		return nil, err
	}
	f.all.Add(1)
	f.most.Store(max(f.most.Load(), f.open.Add(1)))
	return countedFile{file, f.open}, nil
}

func (f countedFile) Close() error {
	f.open.Add(-1)
	return f.File.Close()
}

func TestFilesOfADirectoryAreClosedBehindCalls(t *testing.T) {
	dir := directory(t)
	for i := range 50 {
		check(t, ndarray.Save(t.Context(), filepath.Join(dir, fmt.Sprintf("many%02d.b2nd", i)), numbers(t, 1), nil))
	}
	files := countedFS{storage.OS(), new(atomic.Int64), new(atomic.Int64), new(atomic.Int64)}
	tr, err := tree.Open(t.Context(), dir, &tree.Options{FS: files})
	check(t, err)
	before := files.all.Load()
	list(t, tr, "/h.h5")
	if again := files.all.Load() - before; again > 2 {
		t.Errorf("a file with many groups was opened %d times", again)
	}
	list(t, tr, "/")
	if files.most.Load() > 4 {
		t.Errorf("%d files were open at once", files.most.Load())
	}
	src, err := tr.Open(t.Context(), "/h.h5/committed")
	check(t, err)
	_, err = tr.Open(t.Context(), "/none")
	other, otherErr := tr.Attributes(t.Context(), "/n.nc")
	if !errors.Is(err, cairn.ErrNotFound) || otherErr != nil || other == nil {
		t.Errorf("%v, %v, %v", err, other, otherErr)
	}
	if _, err := ndarray.ViewOf(src).Read(t.Context()); err != nil {
		t.Errorf("an array whose file is no longer the last one: %v", err)
	}
	check(t, src.(io.Closer).Close(), src.(io.Closer).Close(), tr.Close())
	if n := files.open.Load(); n != 0 {
		t.Errorf("%d files are open", n)
	}
}

func TestCallsEndWithTheirContext(t *testing.T) {
	tr, err := tree.Open(t.Context(), directory(t), nil)
	check(t, err)
	defer tr.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tr.Children(ctx, "/"); !errors.Is(err, context.Canceled) {
		t.Errorf("children: %v", err)
	}
	if _, err := tr.Open(ctx, "a.b2nd"); !errors.Is(err, context.Canceled) {
		t.Errorf("open: %v", err)
	}
	if _, err := tree.Open(ctx, ".", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a tree: %v", err)
	}
}
