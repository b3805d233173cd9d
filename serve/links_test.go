package serve

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const linkedFiles = "../hdf5/testdata/links"

// TestLinksOfHDF5AreFollowedOnlyIfAllowed reads a virtual dataset and an external link, whose items
// are in files beside theirs.
func TestLinksOfHDF5AreFollowedOnlyIfAllowed(t *testing.T) {
	const virtual = "/api/v1/slice/hdf/main.h5/stacked?format=json"
	closed := handler(t, []Root{{Path: linkedFiles, Name: "hdf"}}, nil)
	_, body := want(t, closed, 501, virtual)
	if !strings.Contains(string(body), "no folder of other files is allowed") {
		t.Errorf("the answer is %s", body)
	}
	want(t, closed, 404, "/api/v1/slice/hdf/main.h5/links/one?format=json")

	open := handler(t, []Root{{Path: linkedFiles, Name: "hdf"}}, &Options{Links: []string{linkedFiles}})
	_, body = want(t, open, 200, virtual)
	wantText(t, body, `"values":[[0,1,2`)
	want(t, open, 200, "/api/v1/slice/hdf/main.h5/links/one?format=json")
	want(t, open, 200, "/zarr/hdf/main.h5/links/one/zarr.json")
}

// TestLinksLeadNowhereElse allows a folder in which the other files are not: the answer names no
// place of the machine. Folders that are not served cannot be allowed.
func TestLinksLeadNowhereElse(t *testing.T) {
	dir := t.TempDir()
	inner := filepath.Join(dir, "inner")
	if err := os.Mkdir(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"main.h5", "s0.h5", "s1.h5"} {
		data, err := os.ReadFile(filepath.Join(linkedFiles, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	h := handler(t, []Root{{Path: dir, Name: "hdf"}}, &Options{Links: []string{inner}})
	_, body := want(t, h, 501, "/api/v1/slice/hdf/main.h5/stacked?format=json")
	if text := string(body); !strings.Contains(text, "which is not below hdf/inner") || strings.Contains(text, dir) {
		t.Errorf("the answer is %s", body)
	}

	for _, c := range []struct {
		root string
		link string
	}{{inner, dir}, {filepath.Join(dir, "main.h5"), dir}, {dir, filepath.Join(dir, "..")}, {dir, filepath.Join(dir, "none")}} {
		if h, err := New([]Root{{Path: c.root}}, &Options{Links: []string{c.link}}); err == nil {
			t.Errorf("links to %s are allowed where %s is served", c.link, c.root)
			h.Close()
		}
	}
}
