package hdf5

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

var _ ndarray.Tree = (*File)(nil)

// keysOf returns the keys of all groups and datasets, and of what may be one, sorted.
func keysOf(ctx context.Context, f *File) ([]string, error) {
	keys := []string{"/"}
	for n, err := range ndarray.Walk(ctx, f, "/") {
		if err != nil {
			return nil, err
		}
		if n.Kind != ndarray.LinkNode && n.Kind != ndarray.OtherNode {
			keys = append(keys, n.Key)
		}
	}
	slices.Sort(keys)
	return keys, nil
}

// nodesIn returns the nodes of a group as text.
func nodesIn(t *testing.T, f *File, group string) (text string) {
	t.Helper()
	nodes, err := f.Children(t.Context(), group)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range nodes {
		text += strings.TrimSpace(fmt.Sprintf("%s %v %s %s %s", n.Key, n.Kind, n.What, n.Target, n.File))
		if n.To != "" {
			text += " to " + n.To
		}
		if n.Err != nil {
			text += " !"
		}
		text += "\n"
	}
	return text
}

// TestDatasetsThatCannotBeReadAreListedAsSuch: opening them is not needed to know that.
func TestDatasetsThatCannotBeReadAreListedAsSuch(t *testing.T) {
	files, err := filepath.Glob("testdata/*.h5")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, name := range files {
		f, err := Open(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		for n, err := range ndarray.Walk(t.Context(), f, "/") {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if n.Kind != ndarray.ArrayNode && n.Kind != ndarray.DamagedNode {
				continue
			}
			_, failed := f.Open(t.Context(), n.Key)
			switch {
			case n.Kind == ndarray.DamagedNode:
				found++
				if n.Err == nil || failed == nil || n.Err.Error() != failed.Error() {
					t.Errorf("%s: %s cannot be read: %v; opening it: %v", name, n.Key, n.Err, failed)
				}
			case errors.Is(failed, cairn.ErrUnsupported):
				t.Errorf("%s: %s is listed as an array, and %v", name, n.Key, failed)
			}
			alone, err := f.Children(t.Context(), n.Key)
			if err != nil || len(alone) != 1 || alone[0].Kind != n.Kind {
				t.Errorf("%s: %s alone is %v, %v", name, n.Key, alone, err)
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	if found == 0 {
		t.Error("no dataset that cannot be read")
	}
}

func TestNodesAreGroupsDatasetsLinksAndTypes(t *testing.T) {
	for _, name := range []string{"groups-earliest.h5", "groups-latest.h5"} {
		f := openGolden(t, name)
		for group, want := range map[string]string{
			"/": "/a group\n/committed array\n/dangling link soft link /nowhere !\n/loop link soft link /loop !\n" +
				"/many group\n/ordered group\n/outside link external link /x other.h5 !\n" +
				"/relative link soft link a/b to /a/b\n/soft link soft link /a/b/c/deep to /a/alias\n" +
				"/type other committed datatype\n",
			"/a/circle": "/a/alias array\n/a/b group\n/a/circle link hard link to /a\n",
			"soft":      "/soft array\n",
			"type":      "/type other committed datatype\n",
		} {
			if got := nodesIn(t, f, group); got != want {
				t.Errorf("%s, %s: got\n%swant\n%s", name, group, got, want)
			}
		}
	}
}

func TestKeysAreThoseThatH5pyVisits(t *testing.T) {
	for name, want := range goldens(t) {
		keys, err := keysOf(t.Context(), openGolden(t, name))
		if err != nil {
			t.Fatal(err)
		}
		var visited []string
		for key := range want.Attributes {
			if key != "/type" { // a committed datatype
				visited = append(visited, key)
			}
		}
		slices.Sort(visited)
		if !slices.Equal(keys, visited) {
			t.Errorf("%s: keys %v, want %v", name, keys, visited)
		}
	}
}

func TestGroupsAndLinks(t *testing.T) {
	for _, name := range []string{"groups-earliest.h5", "groups-latest.h5"} {
		f := openGolden(t, name)
		ctx := t.Context()
		for key, same := range map[string]string{
			"soft": "/a/b/c/deep", "a/circle/circle/alias": "/a/b/c/deep", "//relative/./c//deep/": "/a/b/c/deep",
		} {
			d, err := f.Dataset(ctx, key)
			if err != nil {
				t.Fatal(err)
			}
			other, err := f.Dataset(ctx, same)
			if err != nil || d.Info().Address != other.Info().Address {
				t.Errorf("%s is not %s (%v)", key, same, err)
			}
		}
		for key, want := range map[string]error{
			"dangling": cairn.ErrNotFound, "loop": cairn.ErrLimit, "outside": cairn.ErrUnsupported,
			"a/nothing": cairn.ErrNotFound, "a": cairn.ErrNotFound, "type": cairn.ErrNotFound,
			"committed/below": cairn.ErrNotFound,
		} {
			if _, err := f.Dataset(ctx, key); !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", key, err, want)
			}
		}
		if _, err := f.Dataset(ctx, "outside"); !strings.Contains(err.Error(), `"/x" in the file "other.h5"`) {
			t.Errorf("an external link says %v", err)
		}
		links, err := f.Links(ctx, "ordered")
		if err != nil || links[0].Name != "zeta" || links[1].Name != "alpha" || links[2].Name != "mid" || links[3].Name != "g19" {
			t.Errorf("links in order: %v, %v", links, err)
		}
		byKey := func(a, b ndarray.Node) int { return strings.Compare(a.Key, b.Key) }
		if nodes, err := f.Children(ctx, "/many"); err != nil || len(nodes) != 60 || !slices.IsSortedFunc(nodes, byKey) {
			t.Errorf("%d children, %v", len(nodes), err)
		}
		if links, err = f.Links(ctx, "/"); err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(links, func(l Link) bool { return l.Name == "outside" })
		if want := (Link{"outside", ExternalLink, "/x", "other.h5"}); i < 0 || links[i] != want {
			t.Errorf("links are %v", links)
		}
	}
}

// TestReferencesAreTheKeysOfObjects reads references, as cell arrays of MATLAB are.
func TestReferencesAreTheKeysOfObjects(t *testing.T) {
	odd, matlab := openGolden(t, "odd.h5"), openGolden(t, "rare/matlab.h5")
	if got := texts(t, odd, "refused/references"); !slices.Equal(got, []string{"/refused/target", ""}) {
		t.Errorf("references are %q", got)
	}
	if got := texts(t, matlab, "c"); !slices.Equal(got, []string{"/#refs#/a", "/#refs#/b", "/#refs#/c", ""}) {
		t.Errorf("cells are %q", got)
	}

	d, err := matlab.Dataset(t.Context(), "table")
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		N    int32  `cairn:"n"`
		To   string `cairn:"to"`
		Word string `cairn:"word"`
	}
	view, err := ndarray.ViewAs[row](d)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := view.Read(t.Context())
	if want := []row{{1, "/#refs#", "Oslo"}, {2, "address 5296", ""}}; err != nil || !slices.Equal(rows, want) {
		t.Errorf("rows are %v, want %v (%v)", rows, want, err)
	}
}

// TestRefusals opens what cannot be read: the error says what it is.
func TestRefusals(t *testing.T) {
	f := openGolden(t, "odd.h5")
	for key, want := range map[string]string{
		"external": "items are in other files",
	} {
		_, err := f.Dataset(t.Context(), "refused/"+key)
		if !errors.Is(err, cairn.ErrUnsupported) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", key, err, want)
		}
	}
	_, err := openGolden(t, "basic-latest.h5").Dataset(t.Context(), "null")
	if !errors.Is(err, cairn.ErrUnsupported) {
		t.Errorf("a null dataspace: %v", err)
	}
}

// Limits.MaxNodes bounds what is listed of a file, and the links of a group, old and new.
func TestMoreNodesThanTheLimitAreRefused(t *testing.T) {
	for _, name := range []string{"groups-earliest.h5", "groups-latest.h5"} {
		limited := func(most int64, list func(f *File) error) error {
			f, err := Open(filepath.Join("testdata", name), &OpenOptions{Limits: cairn.Limits{MaxNodes: most}})
			if err != nil {
				return err
			}
			return errors.Join(list(f), f.Close())
		}
		links := func(f *File) error {
			_, err := f.Links(t.Context(), "many") // 60
			return err
		}
		nodes := func(f *File) error {
			_, err := f.Children(t.Context(), "/")
			return err
		}

		if err := errors.Join(limited(60, links), limited(200, nodes)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, err := range []error{limited(59, links), limited(60, nodes)} {
			if !errors.Is(err, cairn.ErrLimit) || !strings.Contains(err.Error(), "(Limits.MaxNodes)") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
