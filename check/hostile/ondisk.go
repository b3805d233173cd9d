package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/osfile"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/store"
)

// Damage that is only possible on disk: symbolic links and pipes instead of files and folders.

// withDisk writes the subject to a directory on disk and calls do with its path.
func (s *subject) withDisk(do func(dir, name string) error) error {
	dir, err := os.MkdirTemp("", "cairn-hostile-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	name := filepath.Join(dir, "in")
	switch {
	case s.seed.class != stores:
	case s.files[""] == nil:
		name += ".b2d"
	case s.seed.isArchive():
		name += ".b2z"
	default:
		name += ".b2e"
	}

	for file, b := range s.files {
		if !filepath.IsLocal(filepath.FromSlash(path.Join(".", file))) {
			return nil // not possible on disk
		}
		at := filepath.Join(name, filepath.FromSlash(file))
		if os.MkdirAll(filepath.Dir(at), 0o777) != nil || os.WriteFile(at, b, 0o666) != nil {
			return nil // a file is also a folder, or a name is too long
		}
	}
	return do(dir, name)
}

// diskCost returns the memory that may be used besides that for leaves: names are opened element by
// element.
func (s *subject) diskCost() uint64 { return 8*scratch + 16*s.size + 32*s.folderCost() }

// element returns the name of a file of the subject, or of one of its parent folders.
func (s *subject) element(name string) string {
	var files []string
	for _, file := range s.seed.order {
		if _, ok := s.files[file]; ok {
			files = append(files, file)
		}
	}
	if len(files) == 0 {
		return name
	}
	file := files[s.rng.IntN(len(files))]
	for file != "" && path.Dir(file) != "." && s.rng.IntN(3) > 0 {
		file = path.Dir(file)
	}
	return filepath.Join(name, filepath.FromSlash(file))
}

// editLinked edits a store in a directory where one element is a link to a folder or file outside,
// which must not change.
func editLinked(l *tester, s *subject) (uint64, error) {
	if s.files[""] != nil {
		return 0, nil
	}

	asked := s.diskCost()
	return asked, s.withDisk(func(dir, name string) error {
		canary := filepath.Join(dir, "canary")
		bird := filepath.Join(canary, "bird.b2nd")
		text := []byte("the bird is alive")
		if err := errors.Join(os.Mkdir(canary, 0o777), os.WriteFile(bird, text, 0o666)); err != nil {
			return err
		}

		at := s.element(name)
		target := []string{canary, canary, canary, bird, canary + "/new", "/dev/null"}[s.rng.IntN(6)]
		if os.RemoveAll(at) != nil || os.Symlink(target, at) != nil {
			return nil // the system has no links
		}

		err := l.editOnDisk(s, name, path.Join("/", filepath.ToSlash(at[len(name):])))
		entries, failed := os.ReadDir(canary)
		now, missing := os.ReadFile(bird)
		if failed != nil || missing != nil || len(entries) != 1 || string(now) != string(text) {
			return unsoundError{fmt.Errorf("%v was written through the link %s to %s: %v", entries, at, target, err)}
		}
		return err
	})
}

// editOnDisk changes existing leaves, and adds a leaf below and beside a key.
func (l *tester) editOnDisk(s *subject, name, key string) error {
	ctx := context.Background()
	e, err := store.Edit(name, l.storeOptions())
	if err != nil {
		return err
	}

	var got first
	f, err := frame.New(nil)
	if err != nil {
		return errors.Join(err, e.Close())
	}
	defer f.Abort()

	for _, to := range []string{key + "/new", path.Dir(key) + "/beside", key} {
		got.take(putFrame(ctx, e, to, f))
	}
	for _, leaf := range s.leaves(e.Store) {
		got.take(e.ChangeFrame(ctx, leaf, func(f *frame.Frame) error { return f.SetVL("new", l.buf[:10]) }))
	}

	got.take(e.SetAttribute(ctx, key, "title", "x"))
	got.take(e.SetAttribute(ctx, "/", "title", "x"))
	got.take(e.Delete(ctx, key))
	got.take(e.Close())
	return got.err
}

// walkAll lists every group of a store on disk and verifies every leaf.
func walkAll(l *tester, s *subject) (asked uint64, err error) {
	err = s.withDisk(func(_, name string) error {
		t, err := store.Open(name, l.storeOptions())
		if err != nil {
			return err
		}

		var got first
		for n, err := range ndarray.Walk(context.Background(), t, "/") {
			got.take(err)
			asked += scratch + uint64(len(n.Key))
			if n.Kind == ndarray.GroupNode {
				_, err = t.Attributes(context.Background(), n.Key)
				got.take(err)
			}
		}

		for leaf := range t.Leaves() {
			_, err := t.Verify(context.Background(), leaf.Key)
			got.take(err)
			asked += scratch
		}

		_, err = t.Verify(context.Background(), "/")
		got.take(err)
		got.take(t.Close())
		return got.err
	})
	return asked + s.diskCost(), err
}

// readPiped reads a frame or store in which one file is a pipe without a writer, or a link to one.
func readPiped(l *tester, s *subject) (uint64, error) {
	asked := s.diskCost()
	return asked, s.withDisk(func(dir, name string) error {
		at := s.element(name)
		pipe := at
		if s.rng.IntN(3) == 0 {
			pipe = filepath.Join(dir, "pipe")
		}

		if os.RemoveAll(at) != nil || osfile.MakePipe(pipe) != nil {
			return nil // the system has no pipes
		}
		if pipe != at && os.Symlink(pipe, at) != nil {
			return nil
		}

		if s.seed.class == frames {
			_, err := ndarray.Verify(context.Background(), name,
				&ndarray.OpenOptions{Workers: 1, Engine: chunk.Engine{Limits: limits()}})
			return err
		}

		t, err := store.Open(name, l.storeOptions())
		if err != nil {
			return err
		}
		var got first
		for _, key := range s.leaves(t) {
			_, err := t.Verify(context.Background(), key)
			got.take(err)
		}
		_, err = t.Attributes(context.Background(), "/")
		got.take(err)
		got.take(t.Close())
		return got.err
	})
}
