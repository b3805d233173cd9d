package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing/fstest"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/store"
)

// someLeaves is the most leaves of a store that are read; all are listed.
const someLeaves = 8

func (l *tester) storeOptions() *store.OpenOptions {
	return &store.OpenOptions{Workers: 1, Engine: chunk.Engine{Limits: limits(), Codecs: l.codecs,
		Filters: l.filters}}
}

// openTree opens the subject as a store: an archive or an embed store in one file, or a directory.
func (l *tester) openTree(s *subject) (*store.Store, error) {
	o := l.storeOptions()
	if b, ok := s.single(); ok {
		return store.OpenReader(bytes.NewReader(b), int64(len(b)), "in", o)
	}
	o.FS = storage.IOFS(s.folder())
	return store.Open(".", o)
}

// folder returns the files of the subject as a file system.
func (s *subject) folder() fs.FS {
	m := fstest.MapFS{}
	for name, b := range s.files {
		m[name] = &fstest.MapFile{Data: b, Mode: 0o644}
	}
	return m
}

// folderCost returns the memory for reading directories of that file system, which is not the
// library's.
func (s *subject) folderCost() uint64 {
	if len(s.files) == 1 {
		return 0
	}
	n := uint64(len(s.files))
	cost := n * n << 9
	for name := range s.files {
		cost += uint64(strings.Count(name, "/")+1) * uint64(4<<10+4*len(name))
	}
	return cost
}

// openStore opens a store and lists its leaves. The list of an embed store is the value of a
// metalayer.
func openStore(l *tester, s *subject) (uint64, error) {
	t, err := l.openTree(s)
	if err != nil {
		return scratch + maxAlloc + s.folderCost(), err
	}
	n := 0
	for range t.Leaves() {
		n++
	}
	return scratch + maxAlloc + s.folderCost(), t.Close()
}

// withTree opens a store and calls do.
func (l *tester) withTree(s *subject, do func(t *store.Store, got *first) uint64) (uint64, error) {
	t, err := l.openTree(s)
	if err != nil {
		return scratch + maxAlloc + s.folderCost(), err
	}
	defer t.Close()
	var got first
	asked := do(t, &got)
	return asked + scratch + maxAlloc + s.folderCost(), got.err
}

// leaves returns the keys of some leaves.
func (s *subject) leaves(t *store.Store) (keys []string) {
	for l := range t.Leaves() {
		if len(keys) < someLeaves {
			keys = append(keys, l.Key)
		} else if k := s.rng.IntN(4 * someLeaves); k < someLeaves {
			keys[k] = l.Key
		}
	}
	return keys
}

// readTree reads the groups of some leaves and their attributes.
func readTree(l *tester, s *subject) (uint64, error) {
	ctx := context.Background()
	return l.withTree(s, func(t *store.Store, got *first) (asked uint64) {
		for _, key := range s.leaves(t) {
			for depth := 0; key != "/" && key != "." && depth < 10; depth++ {
				key = path.Dir(key)
				children, err := t.Children(ctx, key)
				got.take(err)
				for _, c := range children {
					asked += 4 * uint64(128+len(c.Key))
				}
				_, err = t.Attributes(ctx, key)
				got.take(err)
				asked += scratch
			}
		}

		_, err := t.Objects()
		got.take(err)
		return asked + scratch
	})
}

// readLeafFrames opens leaves as frames.
func readLeafFrames(l *tester, s *subject) (uint64, error) {
	return l.withTree(s, func(t *store.Store, got *first) (asked uint64) {
		for _, key := range s.leaves(t) {
			_, err := t.Kind(key)
			got.take(err)
			asked += scratch

			f, err := t.Frame(key)
			if err != nil {
				got.take(err)
				continue
			}

			f.Info()
			layers, err := f.VLLayers()
			got.take(err)
			for _, layer := range layers {
				asked += uint64(len(layer.Content))
			}
			s.someChunks(f, func(i int) {
				_, err := f.ReadChunk(context.Background(), l.buf, i)
				got.take(err)
			})
			got.take(f.Close())
			asked += scratch
		}
		return asked + scratch
	})
}

