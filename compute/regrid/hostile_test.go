package regrid

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
)

// weightsOf writes the weights of a method between two small grids.
func weightsOf(t testing.TB, m Method, form Form) (path string, w *Weights) {
	t.Helper()
	from, err := Named("r6x4")
	if err != nil {
		t.Fatal(err)
	}
	to, err := Named("r4x2")
	if err != nil {
		t.Fatal(err)
	}
	if w, err = New(t.Context(), from, to, m, nil); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "w.nc")
	if err := w.Write(t.Context(), path, form, nil); err != nil {
		t.Fatal(err)
	}
	return path, w
}

// TestWeightsAreRead reads what has been written.
func TestWeightsAreRead(t *testing.T) {
	for _, form := range []Form{SCRIPForm, ESMFForm} {
		for _, m := range Methods() {
			path, w := weightsOf(t, m, form)
			got, err := Read(t.Context(), path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.column, w.column) || !slices.Equal(got.start, w.start) || got.method != m ||
				!slices.Equal(got.from, w.from) || !slices.Equal(got.to, w.to) {
				t.Errorf("%s, %s: %+v, want %+v", form, m, got, w)
			}
			for i, v := range w.weight {
				if d := got.weight[i] - v; d > 1e-15 || d < -1e-15 {
					t.Errorf("%s, %s: weight %d is %v, want %v", form, m, i, got.weight[i], v)
				}
			}
			if _, err := Read(t.Context(), path, &ReadOptions{From: w.target, To: w.target}); !errors.Is(err, cairn.ErrInvalid) {
				t.Errorf("%s, %s: for another grid: %v", form, m, err)
			}
		}
	}
}

// A sparse file of weights, as xESMF writes them.
type links struct {
	column, row []int32
	weight      []float64
}

