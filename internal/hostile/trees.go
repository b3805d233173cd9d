package main

import (
	"bytes"
	"context"
	"io/fs"
	"path"
	"strings"
	"testing/fstest"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/store"
)

// someLeaves is how many leaves of a store are read; all are listed.
const someLeaves = 8

// openTree opens the subject as a store: an archive or an embed store in one file, or a directory.
func (l *lab) openTree(s *subject) (*store.Store, error) {
	o := &store.OpenOptions{Workers: 1, Limits: limits(), Codecs: l.codecs, FilterSet: l.filters}
	if b, ok := s.single(); ok {
		return store.OpenReader(bytes.NewReader(b), int64(len(b)), "in", o)
	}
	return store.OpenFS(s.folder(), "in", o)
}

// folder returns the files of the subject as a file system.
func (s *subject) folder() fs.FS {
	m := fstest.MapFS{}
	for name, b := range s.files {
		m[name] = &fstest.MapFile{Data: b, Mode: 0o644}
	}
	return m
}

// folderCost is what reading directories of that file system takes, which the library does not pay.
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

// openStore opens and lists. The list of an embed store is a value of a metalayer.
func openStore(l *lab, s *subject) (uint64, error) {
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
func (l *lab) withTree(s *subject, do func(t *store.Store, got *first) uint64) (uint64, error) {
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

// readTree walks through the groups that some leaves are in, and reads what is noted about them.
func readTree(l *lab, s *subject) (uint64, error) {
	return l.withTree(s, func(t *store.Store, got *first) (asked uint64) {
		for _, key := range s.leaves(t) {
			for depth := 0; key != "/" && key != "." && depth < 10; depth++ {
				key = path.Dir(key)
				children, err := t.Children(key)
				got.take(err)
				for _, c := range children {
					asked += 2 * uint64(16+len(c))
				}
				_, err = t.Attributes(key)
				got.take(err)
				t.IsGroup(key)
				asked += scratch
			}
		}
		_, err := t.Objects()
		got.take(err)
		return asked + scratch
	})
}

// readLeafFrames opens leaves as frames.
func readLeafFrames(l *lab, s *subject) (uint64, error) {
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
func readLeafArrays(l *lab, s *subject) (uint64, error) {
	return l.withTree(s, func(t *store.Store, got *first) (asked uint64) {
		for _, key := range s.leaves(t) {
			asked += scratch
			u, err := t.Array(key)
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
				got.take(u.ReadBox(context.Background(), l.buf[:size], make([]int64, len(stop)), stop))
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

func verifyLeaves(l *lab, s *subject) (uint64, error) {
	return l.withTree(s, func(t *store.Store, got *first) (asked uint64) {
		for _, key := range s.leaves(t) {
			_, err := t.Verify(context.Background(), key)
			got.take(err)
			asked += scratch
		}
		return asked + scratch
	})
}
