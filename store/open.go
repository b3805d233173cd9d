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
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// embedName is the name of the embed store in a directory or an archive.
const embedName = "embed.b2e"

// OpenOptions are the options for opening a store. The zero value means default limits.
type OpenOptions struct {
	chunk.Engine

	Workers int // goroutines per call on a leaf; 0 means one per CPU
	// FS is the file system that contains the path, for Open and Edit; nil means the operating
	// system. With nil, symbolic links inside the directory are not followed (storage.NoLinks).
	// Other file systems decide this themselves.
	FS storage.FS

	// Locking makes an Editor of a directory or an embed store take turns with other editors that
	// use Locking, in this and other processes, including python-blosc2 with locking. LockTimeout
	// limits how long a call waits for the lock; 0 means until its context is done. Both apply to
	// Edit only.
	Locking     bool
	LockTimeout time.Duration

	// KeepLoss makes Editor.Change round what is written to an array as its attributes say: see
	// [ndarray.OpenOptions]. Nil writes items as they are.
	KeepLoss *ndarray.LossErrors
}

// A Store is a tree of arrays that is open for reading. Its list of leaves is read when it is
// opened and does not change. Any number of goroutines may use it. A store is an [ndarray.Tree].
type Store struct {
	source
	name   string // for errors
	kind   Kind
	leaves leafList
	closer io.Closer

	options OpenOptions
}

// Open opens the store at path: a directory, an archive, or an embed store. o may be nil. It fails
// with [cairn.ErrNotFound] if path is not a store. The caller closes the store after its leaves.
func Open(path string, o *OpenOptions) (*Store, error) {
	s := newStore(path, o)
	leaves, err := s.openPath(path, s.frameOptions(), s.fsys.Open)
	if err := s.finishOpen(leaves, err); err != nil {
		return nil, err
	}
	return s, nil
}

// openPath opens the directory or file at path. o applies to the embed store of a directory; open
// opens a file.
func (s *Store) openPath(path string, o *frame.OpenOptions,
	open func(path string) (storage.File, error)) ([]Leaf, error) {
	// Look at the path. If a crash interrupted a replacement, first restore the
	// old file or directory.
	fsys := s.fsys
	info, err := fsys.Stat(path)
	if errors.Is(err, fs.ErrNotExist) && placing.Restore(fsys, path) {
		info, err = fsys.Stat(path)
	}
	if err != nil {
		return nil, err
	}
	if info.Dir {
		if err := s.setRoot(path); err != nil {
			return nil, err
		}

		if err := s.checkEmbed(); err != nil {
			return nil, err
		}
		leaves, err := s.openEmbed(func() (*frame.Frame, error) { return frame.Open(s.at(embedName), o) })
		if err != nil {
			return nil, err
		}
		return s.walk("", leaves)
	}

	f, err := open(path)
	if err != nil {
		return nil, err
	}

	s.closer = f
	size, err := f.Size() // not that of before: the file may have been replaced meanwhile
	if err != nil {
		return nil, err
	}
	return s.openFile(f, size)
}

// OpenReader opens an archive or an embed store of size bytes. r must remain valid until Close and
// must allow concurrent calls. name is used in errors.
func OpenReader(r io.ReaderAt, size int64, name string, o *OpenOptions) (*Store, error) {
	s := newStore(name, o)
	leaves, err := s.openFile(r, size)
	if err := s.finishOpen(leaves, err); err != nil {
		return nil, err
	}
	return s, nil
}

func newStore(name string, o *OpenOptions) *Store {
	s := &Store{name: name}
	if o != nil {
		s.options = *o
	}
	s.fsys = s.options.FS
	if s.fsys == nil {
		s.fsys = storage.OS()
	}
	return s
}

// frameOptions returns the options for opening frames for reading.
func (s *Store) frameOptions() *frame.OpenOptions {
	return &frame.OpenOptions{Workers: s.options.Workers, Engine: s.options.Engine, FS: s.fsys}
}

func (s *Store) arrayOptions() *ndarray.OpenOptions {
	return &ndarray.OpenOptions{Workers: s.options.Workers, Engine: s.options.Engine, FS: s.fsys}
}

