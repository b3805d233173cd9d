package catalog

import "testing"

// Files that may lead into others are looked at again after a while, as those may change.
func TestFilesOfHDF5MayLeadIntoOthers(t *testing.T) {
	r := &root{dir: "dir"}
	for name, want := range map[string]bool{"a.h5": true, "A.HDF5": true, "b.nc": true, "c.b2nd": false, "d.npy": false,
		"e.zarr": false, "h5": false} {
		if p := (&place{root: r, file: []string{name}}); p.mayLink() != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
	if p := (&place{root: r, file: []string{"dir.h5"}, isDir: true}); p.mayLink() {
		t.Error("a directory leads into others")
	}
}
