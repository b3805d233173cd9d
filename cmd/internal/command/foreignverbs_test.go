package command

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestVerbsTakeForeignArrays runs every verb that reads arrays on files of other formats, by name,
// as part of a larger file, and from a pipe.
func TestVerbsTakeForeignArrays(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	a, b := npyFile(t, "<f4", false, 40, 30), npyFile(t, ">i2", true, 5, 4, 3)
	items := string(a[headerLength(t, a):])
	writeFile(t, path("a.npy"), a)
	writeFile(t, path("x.npz"), npzFile(t, true, "a", a, "g/b", b))
	cairnOK(t, "import", path("x.npz"), path("x.b2z"))
	cairnOK(t, "export", path("x.b2z"), path("x.zarr"))
	for _, in := range []string{path("a.npy"), path("x.npz") + "::a", path("x.zarr") + "::a", "-"} {
		run := func(args ...string) string {
			t.Helper()
			r := cairnWith(t.Context(), bytes.NewReader(a), args...)
			if r.code != 0 {
				t.Errorf("%q: exit %d, %s", args, r.code, r.stderr)
			}
			return r.stdout
		}
		if run("cat", in) != items || run("cat", "-s", "3", in) != items[3*30*4:4*30*4] {
			t.Errorf("cat of %s: other items", in)
		}
		if got := run("verify", in); !strings.Contains(got, ": sound, array of 40 × 30 <f4 in a ") {
			t.Errorf("verify of %s: %s", in, got)
		}
		if got := run("copy", "-plan", in, path("o.b2nd")); !strings.Contains(got, "chunks    40 × 30") {
			t.Errorf("plan of %s: %s", in, got)
		}
		run("copy", "-force", "-verify", "-codec", "lz4", in, path("o.b2nd"))
		run("append", path("o.b2nd"), in)
		run("concat", "-force", in, path("o.b2nd"), path("three.b2nd"))
		if run("cat", path("three.b2nd")) != strings.Repeat(items, 3) {
			t.Errorf("%s, copied, appended and joined: other items", in)
		}
		if in != "-" {
			r := cairnWith(t.Context(), nil, "copy", "-force", in, path("o.foo"))
			if r.code != exitUsage || !strings.Contains(r.stderr, "the name of an array ends in") {
				t.Errorf("copy to an unknown extension: exit %d, %s", r.code, r.stderr)
			}
		}
	}
	cairnOK(t, "append", path("o.b2nd"), path("o.b2nd")) // itself
	if cairnOK(t, "cat", path("o.b2nd")) != strings.Repeat(items, 4) {
		t.Error("an array behind itself: other items")
	}
	cairnOK(t, "copy", "-codec", "lz4", path("x.zarr"), path("copy.b2d"))
	if cairnOK(t, "export", path("copy.b2d")+"::/g/b", "-") != string(asC(t, b)) {
		t.Error("a Zarr store, copied: other items")
	}
	for _, flag := range []string{"-plan", "-verify", "-sparse", "-chunks=3,3,3,3"} {
		if r := cairnWith(t.Context(), nil, "copy", flag, path("x.zarr"), path("no.b2d")); r.code != exitUsage {
			t.Errorf("copy %s of a tree: exit %d, %s", flag, r.code, r.stderr)
		}
	}
}

// TestArraysOfOtherKindsAreLeftOut converts stores of which one array cannot be converted.
func TestArraysOfOtherKindsAreLeftOut(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	a := npyFile(t, "<f4", false, 4, 3)
	writeFile(t, path("x.npz"), npzFile(t, false, "a", a, "b", a))
	cairnOK(t, "export", path("x.npz"), path("x.zarr"))
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for _, name := range []string{"a.npy", "b.npy"} {
		file := a
		if name == "a.npy" {
			file = bytes.Replace(a, []byte("'<f4'"), []byte("'|O' "), 1)
		}
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(file)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	writeFile(t, path("x.npz"), archive.Bytes())
	writeFile(t, path("x.zarr/zarr.json"), []byte(`{"zarr_format": 3, "node_type": "group"}`))
	text := strings.Replace(string(readFile(t, path("x.zarr/a/zarr.json"))), `"float32"`, `"bytes"`, 1)
	writeFile(t, path("x.zarr/a/zarr.json"), []byte(text))
	for _, in := range []string{"x.npz", "x.zarr"} {
		for _, out := range []string{"o.b2d", "o.b2z", "o.zarr", "o.npz"} {
			verb := "import"
			if targetOf(out).other() != nil {
				verb = "export"
			}
			r := cairnWith(t.Context(), nil, verb, "-force", path(in), path(out))
			if r.code != exitLost || !strings.Contains(r.stderr, in+"::a: ") ||
				!strings.HasSuffix(r.stderr, "; left out\n") {
				t.Errorf("%s to %s: exit %d, %s", in, out, r.code, r.stderr)
			}
			if got := cairnOK(t, "export", path(out)+"::/b", "-"); got != string(a) {
				t.Errorf("%s: other items", out)
			}
			wantFailure(t, cairnWith(t.Context(), nil, "cat", path(out)+"::/a"), "not found")
		}
		r := cairnWith(t.Context(), nil, "verify", path(in))
		if r.code != exitLost || !strings.Contains(r.stdout, "3 verified: 2 sound, 1 not verified\n") {
			t.Errorf("verify of %s: exit %d, %s%s", in, r.code, r.stdout, r.stderr)
		}
	}
	if err := os.RemoveAll(path("x.zarr/b")); err != nil {
		t.Fatal(err)
	}
	wantFailure(t, cairnWith(t.Context(), nil, "import", path("x.zarr"), path("no.b2d")), "without a fixed size")
}

// TestOneOfSeveralIsAsked: a store is offered by verbs that make one, and no others.
func TestOneOfSeveralIsAsked(t *testing.T) {
	t.Chdir(t.TempDir())
	a := npyFile(t, "<f4", false, 2)
	writeFile(t, "x.npz", npzFile(t, false, "a", a, "b", a))
	const list = "cairn: x.npz holds 2 arrays; name one as x.npz::a: a (2, <f4), b (2, <f4)"
	for verb, want := range map[string]string{
		"head x.npz": list + "\n", "stats x.npz": list + "\n",
		"copy x.npz o.b2nd":  list + "; a store as OUT, such as out.b2z, takes all\n",
		"export x.npz o.npy": list + "; a store as OUT, such as out.b2z, takes all\n",
	} {
		if r := cairnWith(t.Context(), nil, strings.Fields(verb)...); r.code != exitFailed || r.stderr != want {
			t.Errorf("%s: exit %d, %q", verb, r.code, r.stderr)
		}
	}
}
