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
