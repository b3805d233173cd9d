package command

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
	"github.com/cairn-go/cairn/npy"
)

// joined returns the .npy file of two arrays, concatenated along axis 0.
func joined(t testing.TB, a, b []byte) []byte {
	t.Helper()
	x := opened(t, a)
	h := npy.Header{DType: x.DType(), Shape: x.Shape()}
	h.Shape[0] += opened(t, b).Shape()[0]
	return append(append(h.Append(nil), a[headerLength(t, a):]...), b[headerLength(t, b):]...)
}

func TestAppendEqualsConcatenation(t *testing.T) {
	dir := t.TempDir()
	path, out := filepath.Join(dir, "a.b2nd"), filepath.Join(dir, "out.npy")
	first, more := npyFile(t, "<f4", false, 11, 6), npyFile(t, "<f4", false, 8, 6)
	for _, sparse := range []string{"-sparse=false", "-sparse"} {
		importBytes(t, first, path, sparse, "-force", "-chunks", "4,5", "-blocks", "2,5")
		in := filepath.Join(dir, "in.npy")
		if err := os.WriteFile(in, npyFile(t, "<f4", true, 8, 6), 0o666); err != nil {
			t.Fatal(err)
		}
		cairnOK(t, "append", path, in)
		want := joined(t, first, asC(t, npyFile(t, "<f4", true, 8, 6)))
		r := cairnWith(t.Context(), bytes.NewReader(more), "append", "-axis", "-2", path, "-")
		if r.code != 0 {
			t.Fatal(r.stderr)
		}
		want = joined(t, want, more)
		cairnOK(t, "export", path, out)
		if got, err := os.ReadFile(out); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %v, or other items", sparse, err)
		}
		cairnOK(t, "verify", path)
		if err := os.Remove(out); err != nil {
			t.Fatal(err)
		}
	}
}

func TestResizeGrowsAndShrinks(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.b2nd")
	importBytes(t, npyFile(t, "|u1", false, 5, 4), path, "-chunks", "4,3", "-blocks", "2,2")
	cairnOK(t, "resize", path, "2,3")
	cairnOK(t, "resize", "-fill", "7", path, "3,5")
	items := cairnOK(t, "cat", path)
	was := npyFile(t, "|u1", false, 5, 4)
	was = was[len(was)-20:]
	want := string(was[:3]) + "\a\a" + string(was[4:7]) + "\a\a" + strings.Repeat("\a", 5)
	if items != want {
		t.Errorf("got %q, want %q", items, want)
	}
	cairnOK(t, "resize", path, "0,5")
	if items := cairnOK(t, "cat", path); items != "" {
		t.Errorf("an array of nothing has %q", items)
	}
}

// TestAppendsOfTheCommandWriteLittle appends 10,000 rows in 20 runs. Each run must write only its
// rows and the last chunk along the axis.
func TestAppendsOfTheCommandWriteLittle(t *testing.T) {
	const runs, rows = 20, 500
	dir := t.TempDir()
	path, in := filepath.Join(dir, "a.b2nd"), filepath.Join(dir, "in.npy")
	importBytes(t, npyFile(t, "<f4", false, 0, 64), path)
	noise := rand.New(rand.NewPCG(1, 2))
	var want []byte
	for range runs {
		file := npyFile(t, "<f4", false, rows, 64)
		items := file[len(file)-rows*64*4:]
		for i := range items {
			items[i] = byte(noise.Uint32())
		}
		want = append(want, items...)
		writeFile(t, in, file)
		cairnOK(t, "append", path, in)
	}
	file, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if most := 3*len(want) + runs*1024; file.Size() > int64(most) {
		t.Errorf("%d bytes for %d of noise", file.Size(), len(want))
	}
	if got := cairnOK(t, "cat", path); got != string(want) {
		t.Error("other items than were appended")
	}
}

