package catalog

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cairn-go/cairn/ndarray"
)

// TestVersionsOfFiles checks when the version of an array changes: with the file, and only then.
func TestVersionsOfFiles(t *testing.T) {
	c, dir := folderOf(t, Options{})
	path := filepath.Join(dir, "a.b2nd")
	version := func() (string, int32) {
		a := array(t, c, "data/a.b2nd")
		defer a.Release()
		return a.Version, first(t, a)
	}
	save(t, path, 3, 1)
	before, _ := version()
	if again, _ := version(); again != before {
		t.Error("the version changed without the file")
	}
	save(t, path, 3, 2) // another inode
	after, item := version()
	if after == before || item != 2 {
		t.Errorf("a replaced file: the item %d, the same version %v", item, after == before)
	}
	age(t, path, 2*time.Hour)
	if other, _ := version(); other == after {
		t.Error("another time of change has the same version")
	}
	// A file that changed just now may change again within the clock's tick, so it is read anew.
	age(t, path, 0)
	one, _ := version()
	if two, _ := version(); one == two {
		t.Error("a file that is young keeps its version")
	}
}

// TestVersionsInUse checks that a request keeps the state that it began with.
func TestVersionsInUse(t *testing.T) {
	c, dir := folderOf(t, Options{})
	path := filepath.Join(dir, "a.b2nd")
	save(t, path, 3, 1)
	old := array(t, c, "data/a.b2nd")
	defer old.Release()
	save(t, path, 3, 2)
	now := array(t, c, "data/a.b2nd")
	defer now.Release()
	if first(t, old) != 1 || first(t, now) != 2 || old.Version == now.Version {
		t.Errorf("items %d and %d, versions %s and %s", first(t, old), first(t, now), old.Version, now.Version)
	}
}

// A changing source tells its version.
type changing struct {
	ndarray.Source
	version string
}

func (s *changing) Version() string { return s.version }

// TestVersionsOfSources checks the versions of arrays of the program: one that tells its version,
// one that cannot change, and one that is written to.
func TestVersionsOfSources(t *testing.T) {
	fixed := ndarray.Items([]uint8{1, 2}, ndarray.Shape{2})
	told := &changing{fixed, "1"}
	written, err := ndarray.New[int32](ndarray.Shape{2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := New([]Root{{Name: "fixed", Source: fixed}, {Name: "told", Source: told}, {Name: "written", Source: written}},
		Options{})
	if err != nil {
		t.Fatal(err)
	}
	version := func(name string) string {
		a := array(t, c, name)
		defer a.Release()
		return a.Version
	}
	before := map[string]string{}
	for _, name := range []string{"fixed", "told", "written"} {
		before[name] = version(name)
		if version(name) != before[name] {
			t.Errorf("%s: another version without a change", name)
		}
	}
	told.version = "2"
	if err := written.Write(t.Context(), []int32{5, 6}); err != nil {
		t.Fatal(err)
	}
	if version("fixed") != before["fixed"] || version("told") == before["told"] || version("written") == before["written"] {
		t.Error("versions do not follow changes")
	}
	if before["fixed"] == before["written"] {
		t.Error("two arrays have one version")
	}
}

// TestGrowing checks what counts as growing.
func TestGrowing(t *testing.T) {
	c, dir := folderOf(t, Options{})
	path := filepath.Join(dir, "a.b2nd")
	for _, step := range []struct {
		items int
		want  bool
	}{{3, false}, {3, false}, {5, true}, {5, true}, {2, true}} {
		save(t, path, step.items, 1)
		a := array(t, c, "data/a.b2nd")
		if got := c.Growing(a); got != step.want {
			t.Errorf("with %d items: %v", step.items, got)
		}
		a.Release()
	}
	s := c.growth.seen["data/a.b2nd"]
	s.grown = time.Now().Add(-2 * growthAge)
	c.growth.seen["data/a.b2nd"] = s
	a := array(t, c, "data/a.b2nd")
	defer a.Release()
	if c.Growing(a) {
		t.Error("an array grows for ever")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}
