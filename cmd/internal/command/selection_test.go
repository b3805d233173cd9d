package command

import (
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
	"github.com/cairn-go/cairn/store"
)

// climateFile makes a tree with an array of 8 times, 4 latitudes and 3 longitudes, whose items
// count from 0, in a group beside its times and latitudes; the longitudes are in the root.
func climateFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "climate.b2z")
	w, err := store.Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	dims := []string{"time", "lat", "lon"}
	putLabelled(t, w, "/run/t2m", 96, ndarray.Shape{8, 4, 3}, dims, "units", "K", "long_name", "temperature")
	putLabelled(t, w, "/run/time", 8, ndarray.Shape{8}, dims[:1], "units", "days since 2020-01-30")
	putLabelled(t, w, "/run/lat", 4, ndarray.Shape{4}, dims[1:2], "units", "degrees_north", "scale_factor", -0.5)
	putLabelled(t, w, "/lon", 3, ndarray.Shape{3}, dims[2:])
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// putLabelled puts an array of n int16 into a tree, which count from 0, with attributes.
func putLabelled(t *testing.T, w *store.Editor, key string, n int, shape ndarray.Shape, dims []string,
	attributes ...any) {
	t.Helper()
	items := make([]int16, n)
	for i := range items {
		items[i] = int16(i)
	}
	a, err := ndarray.FromSlice(items, shape, nil)
	if err != nil {
		t.Fatal(err)
	}
	l := ndarray.Labels{Dims: dims}
	for i := 0; i < len(attributes); i += 2 {
		l.Attributes = append(l.Attributes, meta.Pair{Key: attributes[i], Value: attributes[i+1]})
	}
	if err := errors.Join(a.SetLabels(l), w.Put(t.Context(), key, a, nil), a.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestSelectByName selects from trees by names and coordinates, as by index.
func TestSelectByName(t *testing.T) {
	tree := climateFile(t)
	other := filepath.Join(t.TempDir(), "climate.zarr")
	cairnOK(t, "export", tree, other)
	for named, want := range map[string]string{
		"time=2020-02-01:2020-02-03": "2:5", "time=2020-02,lat=-0.5": "2:, 1", "lat=-1:0, lon=2": ":, :3, 2",
		"lon[::-1], time~1999": "0, :, ::-1", "lon=[2,0]": "..., [2, 0]",
	} {
		items := cairnOK(t, "cat", "-s", want, tree+"::/run/t2m")
		for _, path := range []string{tree + "::/run/t2m", other + "::run/t2m"} {
			if got := cairnOK(t, "cat", "-s", named, path); got != items || items == "" {
				t.Errorf("%s, -s %q: %d bytes differ from the %d of %q", path, named, len(got), len(items), want)
			}
		}
	}
	for named, want := range map[string]string{
		"tim=2020":        `cairn: no dimension "tim"; there are time (2020-01-30 to 2020-02-06, 8 items), lat`,
		"lat=7":           "cairn: selection \"lat=7\": no item has this value; ",
		"lat=1,2":         "cairn: -s: selection \"lat=1,2\": some parts",
		"time=2020-02:19": "cairn: selection \"time=2020-02:19\": \"19\" is not a date",
	} {
		r := cairnWith(t.Context(), strings.NewReader(""), "cat", "-s", named, tree+"::/run/t2m")
		if !strings.HasPrefix(r.stderr, want) || r.code == exitOK {
			t.Errorf("-s %q: exit %d, %s", named, r.code, r.stderr)
		}
	}
	r := cairnWith(t.Context(), strings.NewReader(""), "cat", "-s", "x=1", tree+"::/lon")
	wantFailure(t, r, `no dimension "x"; there are lon (0 to 2, 3 items)`)
}

// TestAxesByName cuts, joins and appends along dimensions that it names.
func TestAxesByName(t *testing.T) {
	in := climateFile(t) + "::/run/t2m"
	t.Chdir(t.TempDir())
	cairnOK(t, "split", "-q", "-axis", "lat", "-size", "3", in, "p%d.b2nd")
	cairnOK(t, "concat", "-axis", "lat", "p0.b2nd", "p1.b2nd", "joined.b2nd")
	cairnOK(t, "append", "-axis", "lat", "p0.b2nd", "p1.b2nd")
	for _, out := range []string{"joined.b2nd", "p0.b2nd"} {
		cairnOK(t, "diff", in, out)
	}
	r := cairnWith(t.Context(), nil, "split", "-axis", "lot", "-size", "3", in, "q%d.b2nd")
	if r.code != exitUsage || !strings.Contains(r.stderr, `no dimension is named "lot", but time, lat, lon`) {
		t.Errorf("exit %d, %s", r.code, r.stderr)
	}
}

// TestAxesByMeaning names dimensions by what their coordinates are: by a standard name, an axis, or
// a word for one.
func TestAxesByMeaning(t *testing.T) {
	t.Chdir(t.TempDir())
	w, err := store.Create("t.b2z", nil)
	if err != nil {
		t.Fatal(err)
	}
	dims := []string{"valid_time", "j", "i"}
	putLabelled(t, w, "/t2m", 24, ndarray.Shape{4, 3, 2}, dims, "coordinates", "issued")
	putLabelled(t, w, "/valid_time", 4, ndarray.Shape{4}, dims[:1], "units", "days since 2020-01-30", "standard_name", "time")
	putLabelled(t, w, "/issued", 4, ndarray.Shape{4}, dims[:1], "units", "days since 2020-01-30")
	putLabelled(t, w, "/j", 3, ndarray.Shape{3}, dims[1:2], "axis", "Y")
	putLabelled(t, w, "/i", 2, ndarray.Shape{2}, dims[2:], "units", "degrees_east")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for named, want := range map[string]string{
		"time=2020-01-31:2020-02-01": "1:3", "T~2019": "0", "Y=1, lon=1": ":, 1, 1", "X[0]": ":, :, 0", "longitude=0:1": ":",
	} {
		if got, items := cairnOK(t, "cat", "-s", named, "t.b2z"), cairnOK(t, "cat", "-s", want, "t.b2z"); got != items {
			t.Errorf("-s %q is not %q", named, want)
		}
	}
	// An axis of a projection has no latitudes.
	wantFailure(t, cairnWith(t.Context(), nil, "cat", "-s", "lat=1", "t.b2z"), `no dimension "lat"`)
	wantFailure(t, cairnWith(t.Context(), nil, "cat", "-s", "Z=1", "t.b2z"), `no dimension "Z"`)

	for _, args := range []string{"reduce -op max -axis AXIS t.b2z o.b2nd -force", "split -axis AXIS -size 2 t.b2z p%d.b2z::/t -force",
		"concat -axis AXIS p0.b2z::/t p1.b2z::/t o.b2nd -force", "append -axis AXIS p0.b2z::/t p1.b2z::/t",
		"job plan jobAXIS -reduce max -axis AXIS t.b2z jobAXIS.b2nd", "calc a-max(a,axis='AXIS') a=t.b2z",
		"job plan calcAXIS -calc index(a,\"AXIS\")-max(a,axis=('AXIS','X')) a=t.b2z calcAXIS.b2nd"} {
		for _, axis := range []string{"valid_time", "time"} {
			r := cairnWith(t.Context(), nil, strings.Fields(strings.ReplaceAll(args, "AXIS", axis))...)
			if r.code != exitOK {
				t.Errorf("%s of %s: exit %d, %s", args, axis, r.code, r.stderr)
			}
			if strings.HasPrefix(args, "append") {
				cairnOK(t, strings.Fields("split -axis valid_time -size 2 t.b2z p%d.b2z::/t -force")...)
			}
		}
	}

	u, err := store.Create("u.b2z", nil)
	if err != nil {
		t.Fatal(err)
	}
	putLabelled(t, u, "/x", 4, ndarray.Shape{4}, []string{"day"})
	putLabelled(t, u, "/day", 4, ndarray.Shape{4}, []string{"day"}, "units", "days since 2020-01-30")
	if err := u.Close(); err != nil {
		t.Fatal(err)
	}
	r := cairnWith(t.Context(), nil, "calc", "max(a,axis='T')-max(b,axis='T')", "a=t.b2z", "b=u.b2z::/x")
	if r.code != exitUsage || !strings.Contains(r.stderr, "axis='T' may be valid_time or day; write which") {
		t.Errorf("two axes of one meaning: exit %d, %q", r.code, r.stderr)
	}
	r = cairnWith(t.Context(), nil, "calc", "max(a,axis='tme')", "a=t.b2z")
	wantFailure(t, r, `no dimension is named "tme", but ["valid_time" "j" "i"]`)
	r = cairnWith(t.Context(), nil, "job", "plan", "other", "-reduce", "max", "-axis", "valid_tme", "t.b2z", "other.b2nd")
	if says := `no dimension is named "valid_tme", but valid_time, j, i; did you mean valid_time?`; r.code != exitUsage ||
		!strings.Contains(r.stderr, says) {
		t.Errorf("an axis that is not there: exit %d, %q", r.code, r.stderr)
	}
}

// TestCellsOfWholeFiles takes the cells within latitudes and longitudes of all arrays of a file,
// also of those that name no coordinates, and turns longitudes with their bounds.
func TestCellsOfWholeFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	text := func(pairs ...string) (all []netcdf.Attribute) {
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, netcdf.Attribute{Name: pairs[i], Value: pairs[i+1]})
		}
		return all
	}

	y := &netcdf.Dimension{Name: "y", Len: 3}
	x := &netcdf.Dimension{Name: "x", Len: 4}
	nv := &netcdf.Dimension{Name: "nv", Len: 2}
	double := netcdf.TypeNamed("double")
	rows := []*netcdf.Dimension{y, x}
	root := &netcdf.Group{Dimensions: []*netcdf.Dimension{y, x, nv}, Variables: []*netcdf.Variable{
		{Name: "t", Type: double, Dimensions: rows, Attributes: text("coordinates", "nav_lat nav_lon")},
		{Name: "mask", Type: double, Dimensions: rows},
		{Name: "nav_lat", Type: double, Dimensions: rows, Attributes: text("units", "degrees_north")},
		{Name: "nav_lon", Type: double, Dimensions: rows, Attributes: text("units", "degrees_east", "bounds", "edges")},
		{Name: "edges", Type: double, Dimensions: append(slices.Clone(rows), nv)}}}
	w, err := netcdf.Create("in.nc", root, nil)
	if err != nil {
		t.Fatal(err)
	}
	shape := ndarray.Shape{3, 4}
	for key, src := range map[string]ndarray.Source{
		"t":       ndarray.Items([]float64{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23}, shape),
		"mask":    ndarray.Items([]float64{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23}, shape),
		"nav_lat": ndarray.Items([]float64{40, 41, 42, 43, 50, 51, 52, 53, 60, 61, 62, 63}, shape),
		"nav_lon": ndarray.Items([]float64{350, 355, 0, 5, 350, 355, 0, 5, 350, 355, 0, 5}, shape),
		"edges": ndarray.Items([]float64{348, 352, 353, 357, 358, 2, 3, 7, 348, 352, 353, 357, 358, 2, 3, 7, 348, 352,
			353, 357, 358, 2, 3, 7}, ndarray.Shape{3, 4, 2}),
	} {
		if err := w.Put(t.Context(), key, src); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	cairnOK(t, "copy", "-s", "lat=50.5:52, lon=-6:1", "in.nc", "box.nc")
	cairnOK(t, "copy", "-s", "lat=50.5:52, lon=-6:1", "in.nc", "box.b2z")
	cairnOK(t, "reduce", "-op", "mean", "-axis", "y", "-s", "lat=50.5:52, lon=-6:1", "in.nc", "mean.nc")
	cairnOK(t, "copy", "-s", "lat=60, lon=356", "in.nc", "point.nc")
	item := regexp.MustCompile(`: (\S+)}`)
	for operand, want := range map[string]string{
		"box.nc::t": "11 12", "box.nc::mask": "11 12", "box.nc::nav_lon": "-5 0", "box.nc::edges": "-7 -3 -2 2",
		"box.b2z::/edges": "-7 -3 -2 2", "mean.nc::t": "11 12", "point.nc::mask": "21",
	} {
		var got []string
		for _, found := range item.FindAllStringSubmatch(cairnOK(t, "head", "-json", operand), -1) {
			got = append(got, found[1])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", operand, got, want)
		}
	}
	if got := strings.TrimSpace(cairnOK(t, "calc", "-s", "lat=50.5:52, lon=-6:1", "t + nav_lat", "t=in.nc::t")); !strings.Contains(got, "62") {
		t.Errorf("coordinates are not cut: %s", got)
	}
}

