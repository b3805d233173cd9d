package command

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/internal/place"
)

// TestNamesThatOutputsCannotHold imports and exports archives with names that the output cannot
// hold: these are left out by name, and the others arrive.
func TestNamesThatOutputsCannotHold(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	a := npyFile(t, "<f4", false, 4)
	var members []any
	for _, name := range []string{"ok", "cam:1", "é *", "g//a", "g/a", "..", "../../x", "x/./y", "new\nline", "p", "p/q",
		"r/s", "r", "zarr.json", "k/.zarray", "bad\xff"} {
		members = append(members, name, a)
	}
	writeFile(t, path("t.npz"), npzFile(t, false, members...))

	at, err := operand.New(t.Context(), nil, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	defer at.Close()
	for _, c := range []struct {
		out  string
		keys string
		lost []string
	}{
		{"o.b2z", "/cam:1 /g/a /k/.zarray /ok /p /r /zarr.json /é *",
			[]string{"/g/a", "/..", "/../../x", "/x/./y", "/new line", "/p/q", "/r/s:", "/bad"}},
		{"o.zarr", "/cam:1 /g/a /new\nline /ok /p /r /é *",
			[]string{"/g/a", "/..", "/../../x", "/x/./y", "/p/q", "/r/s:", "/zarr.json", "/k/.zarray", "/bad"}},
		{"o.npz", "/cam:1 /g/a /k/.zarray /new\nline /ok /p /p/q /r /r/s /zarr.json /é *",
			[]string{"/g/a", "/..", "/../../x", "/x/./y", "/bad"}},
	} {
		verb := "export"
		if c.out == "o.b2z" {
			verb = "import"
		}
		r := cairnWith(t.Context(), nil, verb, path("t.npz"), path(c.out))
		if r.code != exitLost || strings.Count(r.stderr, "left out") != len(c.lost) {
			t.Errorf("%s: exit %d, %s", c.out, r.code, r.stderr)
		}
		for _, lost := range c.lost {
			if !strings.Contains(r.stderr, "t.npz::"+lost) {
				t.Errorf("%s: nothing says that %s is left out:\n%s", c.out, lost, r.stderr)
			}
		}
		keys, err := at.Keys(t.Context(), place.Of(path(c.out)))
		if got := strings.Join(keys, " "); got != c.keys || err != nil {
			t.Errorf("%s has %q, want %q: %v", c.out, got, c.keys, err)
		}
	}

	writeFile(t, path("bad.npz"), npzFile(t, false, "..", a, "../x", a))
	for _, args := range []string{"import bad.npz no.b2z", "export bad.npz no.zarr"} {
		r := cairnWith(t.Context(), nil, inDir(dir, args)...)
		if r.code != exitFailed || !strings.Contains(r.stderr, "holds no array that can be converted") {
			t.Errorf("%s: exit %d, %s", args, r.code, r.stderr)
		}
	}
	wantFiles(t, dir, "bad.npz", "o.b2z", "o.npz", "o.zarr", "t.npz")
}

// TestKeysWithMarks names arrays whose keys or files have "::", patterns and colons in their names.
func TestKeysWithMarks(t *testing.T) {
	dir := t.TempDir()
	npy := npyFile(t, "<i4", false, 3)
	file := filepath.Join(dir, "odd::name.b2z")
	importBytes(t, npy, filepath.Join(dir, "plain.b2z")+"::/x::y")
	importBytes(t, npy, filepath.Join(dir, "plain.b2z")+"::/cam:1")
	importBytes(t, npy, filepath.Join(dir, "plain.b2z")+"::/a*")
	importBytes(t, npy, filepath.Join(dir, "plain.b2z")+"::/ab")
	writeFile(t, file, readFile(t, filepath.Join(dir, "plain.b2z")))
	for _, operand := range []string{"plain.b2z::/x::y", "plain.b2z::cam:1", "odd::name.b2z::/x::y", "odd::name.b2z::/a*"} {
		if got := cairnOK(t, "export", filepath.Join(dir, operand), "-"); got != string(npy) {
			t.Errorf("%s has other items", operand)
		}
	}
	// A key that exists is no pattern.
	if text := cairnOK(t, "info", filepath.Join(dir, "plain.b2z")+"::/a*"); strings.Contains(text, "/ab") {
		t.Errorf("a key was taken for a pattern:\n%s", text)
	}
	r := cairnWith(t.Context(), strings.NewReader(string(npzFile(t, false, "p", npy, "q", npy))), "export", "-::p", "-")
	if r.code != 0 || r.stdout != string(npy) {
		t.Errorf("an array of standard input: exit %d, %s", r.code, r.stderr)
	}
}

// TestRemediesOfDamagedArchives breaks an archive: nothing says that repair could save parts, since
// it opens an archive as other verbs do.
func TestRemediesOfDamagedArchives(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.b2z")
	importBytes(t, npyFile(t, "<i4", false, 3), name+"::/x")
	whole := readFile(t, name)
	writeFile(t, name, whole[:len(whole)-30])

	for _, verb := range []string{"info", "head", "verify"} {
		r := cairnWith(t.Context(), nil, verb, name+"::/x")
		if r.code == exitOK || !strings.Contains(r.stderr, "corrupt archive") || strings.Contains(r.stderr, "repair") {
			t.Errorf("%s: exit %d, %s", verb, r.code, r.stderr)
		}
	}
}
