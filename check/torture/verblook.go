package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/derived"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/store"
)

// A state is the content of a verb's target. stale reports whether the indexes of a table are
// marked as stale: always allowed, but required for new data. content is computed as if they were
// marked.
type state struct {
	content
	stale bool
}

// lookAtTarget reads and verifies everything in the target of a verb, by its file extension. The
// zero state stands for no target.
func lookAtTarget(fsys storage.FS, name string) (s state, err error) {
	switch path.Ext(name) {
	case ".b2nd", ".b2frame":
		s.content, err = lookAtFrame(fsys, name)
		if err == nil && s != (state{}) && path.Ext(name) == ".b2nd" {
			s.content, err = withItems(s.content, func() (*ndarray.Untyped, error) {
				return ndarray.Open(name, &ndarray.OpenOptions{FS: fsys, Workers: 1})
			})
		}
	case ".b2d", ".b2z", ".b2e":
		s, err = lookAtStore(fsys, name)
		if err != nil {
			err = absent(fsys, name, err)
		}
	default:
		s.content, err = lookAtBytes(fsys, name)
	}
	return s, err
}

func lookAtBytes(fsys storage.FS, name string) (content, error) {
	b, err := bytesOf(fsys, name)
	if err != nil {
		return content{}, absent(fsys, name, err)
	}
	s := newSummer()
	s.add(b)
	return content{1, int64(len(b)), s.sum()}, nil
}

func bytesOf(fsys storage.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	size, err := f.Size()
	b := make([]byte, size)
	if err == nil {
		if _, err = f.ReadAt(b, 0); errors.Is(err, io.EOF) {
			err = nil
		}
	}
	return b, errors.Join(err, f.Close())
}

// lookAtStore sums all leaves of a store and the attributes of its groups.
func lookAtStore(fsys storage.FS, name string) (c state, err error) {
	st, err := store.Open(name, &store.OpenOptions{FS: fsys, Workers: 1})
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	s := newSummer()
	for l := range st.Leaves() {
		one, err := lookAtLeaf(st, l.Key)
		if err == nil {
			_, err = st.Verify(context.Background(), l.Key)
		}
		if err != nil {
			return c, fmt.Errorf("%s: %w", l.Key, err)
		}
		s.add([]byte(l.Key))
		s.add(one.sum[:])
		c.parts, c.nbytes, c.stale = c.parts+1, c.nbytes+one.nbytes, c.stale || one.stale
	}
	groups := append([]string{"/"}, st.Groups()...)
	slices.Sort(groups)
	for _, g := range groups {
		if kind, err := st.Kind("/"); err != nil || kind != store.TreeStore {
			break
		}
		attributes, err := st.Attributes(g)
		if err != nil {
			return c, err
		}
		s.add(fmt.Append(nil, g, attributes))
	}
	c.sum = s.sum()
	_, err = st.Verify(context.Background(), "/")
	return c, err
}

// lookAtLeaf reads a leaf as a frame, and as an array if it is one.
func lookAtLeaf(st *store.Store, key string) (state, error) {
	f, err := st.Frame(key)
	if err != nil {
		return state{}, err
	}
	var c state
	if path.Base(key) == derived.Manifest {
		c, err = manifestOf(f, path.Dir(key))
	} else {
		c.content, err = contentOf(f.Snapshot())
	}
	kind, kindErr := store.KindOf(f)
	if err = errors.Join(err, kindErr, f.Close()); err != nil || kind != store.Array && kind != store.Proxy {
		return c, err
	}
	c.content, err = withItems(c.content, func() (*ndarray.Untyped, error) { return st.Array(key) })
	return c, err
}

// withItems adds the items of an array to what its frame holds.
func withItems(c content, open func() (*ndarray.Untyped, error)) (content, error) {
	u, err := open()
	if err != nil {
		return c, err
	}
	s := newSummer()
	items, err := u.Read(context.Background())
	s.add(items)
	s.add(c.sum[:])
	c.sum = s.sum()
	return c, errors.Join(err, u.Close())
}

// tableColumn is the column of tables that verbs change.
const tableColumn = derived.Columns + "/a"

// manifestOf reads the manifest of a table as if the indexes that depend on the column were marked.
func manifestOf(f *frame.Frame, table string) (state, error) {
	layers, err := f.VLLayers()
	if err != nil {
		return state{}, err
	}
	marked, err := derived.Part{Table: table, Name: tableColumn}.Stale(f.VL)
	if err != nil {
		return state{}, err
	}
	for _, m := range marked {
		at := slices.IndexFunc(layers, func(l meta.Layer) bool { return l.Name == m.Name })
		if at < 0 {
			layers = append(layers, m)
		} else {
			layers[at] = m
		}
	}
	s := newSummer()
	s.layers(layers)
	return state{content{1, 0, s.sum()}, len(marked) == 0}, nil
}
