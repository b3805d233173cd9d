package command

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// netCDFVerbs are commands that read the array IN, and print something about its items.
var netCDFVerbs = []string{
	"head IN", "head -s time=2020-01-01T06,lat=40:55 IN", "head -format csv -s lat~50 IN", "cat IN",
	"cat -s [1:3,::2,-1] IN", "stats IN", "stats -s time=2020-01-01T12: -hist 4 IN", "reduce -op max -axis time IN",
	"reduce -op mean -axis time,lon -s lat=60 IN", "calc a*0.01+273.15 a=IN", "diff IN IN", "export IN -", "export -s 0 IN -",
	"view -force IN -o o.png", "view -force -s time=2020-01-01 IN -o o.svg", "advise IN", "verify IN",
	"copy -force IN o.b2nd", "copy -force -s lon=0.5: IN o.b2z::/part",
	"export -force IN o.npy", "export -force IN o.zarr", "concat -force IN IN o.b2nd", "append o.b2nd IN",
	"reduce -op min -axis 0 IN o.b2nd -force", "calc -o o.b2nd -force a+1 a=IN", "split -force -axis time -size 1 IN p.b2z::/t%d",
	"hash IN",
}

// TestVerbsTakeNetCDF gives an array of a NetCDF file to every verb that reads arrays: what it
// prints is what it prints of the same array in a store.
func TestVerbsTakeNetCDF(t *testing.T) {
	file, err := filepath.Abs("../../netcdf/testdata/classic.nc")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	cairnOK(t, "import", file, "classic.b2z")
	for _, line := range netCDFVerbs {
		verb, _, _ := strings.Cut(line, " ")
		if _, err := findVerb(verb); err != nil {
			continue
		}
		of := func(in string) string {
			r := cairnWith(t.Context(), strings.NewReader(""), strings.Fields(strings.ReplaceAll(line, "IN", in))...)
			if r.code != 0 {
				t.Errorf("%s: exit %d, %s", strings.ReplaceAll(line, "IN", in), r.code, r.stderr)
			}
			text := strings.ReplaceAll(r.stdout, in, "IN")
			return regexp.MustCompile(`(?m)^ +ratio .*\n`).ReplaceAllString(text, "") // of Blosc2
		}
		got, want := of(file+"::t2m"), of("classic.b2z::/t2m")
		if got != want && verb != "advise" && verb != "verify" {
			t.Errorf("%s:\n%s\nwant\n%s", line, got, want)
		}
	}
}

// TestNetCDFBecomesATree keeps dimensions and attributes, and finds coordinates by them.
func TestNetCDFBecomesATree(t *testing.T) {
	file, err := filepath.Abs("../../netcdf/testdata/classic.nc")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	want := cairnOK(t, "head", "-format", "csv", "-s", "time=2020-01-01T06", file+"::t2m")
	for _, verb := range []string{"import " + file + " o.b2z", "import " + file + " o.b2d", "copy " + file + " c.b2z",
		"export " + file + " o.zarr"} {
		args := strings.Fields(verb)
		cairnOK(t, args...)
		if got := cairnOK(t, "head", "-format", "csv", "-s", "time=2020-01-01T06", args[2]+"::/t2m"); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", verb, got, want)
		}
		if got := cairnOK(t, "info", args[2]+"::/t2m"); !strings.Contains(got, "time, lat, lon") || !strings.Contains(got, "-32767") {
			t.Errorf("%s: %s", verb, got)
		}
	}
	if got := cairnOK(t, "meta", "get", "o.b2z", "title"); !strings.Contains(got, "in Latin-1") {
		t.Errorf("the title is %s", got)
	}
	if got := cairnOK(t, "info", file); !strings.HasPrefix(got, "netcdf classic {\ndimensions:\n\ttime = UNLIMITED ; // (4 currently)\n") ||
		!strings.Contains(got, "a NetCDF file (classic)") {
		t.Errorf("info: %s", got)
	}
}
