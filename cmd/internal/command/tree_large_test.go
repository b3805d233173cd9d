package command

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/store"
)

// TestInfoOfLargeTrees checks that a tree of many leaves is told in few lines, unless all are asked
// for.
func TestInfoOfLargeTrees(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large.b2e")
	s, err := store.Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	item, err := ndarray.FromSlice([]int8{1}, ndarray.Shape{1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	const leaves = largeTree + 40
	for i := range leaves {
		if err := s.Put(t.Context(), fmt.Sprintf("/g%d/x%03d", i/120, i), item, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	brief := cairnOK(t, "info", path)
	if n := strings.Count(brief, "\n"); n > 20 || !strings.Contains(brief, "… 115 leaves more; -all lists them\n") {
		t.Errorf("info in %d lines:\n%s", n, brief)
	}
	if all := cairnOK(t, "info", "-all", path); strings.Count(all, "  array  1  |i1") != leaves {
		t.Errorf("info -all: %s", all)
	}
}
