package command

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/store"
)

// treeNames are names of the three forms of a tree.
var treeNames = []string{"t.b2z", "t.b2d", "t.b2e"}

// makeTree writes a store of two arrays.
func makeTree(t *testing.T, path string) {
	t.Helper()
	w, err := store.Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"/a", "/g/b"} {
		u, err := ndarray.NewUntyped("<i2", ndarray.Shape{4}, &ndarray.Options{Fill: 7})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Put(t.Context(), key, u, nil), u.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if filepath.Ext(path) != ".b2e" { // which has no attributes
		if err := w.SetAttribute(t.Context(), "/g", "units", "K"); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// columns returns a text with two spaces between columns, however wide these are.
func columns(text string) string { return gaps.ReplaceAllString(text, "$1  ") }

var gaps = regexp.MustCompile(`(\S) {2,}`)

func TestTreesInVerbs(t *testing.T) {
	for _, name := range []string{"t.b2z", "t.b2d"} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		makeTree(t, path)
		text := cairnOK(t, "info", path)
		for _, want := range []string{
			"tree store of 2 leaves", "  a  array  4  <i2", "    g/\n      @units \"K\"\n      b  array  4  <i2",
		} {
			if !strings.Contains(columns(text), want) {
				t.Errorf("info lacks %q:\n%s", want, text)
			}
		}
		if json := cairnOK(t, "info", "-json", path); !strings.Contains(json, `"key": "/g/b"`) ||
			!strings.Contains(json, `"units": "K"`) {
			t.Errorf("info -json: %s", json)
		}
		if got := cairnOK(t, "cat", "-s", "1:3", path+"::/g/b"); got != "\x07\x00\x07\x00" {
			t.Errorf("cat: %q", got)
		}
		if text := cairnOK(t, "info", path+"::g/b"); !strings.Contains(text, "shape          4") {
			t.Errorf("info of a leaf: %s", text)
		}
		text = cairnOK(t, "verify", "-all", path)
		for _, want := range []string{"sound  " + path + "  tree store of 2 leaves", "::/g/b  array", "\n4 verified: 4"} {
			if !strings.Contains(columns(text), want) {
				t.Errorf("verify lacks %q: %s", want, text)
			}
		}
		out, npy := filepath.Join(dir, "copy.b2nd"), filepath.Join(dir, "b.npy")
		cairnOK(t, "copy", path+"::/a", out)
		cairnOK(t, "export", path+"::/g/b", npy)
		cairnOK(t, "concat", path+"::/a", path+"::/g/b", filepath.Join(dir, "both.b2nd"))
		if info, err := os.Stat(npy); err != nil || info.Size() != 128+8 {
			t.Errorf("export: %v, %v", info, err)
		}
	}
}

func TestChangesOfLeaves(t *testing.T) {
	dir := t.TempDir()
	npy := filepath.Join(dir, "b.npy")
	for _, name := range treeNames {
		path := filepath.Join(dir, name)
		makeTree(t, path)
		cairnOK(t, "export", "-force", path+"::/g/b", npy)
		cairnOK(t, "append", path+"::/a", npy)
		cairnOK(t, "resize", "-fill", "5", path+"::/g/b", "6")
		if text := cairnOK(t, "info", path+"::/a"); !strings.Contains(text, "shape          8") {
			t.Errorf("%s: after appender: %s", name, text)
		}
		if got := cairnOK(t, "cat", path+"::/g/b"); got != "\x07\x00\x07\x00\x07\x00\x07\x00\x05\x00\x05\x00" {
			t.Errorf("%s: after resizing: %q", name, got)
		}
	}
}

// TestVerbsRefuseKeysWithoutLeaves passes trees and groups where an array is required, and arrays
// where a tree is required.
func TestVerbsRefuseKeysWithoutLeaves(t *testing.T) {
	dir := t.TempDir()
	path, npy, file := filepath.Join(dir, "t.b2z"), filepath.Join(dir, "b.npy"), filepath.Join(dir, "x.b2nd")
	makeTree(t, path)
	cairnOK(t, "export", path+"::/g/b", npy)
	cairnOK(t, "import", npy, file)
	for _, c := range []struct{ args, want string }{
		{"cat T", "holds 2 arrays"}, {"head T", "holds 2 arrays"}, {"stats T", "holds 2 arrays"},
		{"export T out.npy", "holds 2 arrays"}, {"concat T out.b2nd", "holds 2 arrays"}, {"copy T out.b2nd", "holds 2 arrays"},
		{"append T B", "is a store"}, {"resize T 3", "is a store"},
		{"repair T out.b2nd", "repair its arrays one by one"},
		{"cat T::/nothing", `no leaf "/nothing"`}, {"info T::/nothing", `no leaf "/nothing"`},
		{"verify T::/nothing", `no array "/nothing"`}, {"repair T::/nothing out.b2nd",
			`no leaf "/nothing"`}, {"append T::/nothing B", `no leaf "/nothing"`},
		{"resize T::/g 3", `no leaf "/g", which is a group`}, {"meta get T::/nothing", "no group with attributes"},
		{"meta set T::/nothing x 1", `no leaf "/nothing"`}, {"delete T::/nothing", `no leaf or group "/nothing"`},
		{"copy F T::/a", "exist"},
		{"import B T::/a", "exist"},
		{"copy -force F T::/g", "conflicts with a group"},
		{"concat F T::/a", "exist"},
		{"copy F T::/a/b", `conflicts with the leaf "/a"`},
		{"copy F nothing/t.b2d::/a", "no such file"},
		{"copy F F::/a", "no store"},
	} {
		args := strings.Fields(strings.NewReplacer("T", path, "B", npy, "F", file).Replace(c.args))
		wantFailure(t, cairnWith(t.Context(), strings.NewReader(""), args...), c.want)
	}
	for _, args := range [][]string{
		{"copy", "-sparse", file, path + "::/s"}, {"import", "-sparse", npy, path + "::/s"}, {"concat", "-sparse",
			file, path + "::/s"}, {"copy", path, path + "::/all"},
		{"copy", "-chunks", "2,2", path, filepath.Join(dir,
			"all.b2d")}, {"copy", file, filepath.Join(dir, "new.b2nd::/a")}, {"delete", path},
		{"delete"},
	} {
		if r := cairnWith(t.Context(), nil, args...); r.code != exitUsage {
			t.Errorf("%v: exit %d, %s", args, r.code, r.stderr)
		}
	}
	if text := cairnOK(t, "info", path); !strings.Contains(text, "of 2 leaves") {
		t.Errorf("the tree was changed: %s", text)
	}
}

// TestInfoOfPythonObjectsInTrees prints trees with tables, objects, and references to arrays
// elsewhere.
func TestInfoOfPythonObjectsInTrees(t *testing.T) {
	for name, want := range map[string][]string{
		"tables.b2z": {"table/  table of 5 rows, 11 columns\n", "| x  int64 <i8\n", "| y  float64 <f8, null value\n",
			"| d  dictionary <i4, null code\n", "| l  list[int64], batches\n",
			"| m  int32 <i4, null mask\n", "lists  list array", "objects  object array", "batches  batch array"},
		"table.b2z": {"/  table of 5 rows, 2 columns\n"},
		"kinds.b2z": {"lazy  lazy array  10  <i4  489 B  a + 1", "proxy  proxy  10  <i4  454 B  /", "@lazy {"},
	} {
		text := columns(cairnOK(t, "info", "../../../store/testdata/"+name))
		for _, line := range want {
			if !strings.Contains(text, line) {
				t.Errorf("info of %s lacks %q:\n%s", name, line, text)
			}
		}
	}
	path := "../../../store/testdata/tables.b2z"
	if json := cairnOK(t, "info", "-json", path+"::/g/table"); !strings.Contains(json, `"rows": 5`) ||
		!strings.Contains(json, `"encoding": "dictionary"`) {
		t.Errorf("info -json: %s", json)
	}
	want := "# 5 <i8\n     x\n[0]  0\n[1]  1\n[2]  3\n… 2 more rows\n"
	if got := cairnOK(t, "head", "-n", "3", path+"::/g/table/x"); got != want {
		t.Errorf("head of a column: %q", got)
	}
	wantFailure(t, cairnWith(t.Context(), nil, "head", path+"::/g/table/v"), "head needs an array")
	wantFailure(t, cairnWith(t.Context(), nil, "delete", path+"::/g/table/x"), "deleted as a whole")
}

// TestTablesAreCopiedAsAWhole copies a table with indexes into new and existing stores of all
// forms, replaces it, and is refused to replace its parts.
func TestTablesAreCopiedAsAWhole(t *testing.T) {
	golden, err := filepath.Abs("../../../store/testdata/indexed.b2z")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a.npy", npyFile(t, "<i4", false, 10, 6), 0o600); err != nil {
		t.Fatal(err)
	}
	table := golden + "::/g/table"
	for _, out := range []string{"n.b2d", "n.b2z", "n.b2e"} {
		cairnOK(t, "import", "a.npy", out+"::/x/a")
		cairnOK(t, "copy", table, out+"::/x/t")
		cairnOK(t, "copy", "-force", "-chunks", "auto", table, out+"::/x/t")
		cairnOK(t, "diff", "-q", table, out+"::/x/t")
		if text := cairnOK(t, "meta", "get", out+"::/x/t/_meta", "index_catalog"); strings.Contains(text, `"g/table`) ||
			!strings.Contains(text, `"x/t/_indexes/a/bucket.values.b2nd"`) {
			t.Errorf("%s: the indexes are at %s", out, text)
		}
		before := cairnOK(t, "info", "-json", out)
		for _, c := range []struct{ args, want string }{
			{"copy -force a.npy " + out + "::/x/t/a", `part of the table "/x/t", which can only be replaced as a whole`},
			{"copy -force a.npy " + out + "::/x/t/new", `part of the table "/x/t", which can only be replaced as a whole`},
			{"copy " + table + " " + out + "::/x/t", "file already exists; -force replaces it"},
			{"copy " + table + " " + out + "::/x", "conflicts with a group"},
		} {
			r := cairnWith(t.Context(), nil, strings.Fields(c.args)...)
			if r.code != 1 || !strings.Contains(r.stderr, c.want) ||
				strings.Contains(r.stderr, "-force") != strings.Contains(c.want, "-force") {
				t.Errorf("cairn %s: exit %d, %q; want %q", c.args, r.code, r.stderr, c.want)
			}
		}
		if after := cairnOK(t, "info", "-json", out); after != before {
			t.Errorf("%s changed:\n%s\n%s", out, before, after)
		}
	}
}

