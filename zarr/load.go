package zarr

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
)

// document reads a document of a node; it is nil if there is none.
func (s *Store) document(ctx context.Context, key, name string) (meta.Map, error) {
	limit := s.limits.MaxHeader
	if key == "" { // it may have the metadata of all nodes
		limit = s.limits.MaxMeta
	}

	b, err := get(ctx, s.keys, path.Join(key, name), limit, nil)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}

	v, err := parseJSON(b, s.limits.MaxMeta)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path.Join(key, name), err)
	}

	var m meta.Map
	if m, err = objectOf("the document", v); err == nil {
		return m, nil
	}
	return nil, fmt.Errorf("%s: %w", path.Join(key, name), err)
}

// load reads the metadata of a node. The error matches fs.ErrNotExist if there is none.
func (s *Store) load(ctx context.Context, key string) (*node, error) {
	doc, err := s.document(ctx, key, nameV3)
	if err != nil {
		return nil, err
	}
	if doc != nil {
		n, err := nodeV3(doc, s.limits)
		return n, in(path.Join(key, nameV3), err)
	}

	for _, name := range []string{nameArrayV2, nameGroupV2} {
		if doc, err = s.document(ctx, key, name); err != nil {
			return nil, err
		}
		if doc == nil {
			continue
		}

		attributes, err := s.document(ctx, key, nameAttributesV2)
		if err != nil {
			return nil, err
		}
		n, err := nodeV2(name, doc, attributes, s.limits)
		return n, in(path.Join(key, name), err)
	}
	return nil, fs.ErrNotExist
}

// in adds the name of a document to an error.
func in(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}

func nodeV2(name string, doc, attributes meta.Map, l cairn.Limits) (*node, error) {
	if name == nameArrayV2 {
		m, err := parseV2(doc, attributes, l)
		return &node{array: m, version: 2}, err
	}
	_, err := intOf("zarr_format", field(doc, "zarr_format"), 2, 2)
	return &node{version: 2, attributes: attributes}, err
}

func nodeV3(doc meta.Map, l cairn.Limits) (*node, error) {
	switch kind := field(doc, "node_type"); kind {
	case "array":
		m, err := parseV3(doc, l)
		return &node{array: m, version: 3}, err
	case "group":
		if err := checkV3(doc); err != nil {
			return nil, err
		}
		attributes, err := attributesOf(doc)
		return &node{version: 3, attributes: attributes}, err
	default:
		return nil, corrupt("node_type %s", brief(kind))
	}
}

// root reads the metadata of the root, and of all nodes if it is consolidated.
func (s *Store) root(ctx context.Context) error {
	doc, err := s.document(ctx, "", nameV3)
	if err != nil {
		return err
	}

	if doc != nil {
		n, err := nodeV3(doc, s.limits)
		if err != nil {
			return in(nameV3, err)
		}
		s.nodes[""] = n
		all, ok := field(doc, "consolidated_metadata").(meta.Map)
		if !ok || n.array != nil {
			return nil
		}
		return in(nameV3, s.consolidated(field(all, "metadata"), nameV3))
	}

	n, err := s.load(ctx, "")
	if err != nil {
		return err
	}
	s.nodes[""] = n
	if n.array != nil {
		return nil
	}

	if doc, err = s.document(ctx, "", nameConsolidated); err != nil || doc == nil {
		return err
	}
	return in(nameConsolidated, s.consolidated(field(doc, "metadata"), ""))
}

// consolidated takes the nodes from consolidated metadata: documents by key in version 3, by key
// and name in version 2. A node that cannot be read is only listed, so that opening it says why.
func (s *Store) consolidated(v any, only string) error {
	all, err := objectOf("consolidated metadata", v)
	if err != nil {
		return err
	}

	byKey := map[string]meta.Map{}
	for _, p := range all {
		key, _ := p.Key.(string)
		name := only
		if only == "" {
			key, name = path.Split(key)
		}

		if key, err = cleanKey(key); err != nil {
			return corrupt("key %s in consolidated metadata", brief(p.Key))
		}
		doc, err := objectOf("the metadata of "+key, p.Value)
		if err != nil {
			return err
		}
		byKey[key] = append(byKey[key], meta.Pair{Key: name, Value: doc})
	}

	if most := s.limits.MaxNodes; int64(len(byKey)) > most {
		return fmt.Errorf("more than %d arrays and groups (Limits.MaxNodes): %w", most, cairn.ErrLimit)
	}

	s.known = append(make([]string, 0, len(byKey)+1), "")
	for key, docs := range byKey {
		n, err := nodeOf(docs, s.limits)
		if n == nil && err == nil {
			continue // attributes without a node
		}
		if err == nil && (key != "" || n.array == nil) {
			s.nodes[key] = n
		}
		if key != "" {
			s.known = append(s.known, key)
		}
	}

	slices.SortFunc(s.known, strings.Compare)
	return nil
}

// nodeOf returns the node of documents by name, or nil if they have none.
func nodeOf(docs meta.Map, l cairn.Limits) (*node, error) {
	document := func(name string) (meta.Map, bool) {
		m, ok := field(docs, name).(meta.Map)
		return m, ok
	}

	if doc, ok := document(nameV3); ok {
		return nodeV3(doc, l)
	}

	attributes, _ := document(nameAttributesV2)
	for _, name := range []string{nameArrayV2, nameGroupV2} {
		if doc, ok := document(name); ok {
			return nodeV2(name, doc, attributes, l)
		}
	}
	return nil, nil
}
