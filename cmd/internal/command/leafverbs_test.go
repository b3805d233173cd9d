package command

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestEveryVerbReadsLeaves gives a leaf of each form to every verb that reads.
func TestEveryVerbReadsLeaves(t *testing.T) {
	for _, name := range treeNames {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		makeTree(t, path)
		leaf := path + "::/g/b"
		for _, c := range []struct{ args, want string }{
			{"info LEAF", "shape          4"}, {"info -json LEAF", `"shape": [`}, {"head -n 2 LEAF",
				"[1]  7\n"}, {"stats LEAF", "mean   7"},
			{"cat LEAF", "\x07\x00\x07\x00"}, {"export LEAF -", "NUMPY"}, {"verify LEAF",
				"sound, array of 4"}, {"meta get LEAF", "b2nd"},
			{"copy -plan LEAF nothing.b2nd", "method"},
		} {
			if got := cairnOK(t, strings.Fields(strings.ReplaceAll(c.args, "LEAF", leaf))...); !strings.Contains(got,
				c.want) {
				t.Errorf("%s: %s: %q", name, c.args, got)
			}
		}
		for _, c := range []string{"copy LEAF OUT.b2nd", "copy -codec lz4 -chunks 2 LEAF OUT.b2nd",
			"concat LEAF OUT.b2nd", "repair LEAF OUT.b2nd", "copy -sparse LEAF OUT.b2nd"} {
			out := filepath.Join(t.TempDir(), "out")
			cairnOK(t, strings.Fields(strings.NewReplacer("LEAF", leaf, "OUT", out).Replace(c))...)
			if got := cairnOK(t, "cat", out+".b2nd"); got != strings.Repeat("\x07\x00", 4) {
				t.Errorf("%s: %s: %q", name, c, got)
			}
		}
	}
}

// TestEveryVerbWritesLeaves runs every verb that writes with a leaf as output, in an existing store
// and in a new one.
func TestEveryVerbWritesLeaves(t *testing.T) {
	dir := t.TempDir()
	npy, file := filepath.Join(dir, "x.npy"), filepath.Join(dir, "x.b2nd")
	writeFile(t, npy, npyFile(t, "<i2", false, 4))
	cairnOK(t, "import", npy, file)
	want := cairnOK(t, "cat", file)
	for _, name := range treeNames {
		for _, made := range []bool{false, true} {
			for _, c := range []string{"import NPY LEAF", "copy FILE LEAF", "concat FILE LEAF", "repair FILE LEAF"} {
				path := filepath.Join(t.TempDir(), name)
				if made {
					makeTree(t, path)
				}
				args := strings.Fields(strings.NewReplacer("LEAF", path+"::/new/leaf", "NPY", npy, "FILE",
					file).Replace(c))
				cairnOK(t, args...)
				if got := cairnOK(t, "cat", path+"::/new/leaf"); got != want {
					t.Errorf("%s: %s: %q", name, c, got)
				}
				wantFailure(t, cairnWith(t.Context(), nil, args...), "exist")
				cairnOK(t, append([]string{args[0], "-force"}, args[1:]...)...)
				cairnOK(t, "verify", path)
				wantFiles(t, filepath.Dir(path), name)
			}
		}
	}
}

// TestLeavesThatAreFrames copies a leaf that is not an array in and out of trees.
func TestLeavesThatAreFrames(t *testing.T) {
	dir := t.TempDir()
	golden := goldenFrame(t)
	want := cairnOK(t, "cat", golden)
	for _, name := range treeNames {
		path, out := filepath.Join(dir, name), filepath.Join(dir, name+".b2frame")
		cairnOK(t, "copy", golden, path+"::/f")
		cairnOK(t, "copy", path+"::/f", out)
		if cairnOK(t, "cat", path+"::/f") != want || cairnOK(t, "cat", out) != want {
			t.Errorf("%s: other bytes came out", name)
		}
		wantFailure(t, cairnWith(t.Context(), nil, "export", path+"::/f", filepath.Join(dir, "f.npy")),
			"is a plain frame: a NumPy .npy file needs an array")
	}
}

func goldenFrame(t *testing.T) string {
	for _, c := range goldenCases(t) {
		if c.Kind == "frame" && !c.Sparse && c.ChunkCount > 1 {
			return c.Path()
		}
	}
	t.Fatal("no golden frame")
	return ""
}

// TestTreesAreCopied copies whole trees from form to form.
func TestTreesAreCopied(t *testing.T) {
	for _, from := range treeNames {
		dir := t.TempDir()
		path := filepath.Join(dir, from)
		makeTree(t, path)
		for _, to := range treeNames {
			out := filepath.Join(dir, "copy"+filepath.Ext(to))
			cairnOK(t, "copy", path, out)
			wantFailure(t, cairnWith(t.Context(), nil, "copy", path, out), "exist")
			cairnOK(t, "copy", "-force", "-codec", "lz4", "-level", "9", "-chunks", "auto", path, out)
			if text := cairnOK(t, "info", out+"::/g/b"); !strings.Contains(text, "lz4, level 9") {
				t.Errorf("%s as %s: %s", from, to, text)
			}
			if text := cairnOK(t, "info", out); from != "t.b2e" && to != "t.b2e" && !strings.Contains(text,
				`@units "K"`) {
				t.Errorf("%s as %s: %s", from, to, text)
			}
		}
	}
}

