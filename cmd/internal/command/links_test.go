package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/store"
)

const linkedFiles = "../../../hdf5/testdata/links/"

// TestPathsOfLinks reads datasets by soft links, further hard links and groups that links lead to.
func TestPathsOfLinks(t *testing.T) {
	file := "../../../hdf5/testdata/groups-latest.h5"
	want := cairnOK(t, "cat", file+"::/a/b/c/deep")
	for _, key := range []string{"/soft", "a/alias", "/a/circle/circle/alias", "/relative/c/deep"} {
		if got := cairnOK(t, "cat", file+"::"+key); got != want {
			t.Errorf("%s has other items", key)
		}
	}
	text := cairnOK(t, "info", file)
	for _, want := range []string{"soft link to /a/b/c/deep", "external link to /x in other.h5", "hard link to /a"} {
		if !strings.Contains(text, want) {
			t.Errorf("info does not say %q:\n%s", want, text)
		}
	}
	var d described.Tree
	if err := json.Unmarshal([]byte(cairnOK(t, "info", "-json", file)), &d); err != nil {
		t.Fatal(err)
	}
	for _, l := range d.Links {
		if l.Key == "/soft" && (l.Kind != "soft link" || l.Target != "/a/b/c/deep" || l.To != "/a/alias") {
			t.Errorf("the soft link is %+v", l)
		}
	}
	wantFailure(t, cairnWith(t.Context(), nil, "head", file+"::/loop"), "more than 32 links")
}

// TestImportOfLinks: what is in the file is stored once, with a note; what is elsewhere is left out
// by name, or comes with -links.
func TestImportOfLinks(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "g.b2z")
	r := cairnWith(t.Context(), nil, "import", "../../../hdf5/testdata/groups-latest.h5", out)
	copied := cairnWith(t.Context(), nil, "copy", "../../../hdf5/testdata/groups-latest.h5", out+"::/k")
	for _, want := range []string{
		"::/soft is a soft link to /a/b/c/deep; what is there is stored once, as /a/alias",
		"::/dangling is a soft link to /nowhere, where nothing is",
		`::/outside: "/outside": external link to "/x" in the file "other.h5"`, "-links ../../../hdf5/testdata follows it; left out",
	} {
		if r.code != exitLost || !strings.Contains(r.stderr, want) {
			t.Errorf("exit %d, without %q:\n%s", r.code, want, r.stderr)
		}
		if copied.code != exitLost || !strings.Contains(copied.stderr, want) {
			t.Errorf("into a group: exit %d, without %q:\n%s", copied.code, want, copied.stderr)
		}
	}
	// A part to which links lead from outside, and from which they lead out.
	out = filepath.Join(dir, "a.b2z")
	if r = cairnWith(t.Context(), nil, "import", "../../../hdf5/testdata/groups-latest.h5::/relative", out); r.code != 0 {
		t.Errorf("exit %d, %s", r.code, r.stderr)
	}

	out = filepath.Join(dir, "m.b2z")
	r = cairnWith(t.Context(), nil, "import", linkedFiles+"main.h5", out)
	if r.code != exitFailed || !strings.Contains(r.stderr, "stacked") || !strings.Contains(r.stderr, "links/one") {
		t.Errorf("exit %d, %s", r.code, r.stderr)
	}
	r = cairnWith(t.Context(), nil, "import", "-force", "-links", linkedFiles, linkedFiles+"main.h5", out)
	if r.code != exitLost || strings.Count(r.stderr, "left out") != 2 || !strings.Contains(r.stderr, "s2.h5") ||
		!strings.Contains(r.stderr, "../small.h5") {
		t.Errorf("exit %d, %s", r.code, r.stderr)
	}
	group := filepath.Join(dir, "group.b2z")
	if r := cairnWith(t.Context(), nil, "copy", "-links", linkedFiles, linkedFiles+"main.h5::/links", group+"::/k"); r.code == exitFailed {
		t.Errorf("a group with links: %s", r.stderr)
	}
	if cairnOK(t, "cat", group+"::/k/one") != cairnOK(t, "cat", out+"::/links/one") {
		t.Error("the array of a link has other items in a group")
	}
	for _, key := range []string{"/stacked", "/links/one", "/links/group/d", "/growing"} {
		want := cairnOK(t, "cat", "-links", linkedFiles, linkedFiles+"main.h5::"+key)
		if got := cairnOK(t, "cat", out+"::"+key); got != want {
			t.Errorf("%s has other items", key)
		}
	}
	wantFailure(t, cairnWith(t.Context(), nil, "cat", linkedFiles+"main.h5::/stacked"), "-links ../../../hdf5/testdata/links follows it")
}

