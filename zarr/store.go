package zarr

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/decoded"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// OpenOptions are the options for opening stores. Nil and the zero value mean the defaults.
type OpenOptions struct {
	FS      storage.FS // file system of the path; nil means the operating system's
	Workers int        // goroutines of a read; 0 means one per CPU
	// Verify compares the checksum of a member of an archive before a part of it is read. Members
	// that are read as a whole, and those of archives on this machine, are always compared.
	Verify  bool
	NoCache bool // keep no decoded chunks: see [ndarray.SetCacheBytes]
	// Limits bound chunks, metadata, and, with MaxNodes, the arrays and groups that are listed in a
	// group, or in all by consolidated metadata.
	Limits cairn.Limits
}

// A Store is a Zarr hierarchy that is open for reading: a group with arrays and groups in it, or a
// single array. Any number of goroutines may use it. What other programs change in it meanwhile is
// seen or not, except that metadata is read once. A store is an [ndarray.Tree].
type Store struct {
	keys   keys
	name   string // for errors
	o      OpenOptions
	limits cairn.Limits
	kept   *decoded.Owner // of chunks; nil for none

	mu    sync.Mutex
	nodes map[string]*node // by key, "" for the root
	known []string         // keys of all nodes, if the metadata is consolidated
}

// A node is an array or a group.
type node struct {
	array   *metadata // nil for a group
	version int
	// attributes of a group
	attributes meta.Map
}

// Open opens the store in a directory or a zip archive. The path may also lead into a store, to a
// group or an array. o may be nil. The caller must close the store, after which its arrays cannot
// be read.
func Open(path string, o *OpenOptions) (*Store, error) {
	s := newStore(path, o)
	fsys := s.o.FS
	if fsys == nil {
		fsys = storage.OS()
	}

	info, err := fsys.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Dir {
		s.keys = files{fsys, path}
		return s.begin()
	}

	file, err := fsys.Open(path)
	if err != nil {
		return nil, err
	}

	size, err := file.Size()
	if err != nil {
		return nil, errors.Join(naming.Call("open", path, err), file.Close())
	}

	s.keys, err = openZip(file, size, file, s.o.Verify, s.limits)
	if err != nil {
		return nil, errors.Join(naming.Call("open", path, err), file.Close())
	}
	return s.begin()
}

// OpenReader opens the store in a zip archive of size bytes. Closing it does not close r.
func OpenReader(r io.ReaderAt, size int64, o *OpenOptions) (*Store, error) {
	s := newStore("zip archive", o)
	z, err := openZip(r, size, nil, s.o.Verify, s.limits)
	if err != nil {
		return nil, naming.Call("open", s.name, err)
	}
	s.keys = z
	return s.begin()
}

// OpenFS opens the store in the directory dir of a file system.
func OpenFS(fsys fs.FS, dir string, o *OpenOptions) (*Store, error) {
	s := newStore(dir, o)
	s.keys = files{storage.IOFS(fsys), dir}
	return s.begin()
}

// OpenBucket opens the store whose objects have names that begin with prefix, "" or one that ends
// with a slash.
func OpenBucket(ctx context.Context, b storage.Bucket, prefix string, o *OpenOptions) (*Store, error) {
	s := newStore(prefix, o)
	s.keys = inBucket{b, prefix}
	return s.beginWith(ctx)
}

func newStore(name string, o *OpenOptions) *Store {
	s := &Store{name: name, nodes: map[string]*node{}}
	if o != nil {
		s.o = *o
	}
	s.limits = s.o.Limits.WithDefaults()
	if !s.o.NoCache {
		s.kept = decoded.Shared().Owner()
	}
	return s
}

func (s *Store) begin() (*Store, error) { return s.beginWith(context.Background()) }

// beginWith reads the metadata of the root, which may be that of all nodes.
func (s *Store) beginWith(ctx context.Context) (*Store, error) {
	err := s.o.Limits.Validate()
	if err == nil {
		err = s.root(ctx)
	}
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) && !errors.Is(err, cairn.ErrNotFound) {
			err = fmt.Errorf("neither %s nor %s or %s: %w", nameV3, nameArrayV2, nameGroupV2, cairn.ErrNotFound)
		}
		return nil, errors.Join(naming.Call("open Zarr store", s.name, err), s.keys.close())
	}
	return s, nil
}

// Close releases the store.
func (s *Store) Close() error {
	s.kept.Drop()
	return s.keys.close()
}

// String returns the path of the store and what its root is.
func (s *Store) String() string {
	what := "group"
	if n := s.nodes[""]; n.array != nil {
		what = "array"
	}
	return fmt.Sprintf("Zarr %s %s", what, s.name)
}

// cleanKey returns a key without slashes at its ends: "" for the root.
func cleanKey(key string) (string, error) {
	clean := strings.Trim(key, "/")
	if clean != "" && (!fs.ValidPath(clean) || clean == ".") {
		return "", fmt.Errorf("key %q: %w", key, cairn.ErrBounds)
	}
	return clean, nil
}
