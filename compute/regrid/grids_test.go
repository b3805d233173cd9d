package regrid

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
)

// A drawn variable of a small file.
type drawn struct {
	name, kind string
	dims       []string
	attributes []string // names and values
	src        ndarray.Source
}

// fileOf writes a classic file of variables.
func fileOf(t testing.TB, all []drawn) string {
	t.Helper()
	dims := map[string]*netcdf.Dimension{}
	root := &netcdf.Group{}
	for _, d := range all {
		v := &netcdf.Variable{Name: d.name, Type: netcdf.TypeNamed(d.kind)}
		for i, name := range d.dims {
			if dims[name] == nil {
				dims[name] = &netcdf.Dimension{Name: name, Len: d.src.Shape()[i]}
				root.Dimensions = append(root.Dimensions, dims[name])
			}
			v.Dimensions = append(v.Dimensions, dims[name])
		}
		for i := 0; i < len(d.attributes); i += 2 {
			v.Attributes = append(v.Attributes, netcdf.Attribute{Name: d.attributes[i], Type: netcdf.TypeNamed("char"),
				Value: d.attributes[i+1]})
		}
		root.Variables = append(root.Variables, v)
	}

	path := filepath.Join(t.TempDir(), "grid.nc")
	w, err := netcdf.Create(path, root, &netcdf.CreateOptions{Format: netcdf.Classic})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range all {
		if err := w.Put(t.Context(), d.name, d.src); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func reals(v ...float64) ndarray.Source { return ndarray.Items(v, ndarray.Shape{int64(len(v))}) }

func ints(v ...int32) ndarray.Source { return ndarray.Items(v, ndarray.Shape{int64(len(v))}) }

// triangles is a mesh of two triangles, with a field on them, and the same cells as SCRIP has them.
func triangles() []drawn {
	corners := ndarray.Shape{2, 3}
	north := []string{"units", "degrees_north", "standard_name", "latitude"}
	east := []string{"units", "degrees_east", "standard_name", "longitude"}
	return []drawn{
		{"mesh", "int", nil, []string{"cf_role", "mesh_topology", "node_coordinates", "x y", "face_node_connectivity", "nodes"},
			ndarray.Items([]int32{0}, ndarray.Shape{})},
		{"x", "double", []string{"node"}, east, reals(0, 10, 0, 10)},
		{"y", "double", []string{"node"}, north, reals(0, 0, 10, 10)},
		{"nodes", "int", []string{"face", "three"}, nil, ndarray.Items([]int32{0, 1, 2, 1, 3, 2}, corners)},
		{"tas", "double", []string{"face"}, []string{"mesh", "mesh", "location", "face"}, reals(1, 2)},
		{"grid_center_lat", "double", []string{"cells"}, north, reals(3, 7)},
		{"grid_center_lon", "double", []string{"cells"}, east, reals(3, 7)},
		{"grid_dims", "int", []string{"rank"}, nil, ints(2)},
		{"grid_imask", "int", []string{"cells"}, nil, ints(1, 0)},
		{"grid_corner_lat", "double", []string{"cells", "three"}, north, ndarray.Items([]float64{0, 0, 10, 0, 10, 10}, corners)},
		{"grid_corner_lon", "double", []string{"cells", "three"}, east, ndarray.Items([]float64{0, 10, 0, 10, 10, 0}, corners)},
	}
}

// gridsIn returns the grids of a file: that of its variables, and SCRIP's.
func gridsIn(ctx context.Context, file *netcdf.File) (all []*Grid, err error) {
	find := inTree(file)
	for _, v := range file.Root().Variables {
		found, err := Find(ctx, v, find)
		if err != nil {
			continue
		}
		g, err := found.Grid(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, g)
	}
	g, err := SCRIP(ctx, find)
	if errors.Is(err, ErrNone) {
		return all, nil
	}
	return append(all, g), err
}

func TestGridsOfMeshes(t *testing.T) {
	file, err := netcdf.Open(fileOf(t, triangles()), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	all, err := gridsIn(t.Context(), file)
	if err != nil || len(all) < 2 {
		t.Fatalf("%v, %v", all, err)
	}
	for _, g := range all {
		if g.Cells() != 2 {
			t.Errorf("%s", g)
		}
	}
	if m := all[len(all)-1].masked; len(m) != 2 || m[0] || !m[1] {
		t.Errorf("masked %v", m)
	}
}

// FuzzGrids reads the grids of damaged files, and makes weights of small ones.
func FuzzGrids(f *testing.F) {
	raw, err := os.ReadFile(fileOf(f, triangles()))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Fuzz(func(t *testing.T, raw []byte) {
		file, err := netcdf.OpenReader(bytes.NewReader(raw), int64(len(raw)), nil)
		if err != nil {
			return
		}
		defer file.Close()
		all, err := gridsIn(context.Background(), file)
		if err != nil {
			return
		}
		to, err := Named("r8x4")
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range all {
			if g.Cells() > 200 {
				continue
			}
			for _, m := range Methods() {
				_, _ = New(context.Background(), g, to, m, &Options{Workers: 1})
			}
		}
	})
}

// TestUnseenCells reads weights between grids of which a file has but how many cells they have.
func TestUnseenCells(t *testing.T) {
	one := []string{"n_s"}
	all := []drawn{
		{"col", "int", one, nil, ints(1)}, {"row", "int", one, nil, ints(1)}, {"S", "double", one, nil, reals(1)},
		{"src_grid_dims", "int", []string{"rank"}, nil, ints(4, 2)},
		{"dst_grid_dims", "int", []string{"rank"}, nil, ints(1<<14, 1<<12)},
	}
	if _, err := Read(t.Context(), fileOf(t, all), nil); !errors.Is(err, cairn.ErrCorrupt) {
		t.Errorf("%v", err)
	}
	all[4].src = ints(8, 4)
	if _, err := Read(t.Context(), fileOf(t, all), nil); err != nil {
		t.Error(err)
	}
}
