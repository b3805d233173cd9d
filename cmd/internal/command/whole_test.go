package command

import (
	"strings"
	"testing"
)

// dated is the beginning of a line of history at the time that tests set.
const dated = "Thu Jan  1 00:00:05 1970: cairn "

// TestVariablesByPattern takes some variables of a file, with what they name, and tells so in the
// history.
func TestVariablesByPattern(t *testing.T) {
	file := netCDFFile(t, "classic.nc")
	t.Chdir(t.TempDir())
	t.Setenv(epochVariable, "5")
	writeFile(t, "a.nc", readFile(t, file))

	for _, out := range []string{"o.nc", "o.zarr", "o.h5", "o.b2z"} {
		cairnNotes(t, "copy", "a.nc::t2*", out)
		got := cairnOK(t, "info", "-json", out)
		for _, want := range []string{`"/t2m"`, `"/time"`, `"/lat"`, dated + `copy 'a.nc::t2*' ` + out} {
			if !strings.Contains(got, want) {
				t.Errorf("%s has no %s: %s", out, want, got)
			}
		}
		if strings.Contains(got, `"/u10"`) || strings.Contains(got, `"/cell"`) {
			t.Errorf("%s has other variables: %s", out, got)
		}
	}
	cairnOK(t, "diff", "a.nc::t2m", "o.nc::t2m")
	if got := cairnOK(t, "diff", "a.nc::t2m,time", "o.h5::lat,t2*"); !strings.Contains(got, "equal") {
		t.Errorf("o.h5: %s", got)
	}

	cairnNotes(t, "copy", "-q", "-history=false", "-s", "lat[0:1]", "a.nc", "p.nc")
	if got := cairnOK(t, "info", "-json", "p.nc"); strings.Contains(got, "cairn copy") {
		t.Errorf("a line in spite of -history=false: %s", got)
	}
	for _, key := range []string{"x*", "t2m,nix", "[t"} {
		if r := cairnWith(t.Context(), strings.NewReader(""), "copy", "a.nc::"+key, "q.nc"); r.code == 0 {
			t.Errorf("%s stands for something: %s", key, r.stderr)
		}
	}
}

// TestChunksByName gives chunks to the variables that have a dimension.
func TestChunksByName(t *testing.T) {
	file := netCDFFile(t, "classic.nc")
	t.Chdir(t.TempDir())
	for _, out := range []string{"o.zarr", "o.b2z"} {
		cairnNotes(t, "copy", "-q", "-chunks", "time=1, lon=2", file, out)
		got := cairnOK(t, "info", out+"::t2m")
		if !strings.Contains(got, "chunks         1 × 3 × 2\n") {
			t.Errorf("%s: %s", out, got)
		}
		cairnOK(t, "diff", file+"::t2m", out+"::t2m")
	}
	cairnNotes(t, "copy", "-q", "-chunks", "lat=2", file+"::t2m", "o.b2nd")
	if got := cairnOK(t, "info", "o.b2nd"); !strings.Contains(got, " × 2 × ") {
		t.Errorf("o.b2nd: %s", got)
	}
	for _, chunks := range []string{"tim=1", "time=0", "time=1,time=2", "=3", "time=x"} {
		r := cairnWith(t.Context(), strings.NewReader(""), "copy", "-chunks", chunks, file, "p.zarr")
		if r.code == 0 || !strings.Contains(r.stderr, "-chunks") {
			t.Errorf("-chunks %s: exit %d, %s", chunks, r.code, r.stderr)
		}
	}
}

// TestReduceWholeFiles reduces all variables that have a dimension, and copies the others.
func TestReduceWholeFiles(t *testing.T) {
	file := netCDFFile(t, "classic.nc")
	t.Chdir(t.TempDir())
	t.Setenv(epochVariable, "5")
	for _, out := range []string{"o.nc", "o.zarr", "o.b2z"} {
		r := cairnWith(t.Context(), strings.NewReader(""), "reduce", "-q", "-op", "max", "-axis", "time", file, out)
		if r.code != 3 || !strings.Contains(r.stderr, "::name: items of dtype") {
			t.Errorf("%s: exit %d, %s", out, r.code, r.stderr)
		}
		got := cairnOK(t, "info", "-json", out)
		for _, want := range []string{`"time: maximum"`, `"/i"`, `"/lat"`, dated + "reduce -q -op max"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s has no %s: %s", out, want, got)
			}
		}
		if strings.Contains(got, `"/time"`) {
			t.Errorf("%s has times: %s", out, got)
		}
		for _, key := range []string{"t2m", "b"} {
			cairnOK(t, "reduce", "-force", "-op", "max", "-axis", "time", file+"::"+key, "single.nc")
			if cairnOK(t, "cat", out+"::"+key) != cairnOK(t, "cat", "single.nc::"+key) {
				t.Errorf("%s::%s has other items", out, key)
			}
		}
	}

	cairnWith(t.Context(), strings.NewReader(""), "reduce", "-q", "-axis", "T", "-keepdims", "-s", "time[1:3]", file, "k.nc")
	if got := cairnOK(t, "head", "k.nc::time"); !strings.Contains(got, "2020-01-01T09") {
		t.Errorf("the time of the mean of 6 and 12 hours: %s", got)
	}
	for _, args := range [][]string{{"-axis", "tim"}, {"-axis", "7"}, {"-op", "mean,maxi"}} {
		if r := cairnWith(t.Context(), strings.NewReader(""), append([]string{"reduce", file, "p.nc"}, args...)...); r.code == 0 {
			t.Errorf("%v: exit 0, %s", args, r.stderr)
		}
	}
}

