package command

import (
	"runtime"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/store"
)

// TestNothingActsOnTheTerminal names a file, its arrays, dimensions and attributes so that
// terminals would change colour, and looks for that in what verbs print.
func TestNothingActsOnTheTerminal(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // which has no such names
	}
	t.Chdir(t.TempDir())
	const evil = "e\x1b[31mX\x07"
	name := evil + ".b2z"
	w, err := store.Create(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	dims := []string{"d\x1b[1mA", "d\x1b[1mB"}
	putLabelled(t, w, "/"+evil, 12, ndarray.Shape{4, 3}, dims, "units", "K\x1b[5m", "long_name", "L\x1b[5m", "x\x1b[5m", "y\x1b[5m")
	putLabelled(t, w, "/"+dims[0], 4, ndarray.Shape{4}, dims[:1], "units", "u\x1b[2m")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	a := name + "::/" + evil
	cairnOK(t, "copy", "-q", a, evil+".b2nd")
	cairnOK(t, "export", "-q", name, evil+".zarr")
	for _, in := range []string{name, a, evil + ".b2nd", evil + ".zarr", evil + ".zarr::" + evil, a + "none", "none" + evil} {
		for _, args := range [][]string{{"info", in}, {"info", "-json", in}, {"head", in}, {"head", "-format", "csv", in}, {"head", "-json", in},
			{"stats", in}, {"stats", "-chunks", in}, {"verify", in}, {"verify", "-json", in}, {"advise", "-for", "speed", in},
			{"reduce", "-axis", "0", in}, {"calc", "x+1", "x=" + in}, {"meta", "get", in}, {"diff", in, evil + ".b2nd"},
			{"copy", "-plan", in, "o.b2nd"}, {"append", in, evil}, {"resize", in, evil}, {"delete", in + evil},
			{"split", "-size", "9", in, evil + ".nc"}, {"concat", in, in, "none" + evil + "/o"}, {"head", "-s", evil + "=1", in}} {
			r := cairnWith(t.Context(), nil, args...)
			if at := strings.IndexAny(r.stdout+r.stderr, "\x1b\x07"); at >= 0 {
				t.Errorf("%q prints %q", args, (r.stdout + r.stderr)[max(0, at-40):])
			}
		}
	}
}