// TestColumnsKeepTheirLength appends to parts of tables and resizes them, as leaves and as files.
func TestColumnsKeepTheirLength(t *testing.T) {
	golden, err := filepath.Abs("../../../store/testdata/indexed.b2z")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	cairnOK(t, "copy", golden, "s.b2d")
	cairnOK(t, "copy", golden, "s.b2z")
	cairnOK(t, "copy", "s.b2z::/g/table/a", "a.b2nd")
	for _, column := range []string{"s.b2z::/g/table/a", "s.b2d::/g/table/_cols/a", "s.b2d/g/table/_cols/a.b2nd",
		"s.b2d::/g/table/_valid_rows", "s.b2d/g/table/_valid_rows.b2nd"} {
		before := cairnOK(t, "stats", column)
		for _, args := range [][]string{{"append", column, "a.b2nd"}, {"resize", column, "60"}} {
			r := cairnWith(t.Context(), nil, args...)
			if r.code != 1 || !strings.Contains(r.stderr, "whose columns have one length") ||
				!strings.Contains(r.stderr, "/g/table") {
				t.Errorf("cairn %s: exit %d, %q", strings.Join(args, " "), r.code, r.stderr)
			}
		}
		if after := cairnOK(t, "stats", column); after != before {
			t.Errorf("%s changed", column)
		}
	}
	cairnOK(t, "append", "a.b2nd", "s.b2z::/g/table/a")
}
