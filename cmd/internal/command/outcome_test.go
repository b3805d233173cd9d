package command

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// toldByVerb has a command for each verb with -json, and some more, with what the objects tell: of
// outputs the path, the format unless it is Blosc2, the kind and the shape.
const toldByVerb = `
info a.b2nd |
head -n 1 a.b2nd |
tail -n 1 a.b2nd |
stats a.b2nd |
diff a.b2nd a.npy |
advise -time 100ms a.b2nd |
verify a.b2nd |
version |
repair a.b2nd saved.b2nd |
calc sum(a) a=a.b2nd |
calc a+1 a=a.npy |
calc a+1 a=a.npy -o sums.b2nd | sums.b2nd array [10 6]
calc a+1 a=a.npy -o sums.npy | sums.npy npy array [10 6]
reduce a.b2nd |
reduce -axis 0 a.b2nd mean.b2nd | mean.b2nd array [6]
regrid -to r4x2 grid.nc coarse.nc | coarse.nc netcdf tree []
copy -plan a.b2nd never.b2nd |
copy -chunks 2,2 a.b2nd small.b2nd | small.b2nd array [10 6]
copy -s 2:4 a.npy t.b2z::/g/part | t.b2z::/g/part array [2 6]
copy -sparse a.b2nd LINK |
log LINK |
prune -keep 1 LINK |
copy t.b2z u.b2d | u.b2d tree []
copy t.b2z::/g v.b2d::/h | v.b2d::/h tree []
concat a.b2nd a.npy two.b2nd | two.b2nd array [20 6]
split -size 6 a.b2nd p%d.b2nd | p0.b2nd array [6 6] p1.b2nd array [4 6]
import a.npy b.b2nd | b.b2nd array [10 6]
import -dtype <i4 -shape 60 a.raw raw.b2nd | raw.b2nd array [60]
job plan j a.npy jobbed.b2nd |
job work j |
job status j |
job seal j |
export a.b2nd b.npy | b.npy npy array [10 6]
export a.b2nd b.npz | b.npz npz tree []
export a.b2nd b.zarr | b.zarr zarr array [10 6]
export a.b2nd b.raw | b.raw raw array []
append b.b2nd a.npy | b.b2nd array [20 6]
resize b.b2nd 3,6 | b.b2nd array [3 6]
`

// TestEveryVerbTellsAsJSON runs all verbs that have -json.
func TestEveryVerbTellsAsJSON(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	link := "file://" + filepath.ToSlash(dir) + "/versions.b2nd"
	whole := npyFile(t, "<i4", false, 10, 6)
	for name, raw := range map[string][]byte{"a.npy": whole, "a.raw": whole[128:]} {
		if err := os.WriteFile(name, raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cairnOK(t, "import", "a.npy", "a.b2nd")
	griddedFile(t, "grid.nc")
	left := map[string]bool{}
	for _, v := range verbs() {
		if set, _ := v.flags(); set.Lookup("json") != nil {
			left[v.name] = true
		}
	}
	for line := range strings.Lines(strings.ReplaceAll(toldByVerb, "LINK", link)) {
		command, want, ok := strings.Cut(strings.TrimSpace(line), " |")
		if !ok {
			continue
		}
		args := strings.Fields(command)
		delete(left, args[0])
		got, err := outcomes(cairnOK(t, append(args, "-json")...))
		if err != nil || strings.TrimSpace(want) != "" && got != strings.TrimSpace(want) {
			t.Errorf("%s: %v, tells of %s; want %s", command, err, got, want)
		}
	}
	if len(left) > 0 {
		t.Errorf("no commands of %v", left)
	}
	for _, command := range []string{"copy a.b2nd -", "export a.b2nd -"} {
		if r := cairnWith(t.Context(), nil, append(strings.Fields(command), "-json")...); r.code != exitUsage {
			t.Errorf("%s: exit %d, %s", command, r.code, r.stderr)
		}
	}
}

// outcomes returns the paths, formats, kinds and shapes in a sequence of values of JSON. Those of
// outputs must have sizes.
func outcomes(text string) (string, error) {
	var told []string
	d := json.NewDecoder(strings.NewReader(text))
	for n := 0; ; n++ {
		var v any
		if err := d.Decode(&v); err == io.EOF && n > 0 {
			return strings.Join(told, " "), nil
		} else if err != nil {
			return "", err
		}
		m, ok := v.(map[string]any)
		if !ok || m["nbytes"] == nil || m["seconds"] == nil {
			continue
		}
		items, _ := m["nbytes"].(float64)
		size, known := m["cbytes"].(float64)
		if !known {
			size, _ = m["file_bytes"].(float64)
		}
		if ratio, _ := m["ratio"].(float64); items <= 0 || size < 0 || size > 0 && ratio != items/size {
			return "", fmt.Errorf("%v bytes of items in %v, ratio %v", items, size, ratio)
		}
		shape, _ := m["shape"].([]any)
		if format, other := m["format"]; other {
			m["kind"] = fmt.Sprint(format, " ", m["kind"])
		}
		told = append(told, fmt.Sprint(m["path"], " ", m["kind"], " ", shape))
	}
}