// TestReduceByRegion reduces an array by another one of two dimensions.
func TestReduceByRegion(t *testing.T) {
	if testing.Short() {
		t.Skip("making the file takes seconds")
	}
	t.Chdir(t.TempDir())
	cairnOK(t, "demo", "-out", "planet")
	cairnOK(t, "reduce", "-op", "mean", "-by", "year,region", "planet/daily.nc::tas", "reduced.nc")
	cairnOK(t, "calc", "-o", "by.nc", "nanmean(nanmean(tas, by='year'), by='region')", "tas=planet/daily.nc::tas")
	for _, name := range []string{"reduced", "by"} {
		cairnOK(t, "export", "-q", name+".nc::tas", name+".npy")
	}
	cairnOK(t, "diff", "-rtol", "1e-4", "-atol", "1e-4", "reduced.npy", "by.npy")
	if got := cairnOK(t, "info", "reduced.nc"); !strings.Contains(got, "4 × 4") || !strings.Contains(got, "region") {
		t.Errorf("there are no regions:\n%s", got)
	}
	for args, want := range map[string]string{
		"regions planet/daily.nc x.nc": "did you mean region?", "region planet/daily.nc x.nc": "those of single arrays"} {
		r := cairnWith(t.Context(), nil, append([]string{"reduce", "-by"}, strings.Fields(args)...)...)
		if r.code == 0 || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: %d, %s, want %s", args, r.code, r.stderr, want)
		}
	}
}
