package zarr

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// OpenOptions are the options for opening stores. Nil and the zero value mean the defaults.
type OpenOptions struct {
	FS      storage.FS // file system of the path; nil means the operating system's
	Workers int        // goroutines of a read; 0 means one per CPU
	// Verify compares the checksum of a member of an archive before a part of it is read. Members
	// that are read as a whole, and those of archives on this machine, are always compared.
	Verify bool
	Limits cairn.Limits
}

// A Store is a Zarr hierarchy that is open for reading: a group with arrays and groups in it, or a
// single array. Any number of goroutines may use it. What other programs change in it meanwhile is
// seen or not, except that metadata is read once.
type Store struct {
	keys   keys
	name   string // for errors
	o      OpenOptions
	limits cairn.Limits

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
	if err == nil {
		s.keys, err = openZip(file, size, file, s.o.Verify, s.limits)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), file.Close())
	}
	return s.begin()
}

// OpenReader opens the store in a zip archive of size bytes. Closing it does not close r.
func OpenReader(r io.ReaderAt, size int64, o *OpenOptions) (*Store, error) {
	s := newStore("zip archive", o)
	z, err := openZip(r, size, nil, s.o.Verify, s.limits)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", s.name, err)
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
		return nil, errors.Join(fmt.Errorf("open Zarr store %s: %w", s.name, err), s.keys.close())
	}
	return s, nil
}

// Close releases the store.
func (s *Store) Close() error { return s.keys.close() }

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

// Array opens an array. "" and "/" are the root.
func (s *Store) Array(key string) (*Array, error) {
	clean, n, err := s.find(key)
	switch {
	case err != nil:
		return nil, err
	case n.array == nil:
		return nil, fmt.Errorf("%q is a group: %w", "/"+clean, cairn.ErrNotFound)
	}
	if n, err = s.measured(clean, n); err != nil {
		return nil, fmt.Errorf("array %q: %w", "/"+clean, err)
	}
	return &Array{metadata: n.array, keys: s.keys, key: clean, workers: s.o.Workers}, nil
}

// IsGroup reports whether there is a group of that key.
func (s *Store) IsGroup(key string) bool {
	_, n, err := s.find(key)
	return err == nil && n.array == nil
}

// Attributes returns the attributes of a group or an array; see [Array.Labels].
func (s *Store) Attributes(key string) (meta.Map, error) {
	_, n, err := s.find(key)
	switch {
	case err != nil:
		return nil, err
	case n.array != nil:
		return n.array.attributes, nil
	}
	return n.attributes, nil
}

// find returns a node, which it reads if it is not known yet.
func (s *Store) find(key string) (clean string, n *node, err error) {
	if clean, err = cleanKey(key); err != nil {
		return "", nil, err
	}
	s.mu.Lock()
	n = s.nodes[clean]
	s.mu.Unlock()
	if n != nil {
		return clean, n, nil
	}
	if n, err = s.load(context.Background(), clean); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = cairn.ErrNotFound
		}
		return "", nil, fmt.Errorf("%q: %w", "/"+clean, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.nodes) < maxNodes {
		s.nodes[clean] = n
	}
	return clean, n, nil
}

// maxNodes is how many nodes are kept and listed.
const maxNodes = 1 << 20

// Children returns the keys of the arrays and groups in a group, sorted. Where they cannot be
// listed, as on a web server, and the metadata is not consolidated, they are those that the
// attributes of OME-Zarr name; without such, the error matches errors.ErrUnsupported.
func (s *Store) Children(ctx context.Context, group string) ([]string, error) {
	clean, n, err := s.find(group)
	if err != nil || n.array != nil {
		return nil, err
	}
	if s.known != nil {
		var keys []string
		for _, key := range s.known {
			if key != "" && strings.TrimPrefix(path.Dir(key), ".") == clean {
				keys = append(keys, "/"+key)
			}
		}
		return keys, nil
	}
	folder := clean
	if folder == "" {
		folder = "."
	}
	names, err := s.keys.list(ctx, folder)
	if errors.Is(err, errors.ErrUnsupported) {
		if keys := s.namedIn(clean, n.attributes); len(keys) > 0 {
			return keys, nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("list %q: %w", "/"+clean, err)
	}
	var keys []string
	for _, name := range names {
		name, isFolder := strings.CutSuffix(name, "/")
		if !isFolder || strings.HasPrefix(name, ".") {
			continue
		}
		key := path.Join(clean, name)
		if _, _, err := s.find(key); errors.Is(err, cairn.ErrNotFound) {
			continue // another folder
		}
		keys = append(keys, "/"+key)
	}
	return keys, nil
}

// namedIn returns the keys of the members that the attributes of a group name, and that there are.
func (s *Store) namedIn(group string, attributes meta.Map) (keys []string) {
	for _, name := range namedMembers(attributes) {
		key, err := cleanKey(path.Join(group, name))
		if err != nil || key == group {
			continue
		}
		if _, _, err := s.find(key); !errors.Is(err, cairn.ErrNotFound) {
			keys = append(keys, "/"+key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// Keys returns the keys of all groups and arrays, sorted; the root is "/". Nodes with metadata that
// cannot be read are included.
func (s *Store) Keys(ctx context.Context) ([]string, error) {
	if s.known != nil {
		keys := make([]string, len(s.known))
		for i, key := range s.known {
			keys[i] = "/" + key
		}
		return keys, nil
	}
	keys := []string{"/"}
	for i := 0; i < len(keys); i++ {
		if !s.IsGroup(keys[i]) {
			continue
		}
		if strings.Count(keys[i], "/") > maxDepth {
			return nil, fmt.Errorf("groups nested more than %d deep: %w", maxDepth, cairn.ErrLimit)
		}
		children, err := s.Children(ctx, keys[i])
		if err != nil {
			return nil, err
		}
		if keys = append(keys, children...); len(keys) > maxNodes {
			return nil, fmt.Errorf("more than %d arrays and groups: %w", maxNodes, cairn.ErrLimit)
		}
	}
	slices.Sort(keys)
	return keys, nil
}
