package command

import (
	"os"
	"strings"
	"testing"
)

// TestPartsOfSeveralArrays selects from all arrays of a file that have the dimensions.
func TestPartsOfSeveralArrays(t *testing.T) {
	t.Chdir(t.TempDir())
	weatherFile(t, "w.b2z", true)
	cairnOK(t, "export", "w.b2z", "w.zarr")
	const chosen = "time=2020-01-31:2020-02-01"
	for _, args := range []string{"copy -s SEL w.b2z a.b2z", "copy -s SEL w.zarr b.b2z", "copy -s SEL w.zarr c.b2z::/run",
		"export -s SEL w.b2z d.zarr", "export -s SEL w.zarr e.zarr.zip", "export -s SEL w.zarr f.npz"} {
		words := strings.Fields(strings.ReplaceAll(args, "SEL", chosen))
		r := cairnWith(t.Context(), nil, words...)
		want := "cairn: -s takes a part of flags, pr, tas, time, time_bnds; all of crs, height, lat, utm\n"
		if r.code != exitOK || !strings.HasPrefix(r.stderr, want) {
			t.Errorf("%s: exit %d, %s", args, r.code, r.stderr)
		}
		out := words[len(words)-1]
		if !strings.Contains(out, "::") {
			out += "::"
		}
		for key, selection := range map[string]string{"tas": "1:", "time": "1:", "time_bnds": "1:", "lat": "", "height": ""} {
			got, want := cairnOK(t, "cat", out+"/"+key), cairnOK(t, "cat", "-s", selection, "w.b2z::/"+key)
			if got != want {
				t.Errorf("%s: %s has %x, want %x", args, key, got, want)
			}
		}
	}

	cairnOK(t, "copy", "-q", "-s", "time=2020-01-31", "w.zarr", "one.b2z")
	if got := cairnOK(t, "info", "one.b2z"); !strings.Contains(got, "time       array  scalar") {
		t.Errorf("one time: %s", got)
	}
	for args, want := range map[string]string{
		"export -s 0:1 w.zarr no.zarr":   "the arrays of w.zarr have from 0 to 2; name them, as in -s 'time[0:10]', or name one array as w.zarr::KEY",
		"copy -s 0:1 w.b2z no.b2z":       "the arrays of w.b2z have from 0 to 2; name them",
		"copy -s tim=2020 w.zarr no.b2z": `-s: no array of w.zarr has a dimension "tim"; there are one, time, lat`,
		"copy -s lat=9 w.zarr no.b2z":    "no item has this value",
		"copy -s time=0:1 w.zarr no.b2z": "time[0:1] selects by index",
	} {
		r := cairnWith(t.Context(), nil, strings.Fields(args)...)
		if r.code == exitOK || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: exit %d, %s", args, r.code, r.stderr)
		}
	}
	if _, err := os.Lstat("no.b2z"); err == nil {
		t.Error("a conversion that was refused has written")
	}
}

// TestChunksOfSeveralArrays gives chunks to the arrays with as many dimensions.
func TestChunksOfSeveralArrays(t *testing.T) {
	t.Chdir(t.TempDir())
	weatherFile(t, "w.b2z", false)
	cairnOK(t, "export", "w.b2z", "w.zarr")
	for _, args := range []string{"import -chunks 2,1 -blocks 1,1 w.zarr a.b2z", "copy -chunks 2,1 -blocks 1,1 w.zarr b.b2z",
		"copy -chunks 2,1 -blocks 1,1 w.b2z c.b2z", "copy -chunks 2,1 -blocks 1,1 w.b2z d.b2z::/run"} {
		words := strings.Fields(args)
		r := cairnWith(t.Context(), nil, words...)
		if r.code != exitOK || r.stderr != "cairn: -chunks is for flags, tas, time_bnds; not for crs, height, lat, time, utm\n" {
			t.Errorf("%s: exit %d, %s", args, r.code, r.stderr)
		}
		out := words[len(words)-1]
		if !strings.Contains(out, "::") {
			out += "::"
		}
		if got := cairnOK(t, "info", out+"/tas"); !strings.Contains(got, "chunks         2 × 1\n") || !strings.Contains(got, "blocks         1 × 1\n") {
			t.Errorf("%s: %s", args, got)
		}
		cairnOK(t, "diff", out+"/tas", "w.b2z::/tas")
	}
	for _, args := range []string{"import -chunks 1,1,1 w.zarr no.b2z", "copy -chunks 1,1,1,1 w.b2z no.b2z",
		"copy -chunks 1,1 -blocks 1 w.b2z no.b2z"} {
		if r := cairnWith(t.Context(), nil, strings.Fields(args)...); r.code != exitUsage || !strings.Contains(r.stderr, "dimension") {
			t.Errorf("%s: exit %d, %s", args, r.code, r.stderr)
		}
	}
}
