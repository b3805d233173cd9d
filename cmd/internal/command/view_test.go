package command

import (
	"bytes"
	"image/png"
	"path/filepath"
	"strings"
	"testing"
)

// TestViewEveryKindOfSource draws the same slice from trees, Zarr, npz, npy and b2nd.
func TestViewEveryKindOfSource(t *testing.T) {
	dir := t.TempDir()
	tree := climateFile(t)
	zarr, array, npyPath, npz := filepath.Join(dir, "climate.zarr"), filepath.Join(dir, "t2m.b2nd"),
		filepath.Join(dir, "t2m.npy"), filepath.Join(dir, "climate.npz")
	cairnOK(t, "export", tree, zarr)
	cairnOK(t, "export", "-q", tree, npz)
	cairnOK(t, "copy", "-q", tree+"::/run/t2m", array)
	cairnOK(t, "export", array, npyPath)
	for path, want := range map[string][]string{
		tree + "::/run/t2m": {"temperature", "time 2020-01-30", "1.5°S", " K\n"},
		zarr + "::run/t2m":  {"temperature", "1.5°S"},
		npz + "::run/t2m":   {"t2m"}, array: {"temperature", "lat"}, npyPath: {"t2m"},
	} {
		out := cairnOK(t, "view", path)
		for _, text := range append(want, "@", "0 ") {
			if !strings.Contains(out, text) {
				t.Errorf("view %s does not show %q:\n%s", path, text, out)
			}
		}
		for line := range strings.Lines(out) {
			if n := len([]rune(line)); n > 81 {
				t.Errorf("a line has %d columns: %q", n, line)
			}
		}
	}
	series := cairnOK(t, "view", "-s", "lat=0,lon=1", "-s", "lat=-1.5,lon=1", tree+"::/run/t2m")
	if !strings.Contains(series, "lat=-1.5,lon=1") || !strings.Contains(series, "2020-02-03") {
		t.Errorf("two series:\n%s", series)
	}
	if hist := cairnOK(t, "view", "-hist", "-bars", "5", tree+"::/run/t2m"); !strings.Contains(hist, "96 items") {
		t.Errorf("histogram:\n%s", hist)
	}
	coloured := cairnOK(t, "view", "-color", "always", array)
	if !strings.Contains(coloured, "\x1b[38;5;") {
		t.Errorf("without colours:\n%q", coloured)
	}
}

func TestViewWritesPictures(t *testing.T) {
	dir := t.TempDir()
	tree := climateFile(t) + "::/run/t2m"
	picture, vector := filepath.Join(dir, "a.png"), filepath.Join(dir, "b.svg")
	if out := cairnOK(t, "view", "-o", picture, "-size", "640x480", "-grid", "4", tree); out != "" {
		t.Errorf("printed %q", out)
	}
	img, err := png.Decode(bytes.NewReader(readFile(t, picture)))
	if err != nil || img.Bounds().Dx() != 640 || img.Bounds().Dy() != 480 {
		t.Errorf("a picture of %v, %v", img.Bounds(), err)
	}
	cairnOK(t, "view", "-o", vector, "-map", "ember-r", "-log", "-limits", "1,", tree)
	if svg := string(readFile(t, vector)); !strings.HasPrefix(svg, "<svg ") || !strings.Contains(svg, "temperature") {
		t.Errorf("not SVG: %.80q", svg)
	}
	wantFailure(t, cairnWith(t.Context(), nil, "view", "-o", picture, tree), "exists")
	cairnOK(t, "view", "-o", picture, "-force", tree)
	wantFiles(t, dir, "a.png", "b.svg")
}

func TestViewMistakes(t *testing.T) {
	tree := climateFile(t)
	for args, want := range map[string]string{
		"view":                                "no PATH given",
		"view -o a.jpg a":                     "ends neither in .png nor in .svg",
		"view -map lagon a":                   "did you mean lagoon?",
		"view -limits 3,1 a":                  "-limits: the lower limit 3 is not below the upper one 1",
		"view -reduce median a":               "want max, mean, min or nearest",
		"view -bars 0 a":                      "-bars is 0",
		"view -grid 100 a":                    "-grid is 100",
		"view -size 10x20 -o a.png a":         "-size",
		"view -size 300x200 a":                "-size and -force are for -o",
		"view -workers -1 a":                  "-workers is -1",
		"view -s 1:2:3:4 a":                   "two colons",
		"view -o " + tree + ".png/../x.gif a": "x.gif",
	} {
		r := cairnWith(t.Context(), nil, strings.Fields(args)...)
		if r.code != exitUsage || !strings.Contains(r.stderr, want) {
			t.Errorf("cairn %s: exit %d, %q, want %q", args, r.code, r.stderr, want)
		}
	}
	for args, want := range map[string]string{
		"view " + tree + "::/run/none":                     "none",
		"view -s 0,0,0 " + tree + "::/run/t2m":             "single item",
		"view " + tree + "::/run/t2m " + tree + "::/lon":   "do not share a picture",
		"view -hist -limits 1%,99% " + tree + "::/run/t2m": "without %",
	} {
		wantFailure(t, cairnWith(t.Context(), nil, strings.Fields(args)...), want)
	}
}
