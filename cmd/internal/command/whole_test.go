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