// readLeafArrays opens leaves as arrays, and reads a corner of each.
func readLeafArrays(l *tester, s *subject) (uint64, error) {
	return l.withTree(s, func(t *store.Store, got *first) (asked uint64) {
		for _, key := range s.leaves(t) {
			asked += scratch
			u, err := t.Array(context.Background(), key)
			if err != nil {
				got.take(err)
				continue
			}

			stop := append([]int64{}, u.Shape()...)
			size := int64(u.TypeSize())
			for i := range stop {
				stop[i] = min(stop[i], 20)
				size = min(size*stop[i], int64(len(l.buf))+1)
			}

			if size <= int64(len(l.buf)) {
				got.take(u.ReadBytes(context.Background(), l.buf[:size], make([]int64, len(stop)), stop))
			}
			if len(stop) > 0 && stop[0] > 0 {
				b, err := u.Read(context.Background(), ndarray.Index(0))
				got.take(err)
				asked += uint64(len(b)) + maxAlloc
			}

			got.take(u.Close())
			asked += scratch
		}
		return asked + scratch
	})
}

func verifyLeaves(l *tester, s *subject) (uint64, error) {
	return l.withTree(s, func(t *store.Store, got *first) (asked uint64) {
		for _, key := range s.leaves(t) {
			_, err := t.Verify(context.Background(), key)
			got.take(err)
			asked += scratch
		}
		return asked + scratch
	})
}

// copyStore copies a store to disk, and checks that no files were created outside of the copy.
func copyStore(l *tester, s *subject) (uint64, error) {
	return l.withTree(s, func(t *store.Store, got *first) (asked uint64) {
		dir, err := os.MkdirTemp("", "cairn-hostile-")
		if err != nil {
			got.take(err)
			return 0
		}
		defer os.RemoveAll(dir)

		inner := filepath.Join(dir, "a", "b")
		if err := os.MkdirAll(inner, 0o777); err != nil {
			got.take(err)
			return 0
		}
		name := filepath.Join(inner, []string{"out.b2d", "out.b2z", "out.b2e"}[s.rng.IntN(3)])
		got.take(t.Copy(context.Background(), name, &ndarray.CopyOptions{Workers: 1}))

		n := uint64(0)
		err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if outside := path != dir && path != filepath.Dir(inner) && path != inner && !strings.HasPrefix(path, name); err == nil && outside {
				err = unsoundError{fmt.Errorf("%s is outside of the copy", path)}
			}
			if n++; err != nil || d.IsDir() {
				return err
			}
			info, err := d.Info()
			asked += 8 * uint64(info.Size())
			return err
		})

		if unsound(err) {
			got.err = err
		}
		for range t.Leaves() {
			asked += scratch
		}
		return asked + n<<16
	})
}

// editStore deletes a leaf, sets an attribute, and replaces a leaf by another.
func editStore(l *tester, s *subject) (uint64, error) {
	if err := s.write(); err != nil {
		return 0, nil // paths that contradict each other
	}

	ctx := context.Background()
	e, err := store.Edit("in", &store.OpenOptions{FS: s.fs, Workers: 1,
		Engine: chunk.Engine{Limits: limits(), Codecs: l.codecs, Filters: l.filters}})
	asked := 4*scratch + 8*s.size + s.folderCost()
	if err != nil {
		return asked, err
	}

	var got first
	keys := s.leaves(e.Store)
	if len(keys) > 0 {
		got.take(e.Delete(ctx, keys[s.rng.IntN(len(keys))]))
		got.take(e.ChangeFrame(ctx, keys[s.rng.IntN(len(keys))], func(f *frame.Frame) error { return f.SetVL("new", l.buf[:10]) }))
		if f, err := e.Frame(keys[s.rng.IntN(len(keys))]); err == nil {
			got.take(putFrame(ctx, e, "/new/leaf", f))
			got.take(f.Close())
		}
	}

	got.take(e.SetAttribute(ctx, "/", "title", "x"))
	got.take(e.Close())
	return asked + uint64(len(keys)+4)*scratch, got.err
}

// putFrame adds a copy of a frame as a leaf.
func putFrame(ctx context.Context, e *store.Editor, key string, f *frame.Frame) error {
	return e.PutFunc(ctx, key, func(fsys storage.FS, path string) error {
		return frame.Copy(ctx, path, f.Snapshot(), &frame.CopyOptions{FS: fsys, Sparse: new(false)})
	})
}
