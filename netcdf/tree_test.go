package netcdf

import (
	"errors"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

var _ ndarray.Tree = (*File)(nil)

// keysOf returns the keys of the nodes of a file that are of some kinds; without any, of all.
func keysOf(t *testing.T, f *File, kinds ...ndarray.NodeKind) (keys []string) {
	t.Helper()
	for n, err := range ndarray.Walk(t.Context(), f, "/") {
		if err != nil {
			t.Fatal(err)
		}
		if kinds == nil || slices.Contains(kinds, n.Kind) {
			keys = append(keys, n.Key)
		}
	}
	return keys
}

func TestFilesAreTrees(t *testing.T) {
	f := open(t, "netcdf4.nc")
	groups, arrays := keysOf(t, f, ndarray.GroupNode), keysOf(t, f, ndarray.ArrayNode)
	if len(groups) == 0 || len(groups)+len(arrays) != len(keysOf(t, f)) {
		t.Fatalf("groups %v, arrays %v", groups, arrays)
	}
	for _, key := range arrays {
		nodes, err := f.Children(t.Context(), key)
		if err != nil || len(nodes) != 1 || nodes[0].Key != key {
			t.Errorf("%s: %v %v", key, nodes, err)
		}
	}
	for _, key := range groups {
		if _, err := f.Open(t.Context(), key); !errors.Is(err, cairn.ErrNotFound) {
			t.Errorf("%s: %v", key, err)
		}
	}
	if src, err := f.Open(t.Context(), arrays[0]); err != nil || src.DType().Size() == 0 {
		t.Errorf("%s: %v", arrays[0], err)
	}
	for _, ask := range []func() error{
		func() error { _, err := f.Children(t.Context(), "none"); return err },
		func() error { _, err := f.Attributes(t.Context(), "none"); return err },
	} {
		if err := ask(); !errors.Is(err, cairn.ErrNotFound) {
			t.Error(err)
		}
	}
}
