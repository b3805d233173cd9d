package store

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
	"github.com/cairn-go/cairn/storage"
)

// embedName is the file of a directory, or the member of an archive, that is its embed store.
const embedName = "embed.b2e"

// OpenOptions say how a store is opened. Nil and the zero value mean: with default limits.
type OpenOptions struct {
	Workers   int               // goroutines per call on a leaf; 0 means one per CPU
	Limits    cairn.Limits      // of every frame that is opened; zero fields mean defaults
	Codecs    *codecs.Registry  // codecs of the caller's, or nil
	FilterSet *shuffle.Registry // filters of the caller's, or nil
	// FS is where the path is, for Open and Edit; nil means the operating system. There, no element of a path inside of a
	// directory is followed through a symbolic link (storage.NoLinks); in others that is up to them.
	FS storage.FS

	// Locking makes an Editor of a directory or an embed store take turns with others that ask for it, in this process and others, those of python-blosc2
	// with locking included. LockTimeout is the longest that a call waits for the lock; 0 means as long as its context says. Both are for Edit only.
	Locking     bool
	LockTimeout time.Duration
}

// Store is a tree of arrays that is open for reading. Its list of leaves is that of when it was opened. Any number of goroutines may use it.
type Store struct {
	source
	name   string // for errors
	kind   Kind
	leaves []Leaf      // in the order of their keys
	lent   atomic.Bool // somebody may be going over the leaves, which are not to be changed then
	closer io.Closer

	options OpenOptions
}

// Open opens the store at path: a directory, an archive, or an embed store. o may be nil. It fails with [cairn.ErrNotFound] if what is there is no store. The
// caller closes it, after its leaves.
func Open(path string, o *OpenOptions) (*Store, error) {
	s := newStore(path, o)
	info, err := find(s.fsys, path)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	if info.Dir {
		err := s.enter(path)
		if err == nil {
			err = s.openDirectory()
		}
		return s.opened(err)
	}
	f, err := s.fsys.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	s.closer = f
	return s.opened(s.openFile(f, info.Size))
}

// OpenFS opens the store whose root is that of a file system. name is for errors.
func OpenFS(fsys fs.FS, name string, o *OpenOptions) (*Store, error) {
	s := newStore(name, o)
	s.fsys, s.root = storage.IOFS(fsys), "."
	return s.opened(s.openDirectory())
}

// OpenReader opens the store that is an archive or an embed store of size bytes. r must stay usable until Close, and must allow concurrent calls. name
// is for errors.
func OpenReader(r io.ReaderAt, size int64, name string, o *OpenOptions) (*Store, error) {
	s := newStore(name, o)
	return s.opened(s.openFile(r, size))
}

func newStore(name string, o *OpenOptions) *Store {
	s := &Store{name: name}
	if o != nil {
		s.options = *o
	}
	if s.fsys = s.options.FS; s.fsys == nil {
		s.fsys = storage.OS()
	}
	return s
}

// frameOptions say how frames are opened for reading.
func (s *Store) frameOptions() *frame.OpenOptions {
	return &frame.OpenOptions{Workers: s.options.Workers, Limits: s.options.Limits, Codecs: s.options.Codecs, FilterSet: s.options.FilterSet, FS: s.fsys}
}

func (s *Store) arrayOptions() *ndarray.OpenOptions {
	return &ndarray.OpenOptions{Workers: s.options.Workers, Limits: s.options.Limits, Codecs: s.options.Codecs, FilterSet: s.options.FilterSet, FS: s.fsys}
}

// enter makes a directory the root of the store. The path may lead there through links; from there on none is followed.
func (s *Store) enter(path string) error {
	if s.fsys == storage.OS() {
		if filepath.Clean(path) != path { // which need not be the same where there are links
			resolved, err := filepath.EvalSymlinks(path)
			if err != nil {
				return err
			}
			path = resolved
		}
		s.fsys = storage.NoLinks(path)
	}
	s.root = path
	return nil
}