// TestAttributesOfGroups changes the attributes of groups with meta.
func TestAttributesOfGroups(t *testing.T) {
	for _, name := range treeNames[:2] {
		path := filepath.Join(t.TempDir(), name)
		makeTree(t, path)
		cairnOK(t, "meta", "set", path, "title", `"all"`)
		cairnOK(t, "meta", "set", path+"::/g", "list", `[1, 2]`)
		cairnOK(t, "meta", "rm", path+"::/g", "units")
		cairnOK(t, "meta", "set", path+"::/a", "of", `"an array"`)
		if got := cairnOK(t, "meta", "get", path, "title") + cairnOK(t, "meta", "get", path+"::/g", "list") +
			cairnOK(t, "meta", "get", path+"::/a", "of"); got != "\"all\"\n[1,2]\n\"an array\"\n" {
			t.Errorf("%s: %q", name, got)
		}
		if got := cairnOK(t, "meta", "get", path+"::/g"); strings.Contains(got, "units") {
			t.Errorf("%s: %q", name, got)
		}
	}
	path := filepath.Join(t.TempDir(), treeNames[2])
	makeTree(t, path)
	wantFailure(t, cairnWith(t.Context(), nil, "meta", "set", path, "title", `"all"`), "have no attributes")
}

func TestGroupsInVerbs(t *testing.T) {
	for _, name := range treeNames {
		path := filepath.Join(t.TempDir(), name)
		makeTree(t, path)
		if text := cairnOK(t, "info", path+"::/g"); !strings.Contains(text, "of 1 leaf\n") || !strings.Contains(text,
			"    b  array  4") {
			t.Errorf("%s: info of a group: %s", name, text)
		}
		if text := cairnOK(t, "verify", path+"::/g"); strings.Contains(text, "::/a") ||
			!strings.Contains(text, "array of 4 <i2 in 1 chunk") {
			t.Errorf("%s: verify of a group: %s", name, text)
		}
		cairnOK(t, "delete", path+"::/g")
		if text := cairnOK(t, "info", path); strings.Contains(text, "units") || !strings.Contains(text, "of 1 leaf\n") {
			t.Errorf("%s: after delete: %s", name, text)
		}
		cairnOK(t, "delete", path+"::/a")
		if _, err := os.Stat(path); err != nil || !strings.Contains(cairnOK(t, "info", path), "of 0 leaves") {
			t.Errorf("%s: after deleting everything: %v", name, err)
		}
	}
}

// TestDeletesOfOneStoreGoTogether deletes two keys, one of which does not exist. In a directory,
// the first key is deleted nevertheless.
func TestDeletesOfOneStoreGoTogether(t *testing.T) {
	for _, name := range treeNames {
		path := filepath.Join(t.TempDir(), name)
		makeTree(t, path)
		before := cairnOK(t, "info", path)
		wantFailure(t, cairnWith(t.Context(), nil, "delete", path+"::/a", path+"::/nothing"), "no leaf or group")
		same := cairnOK(t, "info", path) == before
		if directory := filepath.Ext(name) == ".b2d"; same == directory {
			t.Errorf("%s: same afterwards: %v", name, same)
		}
		if same {
			cairnOK(t, "delete", path+"::/g", path+"::/a")
		}
	}
}

// TestLeavesOfOtherFormatsAreNotChanged: what is said of a file of another format is true of that.
func TestLeavesOfOtherFormatsAreNotChanged(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "x.npz", npzFile(t, false, "q", npyFile(t, "<i2", false, 4)))
	cairnOK(t, "copy", "x.npz", "x.zarr")
	cairnOK(t, "import", "x.npz", "a.b2nd")
	before := contents(t, ".")
	for _, c := range []struct{ args, want string }{
		{"calc a+1 a=a.b2nd -o x.npz::q", "x.npz is a NumPy .npz archive, which cairn reads and does not change; " +
			"an array can be put into a store, such as out.b2z::q"},
		{"copy a.b2nd x.zarr::k", "x.zarr is a Zarr store, which cairn reads and does not change; an array"},
		{"copy x.npz x.zarr::k", "x.zarr is a Zarr store, which cairn reads and does not change; an array"},
		{"delete x.zarr::q", "x.zarr is a Zarr store, which cairn reads and does not change; " +
			"cairn copy x.zarr OUT.b2z makes a store to delete from"},
	} {
		r := cairnWith(t.Context(), nil, strings.Fields(c.args)...)
		if r.code != exitFailed || !strings.Contains(r.stderr, c.want) || strings.Contains(r.stderr, "embed.b2e") {
			t.Errorf("%s: exit %d, %s", c.args, r.code, r.stderr)
		}
	}
	if !slices.Equal(contents(t, "."), before) {
		t.Error("something has changed")
	}
}
