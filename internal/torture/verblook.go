package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/store"
)

// lookAtTarget reads everything in what a verb of the command changes, by the extension of its name,
// and verifies it.
func lookAtTarget(fsys storage.FS, name string) (content, error) {
	if _, err := fsys.Stat(name); errors.Is(err, fs.ErrNotExist) && !storage.Restore(fsys, name) {
		return content{}, nil
	}
	switch path.Ext(name) {
	case ".npy":
		return lookAtBytes(fsys, name)
	case ".b2d", ".b2z", ".b2e":
		return lookAtStore(fsys, name)
	}
	c, err := lookAtForeign(fsys, name, true)
	if err != nil {
		return c, err
	}
	f, err := frame.Open(name, &frame.OpenOptions{FS: fsys})
	if err != nil {
		return c, err
	}
	_, err = f.View().Verify(context.Background())
	return c, errors.Join(err, f.Close())
}

func lookAtBytes(fsys storage.FS, name string) (content, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return content{}, err
	}
	size, err := f.Size()
	b := make([]byte, size)
	if err == nil {
		if _, err = f.ReadAt(b, 0); errors.Is(err, io.EOF) {
			err = nil
		}
	}
	s := newSummer()
	s.add(b)
	return content{1, size, s.sum()}, errors.Join(err, f.Close())
}

// lookAtStore adds up all leaves of a store, the attributes of its groups, and what else it lists.
func lookAtStore(fsys storage.FS, name string) (c content, err error) {
	st, err := store.Open(name, &store.OpenOptions{FS: fsys, Workers: 1})
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	s := newSummer()
	for l := range st.Leaves() {
		u, err := st.Array(l.Key)
		if err != nil {
			return c, err
		}
		one, err := sumArray(u)
		if err = errors.Join(err, u.Close()); err == nil {
			_, err = st.Verify(context.Background(), l.Key)
		}
		if err != nil {
			return c, fmt.Errorf("%s: %w", l.Key, err)
		}
		s.add([]byte(l.Key))
		s.add(one.sum[:])
		c.parts, c.nbytes = c.parts+1, c.nbytes+one.nbytes
	}
	groups := append([]string{"/"}, st.Groups()...)
	slices.Sort(groups)
	for _, g := range groups {
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

// sumArray reads all of an open array.
func sumArray(u *ndarray.Untyped) (content, error) {
	c, err := contentOf(u.Frame().View())
	if err != nil {
		return c, err
	}
	s := newSummer()
	s.add(fmt.Append(nil, u.Shape(), u.ChunkShape(), u.BlockShape(), u.DTypeString()))
	items, err := u.Read(context.Background())
	s.add(items)
	s.add(c.sum[:])
	c.sum = s.sum()
	return c, err
}
