package zarr

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/chunked"
	"github.com/cairn-go/cairn/internal/keylist"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// Array opens an array. "" and "/" are the root. Texts of any length are read for that, since the
// dtype has the width of the longest.
func (s *Store) Array(ctx context.Context, key string) (*Array, error) {
	clean, n, err := s.find(ctx, key)
	switch {
	case err != nil:
		return nil, err
	case n.array == nil:
		return nil, fmt.Errorf("%q is a group: %w", "/"+clean, cairn.ErrNotFound)
	}
	if n, err = s.measured(ctx, clean, n); err != nil {
		return nil, fmt.Errorf("array %q: %w", "/"+clean, err)
	}

	a := &Array{metadata: n.array, keys: s.keys, key: clean}

	// Make the reader of the chunks with a chain of codecs: whole ones, or those in
	// shards.
	a.chunks = &chunked.Reader[*readWorker]{
		Part: a.part, Fill: a.fill, Workers: s.o.Workers,
		Most: max(a.chain.maxEncoded(), chunked.Small),
		Keep: s.kept, Array: s.kept.Version(clean), Parts: a.chain.isBlosc(),
		New: func() (*readWorker, error) {
			w, err := a.chain.worker()
			if err != nil {
				return nil, err
			}
			made := &readWorker{worker: w}
			if b, ok := w.blosc(); ok {
				made.blocks.decoder = b.d
			}
			return made, nil
		},
	}

	return a, nil
}

// Open is [Store.Array] for an [ndarray.Tree].
func (s *Store) Open(ctx context.Context, key string) (ndarray.Source, error) {
	a, err := s.Array(ctx, key)
	if err != nil {
		return nil, err
	}
	return a, nil
}

// Attributes returns the attributes of a group or an array; see [Array.Labels].
func (s *Store) Attributes(ctx context.Context, key string) (meta.Map, error) {
	_, n, err := s.find(ctx, key)
	switch {
	case err != nil:
		return nil, err
	case n.array != nil:
		return n.array.attributes, nil
	}
	return n.attributes, nil
}

// find returns a node, which it reads if it is not known yet.
func (s *Store) find(ctx context.Context, key string) (clean string, n *node, err error) {
	if clean, err = cleanKey(key); err != nil {
		return "", nil, err
	}
	s.mu.Lock()
	n = s.nodes[clean]
	s.mu.Unlock()
	if n != nil {
		return clean, n, nil
	}

	n, err = s.load(ctx, clean)
	if errors.Is(err, fs.ErrNotExist) && s.implied(clean) {
		n = &node{}
		err = nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = cairn.ErrNotFound
	}
	if err != nil {
		return "", nil, fmt.Errorf("%q: %w", "/"+clean, err)
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	if int64(len(s.nodes)) < s.limits.MaxNodes {
		s.nodes[clean] = n
	}
	return clean, n, nil
}

// implied reports whether consolidated metadata has nodes below a key, and so a group there.
func (s *Store) implied(clean string) bool {
	i, _ := slices.BinarySearch(s.known, clean+"/")
	return i < len(s.known) && strings.HasPrefix(s.known[i], clean+"/")
}

// Children returns the arrays and groups in a group, as an [ndarray.Tree] does, and as damaged
// those with metadata that cannot be read. Where they cannot be listed, as on a web server, and the
// metadata is not consolidated, they are those that the attributes of OME-Zarr name; without such,
// the error matches errors.ErrUnsupported.
func (s *Store) Children(ctx context.Context, group string) ([]ndarray.Node, error) {
	clean, n, err := s.find(ctx, group)
	if err != nil {
		return nil, err
	}
	if n.array != nil {
		return []ndarray.Node{{Key: "/" + clean, Kind: ndarray.ArrayNode}}, nil
	}
	if strings.Count(clean, "/") >= maxDepth {
		return nil, fmt.Errorf("groups nested more than %d deep: %w", maxDepth, cairn.ErrLimit)
	}

	keys, err := s.members(ctx, clean, n)
	if err != nil {
		return nil, fmt.Errorf("list %q: %w", "/"+clean, err)
	}

	var nodes []ndarray.Node
	for _, key := range keys {
		switch _, n, err := s.find(ctx, key); {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, cairn.ErrNotFound): // another folder
		case err != nil:
			nodes = append(nodes, ndarray.Node{Key: "/" + key, Kind: ndarray.DamagedNode, Err: err})
		case n.array != nil:
			nodes = append(nodes, ndarray.Node{Key: "/" + key, Kind: ndarray.ArrayNode})
		default:
			nodes = append(nodes, ndarray.Node{Key: "/" + key, Kind: ndarray.GroupNode})
		}
	}
	return nodes, nil
}

// members returns the clean keys of what may be in a group, sorted.
func (s *Store) members(ctx context.Context, group string, n *node) ([]string, error) {
	if s.known != nil {
		return s.listed(group), nil
	}

	names, err := s.keys.list(ctx, cmp.Or(group, "."))
	if errors.Is(err, errors.ErrUnsupported) {
		if keys := s.namedIn(ctx, group, n.attributes); len(keys) > 0 {
			return keys, nil
		}
	}
	if err != nil {
		return nil, err
	}
	if most := s.limits.MaxNodes; int64(len(names)) > most {
		return nil, fmt.Errorf("more than %d names (Limits.MaxNodes): %w", most, cairn.ErrLimit)
	}

	var keys []string
	for _, name := range names {
		if name, isFolder := strings.CutSuffix(name, "/"); isFolder && !strings.HasPrefix(name, ".") {
			keys = append(keys, path.Join(group, name))
		}
	}
	slices.Sort(keys)
	return keys, nil
}

// listed returns the keys in a group, of consolidated metadata.
func (s *Store) listed(group string) (keys []string) {
	prefix := ""
	if group != "" {
		prefix = group + "/"
	}
	for _, c := range keylist.Children(len(s.known), func(i int) string { return s.known[i] }, prefix) {
		keys = append(keys, c.Key)
	}
	return keys
}

// namedIn returns the keys of the members that the attributes of a group name, and that there are.
func (s *Store) namedIn(ctx context.Context, group string, attributes meta.Map) (keys []string) {
	for _, name := range namedMembers(attributes) {
		key, err := cleanKey(path.Join(group, name))
		if err != nil || key == group {
			continue
		}
		if _, _, err := s.find(ctx, key); !errors.Is(err, cairn.ErrNotFound) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
