package store

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// A Leaf is one entry of a store.
type Leaf struct {
	Key      string
	Embedded bool   // in the embed store, not a file or member of its own
	Size     int64  // bytes of its frame; 0 for a Remote
	File     string // its file or member, slash-separated; empty if embedded
	URL      string // of a Remote
	Offset   int64  // of its frame in the archive, or in the decoded bytes of the embed store
	staged   string // path of the file that an Editor has staged for it, or empty
}

// source is where the bytes of a store come from.
type source struct {
	fsys    storage.FS
	root    string                      // of a directory
	archive io.ReaderAt                 // of an archive
	size    int64                       // of an archive
	zip     *zip.Reader                 // of an archive, which it reads by members
	members *window                     // of an archive
	embed   atomic.Pointer[frame.Frame] // nil once the store is closed

	checking sync.Mutex
	checked  *zipCheck // of an archive, set by the first Verify
}

// place returns where the frame of a leaf is: a name in the file system, or a reader if r is not
// nil.
func (s *Store) place(l *Leaf) (name string, r io.ReaderAt, err error) {
	switch {
	case l.staged != "":
		return l.staged, nil, nil
	case l.URL != "":
		return "", nil, fmt.Errorf("%s is on a server, %s: %w", l.Key, l.URL, cairn.ErrUnsupported)
	case l.Embedded:
		return "", section(decodedFrame{s.embed.Load()}, l.Offset, l.Size, s.name+"::"+l.Key), nil
	case s.archive != nil:
		return "", section(s.archive, l.Offset, l.Size, s.name+"::"+l.Key), nil
	}
	return s.at(l.File), nil, nil
}

// decodedFrame reads the decoded bytes of a frame whose chunks all have one size. It caches
// nothing, because frames are read in few pieces.
type decodedFrame struct{ *frame.Frame }

func (f decodedFrame) ReadAt(dst []byte, at int64) (done int, err error) {
	size := int64(f.ChunkSize())
	if size <= 0 {
		return 0, cairn.Corruptf("embed store", -1, "chunks of no common size")
	}

	for done < len(dst) {
		index := at / size
		from := at % size
		want := min(size-from, int64(len(dst)-done))
		n, err := f.ReadItems(context.Background(), dst[done:][:want], int(index), int(from), int(from+want))
		if err != nil {
			return done, err
		}
		if int64(n) != want {
			err = cairn.Corruptf("embed store", -1, "%d bytes from %d on, want %d", n, from, want)
			return done, cairn.InChunk(err, index, -1)
		}

		done += n
		at += want
	}
	return done, nil
}

// Array opens a leaf as an array, for reading. It fails with [cairn.ErrNotFound] if the store has
// no such leaf or it holds no array. The caller closes the array before the store.
func (s *Store) Array(ctx context.Context, key string) (*ndarray.Untyped, error) {
	l, err := s.Leaf(key)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return openLeaf(s, &l, s.arrayOptions(), ndarray.Open, ndarray.OpenReader)
}

// Open is [Store.Array] for an [ndarray.Tree].
func (s *Store) Open(ctx context.Context, key string) (ndarray.Source, error) {
	u, err := s.Array(ctx, key)
	if err != nil {
		return nil, err
	}
	return u, nil
}

// openLeaf opens a leaf by its name in the file system or by its bytes.
func openLeaf[T, O any](s *Store, l *Leaf, o O, open func(name string, o O) (*T, error),
	openReader func(r io.ReaderAt, size int64, o O) (*T, error)) (*T, error) {
	name, r, err := s.place(l)
	if err != nil {
		return nil, err
	}

	var of *T
	if r == nil {
		of, err = open(name, o)
	} else {
		of, err = openReader(r, l.Size, o)
	}
	return of, s.fail("open", l.Key, err)
}

// OpenAs opens a leaf as an array of T, for reading; see [Store.Array]. It fails with
// [cairn.ErrType] if its items are not of T, as [ndarray.As] does.
func OpenAs[T any](ctx context.Context, s *Store, key string) (ndarray.Array[T], error) {
	u, err := s.Array(ctx, key)
	if err != nil {
		return ndarray.Array[T]{}, err
	}
	a, err := ndarray.As[T](u)
	if err != nil {
		return ndarray.Array[T]{}, s.fail("open", key, errors.Join(err, u.Close()))
	}
	return a, nil
}

// Frame opens a leaf as a frame, for reading; see [Store.Array].
func (s *Store) Frame(key string) (*frame.Frame, error) {
	l, err := s.Leaf(key)
	if err != nil {
		return nil, err
	}
	return s.open(&l)
}

func (s *Store) open(l *Leaf) (*frame.Frame, error) {
	return openLeaf(s, l, s.frameOptions(), frame.Open, frame.OpenReader)
}

// within calls do with the opened frame of a leaf and closes the frame.
func (s *Store) within(l *Leaf, do func(f *frame.Frame) error) error {
	f, err := s.open(l)
	if err != nil {
		return err
	}
	return errors.Join(do(f), f.Close())
}

// unpackVL returns the value of a metalayer of variable length.
func unpackVL(f *frame.Frame, name string) (any, error) {
	raw, err := f.VL(name)
	if err != nil {
		return nil, err
	}
	v, err := meta.Unpack(raw)
	if err != nil {
		return nil, fmt.Errorf("metalayer %q: %w", name, err)
	}
	return v, nil
}

// fail wraps err with the operation and the key; the key "" stands for the whole store.
func (s *Store) fail(op, key string, err error) error {
	pe, ok := err.(*fs.PathError)
	switch {
	case err == nil:
		return nil
	case ok && key == "" && pe.Path == s.name: // it names the store already
		return &fs.PathError{Op: op, Path: pe.Path, Err: pe.Err}
	case key == "":
		return naming.Call(op, s.name, err)
	}
	return naming.Call(op, s.name+"::"+key, err)
}

// Kind opens a leaf and returns its kind. For "/" it returns the kind of the store: EmbedStore,
// DictStore or TreeStore.
func (s *Store) Kind(key string) (Kind, error) {
	if key == "/" {
		return s.kind, nil
	}

	l, err := s.Leaf(key)
	if err != nil {
		return Frame, err
	}
	if l.URL != "" {
		return Remote, nil
	}
	return s.kindOf(&l)
}

func (s *Store) kindOf(l *Leaf) (kind Kind, err error) {
	err = s.within(l, func(f *frame.Frame) (err error) {
		kind, err = KindOf(f)
		return err
	})
	return kind, err
}
