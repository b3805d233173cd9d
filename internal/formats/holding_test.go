package formats

import (
	"context"
	"errors"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// A flat tree has arrays in its root.
type flat struct {
	ndarray.Tree
	keys []string
}

func (f flat) Children(context.Context, string) ([]ndarray.Node, error) {
	var nodes []ndarray.Node
	for _, key := range f.keys {
		nodes = append(nodes, ndarray.Node{Key: key, Kind: ndarray.ArrayNode})
	}
	return nodes, nil
}

func TestHoldingsHaveAsManyNodesAsTheLimitAllows(t *testing.T) {
	h := &Holding{Tree: flat{keys: []string{"/a", "/b", "/c"}}}
	if err := h.list(t.Context(), 4); err != nil { // with the root
		t.Error(err)
	}

	h = &Holding{Tree: flat{keys: []string{"/a", "/b", "/c", "/d"}}}
	if err := h.list(t.Context(), 3); !errors.Is(err, cairn.ErrLimit) {
		t.Errorf("four arrays and the root, of 3: %v", err)
	}
}
