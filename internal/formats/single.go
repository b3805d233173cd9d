package formats

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// single is the tree of a file that is one array, which stays open.
type single struct {
	ndarray.Source
	closer io.Closer
}

// atRoot returns an error unless a key is that of the root.
func atRoot(key string) error {
	if clean := strings.Trim(key, "/"); clean != "" {
		return fmt.Errorf("the file is a single array, without %q: %w", clean, cairn.ErrNotFound)
	}
	return nil
}

func (s single) Children(ctx context.Context, group string) ([]ndarray.Node, error) {
	if err := atRoot(group); err != nil {
		return nil, err
	}
	return []ndarray.Node{{Key: "/", Kind: ndarray.ArrayNode}}, ctx.Err()
}

func (s single) Open(ctx context.Context, key string) (ndarray.Source, error) {
	if err := atRoot(key); err != nil {
		return nil, err
	}
	return s.Source, ctx.Err()
}

func (s single) Attributes(ctx context.Context, key string) (meta.Map, error) {
	if err := atRoot(key); err != nil {
		return nil, err
	}
	labelled, ok := s.Source.(ndarray.Labelled)
	if !ok {
		return nil, ctx.Err()
	}
	l, err := labelled.Labels()
	return l.Attributes, err
}

func (s single) Close() error { return s.closer.Close() }