func (s *Store) openDirectory() error {
	if err := s.checkEmbed(); err != nil {
		return err
	}
	err := s.openEmbed(func() (*frame.Frame, error) { return frame.Open(s.at(embedName), s.frameOptions()) })
	if err != nil {
		return err
	}
	return s.walk("")
}

// checkEmbed refuses a directory whose embed store is a link: like leaves that are links, what it leads to is no part of the store.
func (s *Store) checkEmbed() error {
	entries, err := s.fsys.ReadDir(s.root)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name == embedName && e.Other {
			return fmt.Errorf("%s is a link or no regular file: %w", embedName, cairn.ErrUnsupported)
		}
	}
	return nil
}

func (s *Store) openFile(r io.ReaderAt, size int64) error {
	var magic [4]byte
	if _, err := r.ReadAt(magic[:], 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if string(magic[:2]) == "PK" {
		s.archive, s.size = r, size
		return s.members(size)
	}
	return s.openEmbed(func() (*frame.Frame, error) { return frame.OpenReader(r, size, s.frameOptions()) })
}

// opened ends opening.
func (s *Store) opened(err error) (*Store, error) {
	if err == nil {
		err = s.checkListed()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", s.name, err), s.Close())
	}
	s.sort()
	return s, nil
}

// sort gives leaves their order. Files go before what is embedded under the same key, as in python-blosc2.
func (s *Store) sort() {
	slices.SortStableFunc(s.leaves, func(a, b Leaf) int {
		if a.Key == b.Key {
			return boolInt(a.Embedded) - boolInt(b.Embedded)
		}
		return strings.Compare(a.Key, b.Key)
	})
	s.leaves = slices.CompactFunc(s.leaves, func(a, b Leaf) bool { return a.Key == b.Key })
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

// at returns the path of a file of a directory, of which name is relative to the root.
func (s *Store) at(name string) string {
	if s.root == "." {
		return name // as package io/fs wants it
	}
	return s.root + "/" + name
}

// mostDepth is how deep folders of a directory may be nested.
const mostDepth = 1000

// walk lists the files of a directory's folder, "" or one that ends with a slash.
func (s *Store) walk(folder string) error {
	if strings.Count(folder, "/") > mostDepth {
		return fmt.Errorf("folders are nested more than %d deep: %w", mostDepth, cairn.ErrLimit)
	}
	dir := s.root
	if folder != "" {
		dir = s.at(strings.TrimSuffix(folder, "/"))
	}
	entries, err := s.fsys.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := folder + entry.Name
		switch {
		case entry.Dir:
			if err := s.walk(name + "/"); err != nil {
				return err
			}
		case !entry.Other && isLeafFile(name):
			s.leaves = append(s.leaves, Leaf{Key: keyOf(name), File: name, Size: entry.Size})
		}
	}
	return nil
}

// members lists the members of an archive, and opens its embed store.
func (s *Store) members(size int64) error {
	z, err := zip.NewReader(s.archive, size)
	s.zip = z
	if err != nil {
		return &cairn.CorruptError{Layer: "archive", Chunk: -1, Offset: -1, Reason: "no ZIP archive", Err: err}
	}
	var embed *zip.File
	last := map[string]*zip.File{} // of several members of one name the last one counts, as in python-blosc2
	for room, i := uint64(size), 0; i < len(z.File); i++ {
		f := z.File[i]
		if f.Name == embedName {
			embed = f
		}
		last[f.Name] = f
		if f.CompressedSize64 > room { // a short file could ask for any amount of copying otherwise
			return cairn.Corruptf("archive", -1, "members have more bytes than the archive, or share them")
		}
		room -= f.CompressedSize64
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
		if last[f.Name] != f || !isLeafFile(f.Name) || f.Method != zip.Store {
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

// leafExtensions are what the files of leaves end with.
var leafExtensions = [...]string{".b2nd", ".b2f", ".b2b", ".b2frame"}

// isLeafFile reports whether a file is a leaf, by its name.
func isLeafFile(name string) bool { return slices.Contains(leafExtensions[:], path.Ext(name)) }

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
