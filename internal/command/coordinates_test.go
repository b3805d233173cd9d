package command

import (
	"strings"
	"testing"
)

// TestCoordinatesStayWithDerivedArrays derives arrays from one with coordinates, and selects from
// the results by coordinates.
func TestCoordinatesStayWithDerivedArrays(t *testing.T) {
	tree := climateFile(t)
	in := tree + "::/run/t2m"
	t.Chdir(t.TempDir())
	for _, c := range []struct{ command, out, selection, want string }{
		{"copy -s time=2020-02-01:2020-02-03,lon=[2,0] IN a.b2z::/part/t2m", "a.b2z::/part/t2m",
			"time=2020-02-02,lat=-1,lon=0", "3,2,0"},
		{"copy -chunks 4,2,2 IN b.b2d::/t2m", "b.b2d::/t2m", "time=2020-02-02,lat=-1,lon=0", "3,2,0"},
		{"reduce -op max -axis lon IN c.b2z::/t2m", "c.b2z::/t2m", "time=2020-02-02,lat=-1", "3,2,2"},
		{"reduce -op max -axis time -s lat=-1:0 IN d.zarr", "d.zarr", "lat=-1,lon=1", "7,2,1"},
		{"calc a+0*min(a) a=IN -o e.zarr", "e.zarr", "time=2020-02-02,lat=-1,lon=0", "3,2,0"},
		{"calc a+0*b a=IN b=IN -o e.b2z::/t", "e.b2z::/t", "time=2020-02-02,lat=-1,lon=0", "3,2,0"},
		{"export -s time=2020-02 IN f.zarr", "f.zarr::t2m", "time=2020-02-02,lat=-1,lon=0", "3,2,0"},
		{"split -size 3 IN g.b2z::/p%d/t2m", "g.b2z::/p1/t2m", "time=2020-02-02,lat=-1,lon=0", "3,2,0"},
		{"concat -o h.b2z::/t2m g.b2z::/p*/t2m", "h.b2z::/t2m", "time=2020-02-02,lat=-1,lon=0", "3,2,0"},
		{"concat -stack -o i.b2z::/t2m IN IN", "i.b2z::/t2m", "[1],", ""},
		{"export a.b2z a.zarr", "a.zarr::part/t2m", "time=2020-02-02,lat=-1,lon=0", "3,2,0"},
		{"copy a.zarr k.b2z", "k.b2z::/part/t2m", "time=2020-02-02,lat=-1,lon=0", "3,2,0"},
	} {
		cairnOK(t, strings.Fields(strings.ReplaceAll(c.command, "IN", in))...)
		if c.want == "" {
			cairnOK(t, "info", c.out)
			continue
		}
		want := cairnOK(t, "cat", "-s", c.want, in)
		if got := cairnOK(t, "cat", "-s", c.selection, c.out); got != want || len(got) != 2 {
			t.Errorf("%s: %s of the result is %x, want %x", c.command, c.selection, got, want)
		}
	}
	r := cairnWith(t.Context(), nil, "copy", "-s", "time=2020-02-05:", in, "a.b2z::/part/later")
	wantFailure(t, r, "a.b2z::/part/time is there and has other items than the coordinates of time; "+
		"write to a group of its own, such as a.b2z::/part/later/later")
	if r := cairnWith(t.Context(), nil, "info", "a.b2z::/part/later"); r.code == exitOK {
		t.Error("an array without its coordinates is there")
	}
	r = cairnWith(t.Context(), nil, "copy", in, "single.b2nd")
	if want := "left out the coordinates time, lat, lon; a store keeps "; !strings.HasPrefix(r.stderr, want) {
		t.Errorf("a single file: %q", r.stderr)
	}
	if r := cairnWith(t.Context(), nil, "copy", "-q", in, "quiet.b2nd"); r.stderr != "" {
		t.Errorf("-q: %q", r.stderr)
	}
	// What a selection takes need not be what the coordinates stand for.
	cairnOK(t, "calc", "a[::-1]", "a="+in, "-o", "turned.b2z::/t")
	if r := cairnWith(t.Context(), nil, "cat", "-s", "time=2020-02-02", "turned.b2z::/t"); r.code == exitOK {
		t.Error("a selection in an expression kept coordinates")
	}
}