func (l *links) write(t *testing.T) string {
	t.Helper()
	n := &netcdf.Dimension{Name: "n_s", Len: int64(len(l.weight))}
	of := func(name, kind string) *netcdf.Variable {
		return &netcdf.Variable{Name: name, Type: netcdf.TypeNamed(kind), Dimensions: []*netcdf.Dimension{n}}
	}
	path := filepath.Join(t.TempDir(), "x.nc")
	w := must[*netcdf.Writer](t)(netcdf.Create(path, &netcdf.Group{Dimensions: []*netcdf.Dimension{n},
		Variables: []*netcdf.Variable{of("col", "int"), of("row", "int"), of("S", "double")}}, nil))
	shape := ndarray.Shape{n.Len}
	for key, src := range map[string]ndarray.Source{"col": ndarray.Items(l.column, shape), "row": ndarray.Items(l.row, shape),
		"S": ndarray.Items(l.weight, shape)} {
		if err := w.Put(t.Context(), key, src); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestHostileWeights reads weights of cells that there are not.
func TestHostileWeights(t *testing.T) {
	grid := must[*Grid](t)(Named("r4x2"))
	nan := 0.0
	nan /= nan
	for name, l := range map[string]links{
		"column 0": {[]int32{0}, []int32{1}, []float64{1}}, "row 0": {[]int32{1}, []int32{0}, []float64{1}},
		"column 9": {[]int32{9}, []int32{1}, []float64{1}}, "row 9": {[]int32{1}, []int32{9}, []float64{1}},
		"negative": {[]int32{-1}, []int32{1}, []float64{1}}, "large": {[]int32{1 << 30}, []int32{1}, []float64{1}},
		"NaN": {[]int32{1}, []int32{1}, []float64{nan}},
	} {
		_, err := Read(t.Context(), l.write(t), &ReadOptions{From: grid, To: grid})
		if !errors.Is(err, cairn.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}

	fine := links{[]int32{8, 1}, []int32{2, 1}, []float64{0.5, 1}}
	path := fine.write(t)
	if _, err := Read(t.Context(), path, nil); !errors.Is(err, cairn.ErrUnsupported) {
		t.Errorf("without grids: %v", err)
	}
	w := must[*Weights](t)(Read(t.Context(), path, &ReadOptions{From: grid, To: grid}))
	if w.weight[1] != 1 || w.coverage(1) != 0.5 || w.coverage(2) != 0 || w.column[1] != 7 {
		t.Errorf("%+v", w)
	}
}

// FuzzWeights reads damaged files of weights, and applies what is read.
func FuzzWeights(f *testing.F) {
	for _, form := range []Form{SCRIPForm, ESMFForm} {
		path, _ := weightsOf(f, Conservative, form)
		raw, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		file, err := netcdf.OpenReader(bytes.NewReader(raw), int64(len(raw)), nil)
		if err != nil {
			return
		}
		defer file.Close()
		w, err := fromTree(context.Background(), file, nil, nil)
		if err != nil || cellsIn(w.from) > 1<<16 || cellsIn(w.to) > 1<<16 {
			return
		}
		axes := []int{0, 1}[:len(w.from)]
		out, err := w.Of(ndarray.Items(make([]float32, cellsIn(w.from)), w.from), axes, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ndarray.ViewOf(out).Read(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// TestDescriptions parses descriptions of CDO's format.
func TestDescriptions(t *testing.T) {
	for text, want := range map[string]string{
		"gridtype = lonlat\nxsize = 4\nysize = 2\nxfirst = 10\nxinc = 20\nyfirst = 5\nyinc = -5": "2 × 4 cells",
		"# a\ngridtype=gaussian\nxsize=8 # more\nysize=4\n":                                      "4 × 8 cells",
		"gridtype = curvilinear\nxsize=2\nysize=2\nxvals = 1 2\n 1 2\nyvals= 0 0 1 1":            "2 × 2 cells",
		"gridtype = unstructured\ngridsize=1\nnvertex=3\nxvals = 0.1\nyvals = 0\nxunits=radian\n" +
			"yunits = \"radian\"\nxbounds = 0 0.2 0.1\nybounds = 0 0 1\n": "1 cells",
	} {
		g, err := Parse(text)
		if err != nil || g.String() != want {
			t.Errorf("%s: %v, %v", text, g, err)
		}
	}
	for text, want := range map[string]error{
		"what": cairn.ErrInvalid, "gridtype = spectral": cairn.ErrUnsupported, "gridtype = lonlat\nxsize = 4": cairn.ErrInvalid,
		"gridtype = lonlat\nxsize = 99999999\nysize = 99999999":                                        cairn.ErrLimit,
		"gridtype = lonlat\nxsize = 2\nysize = 2\nyvals = 1 1":                                         cairn.ErrUnsupported,
		"gridtype = lonlat\nxsize = 2\nysize = 2\nyvals = 1 99":                                        cairn.ErrInvalid,
		"gridtype = unstructured\nxsize=1\nxvals=a\nyvals=1":                                           cairn.ErrInvalid,
		"gridtype = gaussian\nxsize = 4\nysize = 5":                                                    cairn.ErrInvalid,
		"gridtype = unstructured\ngridsize = 1\nnvertex = 999\nxvals=1\nyvals=1\nxbounds=1\nybounds=1": cairn.ErrLimit,
	} {
		if _, err := Parse(text); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", text, err, want)
		}
	}
}

// FuzzDescription parses descriptions, and makes weights of small grids.
func FuzzDescription(f *testing.F) {
	f.Add("gridtype = lonlat\nxsize = 4\nysize = 2\nxfirst = 10\nxinc = 20\nyfirst = 5\nyinc = -5")
	f.Add("gridtype = curvilinear\nxsize=2\nysize=2\nxvals = 1 2\n 1 2\nyvals= 0 0 1 1")
	f.Add("gridtype = unstructured\ngridsize=1\nnvertex=3\nxvals = 0.1\nyvals = 0\nxbounds = 0 10 5\nybounds = 0 0 9")
	f.Add("healpix:2")
	f.Fuzz(func(t *testing.T, text string) {
		// Sizes of many digits are for the limits, and take long.
		if strings.ContainsAny(text, "eEpPxX") && len(text) < 16 {
			return
		}
		g, err := Parse(text)
		if err != nil || g.Cells() > 200 {
			return
		}
		to, err := Named("r8x4")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range Methods() {
			for _, pair := range [][2]*Grid{{g, to}, {to, g}} {
				_, _ = New(t.Context(), pair[0], pair[1], m, &Options{Workers: 1})
			}
		}
	})
}
