package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/store"
)

// lookAtTarget reads and verifies everything in the target of a verb, by its file extension. The
// zero content stands for no target.
func lookAtTarget(fsys storage.FS, name string) (c content, err error) {
	switch path.Ext(name) {
	case ".b2nd", ".b2frame":
		c, err = lookAtFrame(fsys, name)
		if err == nil && c != (content{}) && path.Ext(name) == ".b2nd" {
			c, err = withItems(c, func() (*ndarray.Untyped, error) {
				return ndarray.Open(name, &ndarray.OpenOptions{FS: fsys, Workers: 1})
			})
		}
	case ".b2d", ".b2z", ".b2e":
		c, err = lookAtStore(fsys, name)
		if err != nil {
			err = absent(fsys, name, err)
		}
	default:
		c, err = lookAtBytes(fsys, name)
	}
	return c, err
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
	if err != nil {
		return b, errors.Join(err, f.Close())
	}

	if _, err = f.ReadAt(b, 0); errors.Is(err, io.EOF) {
		err = nil
	}
	return b, errors.Join(err, f.Close())
}

// lookAtStore sums all leaves of a store and the attributes of its groups.
func lookAtStore(fsys storage.FS, name string) (c content, err error) {
	st, err := store.Open(name, &store.OpenOptions{FS: fsys, Workers: 1})
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()

	s := newSummer()
	for l := range st.Leaves() {
		one, err := lookAtLeaf(st, l.Key)
		if err != nil {
			return c, fmt.Errorf("%s: %w", l.Key, err)
		}

		_, err = st.Verify(context.Background(), l.Key)
		if err != nil {
			return c, fmt.Errorf("%s: %w", l.Key, err)
		}

		s.add([]byte(l.Key))
		s.add(one.sum[:])
		c.parts = c.parts + 1
		c.nbytes = c.nbytes + one.nbytes
	}

	groups := []string{"/"}
	for n, err := range ndarray.Walk(context.Background(), st, "/") {
		if err != nil {
			return c, err
		}
		if n.Kind == ndarray.GroupNode {
			groups = append(groups, n.Key)
		}
	}

	for _, g := range groups {
		if kind, err := st.Kind("/"); err != nil || kind != store.TreeStore {
			break
		}
		attributes, err := st.Attributes(context.Background(), g)
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
func lookAtLeaf(st *store.Store, key string) (content, error) {
	f, err := st.Frame(key)
	if err != nil {
		return content{}, err
	}
	c, err := contentOf(f.Snapshot())
	kind, kindErr := store.KindOf(f)
	if err = errors.Join(err, kindErr, f.Close()); err != nil || kind != store.Array && kind != store.Proxy {
		return c, err
	}
	c, err = withItems(c, func() (*ndarray.Untyped, error) { return st.Array(context.Background(), key) })
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
