package store

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

var _ ndarray.Tree = (*Store)(nil)

// groupsOf returns the keys of all groups of a store that can be walked.
func groupsOf(ctx context.Context, s *Store) []string {
	groups := []string{"/"}
	for n := range ndarray.Walk(ctx, s, "/") {
		if n.Kind == ndarray.GroupNode {
			groups = append(groups, n.Key)
		}
	}
	return groups
}

func TestAKeyOfALeafAndAGroupHasTwoNodes(t *testing.T) {
	s := &Store{}
	for _, key := range []string{"/a", "/a-b", "/a/b", "/a/c/" + AttributesName, "/" + AttributesName} {
		s.leaves.all = append(s.leaves.all, Leaf{Key: key})
	}
	s.leaves.all = append(s.leaves.all, Leaf{Key: "/r", URL: "https://example.org"})
	var got string
	for n, err := range ndarray.Walk(t.Context(), s, "/") {
		check(t, err)
		got += n.Key + " " + n.Kind.String() + "\n"
	}
	if want := "/a array\n/a group\n/a/b array\n/a/c group\n/a-b array\n/r other\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestAttributesOfGroupsAreAllThatWereSet(t *testing.T) {
	name := filepath.Join(t.TempDir(), "s.b2z")
	e, err := Create(name, nil)
	check(t, err)
	long := "a name that no metalayer of a frame can have"
	check(t, e.SetAttribute(t.Context(), "/g", "_own", "x"),
		e.SetAttribute(t.Context(), "/g", "_attributes", meta.Map{{Key: long, Value: "y"}}), e.Close())

	s, err := Open(name, nil)
	check(t, err)
	defer s.Close()
	got, err := s.Attributes(t.Context(), "g")
	own, _ := got.Get("_own")
	far, _ := got.Get(long)
	if err != nil || len(got) != 2 || own != "x" || far != "y" {
		t.Errorf("%v, %v", got, err)
	}
}
