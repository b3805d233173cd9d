package store

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// inMemory copies a store from disk into memory, under its base name.
func inMemory(t *testing.T, path string) storage.FS {
	t.Helper()
	m := storage.NewMemory()
	check(t, filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(filepath.Dir(path), name)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return m.Mkdir(filepath.ToSlash(relative))
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return writeFile(m, filepath.ToSlash(relative), bytes.NewReader(data))
	}))
	return m
}

// contentOf returns everything that can be read of a store: decoded leaves, metalayers and
// attributes.
func contentOf(fsys storage.FS, path string) (map[string]string, error) {
	s, err := Open(path, &OpenOptions{FS: fsys, Workers: 1})
	if err != nil {
		return nil, err
	}
	content := map[string]string{}
	for i := range s.leaves.all {
		l := &s.leaves.all[i]
		f, err := s.open(l)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		text, err := textOf(f)
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, errors.Join(err, s.Close())
		}
		content[l.Key] = text
	}
	objects, err := s.Objects()
	for key, kind := range objects {
		content[key+"/"] = kind.String()
	}
	return content, errors.Join(err, s.Close())
}

func textOf(f *frame.Frame) (string, error) {
	var b strings.Builder
	err := sumFrame(context.Background(), &b, f)
	return b.String(), err
}