// TestReduceGroups has an item for each group of times, of a whole file and of an array.
func TestReduceGroups(t *testing.T) {
	file := netCDFFile(t, "classic.nc")
	t.Chdir(t.TempDir())
	reduce := func(args ...string) result {
		return cairnWith(t.Context(), strings.NewReader(""), append([]string{"reduce", "-q", "-force"}, args...)...)
	}

	for _, out := range []string{"o.nc", "o.zarr", "o.b2z"} {
		if r := reduce("-by", "day", file, out); r.code != 3 {
			t.Fatalf("%s: exit %d, %s", out, r.code, r.stderr)
		}
		got := cairnOK(t, "info", "-json", out)
		for _, want := range []string{`"time: mean"`, `"/time_bnds"`, `"/lat"`} {
			if !strings.Contains(got, want) {
				t.Errorf("%s has no %s: %s", out, want, got)
			}
		}
		if got := cairnOK(t, "head", out+"::time"); !strings.Contains(got, "2020-01-01") || strings.Contains(got, "T06") {
			t.Errorf("%s has the times %s", out, got)
		}
	}

	cairnOK(t, "reduce", "-by", "hour-of-day", file+"::t2m", "single.nc")
	if got := cairnOK(t, "info", "single.nc"); !strings.Contains(got, "hour ") {
		t.Errorf("hours of the day: %s", got)
	}
	cairnOK(t, "calc", "-o", "a.nc", "t - clim(t, 'day')", "t="+file+"::t2m")
	cairnOK(t, "reduce", "-by", "day", "a.nc", "zero.nc")
	if got := cairnOK(t, "calc", "all(abs(t) < 1e-9)", "t=zero.nc::t2m"); !strings.Contains(got, "true") {
		t.Errorf("means of anomalies are 0: %s", got)
	}

	// The axis of the groups may be named, of a file and of an array.
	for _, of := range []string{"a.nc", "a.nc::t2m"} {
		cairnOK(t, "reduce", "-force", "-by", "day", of, "without.nc")
		cairnOK(t, "reduce", "-force", "-by", "day", "-axis", "time", of, "with.nc")
		if r := cairnWith(t.Context(), strings.NewReader(""), "diff", "without.nc::t2m", "with.nc::t2m"); r.code != 0 {
			t.Errorf("%s with the axis of the groups: %s", of, r.stdout+r.stderr)
		}
	}

	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-by", "dayofyear"}, "did you mean day-of-year"},
		{[]string{"-by", "tim"}, "no coordinates are named"},
		{[]string{"-by", "bins(lat, 1)"}, "two edges"},
		{[]string{"-every", "6"}, "6h"},
		{[]string{"-every", "lat=0"}, "lat=4"},
		{[]string{"-by", "month", "-label", "centre"}, "start, middle or end"},
	} {
		if r := reduce(append(c.args, file, "p.nc")...); r.code == 0 || !strings.Contains(r.stderr, c.want) {
			t.Errorf("%v: exit %d, %s, want %q", c.args, r.code, r.stderr, c.want)
		}
	}
}

