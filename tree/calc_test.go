package tree_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
	"github.com/cairn-go/cairn/store"
	"github.com/cairn-go/cairn/tree"
)

// weather writes a file with packed temperatures, of which one is missing, at four times in two
// months.
func weather(path string) error {
	time := &netcdf.Dimension{Name: "time", Len: 4}
	lat := &netcdf.Dimension{Name: "lat", Len: 2}
	root := &netcdf.Group{Dimensions: []*netcdf.Dimension{time, lat}, Variables: []*netcdf.Variable{
		{Name: "tas", Type: netcdf.TypeNamed("short"), Dimensions: []*netcdf.Dimension{time, lat}, Attributes: []netcdf.Attribute{
			{Name: "scale_factor", Value: 0.5}, {Name: "_FillValue", Value: int16(-1)}}},
		{Name: "time", Type: netcdf.TypeNamed("int"), Dimensions: []*netcdf.Dimension{time}, Attributes: []netcdf.Attribute{
			{Name: "units", Value: "days since 2000-01-30"}}},
		{Name: "lat", Type: netcdf.TypeNamed("double"), Dimensions: []*netcdf.Dimension{lat}, Attributes: []netcdf.Attribute{
			{Name: "units", Value: "degrees_north"}}},
		{Name: "zone", Type: netcdf.TypeNamed("byte"), Dimensions: []*netcdf.Dimension{time, lat}, Attributes: []netcdf.Attribute{
			{Name: "_FillValue", Value: int8(-1)}}},
	}}

	ctx := context.Background()
	w, err := netcdf.Create(path, root, &netcdf.CreateOptions{Format: netcdf.Classic})
	if err != nil {
		return err
	}
	err = errors.Join(
		w.Put(ctx, "tas", ndarray.Items([]int16{2, 4, 6, -1, 8, 10, 12, 14}, ndarray.Shape{4, 2})),
		w.Put(ctx, "zone", ndarray.Items([]int8{7, 3, 7, 3, -1, 3, 7, 3}, ndarray.Shape{4, 2})),
		w.Put(ctx, "time", ndarray.Items([]int32{0, 1, 2, 3}, ndarray.Shape{4})),
		w.Put(ctx, "lat", ndarray.Items([]float64{0, 60}, ndarray.Shape{2})))
	return errors.Join(err, w.Close())
}

func TestExpressionsOverTrees(t *testing.T) {
	path := filepath.Join(t.TempDir(), "weather.nc")
	check(t, weather(path))
	at, err := tree.Open(t.Context(), path, nil)
	check(t, err)
	defer at.Close()

	for _, c := range []struct {
		text string
		want []float64
	}{
		{"float64(tas[0])", []float64{1, 2}},
		{"float64(nanmean(tas, by='month'))", []float64{2, 2, 5, 6}},
		{"float64(tas[3] * cos(radians(lat)))", []float64{6, 3.5}},
		{"lat * 2", []float64{0, 120}},
		// of 2, 5 and 7; of 1, 3 and 6
		{"float64(nanmean(tas, by='zone'))", []float64{14. / 3, 10. / 3}},
		{"float64(nansum(tas, by='2d'))", []float64{4, 2, 10, 12}},
		{"float64(nansum(tas, by='time=3, lat=2'))", []float64{15, 13}},
	} {
		r, err := tree.Calc(t.Context(), at, c.text, nil)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		got, err := ndarray.ReadAny(t.Context(), r)
		check(t, err)
		for i, v := range got.([]float64) {
			if i >= len(c.want) || v-c.want[i] > 1e-6 || c.want[i]-v > 1e-6 {
				t.Errorf("%s: got %v, want %v", c.text, got, c.want)
				break
			}
		}
		check(t, r.Close())
	}

	r, err := tree.Calc(t.Context(), at, "nanmean(tas, by='zone')", nil)
	check(t, err)
	if labels, err := r.Labels(); err != nil || !slices.Equal(labels.Dims, []string{"zone"}) {
		t.Errorf("groups have the dimensions %q, %v", labels.Dims, err)
	}
	check(t, r.Close())

	if _, err := tree.Calc(t.Context(), at, "tas + (", nil); !errors.Is(err, compute.ErrSyntax) {
		t.Errorf("a mistake: %v", err)
	}
	if _, err := tree.Calc(t.Context(), at, "tas + tos", nil); err == nil || !strings.Contains(err.Error(), "tos") {
		t.Errorf("a name of nothing: %v", err)
	}
}

// Arrays of the same name are told apart by their depth.
func TestNamesOfTrees(t *testing.T) {
	path := filepath.Join(t.TempDir(), "names.b2z")
	s, err := store.Create(path, nil)
	check(t, err)
	for key, v := range map[string]int32{"x": 1, "a/x": 2, "a/y": 3, "b/y": 4, "b/c/z": 5} {
		check(t, s.Put(t.Context(), key, ndarray.Items([]int32{v}, ndarray.Shape{1}), nil))
	}
	check(t, s.Close())

	at, err := tree.Open(t.Context(), path, nil)
	check(t, err)
	defer at.Close()
	r, err := tree.Calc(t.Context(), at, "x + z", nil)
	check(t, err)
	defer r.Close()
	got, err := ndarray.ReadAny(t.Context(), r)
	check(t, err)
	if !slices.Equal(got.([]int32), []int32{6}) {
		t.Errorf("got %v", got)
	}
	if _, err := tree.Calc(t.Context(), at, "y", nil); !errors.Is(err, cairn.ErrUnsupported) || !strings.Contains(err.Error(), "/a/y") {
		t.Errorf("a name of two: %v", err)
	}
}

// The mean of each month, of a file of any format.
func ExampleCalc() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "weather-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "weather.nc")
	if err := weather(path); err != nil {
		log.Fatal(err)
	}

	t, err := tree.Open(ctx, path, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()

	r, err := tree.Calc(ctx, t, "nanmean(tas, by='month')", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	fmt.Println(r.Shape(), r.DType())
	// Output: [2 2] <f8
}