func TestAppendAndResizeRefuse(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.b2nd")
	importBytes(t, npyFile(t, "<f4", false, 11, 6), path)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		stdin []byte
		args  []string
		text  string
	}{
		"other dtype": {npyFile(t, "<f8", false, 2, 6), []string{"append", path, "-"}, "<f8"},
		"other shape": {npyFile(t, "<f4", false, 2, 5), []string{"append", path, "-"}, "axis 0"},
		"dimensions":  {npyFile(t, "<f4", false, 6), []string{"append", path, "-"}, "axis 0"},
		"cut":         {npyFile(t, "<f4", false, 2, 6)[:140], []string{"append", path, "-"}, "standard input"},
		"no file":     {nil, []string{"append", path, filepath.Join(dir, "none")}, "none"},
		"too long": {bytes.Replace(npyFile(t, "<f4", false, 8, 6), []byte("(8, 6), }            "),
			[]byte("(9000000000000, 6), }"), 1), []string{"append", path, "-"},
			"cairn: append standard input: shape [9000000000011 6]"},
		"wrong fill":   {nil, []string{"resize", "-fill", "0x00", path, "3,3"}, "1 bytes"},
		"not an array": {nil, []string{"resize", filepath.Join(dir, "none"), "3,3"}, "none"},
		"enormous":     {nil, []string{"resize", path, "9000000000000000000,3"}, "resize"},
		"many chunks":  {nil, []string{"resize", path, "900000000000,900000"}, "limit"},
	} {
		wantFailure(t, cairnWith(t.Context(), bytes.NewReader(c.stdin), c.args...), c.text)
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
			t.Errorf("%s: the file was changed", name)
		}
	}
	for _, args := range [][]string{{"append", "-axis", "2", path, "-"}, {"resize", path, "3,x"},
		{"resize", path, "-5,3"}, {"resize", path}, {"resize", "-fill", "?", path, "1,1"}} {
		if r := cairnWith(t.Context(), bytes.NewReader(npyFile(t, "<f4", false, 2, 6)), args...); r.code != exitUsage {
			t.Errorf("%q: exit %d, %s", args, r.code, r.stderr)
		}
	}
	wantFiles(t, dir, "a.b2nd")
}

// TestChangesOfOtherFormats says what a file is that no verb changes, and what to type instead.
func TestChangesOfOtherFormats(t *testing.T) {
	classic, modern := netCDFFile(t, "classic.nc"), netCDFFile(t, "netcdf4.nc")
	t.Chdir(t.TempDir())
	cairnOK(t, "export", "-q", classic+"::t2m", "a.zarr")
	cairnOK(t, "export", "-q", classic+"::t2m", "a.npy")
	for in, want := range map[string]string{classic: "a NetCDF file (classic)", modern + "::t2m": "a NetCDF file (netCDF-4)",
		"a.zarr": "a Zarr store", "a.npy": "a NumPy .npy file"} {
		if strings.HasPrefix(in, "a.") {
			r := cairnWith(t.Context(), nil, "append", in, "a.npy")
			wantFailure(t, r, " is "+want+", which cairn reads and does not change; cairn concat "+in+" IN… OUT joins to a new file")
		}
		r := cairnWith(t.Context(), nil, "resize", in, "3")
		wantFailure(t, r, " is "+want+", which cairn reads and does not change; cairn copy "+in+" OUT makes an array")
	}
}

// flowFile writes a NetCDF file of days from a first one on.
func flowFile(t *testing.T, name string, format netcdf.Format, first, days int64) {
	t.Helper()
	time := &netcdf.Dimension{Name: "time", Unlimited: true, Len: days}
	root := &netcdf.Group{Dimensions: []*netcdf.Dimension{time}, Variables: []*netcdf.Variable{
		{Name: "time", Type: netcdf.TypeNamed("double"), Dimensions: []*netcdf.Dimension{time},
			Attributes: []netcdf.Attribute{{Name: "units", Value: "days since 2000-01-01"}}},
		{Name: "flow", Type: netcdf.TypeNamed("int"), Dimensions: []*netcdf.Dimension{time}}}}
	w, err := netcdf.Create(name, root, &netcdf.CreateOptions{Format: format, Overwrite: true})
	if err != nil {
		t.Fatal(err)
	}
	day := make([]float64, days)
	flow := make([]int32, days)
	for i := range day {
		day[i] = float64(first + int64(i))
		flow[i] = int32(100 * day[i])
	}
	shape := ndarray.Shape{days}
	if err := errors.Join(w.Put(t.Context(), "time", ndarray.Items(day, shape)),
		w.Put(t.Context(), "flow", ndarray.Items(flow, shape)), w.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestAppendToNetCDF(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, format := range []netcdf.Format{netcdf.Classic, netcdf.NetCDF4} {
		flowFile(t, "a.nc", format, 0, 2)
		flowFile(t, "b.nc", format, 2, 1)
		flowFile(t, "c.nc", format, 3, 2)
		cairnOK(t, "append", "a.nc", "b.nc")
		cairnOK(t, "append", "a.nc::flow", "c.nc::flow")
		flowFile(t, "whole.nc", format, 0, 5)
		for _, name := range []string{"time", "flow"} {
			if got, want := cairnOK(t, "cat", "a.nc::"+name), cairnOK(t, "cat", "whole.nc::"+name); got != want {
				t.Errorf("%v, %s: got %q, want %q", format, name, got, want)
			}
		}
	}
}
