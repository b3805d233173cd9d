package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommandsOfFormats runs the commands of docs/formats.md one after another, in one folder.
func TestCommandsOfFormats(t *testing.T) {
	page, err := filepath.Abs("../../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(readFile(t, page))
	dir := t.TempDir()
	t.Chdir(dir)
	file := npyFile(t, "<f4", false, 24, 8, 10)
	items := file[headerLength(t, file):]
	writeFile(t, "t2m.npy", file)
	writeFile(t, "t2m.raw", items)
	cairnOK(t, "import", "t2m.npy", "x.b2nd")
	cairnOK(t, "export", "-fortran", "x.b2nd", "fortran.raw")
	writeFile(t, "run.npz", npzFile(t, true, "temperature", file, "stations/name", npyFile(t, "<U5", false, 7)))
	writeFile(t, "weather.nc", readFile(t, filepath.Join(filepath.Dir(page), "../netcdf/testdata/classic.nc")))
	writeFile(t, "model.h5", readFile(t, filepath.Join(filepath.Dir(page), "../netcdf/testdata/phony.nc")))
	for name, from := range map[string]string{"master.h5": "old.h5", "s0.h5": "s0.h5", "s1.h5": "s1.h5"} {
		writeFile(t, name, readFile(t, filepath.Join(filepath.Dir(page), "../hdf5/testdata/links", from)))
	}
	writeFile(t, "stations.csv", []byte("id,name,since,t\n1,Graz,1837-01-01,8.7\n2,Linz,1852-01-01,\n"))
	writeFile(t, "old.csv", []byte("id;name\n1;Graz\n2;Linz\n"))
	writeFile(t, "matrix.csv", []byte("1,2,3\n4,5,6\n"))
	run := 0
	for line := range strings.Lines(text) {
		if command, ok := strings.CutPrefix(line, "$ cairn "); ok {
			cairnNotes(t, shellWords(command)...)
			run++
		}
	}
	if run < 25 {
		t.Errorf("the page has %d commands", run)
	}
	for _, same := range []string{"t2m.b2nd", "raw.b2nd", "same.b2nd", "temperature.b2nd",
		"run.b2z::/temperature", "small.npz::temperature", "fortran.npy", "t2m.zarr", "t2m.zarr.zip", "zarr.b2nd",
		"tree.b2z::/temperature", "fromzarr.b2nd"} {
		if got := cairnOK(t, "export", same, "-"); got != string(file) {
			t.Errorf("%s is another array", same)
		}
	}
	for _, same := range []string{"out.raw", "copy.npy"} {
		if b, err := os.ReadFile(same); err != nil || !strings.HasSuffix(string(b), string(items)) {
			t.Errorf("%s has other items: %v", same, err)
		}
	}
}