// TestInfoOfGroups: attributes of groups are shown, long ones in short.
func TestInfoOfGroups(t *testing.T) {
	file := "../../../hdf5/testdata/attributes-latest.h5"
	text := cairnOK(t, "info", file)
	for _, want := range []string{"@text", " dense/", "@attr0", "@large [0,1,2"} {
		if !strings.Contains(text, want) {
			t.Errorf("info does not say %q:\n%s", want, text)
		}
	}
	for line := range strings.Lines(text) {
		if len(line) > 500 {
			t.Errorf("a line of %d bytes: %.60s", len(line), line)
		}
	}
	var d described.Tree
	if err := json.Unmarshal([]byte(cairnOK(t, "info", "-json", file)), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Groups) < 3 || d.Groups[0].Key != "/" || d.Groups[0].Attributes["int"] != 5.0 {
		t.Errorf("groups %+v", d.Groups)
	}
}

// TestEmptyGroupsAreKept takes a tree with a group that is empty, and one with nothing but an
// attribute, through every kind of store, from Zarr and back.
func TestEmptyGroupsAreKept(t *testing.T) {
	dir := t.TempDir()
	first := filepath.Join(dir, "first.b2d")
	e, err := store.Create(first, nil)
	if err == nil {
		err = e.Put(t.Context(), "/g/a", ndarray.Items([]int32{1, 2}, ndarray.Shape{2}), nil)
	}
	if err == nil {
		err = errors.Join(e.MakeGroup(t.Context(), "/empty/deep"), e.SetAttribute(t.Context(), "/only", "x", 1), e.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	const want = "[/ /empty /empty/deep /g /only]"
	for _, step := range [][3]string{
		{"copy", first, "a.b2z"}, {"copy", "a.b2z", "b.b2d"}, {"export", "b.b2d", "c.zarr"}, {"import", "c.zarr", "d.b2z"},
		{"copy", "c.zarr", "e.b2d"},
	} {
		in, out := step[1], filepath.Join(dir, step[2])
		if in != first {
			in = filepath.Join(dir, in)
		}
		if r := cairnWith(t.Context(), nil, step[0], in, out); r.code != 0 || r.stderr != "" {
			t.Fatalf("%v: exit %d, %s", step, r.code, r.stderr)
		}
		if filepath.Ext(out) == ".zarr" {
			continue
		}
		s, err := store.Open(out, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(formats.Groups(t.Context(), s)); got != want {
			t.Errorf("%v: groups %s, want %s", step, got, want)
		}
		_ = s.Close()
	}

	// An embed store has no place for them.
	for i, verb := range []string{"import", "copy"} {
		out := filepath.Join(dir, fmt.Sprint(i, ".b2e"))
		r := cairnWith(t.Context(), nil, verb, filepath.Join(dir, "c.zarr"), out)
		if r.code != exitLost || strings.Count(r.stderr, "left out") != 2 || !strings.Contains(r.stderr, "c.zarr::/empty/deep: ") {
			t.Errorf("%s: exit %d, %s", verb, r.code, r.stderr)
		}
		if r := cairnWith(t.Context(), nil, "info", out+"::/g/a"); r.code != 0 {
			t.Errorf("%s: exit %d, %s", verb, r.code, r.stderr)
		}
	}
}