// edits are changes of an editor, each of which must be atomic.
func edits(ctx context.Context, a *ndarray.Untyped) map[string]func(e *Editor) error {
	return map[string]func(e *Editor) error{
		"put":       func(e *Editor) error { return e.Put(ctx, "/new/folder/leaf", a, nil) },
		"replace":   func(e *Editor) error { return e.Put(ctx, "/a", a, nil) },
		"otherwise": func(e *Editor) error { return e.Put(ctx, "/g/bytes", a, nil) },
		"delete":    func(e *Editor) error { return e.Delete(ctx, "/a") },
		"group":     func(e *Editor) error { return e.Delete(ctx, "/g") },
		"rename":    func(e *Editor) error { return e.Rename(ctx, "/a", "/new/folder/b") },
		"regroup":   func(e *Editor) error { return e.Rename(ctx, "/g", "/moved/h") },
		"change": func(e *Editor) error {
			return e.Change(ctx, "/a", func(u *ndarray.Untyped) error { return u.Fill(ctx, 9) })
		},
		"resize": func(e *Editor) error {
			return e.Change(ctx, "/g/b", func(u *ndarray.Untyped) error { return u.Resize(ctx, ndarray.Shape{2}, nil) })
		},
		"attribute": func(e *Editor) error { return e.SetAttribute(ctx, "/g", "more", "text") },
		"new group": func(e *Editor) error { return e.SetAttribute(ctx, "/new", "more", "text") },
		"bundle": func(e *Editor) error {
			return e.PutAll(ctx, func(b *Bundle) error {
				for _, key := range []string{"/new/folder/leaf", "/new/other"} {
					err := b.PutFunc(key, func(fsys storage.FS, path string) error {
						return a.Save(ctx, path, &ndarray.CopyOptions{FS: fsys, Sparse: new(false)})
					})
					if err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
}

// editStore runs one edit from Edit to Close.
func editStore(fsys storage.FS, path string, run func(e *Editor) error) error {
	e, err := Edit(path, &OpenOptions{FS: fsys, Workers: 1})
	if err != nil {
		return err
	}
	if err := run(e); err != nil {
		return errors.Join(err, e.Abort())
	}
	return e.Close()
}

// crashStores are stores of all forms, including trees with embedded leaves, with /a, /g/b and
// /g/bytes.
func crashStores(t *testing.T) map[string]storage.FS {
	dir := t.TempDir()
	stores := map[string]storage.FS{}
	for _, ext := range forms {
		path := filepath.Join(dir, "s"+ext)
		w, err := Create(path, nil)
		check(t, err)
		a := numbers(t, 1, 2, 3)
		f, err := frame.New(&frame.Options{TypeSize: 1})
		check(t, err)
		_, err = f.Append(t.Context(), []byte("some bytes"))
		check(t, err, w.Put(t.Context(), "/a", a, nil), w.Put(t.Context(), "/g/b", a, nil),
			putFrame(t.Context(), w, "/g/bytes", f))
		if ext != ".b2e" {
			check(t, w.SetAttribute(t.Context(), "/g", "title", "x"))
		}
		check(t, w.Close(), a.Close(), f.Close())
		stores["s"+ext] = inMemory(t, path)
	}
	path := filepath.Join(dir, "mixed.b2d")
	writeTree(t, path, unpackedFiles(t, "testdata/mixed.b2z"))
	stores["mixed.b2d"] = inMemory(t, path)
	copyFile(t, "testdata/mixed.b2z", filepath.Join(dir, "mixed.b2z"))
	stores["mixed.b2z"] = inMemory(t, filepath.Join(dir, "mixed.b2z"))
	return stores
}

// Number of power failures tested at each operation.
var (
	crashSubsets = flag.Int("crash-subsets", 1, "pieces of which every set is kept once")
	crashSamples = flag.Int("crash-samples", 1, "random sets of pieces that are kept")
)

// TestCrashesLeaveTheOldOrTheNewStore checks what a kill or a power failure leaves, at every
// operation of every edit.
func TestCrashesLeaveTheOldOrTheNewStore(t *testing.T) {
	a := numbers(t, 4, 5)
	defer a.Close()
	images := 0
	for name, image := range crashStores(t) {
		for what, run := range edits(t.Context(), a) {
			if strings.HasSuffix(name, ".b2e") && (what == "attribute" || what == "new group") {
				continue
			}
			r, from, err := storagetest.Resume(image)
			check(t, err)
			before, err := contentOf(r, name)
			check(t, err)
			if err := editStore(r, name, run); err != nil {
				t.Fatalf("%s: %s: %v", name, what, err)
			}
			after, err := contentOf(r, name)
			check(t, err)
			if maps.Equal(before, after) {
				t.Fatalf("%s: %s changes nothing", name, what)
			}
			log := storagetest.NewLog(r.Ops())
			sweep := storagetest.Sweep{Seed: 1, Subsets: *crashSubsets, Samples: *crashSamples, Durable: from}
			for c := range log.Crashes(sweep, from, r.Len()) {
				images++
				got, err := contentOf(log.Image(c), name)
				if err != nil || !maps.Equal(got, before) && !maps.Equal(got, after) {
					t.Errorf("%s: %s: crash %v: %v, %d leaves\n%s", name, what, c, err, len(got), log.Describe(c))
					break
				}
			}
		}
	}
	if images < 500 {
		t.Errorf("only %d images", images)
	}
}

// createStore creates a store of a few leaves from several goroutines, changes them, and closes it.
func createStore(ctx context.Context, fsys storage.FS, path string, a *ndarray.Untyped, replace bool) error {
	e, err := Create(path, &Options{OpenOptions: OpenOptions{FS: fsys, Workers: 1}, Overwrite: replace})
	if err != nil {
		return err
	}
	keys := []string{"/g/h/c", "/b", "/old/x", "/g/a"}
	errs := make([]error, len(keys))
	var wg sync.WaitGroup
	for i, key := range keys {
		wg.Go(func() { errs[i] = e.Put(ctx, key, a, nil) })
	}
	wg.Wait()
	errs = append(errs, e.Put(ctx, "/b", a, &ndarray.CopyOptions{Level: 9}), e.Delete(ctx, "/old"),
		e.Change(ctx, "/g/a", func(u *ndarray.Untyped) error { return u.Resize(ctx, ndarray.Shape{1}, nil) }))
	if e.kind == TreeStore {
		errs = append(errs, e.SetAttribute(ctx, "/g", "title", "x"), e.SetAttribute(ctx, "/g", "units", "K"))
	}
	if err := errors.Join(errs...); err != nil {
		return errors.Join(err, e.Abort())
	}
	return e.Close()
}

// TestNewStoresAppearWhole creates stores in memory, with and without replacing other stores, and
// checks what a crash leaves at every operation. Failed or unclosed stores must leave nothing that
// prevents another attempt.
func TestNewStoresAppearWhole(t *testing.T) {
	a := numbers(t, 4, 5)
	defer a.Close()
	for name, image := range crashStores(t) {
		for _, replace := range []bool{false, true} {
			m := cloneMemory(t, image)
			if !replace {
				check(t, m.RemoveAll(name))
			}
			r, from, err := storagetest.Resume(m)
			check(t, err)
			before, err := contentOf(r, name)
			if !replace && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			if err := createStore(t.Context(), r, name, a, replace); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			after, err := contentOf(r, name)
			check(t, err)
			if want := map[bool]int{true: 3, false: 4}[strings.HasSuffix(name, ".b2e")]; len(after) != want {
				t.Errorf("%s: %d leaves", name, len(after))
			}
			log := storagetest.NewLog(r.Ops())
			sweep := storagetest.Sweep{Seed: 1, Subsets: *crashSubsets, Samples: *crashSamples, Durable: from}
			for c := range log.Crashes(sweep, from, r.Len()) {
				got, err := contentOf(log.Image(c), name)
				if !replace && errors.Is(err, fs.ErrNotExist) {
					continue
				}
				if err != nil || !maps.Equal(got, before) && !maps.Equal(got, after) {
					t.Errorf("%s: crash %v: %v, %d leaves\n%s", name, c, err, len(got), log.Describe(c))
					break
				}
			}
		}
	}
}

// TestFailingStorageLeavesTheOldOrTheNewStore makes each operation of every edit fail, once or
// permanently. The error says which of both is left.
func TestFailingStorageLeavesTheOldOrTheNewStore(t *testing.T) {
	a := numbers(t, 4, 5)
	defer a.Close()
	committed := 0
	for name, image := range crashStores(t) {
		for what, run := range edits(t.Context(), a) {
			if strings.HasSuffix(name, ".b2e") && (what == "attribute" || what == "new group") {
				continue
			}
			before, err := contentOf(image, name)
			check(t, err)
			after := afterEdit(t, image, name, run)
			for failAt, done := 1, false; !done; failAt++ {
				memory := cloneMemory(t, image)
				faults := &storagetest.Faults{FS: memory, FailAt: failAt, Persistent: failAt%2 == 0, Closes: true}
				err := editStore(faults, name, run)
				done = faults.Hits() == 0
				if err != nil && !errors.Is(err, storagetest.ErrInjected) {
					t.Errorf("%s: %s: operation %d fails, the edit: %v", name, what, failAt, err)
				}
				got, readErr := contentOf(memory, name)
				if readErr != nil {
					t.Fatalf("%s: %s: operation %d: %v", name, what, failAt, readErr)
				}
				want := before
				if err == nil || errors.Is(err, cairn.ErrCommitted) {
					want = after
				}
				if !maps.Equal(got, want) {
					t.Errorf("%s: %s: operation %d leaves something else: %d leaves (the new ones: %v), after %v",
						name, what, failAt, len(got), maps.Equal(got, after), err)
				}
				if errors.Is(err, cairn.ErrCommitted) {
					committed++
				}
			}
		}
	}
	if committed < 50 {
		t.Errorf("%d faults after the commit", committed)
	}
}

// afterEdit returns the content of a store after an edit.
func afterEdit(t *testing.T, image storage.FS, name string, run func(e *Editor) error) map[string]string {
	m := cloneMemory(t, image)
	check(t, editStore(m, name, run))
	after, err := contentOf(m, name)
	check(t, err)
	return after
}

func cloneMemory(t *testing.T, m storage.FS) storage.FS {
	t.Helper()
	clone := storage.NewMemory()
	var walk func(dir string)
	walk = func(dir string) {
		entries, err := m.ReadDir(dir)
		check(t, err)
		for _, e := range entries {
			name := strings.TrimPrefix(dir+"/"+e.Name, "/")
			if e.Dir {
				check(t, clone.Mkdir(name))
				walk(name)
				continue
			}
			f, err := m.Open(name)
			check(t, err)
			data, err := io.ReadAll(io.NewSectionReader(f, 0, e.Size))
			check(t, err, f.Close(), writeFile(clone, name, bytes.NewReader(data)))
		}
	}
	walk("")
	return clone
}
