package command

import (
	"strings"
	"testing"
)

// TestTables imports a table of text in every form, from a file and from a pipe.
func TestTables(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "t.csv", []byte("id,when,name\n1,2020-01-01T00:00:01,a\n2,,bc\n"))

	cairnOK(t, "import", "t.csv", "t.b2nd")
	cairnOK(t, "import", "-columns", "t.csv", "t.nc")
	cairnOK(t, "import", "-dtype", "id=i2", "-header", "yes", "-delimiter", ",", "t.csv", "i.npy")
	cairnOK(t, "import", "-missing", "a", "t.csv::", "m.b2nd")
	for args, want := range map[string]string{
		"head t.b2nd":           `2  NaT  "bc"`,
		"head t.csv":            `2  NaT  "bc"`,
		"head t.nc::when":       "[0] 2020-01-01T00:00:01 [1] NaT",
		"info t.nc":             `when:units = "seconds since 1970-01-01"`,
		"info i.npy":            "('id', '<i2')",
		"stats -field id t.csv": "count 2",
	} {
		got := strings.Join(strings.Fields(cairnOK(t, strings.Fields(args)...)), " ")
		if !strings.Contains(got, strings.Join(strings.Fields(want), " ")) {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
}

// TestExportsToTables exports records, columns of a file, and items with coordinates, and imports
// them again.
func TestExportsToTables(t *testing.T) {
	file := netCDFFile(t, "classic.nc")
	t.Chdir(t.TempDir())
	text := "id,when,x,name\n1,2020-01-01T00:00:01,0.1,\"a,b\"\n2,,,=c\n"
	writeFile(t, "t.csv", []byte(text))
	cairnOK(t, "import", "t.csv", "t.b2nd")
	cairnOK(t, "import", "-columns", "t.csv", "t.nc")
	for _, in := range []string{"t.b2nd", "t.csv"} {
		cairnOK(t, "export", "-force", in, "o.csv")
		if got := string(readFile(t, "o.csv")); got != text {
			t.Errorf("of %s: %s", in, got)
		}
	}

	cairnOK(t, "export", "-s", "row[:1]", "t.nc", "o.tsv")
	if got, want := string(readFile(t, "o.tsv")), "id\tname\twhen\tx\n1\ta,b\t2020-01-01T00:00:01\t0.1\n"; got != want {
		t.Errorf("columns of a file: %s, want %s", got, want)
	}
	cairnOK(t, "export", "t.nc::when", "w.csv")
	if got, want := string(readFile(t, "w.csv")), "when\n2020-01-01T00:00:01\nNaN\n"; got != want {
		t.Errorf("a column alone: %s, want %s", got, want)
	}
	cairnOK(t, "export", file+"::t2m", "long.csv")
	if got, want := string(readFile(t, "long.csv")), cairnOK(t, "head", "-format", "csv", file+"::t2m"); got !=
		strings.ReplaceAll(want, "nan", "") {
		t.Errorf("items with coordinates: %s, want %s", got, want)
	}

	for args, want := range map[string]string{
		"export t.nc o.csv": "file already exists", "export " + file + " p.csv": "name one as",
		"export -maxerror 1 t.nc p.csv": "neither rounded", "export -s row[0] t.nc p.csv": "a single item",
	} {
		if r := cairnWith(t.Context(), nil, strings.Fields(args)...); r.code == 0 || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: exit %d, %s", args, r.code, r.stderr)
		}
	}
}