// setRoot makes a directory the root of the store. Links in path itself are followed, links below
// it are not.
func (s *Store) setRoot(path string) error {
	if s.fsys == storage.OS() {
		if filepath.Clean(path) != path { // "a/../b" and "b" differ if a is a link
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

// checkEmbed refuses a directory whose embed store is a link: the target of a link is not part of
// the store.
func (s *Store) checkEmbed() error {
	if _, ok := s.fsys.(namer); ok { // what does not follow links
		info, err := s.fsys.Stat(s.at(embedName))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // opening it tells
		case err == nil && info.Other:
			return errEmbedOther
		case errors.Is(err, cairn.ErrUnsupported):
			return errEmbedOther
		}
		return err
	}

	entries, err := s.fsys.ReadDir(s.root)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name == embedName && e.Other {
			return errEmbedOther
		}
	}
	return nil
}

var errEmbedOther = fmt.Errorf("%s is a link or not a regular file: %w", embedName, cairn.ErrUnsupported)

func (s *Store) openFile(r io.ReaderAt, size int64) ([]Leaf, error) {
	var magic [4]byte
	if _, err := r.ReadAt(magic[:], 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}

	if string(magic[:2]) == "PK" {
		s.archive = r
		s.size = size
		return s.listMembers(size)
	}
	return s.openEmbed(func() (*frame.Frame, error) { return frame.OpenReader(r, size, s.frameOptions()) })
}

// finishOpen finishes opening with these leaves, or closes the store if err is not nil.
func (s *Store) finishOpen(leaves []Leaf, err error) error {
	if err != nil {
		return errors.Join(s.fail("open", "", err), s.Close())
	}

	if err = s.leaves.reset(leaves); err != nil {
		return errors.Join(s.fail("open", "", err), s.Close())
	}
	return nil
}

// openEmbed opens the embed store and lists its leaves.
func (s *Store) openEmbed(open func() (*frame.Frame, error)) ([]Leaf, error) {
	f, err := open()
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("no %s: %w", embedName, cairn.ErrNotFound)
		}
		return nil, err
	}

	s.embed.Store(f)
	if s.kind, err = KindOf(f); err != nil {
		return nil, err
	}
	if s.kind != EmbedStore && s.kind != DictStore && s.kind != TreeStore {
		return nil, fmt.Errorf("this is no store, but of kind %s: %w", s.kind, cairn.ErrNotFound)
	}
	return embeddedLeaves(f)
}

// at returns the path of a file; name is relative to the root.
func (s *Store) at(name string) string {
	if s.root == "." {
		return name // io/fs requires this form
	}
	return s.root + "/" + name
}

// maxDepth is the maximum nesting depth of folders in a directory.
const maxDepth = 1000

// unknownSize is the size of a leaf in a file that was listed without looking at it.
const unknownSize = -1

// A namer is a file system that can list a directory without looking at each file in it.
type namer interface {
	// ReadNames is like ReadDir, but leaves the sizes at 0.
	ReadNames(name string) ([]storage.Info, error)
}

// walk appends the leaf files in folder, which is "" or ends with a slash, and below it, without
// their sizes if that is faster.
func (s *Store) walk(folder string, leaves []Leaf) ([]Leaf, error) {
	if names, ok := s.fsys.(namer); ok {
		return s.walkBy(names.ReadNames, false, folder, leaves)
	}
	return s.walkBy(s.fsys.ReadDir, true, folder, leaves)
}

// walkBy is walk by means of a function that lists a directory, with sizes or without.
func (s *Store) walkBy(list func(name string) ([]storage.Info, error), sized bool,
	folder string, leaves []Leaf) ([]Leaf, error) {
	if strings.Count(folder, "/") > maxDepth {
		return nil, fmt.Errorf("folders are nested more than %d deep: %w", maxDepth, cairn.ErrLimit)
	}

	dir := s.root
	if folder != "" {
		dir = s.at(strings.TrimSuffix(folder, "/"))
	}
	entries, err := list(dir)
	if err != nil {
		return nil, err
	}

	for _, entry := range entries {
		name := folder + entry.Name
		switch {
		case entry.Dir:
			if leaves, err = s.walkBy(list, sized, name+"/", leaves); err != nil {
				return nil, err
			}
		case !entry.Other && isLeafFile(name):
			if !sized {
				entry.Size = unknownSize
			}
			leaves = append(leaves, Leaf{Key: keyOf(name), File: name, Size: entry.Size})
		}
	}
	return leaves, nil
}

