package store

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/shuffle"
)

// embedName is the file of a directory, or the member of an archive, that is its embed store.
const embedName = "embed.b2e"

// OpenOptions say how a store is opened. Nil and the zero value mean: with default limits.
type OpenOptions struct {
	Workers   int               // goroutines per call on a leaf; 0 means one per CPU
	Limits    cairn.Limits      // of every frame that is opened; zero fields mean defaults
	Codecs    *codecs.Registry  // codecs of the caller's, or nil
	FilterSet *shuffle.Registry // filters of the caller's, or nil
}

// Store is a tree of arrays that is open for reading. Its list of leaves is that of when it was opened. Any number of goroutines may use it.
type Store struct {
	source
	name   string // for errors
	kind   Kind
	leaves []Leaf // in the order of their keys
	closer io.Closer

	workers int
	limits  cairn.Limits
	codecs  *codecs.Registry
	filters *shuffle.Registry
}

// Open opens the store at path: a directory, an archive, or an embed store. o may be nil. It fails with [cairn.ErrNotFound] if what is there is no store. The
// caller closes it, after its leaves.
func Open(path string, o *OpenOptions) (*Store, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	if info.IsDir() {
		return OpenFS(os.DirFS(path), path, o)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	s, err := OpenReader(f, info.Size(), path, o)
	if err != nil {
		f.Close()
		return nil, err
	}
	s.closer = f
	return s, nil
}

// OpenFS opens the store whose root is that of a file system. name is for errors.
func OpenFS(fsys fs.FS, name string, o *OpenOptions) (*Store, error) {
	s := newStore(name, o)
	s.fsys = fsys
	err := s.openEmbed(func() (*frame.Frame, error) { return frame.OpenFS(fsys, embedName, s.frameOptions()) })
	if err == nil {
		err = s.walk()
	}
	return s.opened(err)
}

// OpenReader opens the store that is an archive or an embed store of size bytes. r must stay usable until Close, and must allow concurrent calls. name
// is for errors.
func OpenReader(r io.ReaderAt, size int64, name string, o *OpenOptions) (*Store, error) {
	s := newStore(name, o)
	var magic [4]byte
	if _, err := r.ReadAt(magic[:], 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	if string(magic[:2]) == "PK" {
		s.archive = r
		return s.opened(s.members(size))
	}
	return s.opened(s.openEmbed(func() (*frame.Frame, error) { return frame.OpenReader(r, size, s.frameOptions()) }))
}

func newStore(name string, o *OpenOptions) *Store {
	if o == nil {
		o = &OpenOptions{}
	}
	return &Store{name: name, workers: o.Workers, limits: o.Limits, codecs: o.Codecs, filters: o.FilterSet}
}

func (s *Store) frameOptions() *frame.OpenOptions {
	return &frame.OpenOptions{Workers: s.workers, Limits: s.limits, Codecs: s.codecs, FilterSet: s.filters}
}

// opened ends opening: leaves get their order, and files go before what is embedded under the same key, as in python-blosc2.
func (s *Store) opened(err error) (*Store, error) {
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("open %s: %w", s.name, err)
	}
	slices.SortStableFunc(s.leaves, func(a, b Leaf) int {
		if a.Key == b.Key {
			return boolInt(a.Embedded) - boolInt(b.Embedded)
		}
		return strings.Compare(a.Key, b.Key)
	})
	s.leaves = slices.CompactFunc(s.leaves, func(a, b Leaf) bool { return a.Key == b.Key })
	return s, nil
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// openEmbed opens the embed store and lists its leaves.
func (s *Store) openEmbed(open func() (*frame.Frame, error)) (err error) {
	if s.embed, err = open(); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("no %s: %w", embedName, cairn.ErrNotFound)
		}
		return err
	}
	if s.kind, err = KindOf(s.embed); err != nil {
		return err
	}
	if s.kind != EmbedStore && s.kind != DictStore && s.kind != TreeStore {
		return fmt.Errorf("the frame is no store but a %s: %w", s.kind, cairn.ErrNotFound)
	}
	s.leaves, err = embeddedLeaves(s.embed)
	return err
}

// walk lists the files of a directory.
func (s *Store) walk() error {
	return fs.WalkDir(s.fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !isLeafFile(name) {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		s.leaves = append(s.leaves, Leaf{Key: keyOf(name), File: name, Size: info.Size()})
		return nil
	})
}

// members lists the members of an archive, and opens its embed store.
func (s *Store) members(size int64) error {
	z, err := zip.NewReader(s.archive, size)
	if err != nil {
		return &cairn.CorruptError{Layer: "archive", Chunk: -1, Offset: -1, Reason: "no ZIP archive", Err: err}
	}
	var embed *zip.File
	for _, f := range z.File {
		if f.Name == embedName {
			embed = f
		}
	}
	if embed == nil {
		return fmt.Errorf("no %s in the archive: %w", embedName, cairn.ErrNotFound)
	}
	at, err := member(embed, size)
	if err != nil {
		return err
	}
	err = s.openEmbed(func() (*frame.Frame, error) {
		return frame.OpenReader(io.NewSectionReader(s.archive, at, int64(embed.UncompressedSize64)), int64(embed.UncompressedSize64), s.frameOptions())
	})
	if err != nil {
		return err
	}
	for _, f := range z.File {
		if !isLeafFile(f.Name) || f.Method != zip.Store {
			continue // a compressed member cannot be read where it is; python-blosc2 leaves it out too
		}
		at, err := member(f, size)
		if err != nil {
			return err
		}
		s.leaves = append(s.leaves, Leaf{Key: keyOf(f.Name), File: f.Name, Size: int64(f.UncompressedSize64), offset: at})
	}
	return nil
}

// member returns where the bytes of a member are, which are stored as they are.
func member(f *zip.File, size int64) (int64, error) {
	if f.Method != zip.Store {
		return 0, fmt.Errorf("member %q is compressed, and cannot be read where it is: unpack the archive: %w", f.Name, cairn.ErrUnsupported)
	}
	at, err := f.DataOffset()
	if err != nil {
		return 0, &cairn.CorruptError{Layer: "archive", Chunk: -1, Offset: -1, Reason: fmt.Sprintf("member %q", f.Name), Err: err}
	}
	if n := f.UncompressedSize64; at < 0 || at > size || n > uint64(size-at) {
		return 0, cairn.Corruptf("archive", at, "member %q has %d bytes, but the archive ends at %d", f.Name, n, size)
	}
	return at, nil
}

// isLeafFile reports whether a file is a leaf, by its name.
func isLeafFile(name string) bool {
	switch path.Ext(name) {
	case ".b2nd", ".b2f", ".b2b", ".b2frame":
		return name != embedName
	}
	return false
}

func keyOf(name string) string {
	return "/" + strings.TrimPrefix(strings.TrimSuffix(name, path.Ext(name)), "/")
}

// Close releases the store. Its leaves must be closed before.
func (s *Store) Close() error {
	var errs []error
	if s.embed != nil {
		errs = append(errs, s.embed.Close())
		s.embed = nil
	}
	if s.closer != nil {
		errs = append(errs, s.closer.Close())
		s.closer = nil
	}
	return errors.Join(errs...)
}
