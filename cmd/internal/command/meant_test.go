package command

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/store"
)

// weatherFile writes a store with one array of data, /tas, beside what is there for its sake, and
// with /pr if that is wanted.
func weatherFile(t *testing.T, name string, more bool) {
	t.Helper()
	w, err := store.Create(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	dims := []string{"time", "lat", "bnds"}
	putLabelled(t, w, "/tas", 6, ndarray.Shape{3, 2}, dims[:2], "coordinates", "height", "grid_mapping", "utm",
		"ancillary_variables", "flags")
	putLabelled(t, w, "/time", 3, ndarray.Shape{3}, dims[:1], "units", "days since 2020-01-30", "bounds", "time_bnds")
	putLabelled(t, w, "/time_bnds", 6, ndarray.Shape{3, 2}, []string{"time", "bnds"})
	putLabelled(t, w, "/lat", 2, ndarray.Shape{2}, dims[1:2])
	putLabelled(t, w, "/height", 1, ndarray.Shape{}, nil)
	putLabelled(t, w, "/utm", 1, ndarray.Shape{1}, []string{"one"})
	putLabelled(t, w, "/crs", 1, ndarray.Shape{1}, []string{"one"}, "grid_mapping_name", "latitude_longitude")
	putLabelled(t, w, "/flags", 6, ndarray.Shape{3, 2}, dims[:2])
	if more {
		putLabelled(t, w, "/pr", 6, ndarray.Shape{3, 2}, dims[:2])
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestAFileStandsForItsData gives files without a key to verbs that take one array: they take the
// only one that is data.
func TestAFileStandsForItsData(t *testing.T) {
	t.Chdir(t.TempDir())
	weatherFile(t, "t.b2z", false)
	cairnOK(t, "export", "t.b2z", "t.zarr")
	cairnOK(t, "copy", "t.b2z", "in.b2z::/run")
	for _, in := range []string{"t.b2z", "t.zarr", "in.b2z::/run", "t.zarr.zip"} {
		if in == "t.zarr.zip" {
			cairnOK(t, "export", "t.b2z", in)
		}
		key := in + "::/tas"
		if strings.Contains(in, "::") {
			key = in + "/tas"
		}
		for _, line := range []string{"stats IN", "head IN", "cat -s time=2020-01-31 IN", "calc x+1 x=IN", "calc x+1 x=IN -o o.b2nd -force",
			"reduce -op max -axis time IN", "concat IN IN o.b2nd -force", "append o.b2nd IN", "diff o.b2nd o.b2nd", "copy IN c.b2nd -force",
			"diff IN c.b2nd", "diff c.b2nd IN", "split -size 2 -force IN o%d.b2nd", "view -force -o o.svg IN", "export -force IN o.npy"} {
			run := func(in string) result {
				return cairnWith(t.Context(), nil, strings.Fields(strings.ReplaceAll(line, "IN", in))...)
			}
			want, got := run(key), run(in)
			got.stdout = ratioLine.ReplaceAllString(strings.ReplaceAll(got.stdout, in, ""), "")
			want.stdout = ratioLine.ReplaceAllString(strings.ReplaceAll(want.stdout, key, ""), "")
			if got.code != want.code || got.stdout != want.stdout || want.code == exitUsage {
				t.Errorf("%s of %s: exit %d, %s%s\nwant exit %d, %s%s", line, in, got.code, got.stdout, got.stderr,
					want.code, want.stdout, want.stderr)
			}
		}
		job := filepath.Join(t.TempDir(), "job")
		cairnOK(t, "job", "plan", job, in, filepath.Join(job, "out.b2nd"))
	}

	weatherFile(t, "two.b2z", true)
	cairnOK(t, "export", "two.b2z", "two.zarr")
	for _, in := range []string{"two.b2z", "two.zarr"} {
		r := cairnWith(t.Context(), nil, "stats", in)
		if r.code == exitOK || !strings.Contains(r.stderr, in+" holds 2 arrays, and 7 with coordinates and the like; name one as "+in) ||
			strings.Contains(r.stderr, "time_bnds") {
			t.Errorf("%s: exit %d, %s", in, r.code, r.stderr)
		}
	}
}