// measure finds out the size of a leaf. It is 0 if the file cannot be looked at; opening the leaf
// then tells why.
func (s *Store) measure(l Leaf) Leaf {
	if l.Size == unknownSize {
		info, _ := s.fsys.Stat(s.at(l.File))
		l.Size = info.Size
	}
	return l
}

// measured returns the leaves with their sizes. Listing all is faster than looking at each.
func (s *Store) measured() []Leaf {
	leaves := s.leaves.snapshot()
	if !slices.ContainsFunc(leaves, func(l Leaf) bool { return l.Size == unknownSize }) {
		return leaves
	}

	there, _ := s.walkBy(s.fsys.ReadDir, true, "", nil) // what cannot be listed has no size
	sizes := make(map[string]int64, len(there))
	for _, l := range there {
		sizes[l.File] = l.Size
	}
	s.leaves.measure(sizes)
	return s.leaves.snapshot()
}

// listMembers lists the members of an archive and opens its embed store.
func (s *Store) listMembers(size int64) ([]Leaf, error) {
	s.members = &window{r: s.archive}
	defer s.members.visit()()
	z, err := zip.NewReader(s.members, size)
	s.zip = z
	if err != nil {
		return nil, &cairn.CorruptError{Layer: "archive", Chunk: -1, Offset: -1, Reason: "no ZIP archive", Err: err}
	}

	var embed *zip.File
	// if several members have one name, the last one counts, as in python-blosc2
	last := map[string]*zip.File{}
	for room, i := uint64(size), 0; i < len(z.File); i++ {
		f := z.File[i]
		if f.Name == embedName {
			embed = f
		}
		last[f.Name] = f
		if f.CompressedSize64 > room { // otherwise a short file could cause any amount of copying
			return nil, cairn.Corruptf("archive", -1, "members have more bytes than the archive, or share them")
		}
		room -= f.CompressedSize64
	}

	if embed == nil {
		return nil, fmt.Errorf("no %s in the archive: %w", embedName, cairn.ErrNotFound)
	}
	at, err := member(embed, size)
	if err != nil {
		return nil, err
	}

	leaves, err := s.openEmbed(func() (*frame.Frame, error) {
		size := int64(embed.UncompressedSize64)
		return frame.OpenReader(section(s.archive, at, size, s.name), size, s.frameOptions())
	})
	if err != nil {
		return nil, err
	}

	for _, f := range z.File {
		if last[f.Name] != f || !isLeafFile(f.Name) || f.Method != zip.Store {
			// a compressed member cannot be read in place; python-blosc2 skips it too
			continue
		}
		at, err := member(f, size)
		if err != nil {
			return nil, err
		}
		leaves = append(leaves, Leaf{Key: keyOf(f.Name), File: f.Name, Size: int64(f.UncompressedSize64), Offset: at})
	}
	return leaves, nil
}

// member returns the offset of the data of an uncompressed member.
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

// leafExtensions are the extensions of leaf files.
var leafExtensions = [...]string{".b2nd", ".b2f", ".b2b", ".b2frame"}

// isLeafFile reports whether the name of a file is that of a leaf.
func isLeafFile(name string) bool { return slices.Contains(leafExtensions[:], path.Ext(name)) }

func keyOf(name string) string {
	return "/" + strings.TrimPrefix(strings.TrimSuffix(name, path.Ext(name)), "/")
}

// Close releases the store. Its leaves must be closed first.
func (s *Store) Close() error {
	var errs []error
	if embed := s.embed.Swap(nil); embed != nil {
		errs = append(errs, embed.Close())
	}
	if s.closer != nil {
		errs = append(errs, s.closer.Close())
		s.closer = nil
	}
	return errors.Join(errs...)
}