// TestReduceWholeFilesInSeveralWays has a variable for each operation.
func TestReduceWholeFilesInSeveralWays(t *testing.T) {
	file := netCDFFile(t, "classic.nc")
	t.Chdir(t.TempDir())
	r := cairnWith(t.Context(), strings.NewReader(""), "reduce", "-q", "-op", "max, std", "-ddof", "1", "-axis", "time", file, "o.nc")
	if r.code != 3 {
		t.Errorf("exit %d, %s", r.code, r.stderr)
	}
	for _, op := range []string{"max", "std"} {
		args := []string{"reduce", "-force", "-op", op, "-axis", "time", file + "::t2m", "single.nc"}
		if op == "std" {
			args = append(args, "-ddof", "1")
		}
		cairnOK(t, args...)
		if cairnOK(t, "cat", "o.nc::t2m_"+op) != cairnOK(t, "cat", "single.nc::t2m") {
			t.Errorf("t2m_%s has other items", op)
		}
	}

	writeFile(t, "x.npy", npyFile(t, "<f4", false, 4, 5))
	cairnOK(t, "import", "x.npy", "both.b2z::/x")
	cairnOK(t, "import", "x.npy", "both.b2z::/x_max")
	r = cairnWith(t.Context(), strings.NewReader(""), "reduce", "-op", "max,min", "both.b2z", "p.nc")
	if r.code != 2 || !strings.Contains(r.stderr, "x_max is in both.b2z already") {
		t.Errorf("a name that is taken: exit %d, %s", r.code, r.stderr)
	}
}

// TestSplitAndConcatWholeFiles cuts a file, and joins the parts.
func TestSplitAndConcatWholeFiles(t *testing.T) {
	file := netCDFFile(t, "classic.nc")
	t.Chdir(t.TempDir())
	cairnOK(t, "split", "-axis", "time", "-size", "3", file, "p%d.nc")
	cairnOK(t, "concat", "-axis", "time", "p0.nc", "p1.nc", "o.nc")
	cairnOK(t, "copy", file, "want.nc")
	if got := cairnOK(t, "diff", "want.nc", "o.nc"); !strings.Contains(got, "equal: 7 arrays") {
		t.Errorf("the parts together: %s", got)
	}
	cairnOK(t, "concat", "p0.nc::b,t2m", "p1.nc::b,t2m", "some.nc")
	if got := cairnOK(t, "info", "-json", "some.nc"); strings.Contains(got, `"/name"`) {
		t.Errorf("concat of some variables: %s", got)
	}

	// What has no such dimension must be the same.
	cairnOK(t, "calc", "i+1", "i=p1.nc::i", "-o", "i.nc")
	cairnNotes(t, "export", "-q", "p1.nc", "x.zarr")
	cairnNotes(t, "copy", "-q", "p1.nc", "x.b2z")
	cairnOK(t, "import", "-force", "i.nc::i", "x.b2z::/i")
	for _, args := range []string{"p0.nc x.b2z p.nc -axis time", "p0.nc p0.nc p.nc -axis time", "p0.nc p1.nc p.nc -axis tim",
		"p0.nc i.nc p.nc -axis time"} {
		if r := cairnWith(t.Context(), strings.NewReader(""), append([]string{"concat"}, strings.Fields(args)...)...); r.code == 0 {
			t.Errorf("concat %s: exit 0, %s", args, r.stderr)
		}
	}
	cairnOK(t, "concat", "-q", "-raw", "-axis", "time", "p0.nc", "x.b2z", "p.nc")
}

// TestCalcOfWholeFiles computes every variable of a file, and keeps what is beside them.
func TestCalcOfWholeFiles(t *testing.T) {
	file := netCDFFile(t, "classic.nc")
	t.Chdir(t.TempDir())
	t.Setenv(epochVariable, "5")
	for _, out := range []string{"o.nc", "o.zarr", "o.b2z"} {
		cairnNotes(t, "calc", "-q", "x * 2", "x="+file, "-o", out)
		got := cairnOK(t, "info", "-json", out)
		for _, want := range []string{`"/t2m"`, `"/i"`, `"/b"`, `"/time"`, `"/lat"`, dated + "calc -q 'x * 2'"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s has no %s: %s", out, want, got)
			}
		}
		cairnNotes(t, "calc", "-q", "-force", "x * 2", "x="+file+"::t2m", "-o", "t2m.nc")
		cairnOK(t, "diff", "t2m.nc::t2m", out+"::t2m")
	}

	cairnNotes(t, "calc", "-q", "mean(x, 'time')", "x="+file, "-o", "m.nc")
	if got := cairnOK(t, "info", "-json", "m.nc::t2m"); strings.Contains(got, `"time"`) || !strings.Contains(got, `"lat"`) {
		t.Errorf("dimensions of a mean: %s", got)
	}
	cairnNotes(t, "calc", "-q", "x - m", "x="+file, "m=m.nc", "-o", "d.nc")
	if r := cairnWith(t.Context(), strings.NewReader(""), "calc", "mean(x, 'nix')", "x="+file, "-o", "e.nc"); r.code == 0 ||
		!strings.Contains(r.stderr, `"nix"`) {
		t.Errorf("an axis that no variable has: %d, %s", r.code, r.stderr)
	}
}
