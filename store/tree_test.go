package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/cairn-go/cairn"
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

// TestAttributesOfGroupsAreAllThatWereSet sets more attributes than a frame has metalayers, and
// names that no metalayer can have: one by one and in a bundle, and changes and deletes them.
func TestAttributesOfGroupsAreAllThatWereSet(t *testing.T) {
	ctx, name := t.Context(), filepath.Join(t.TempDir(), "s.b2z")
	names := []string{"_own", "a name that no metalayer of a frame can have"}
	for i := range 40 {
		names = append(names, fmt.Sprint("attribute ", i))
	}
	e, err := Create(name, nil)
	check(t, err)
	for i, attribute := range names {
		check(t, e.SetAttribute(ctx, "/one", attribute, i))
	}
	check(t, e.PutAll(ctx, func(b *Bundle) error {
		for i, attribute := range names {
			check(t, b.SetAttribute("/all", attribute, i))
		}
		return nil
	}))
	check(t, e.Close())

	e, err = Edit(name, nil)
	check(t, err)
	for _, group := range []string{"/one", "/all"} {
		check(t, e.SetAttribute(ctx, group, names[3], "three"), e.SetAttribute(ctx, group, names[30], "thirty"),
			e.DeleteAttribute(ctx, group, names[4]), e.DeleteAttribute(ctx, group, names[31]))
	}
	check(t, e.Close())

	e, err = Edit(name, nil)
	check(t, err)
	if err := e.DeleteAttribute(ctx, "/one", names[31]); !errors.Is(err, cairn.ErrNotFound) {
		t.Error(err)
	}
	if err := e.SetAttribute(ctx, "/one", "_attributes", 1); !errors.Is(err, cairn.ErrInvalid) {
		t.Error(err)
	}
	check(t, e.Abort())

	s, err := Open(name, nil)
	check(t, err)
	defer s.Close()
	for _, group := range []string{"one", "all"} {
		got, err := s.Attributes(ctx, group)
		if err != nil || len(got) != len(names)-2 {
			t.Errorf("%s: %v, %v", group, got, err)
		}
		for i, attribute := range names {
			want := map[int]any{3: "three", 30: "thirty", 4: nil, 31: nil}
			v, ok := got.Get(attribute)
			changed, there := want[i]
			if there && changed != v || !there && v != int64(i) || (i == 4 || i == 31) == ok {
				t.Errorf("%s: %q is %v", group, attribute, v)
			}
		}
	}
}
