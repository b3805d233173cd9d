package command

import (
	"fmt"
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
		{"reduce -op max -axis lon IN dd.b2z", "dd.b2z::/max", "time=2020-02-02,lat=-1", "3,2,2"},
		{"reduce -op min,max -axis lon IN dm.zarr", "dm.zarr::max", "time=2020-02-02,lat=-1", "3,2,2"},
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
	if want := "cairn: left out the coordinates time, lat, lon; a store keeps "; !strings.HasPrefix(r.stderr, want) {
		t.Errorf("a single file: %q", r.stderr)
	}
	if r := cairnWith(t.Context(), nil, "copy", "-q", in, "quiet.b2nd"); r.stderr != "" {
		t.Errorf("-q: %q", r.stderr)
	}
	// What a selection takes has the coordinates that it takes of them.
	cairnOK(t, "calc", "a[::-1]", "a="+in, "-o", "turned.b2z::/t")
	want := cairnOK(t, "cat", "-s", "time=2020-02-02", in)
	if got := cairnOK(t, "cat", "-s", "time=2020-02-02", "turned.b2z::/t"); got != want {
		t.Errorf("an item of a selection in an expression by its coordinate: %x, want %x", got, want)
	}
	want = cairnOK(t, "cat", "-s", "4,2,0", in)
	if got := cairnOK(t, "cat", "-s", "time[3],lat=-1,lon=0", "turned.b2z::/t"); got != want {
		t.Errorf("a selection in an expression: %x, want %x", got, want)
	}
}

// TestCoordinatesThatContradict computes with arrays of other times, at once and as a job.
func TestCoordinatesThatContradict(t *testing.T) {
	in := climateFile(t) + "::/run/t2m"
	t.Chdir(t.TempDir())
	cairnOK(t, "copy", "-s", "time=2020-02-01:2020-02-03", in, "a.b2z::/g/x")
	cairnOK(t, "copy", "-s", "time=2020-02-02:2020-02-04", in, "b.b2z::/g/x")
	fields := func(command string) []string {
		return strings.Fields(strings.ReplaceAll(command, "IN", "a=a.b2z::/g/x b=b.b2z::/g/x"))
	}
	for _, command := range []string{"calc -o o.b2nd a+b IN", "job plan j1 -calc a+b IN o.b2nd",
		"job plan j2 -calc max(a,axis='lon')-max(b,axis='lon') IN o.b2nd",
		"calc -o o.b2nd a[...,1:]-b[...,1:] IN", "job plan j5 -calc a[...,1:]-b[...,1:] IN o.b2nd",
		"job plan j6 -calc max(a[...,1:]-b[...,1:],axis='lon') IN o.b2nd"} {
		r := cairnWith(t.Context(), nil, fields(command)...)
		if r.code == exitOK || !strings.Contains(r.stderr, "the coordinates of time contradict each other") {
			t.Errorf("%s: exit %d, %s", command, r.code, r.stderr)
		}
	}
	for _, command := range []string{"job plan j3 -raw -calc a+b IN o.b2nd",
		"job plan j4 -calc max(a,axis='time')-max(b,axis='time') IN o.b2nd",
		"job plan j7 -calc a[1:]-b[:-1] IN o.b2nd"} {
		cairnOK(t, fields(command)...)
	}
}

// TestCoordinatesThatMeanTheSame puts an array where the coordinates have other attributes.
func TestCoordinatesThatMeanTheSame(t *testing.T) {
	tree := climateFile(t)
	in := tree + "::/run/t2m"
	t.Chdir(t.TempDir())
	for i, c := range []struct {
		name, value string
		same        bool
	}{
		{"units", `"degree_N"`, true}, {"units", `"degrees_east"`, false}, {"missing_value", "-9", false},
		{"add_offset", "0.0", true}, {"comment", `"other words"`, true},
	} {
		out := fmt.Sprintf("out%d.b2z", i)
		cairnOK(t, "copy", in, out+"::/g/a")
		cairnOK(t, "meta", "set", out+"::/g/lat", c.name, "--", c.value)
		r := cairnWith(t.Context(), nil, "copy", in, out+"::/g/b")
		if (r.code == exitOK) != c.same {
			t.Errorf("coordinates with %s %s: exit %d, %q", c.name, c.value, r.code, r.stderr)
		}
	}
}

// TestAppendsExtendCoordinates appends arrays with coordinates to one in a store, and arrays
// without or with others.
func TestAppendsExtendCoordinates(t *testing.T) {
	tree := climateFile(t)
	in := tree + "::/run/t2m"
	t.Chdir(t.TempDir())
	cairnOK(t, "export", "-s", "time[6:]", in, "last.zarr")
	cairnOK(t, "copy", "-s", "time[3:6]", in, "next.b2z::/t2m")
	cairnOK(t, "copy", "-s", "time[1:4]", in, "wrong.b2z::/t2m")
	cairnOK(t, "copy", "-s", "time[4:7]", in, "later.b2z::/t2m")
	cairnOK(t, "copy", "-q", "-s", "time[3:6]", in, "next.b2nd")
	for _, out := range []string{"a.b2d", "a.b2z", "a.b2e"} {
		cairnOK(t, "copy", "-s", "time[:3]", in, out+"::/g/t2m")
		cairnOK(t, "copy", "-s", "time[:3]", in, out+"::/g/other")
		for _, array := range []string{"t2m", "other"} {
			r := cairnWith(t.Context(), nil, "append", "-axis", "time", out+"::/g/"+array, "next.b2z::/t2m", "last.zarr")
			if r.code != exitOK || r.stderr != "" {
				t.Errorf("append to %s: exit %d, %q", array, r.code, r.stderr)
			}
			cairnOK(t, "diff", "-q", in, out+"::/g/"+array)
			cairnOK(t, "diff", "-q", tree+"::/run/time", out+"::/g/time")
			want := cairnOK(t, "cat", "-s", "7,2,0", in)
			if got := cairnOK(t, "cat", "-s", "time=2020-02-06,lat=-1,lon=0", out+"::/g/"+array); got != want {
				t.Errorf("the last day is %x, want %x", got, want)
			}
		}
		cairnOK(t, "copy", "-s", "time[:3]", in, out+"::/h/t2m")
		cairnOK(t, "copy", "-s", "time[:3]", in, out+"::/h/other")
		cairnOK(t, "append", out+"::/h/t2m", "next.b2z::/t2m")
		before := cairnOK(t, "info", "-json", out)
		wantFailure(t, cairnWith(t.Context(), nil, "append", out+"::/h/other", "wrong.b2z::/t2m"), "occurs twice")
		wantFailure(t, cairnWith(t.Context(), nil, "append", out+"::/h/other", "later.b2z::/t2m"),
			"other values than those of what is appended")
		if after := cairnOK(t, "info", "-json", out); after != before {
			t.Errorf("a refused append changed\n%s to\n%s", before, after)
		}
		cairnOK(t, "copy", "-s", "time[:3]", in, out+"::/i/t2m")
		r := cairnWith(t.Context(), nil, "append", out+"::/i/t2m", "next.b2nd")
		if want := "next.b2nd has no coordinates of time"; r.code != exitOK || !strings.Contains(r.stderr, want) {
			t.Errorf("append without coordinates: exit %d, %q, want %q", r.code, r.stderr, want)
		}
	}
}
