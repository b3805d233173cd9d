package hdf5

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

func TestKeysAreThoseThatH5pyVisits(t *testing.T) {
	for name, want := range goldens(t) {
		keys, err := openGolden(t, name).Keys(t.Context())
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
		children, err := f.Children(ctx, "ordered")
		if err != nil || !slices.Equal(children[:4], []string{"/ordered/zeta", "/ordered/alpha", "/ordered/mid", "/ordered/g19"}) {
			t.Errorf("children in order: %v, %v", children, err)
		}
		if children, err = f.Children(ctx, "/many"); err != nil || len(children) != 60 || !slices.IsSorted(children) {
			t.Errorf("%d children, %v", len(children), err)
		}
		if !f.IsGroup(ctx, "/") || !f.IsGroup(ctx, "relative") || f.IsGroup(ctx, "soft") || f.IsGroup(ctx, "none") {
			t.Error("groups are not told from others")
		}
		links, err := f.Links(ctx, "/")
		if err != nil {
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
		"region": "reference to a region", "sequence": "variable-length sequence of int32",
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
