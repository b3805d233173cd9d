package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/frame"
)

// filesToCompare makes arrays and trees that differ little, and returns where a file is.
func filesToCompare(t *testing.T) (file func(name string) string) {
	t.Helper()
	dir := t.TempDir()
	file = func(name string) string { return filepath.Join(dir, name) }
	same := npyFile(t, "|i1", false, 4, 5)
	other := append([]byte(nil), same...)
	other[len(other)-1] += 3
	for name, raw := range map[string][]byte{"a.npy": same, "b.npy": other, "c.npy": npyFile(t, "|i1", false, 5, 4),
		"s.npy": npyFile(t, "|S2", false, 4, 5)} {
		if err := os.WriteFile(file(name), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cairnOK(t, "import", file("a.npy"), file("a.b2nd"))
	cairnOK(t, "import", file("a.npy"), file("u.b2nd"))
	cairnOK(t, "meta", "set", file("u.b2nd"), "units", `"K"`)
	for _, tree := range []string{"x.b2z", "y.b2z"} {
		cairnOK(t, "import", file("a.npy"), file(tree)+"::/g/a")
		cairnOK(t, "import", file("a.npy"), file(tree)+"::/g/same")
	}
	cairnOK(t, "export", file("x.b2z"), file("x.zarr"))
	cairnOK(t, "import", "-force", file("b.npy"), file("y.b2z")+"::/g/a")
	cairnOK(t, "import", file("b.npy"), file("y.b2z")+"::/h/new")
	return file
}

// TestDiff compares operands of several formats.
func TestDiff(t *testing.T) {
	file := filesToCompare(t)
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"a.npy a.npy", 0, "equal: 20 items"},
		{"a.npy a.b2nd", 0, "equal: 20 items"},
		{"a.npy b.npy", 1, "1 of 20 items differs"},
		{"a.npy b.npy", 1, "largest [3 4]"},
		{"-atol 3 a.npy b.npy", 0, "20 items equal within the tolerances"},
		{"-s :3 a.npy b.npy", 0, "equal: 15 items"},
		{"-s ::0 a.npy b.npy", 2, "-s: "},
		{"-q a.npy b.npy", 1, ""},
		{"a.npy c.npy", 1, "4 × 5  5 × 4"},
		{"a.npy s.npy", 1, "items not compared"},
		{"a.b2nd u.b2nd", 1, "attribute units  -       K"},
		{"a.npy none.npy", 2, "no such file"},
		{"a.npy x.b2z", 2, "x.b2z holds 2 arrays"},
		{"x.b2z a.npy", 2, "x.b2z holds 2 arrays"},
		{"x.b2z::/g/a y.b2z::/g/a", 1, "1 of 20 items differs"},
		{"x.b2z x.zarr", 0, "equal: 2 arrays"},
		{"x.b2z y.b2z", 1, "1 of 2 arrays differs"},
		{"x.b2z y.b2z", 1, "/h/new only in y.b2z"},
		{"y.zarr x.b2z", 2, "no such file"},
		{"x.b2z::/g x.zarr::g", 0, "equal: 2 arrays"},
		{"x.b2z::/g y.b2z::/g", 1, "/a: 1 of 20 items differs"},
	} {
		args := []string{"diff"}
		for _, word := range strings.Fields(c.args) {
			if strings.Contains(word, ".b2") || strings.Contains(word, ".npy") || strings.Contains(word, ".zarr") {
				word = file(word)
			}
			args = append(args, word)
		}
		r := cairnWith(t.Context(), nil, args...)
		said := r.stdout + r.stderr
		if r.code != c.code || !strings.Contains(said, c.want) || (c.want == "") != (said == "") {
			t.Errorf("diff %s: exit %d, %q, %q; want exit %d and %q", c.args, r.code, r.stdout, r.stderr, c.code, c.want)
		}
	}
}

func TestDiffAsJSON(t *testing.T) {
	file := filesToCompare(t)
	var report comparison
	r := cairnWith(t.Context(), nil, "diff", "-json", file("a.npy"), file("b.npy"))
	if err := json.Unmarshal([]byte(r.stdout), &report); err != nil || report.Equal || report.Items.Differ != 1 ||
		report.Items.Largest.By != 3.0 {
		t.Errorf("the report is %s, %v", r.stdout, err)
	}
	var trees treeComparison
	r = cairnWith(t.Context(), nil, "diff", "-json", file("x.b2z"), file("y.b2z"))
	if err := json.Unmarshal([]byte(r.stdout), &trees); err != nil || trees.Equal || len(trees.Arrays) != 1 ||
		len(trees.OnlyA) != 0 || trees.Both != 2 {
		t.Errorf("the report is %s, %v", r.stdout, err)
	}
}

// TestDiffByCoordinates compares arrays with coordinates, alone and in trees, and plain frames.
func TestDiffByCoordinates(t *testing.T) {
	tree := climateFile(t)
	t.Chdir(t.TempDir())
	cairnOK(t, "copy", tree, "b.b2z")
	cairnOK(t, "calc", "int16(a + where(a == 40, 7, 0))", "a="+tree+"::/run/t2m", "-o", "b.b2z::/run/t2m", "-force")
	cairnOK(t, "copy", "-q", "-history=false", "-s", "time=2020-02-03:2020-02-04", "b.b2z::/run", "short.b2z")
	where := "time=2020-02-02, lat=-0.5, lon=1"
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{tree + "::/run/t2m b.b2z::/run/t2m", 1, "largest " + where},
		{tree + " b.b2z", 1, "largest " + where},
		{"-json " + tree + " b.b2z", 1, `"where": "` + where + `"`},
		{"-s time=2020-02-02 " + tree + "::/run/t2m b.b2z::/run/t2m", 1, "lat=-0.5, lon=1"},
		{"-s time=2020-02-03 " + tree + "::/run/t2m b.b2z::/run/t2m", 1, "12 items equal, "},
		{"-s time=2020-02-03 " + tree + "::/run b.b2z::/run", 1, "12 items equal"},
		{"-s time=2020-02-03:2020-02-04 short.b2z b.b2z::/run", 0, "equal"},
		{"short.b2z b.b2z::/run", 1, "dimension time  2  "},
		{"-json short.b2z b.b2z::/run", 1, `"name": "dimension time"`},
		{"-s tim=2020-02-03 " + tree + "::/run b.b2z::/run", 2, `no array has a dimension "tim"`},
	} {
		r := cairnWith(t.Context(), nil, append([]string{"diff"}, strings.Fields(c.args)...)...)
		if said := r.stdout + r.stderr; r.code != c.code || !strings.Contains(said, c.want) {
			t.Errorf("diff %s: exit %d, %s; want exit %d and %q", c.args, r.code, said, c.code, c.want)
		}
	}
	for i, name := range []string{"p.b2frame", "q.b2frame"} {
		f, err := frame.Create(name, &frame.Options{TypeSize: 1, ChunkSize: 100})
		if err != nil {
			t.Fatal(err)
		}
		for k := range 3 {
			data := make([]byte, 100)
			data[50] = byte(k * i)
			if _, err := f.Append(t.Context(), data); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for args, want := range map[string]string{
		"p.b2frame p.b2frame": "equal: 300 items", "p.b2frame q.b2frame": "2 of 300 items differ",
	} {
		r := cairnWith(t.Context(), nil, append([]string{"diff"}, strings.Fields(args)...)...)
		if !strings.Contains(r.stdout, want) {
			t.Errorf("diff %s: exit %d, %s%s", args, r.code, r.stdout, r.stderr)
		}
	}
}
