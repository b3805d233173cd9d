package store

import (
	"archive/zip"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// Verify checks a leaf like [ndarray.Verify], or like [frame.Verify] if it is not an array; the
// report then has no shape. In an archive it also compares the two records of the member with each
// other, and its bytes with their CRC-32.
//
// The key "/" stands for everything that is not a leaf: the embed store, and in an archive all
// other bytes and the records of all members. A store is sound if "/" and every leaf are, including
// the frames of attributes. Faults of an archive are in Report.Faults.
func (s *Store) Verify(ctx context.Context, key string) (ndarray.Report, error) {
	if clean, err := cleanKey(key); err == nil && clean == "/" {
		embed := s.embed.Load()
		if embed == nil {
			return ndarray.Report{}, s.fail("verify", "", cairn.ErrClosed)
		}

		faults, err := s.verifyArchive(ctx)
		if err != nil {
			return ndarray.Report{}, err
		}

		r := ndarray.Report{Faults: faults}
		r.Frame, err = embed.Verify(ctx)
		return r, cmp.Or(cmp.Or(faults...), err)
	}

	l, err := s.Leaf(key)
	if err != nil {
		return ndarray.Report{}, err
	}

	fault := s.verifyMember(ctx, &l)
	// the records may state a wrong place, so the leaf cannot be checked
	if fault != nil && !errors.Is(fault, cairn.ErrChecksum) {
		return ndarray.Report{Faults: []error{fault}}, s.fail("verify", l.Key, fault)
	}

	name, fsys, err := s.Place(l.Key)
	if err != nil {
		return ndarray.Report{}, err
	}

	o := s.arrayOptions()
	o.FS = fsys
	r, err := ndarray.Verify(ctx, name, o)
	if errors.Is(err, cairn.ErrNotFound) && r.Frame.Info.HeaderLen > 0 && len(r.Frame.Faults) == 0 {
		err = nil // a frame that is not an array
	}
	if fault != nil {
		r.Faults = append(r.Faults, fault)
	}
	return r, cmp.Or(err, s.fail("verify", l.Key, fault))
}

// verifyArchive returns the faults of an archive outside its leaves.
func (s *Store) verifyArchive(ctx context.Context) ([]error, error) {
	c, err := s.check(ctx)
	if c == nil {
		return nil, err
	}

	faults := slices.Clone(c.faults)
	for i := range c.members {
		m := &c.members[i]
		leaf := isLeafFile(m.name) && c.last[m.name] == i
		switch {
		case m.fault != nil || leaf && m.method == zip.Store:
			continue
		case leaf:
			err = cairn.Corruptf("archive", int64(m.header), "member %q is compressed, and left out of the tree", m.name)
		default:
			err = c.sum(ctx, m)
		}

		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err != nil && len(faults) < maxFaults {
			faults = append(faults, err)
		}
	}
	return faults, nil
}

// verifyMember returns the fault of the archive member that contains a leaf.
func (s *Store) verifyMember(ctx context.Context, l *Leaf) error {
	if l.staged != "" || l.URL != "" {
		return nil
	}
	c, err := s.check(ctx)
	if c == nil {
		return err
	}

	name := l.File
	if l.Embedded {
		name = embedName
	}

	i, ok := c.last[name]
	if !ok { // the archive is too damaged to list its members
		return cmp.Or(c.faults...)
	}
	return c.sum(ctx, &c.members[i])
}

// check checks the records of an archive once. It returns nil for other forms.
func (s *Store) check(ctx context.Context) (*zipCheck, error) {
	if s.archive == nil {
		return nil, nil
	}

	s.checking.Lock()
	defer s.checking.Unlock()
	if s.checked != nil {
		return s.checked, nil
	}

	c, err := checkZip(ctx, s.archive, s.size, s.zip)
	if err != nil {
		return nil, s.fail("verify", "", err)
	}
	s.checked = c
	return c, nil
}

// Place returns the name and the file system of a leaf's frame, for functions that need those, such
// as [ndarray.Salvage]. Other names in fsys mean what they mean in the store's file system. The
// leaf can be read until the store is closed. A leaf of an [Editor] may also be opened for changes
// there if it is a file of a directory; for other leaves use [Editor.Change].
func (s *Store) Place(key string) (name string, fsys storage.FS, err error) {
	l, err := s.Leaf(key)
	if err != nil {
		return "", nil, err
	}
	name, r, err := s.place(&l)
	if err != nil || r == nil {
		return name, s.fsys, err
	}
	name = s.name + "::" + l.Key
	return name, leafFS{s.fsys, name, r, l.Size}, nil
}

// leafFS is a file system in which one name stands for the bytes of a leaf.
type leafFS struct {
	storage.FS
	name string
	r    io.ReaderAt
	size int64
}

func (f leafFS) Open(name string) (storage.File, error) {
	if name != f.name {
		return f.FS.Open(name)
	}
	return storage.ReaderFile(f.r, f.size), nil
}

func (f leafFS) OpenRW(name string) (storage.File, error) {
	if name != f.name {
		return f.FS.OpenRW(name)
	}
	err := fmt.Errorf("the leaf is no file of its own: %w", cairn.ErrUnsupported)
	return nil, &fs.PathError{Op: "open", Path: name, Err: err}
}

func (f leafFS) Stat(name string) (storage.Info, error) {
	if name != f.name {
		return f.FS.Stat(name)
	}
	return storage.Info{Name: name, Size: f.size}, nil
}
