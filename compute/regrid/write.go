package regrid

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
)

// A Form is a format of files of weights.
type Form string

// The formats.
const (
	SCRIPForm Form = "scrip" // which CDO's remap reads
	ESMFForm  Form = "esmf"  // which xESMF reads
)

// Write writes weights to a NetCDF file of 64-bit offsets. They must have been made by [New], as
// files have coordinates of the grids. o may be nil.
func (w *Weights) Write(ctx context.Context, path string, form Form, o *netcdf.CreateOptions) error {
	if w.source == nil || w.target == nil || w.method == "" {
		return fmt.Errorf("weights that were read from a file have no grids to write: %w", cairn.ErrUnsupported)
	}
	if len(w.column) == 0 {
		return fmt.Errorf("the grids do not overlap, and there are no weights: %w", cairn.ErrUnsupported)
	}
	how := netcdf.CreateOptions{}
	if o != nil {
		how = *o
	}
	if how.Format == 0 {
		how.Format = netcdf.Offset64
	}

	f := &weightsFile{w: w, root: &netcdf.Group{}, dims: map[string]*netcdf.Dimension{}}
	switch form {
	case SCRIPForm:
		f.scrip()
	case ESMFForm:
		f.esmf()
	default:
		return fmt.Errorf("format %q, must be %s or %s: %w", form, SCRIPForm, ESMFForm, cairn.ErrInvalid)
	}

	out, err := netcdf.Create(path, f.root, &how)
	if err != nil {
		return err
	}
	for i, v := range f.root.Variables {
		if err := out.Put(ctx, v.Name, f.items[i]()); err != nil {
			_ = out.Abort()
			return err
		}
	}
	return out.Close()
}

// A weightsFile is what a file of weights has.
type weightsFile struct {
	w     *Weights
	root  *netcdf.Group
	dims  map[string]*netcdf.Dimension
	items []func() ndarray.Source
}

// attribute adds one of the file.
func (f *weightsFile) attribute(name, value string) {
	f.root.Attributes = append(f.root.Attributes, netcdf.Attribute{Name: name, Value: value})
}

func (f *weightsFile) dimension(name string, n int) {
	d := &netcdf.Dimension{Name: name, Len: int64(n)}
	f.dims[name] = d
	f.root.Dimensions = append(f.root.Dimensions, d)
}

// variable adds an array of a unit along some dimensions; of makes its items.
func (f *weightsFile) variable(name, kind, units string, of func(shape ndarray.Shape) ndarray.Source, dims ...string) {
	v := &netcdf.Variable{Name: name, Type: netcdf.TypeNamed(kind)}
	shape := ndarray.Shape{}
	for _, dim := range dims {
		v.Dimensions = append(v.Dimensions, f.dims[dim])
		shape = append(shape, f.dims[dim].Len)
	}
	if units != "" {
		v.Attributes = []netcdf.Attribute{{Name: "units", Value: units}}
	}
	f.root.Variables = append(f.root.Variables, v)
	f.items = append(f.items, func() ndarray.Source { return of(shape) })
}

func floats(make func() []float64) func(shape ndarray.Shape) ndarray.Source {
	return func(shape ndarray.Shape) ndarray.Source { return ndarray.Items(make(), shape) }
}

func integers(make func() []int32) func(shape ndarray.Shape) ndarray.Source {
	return func(shape ndarray.Shape) ndarray.Source { return ndarray.Items(make(), shape) }
}

// scrip describes a file as CDO writes it.
func (f *weightsFile) scrip() {
	w := f.w
	f.attribute("title", "cairn remapping")
	normalization := "none"
	method := "Bilinear remapping"
	switch w.method {
	case Nearest:
		method = "Nearest neighbor"
	case Conservative:
		normalization = "fracarea"
		method = "Conservative remapping using clipping on sphere"
	}
	f.attribute("normalization", normalization)
	f.attribute("map_method", method)
	f.attribute("conventions", "SCRIP")
	f.attribute("source_grid", w.source.scripType())
	f.attribute("dest_grid", w.target.scripType())

	f.dimension("src_grid_size", w.source.Cells())
	f.dimension("dst_grid_size", w.target.Cells())
	f.dimension("src_grid_rank", len(w.from))
	f.dimension("dst_grid_rank", len(w.to))
	f.dimension("num_links", len(w.column))
	f.dimension("num_wgts", 1)

	for _, side := range []struct {
		name string
		g    *Grid
	}{{"src_grid", w.source}, {"dst_grid", w.target}} {
		size := side.name + "_size"
		f.variable(side.name+"_dims", "int", "", integers(side.g.reversedShape), side.name+"_rank")
		f.variable(side.name+"_center_lat", "double", "degrees", floats(side.g.centres(true)), size)
		f.variable(side.name+"_center_lon", "double", "degrees", floats(side.g.centres(false)), size)
		f.variable(side.name+"_imask", "int", "unitless", integers(side.g.maskItems), size)
	}
	if w.area != nil {
		f.variable("src_grid_area", "double", "square radians", floats(w.source.Areas), "src_grid_size")
		f.variable("dst_grid_area", "double", "square radians", floats(func() []float64 { return w.area }), "dst_grid_size")
	}
	f.variable("src_grid_frac", "double", "unitless", floats(w.sourceFractions), "src_grid_size")
	f.variable("dst_grid_frac", "double", "unitless", floats(w.fractions), "dst_grid_size")
	f.variable("src_address", "int", "", integers(w.columns), "num_links")
	f.variable("dst_address", "int", "", integers(w.rows), "num_links")
	f.variable("remap_matrix", "double", "", floats(func() []float64 { return w.weight }), "num_links", "num_wgts")
}

// esmf describes a file as ESMF_RegridWeightGen writes it. Conservative weights sum to how much of
// a cell is covered, as those of its norm type DSTAREA do.
func (f *weightsFile) esmf() {
	w := f.w
	f.attribute("title", "cairn remapping weights")
	method := "Bilinear remapping"
	switch w.method {
	case Nearest:
		method = "Nearest source to destination"
	case Conservative:
		method = "Conservative remapping"
	}
	f.attribute("normalization", "destarea")
	f.attribute("map_method", method)
	f.attribute("conventions", "NCAR-CSM")

	f.dimension("n_a", w.source.Cells())
	f.dimension("n_b", w.target.Cells())
	f.dimension("n_s", len(w.column))
	f.dimension("src_grid_rank", len(w.from))
	f.dimension("dst_grid_rank", len(w.to))
	f.variable("src_grid_dims", "int", "", integers(w.source.reversedShape), "src_grid_rank")
	f.variable("dst_grid_dims", "int", "", integers(w.target.reversedShape), "dst_grid_rank")
	for _, side := range []struct {
		end string
		g   *Grid
	}{{"a", w.source}, {"b", w.target}} {
		f.variable("yc_"+side.end, "double", "degrees", floats(side.g.centres(true)), "n_"+side.end)
		f.variable("xc_"+side.end, "double", "degrees", floats(side.g.centres(false)), "n_"+side.end)
		f.variable("mask_"+side.end, "int", "unitless", integers(side.g.maskItems), "n_"+side.end)
	}
	if w.area != nil {
		f.variable("area_a", "double", "square radians", floats(w.source.Areas), "n_a")
		f.variable("area_b", "double", "square radians", floats(func() []float64 { return w.area }), "n_b")
	}
	f.variable("frac_a", "double", "unitless", floats(w.sourceFractions), "n_a")
	f.variable("frac_b", "double", "unitless", floats(w.fractions), "n_b")
	f.variable("col", "int", "", integers(w.columns), "n_s")
	f.variable("row", "int", "", integers(w.rows), "n_s")
	f.variable("S", "double", "", floats(w.shares), "n_s")
}

// scripType returns CDO's word for the type of a grid.
func (g *Grid) scripType() string {
	switch g.kind {
	case rectilinear:
		return "lonlat"
	case curvilinear:
		return "curvilinear"
	}
	return "unstructured"
}

// reversedShape returns the shape with the last dimension first, as SCRIP has it.
func (g *Grid) reversedShape() (shape []int32) {
	for _, n := range slices.Backward(g.Shape()) {
		shape = append(shape, int32(n))
	}
	return shape
}

// centres returns a function that returns the latitude or the longitude of each cell.
func (g *Grid) centres(ofLat bool) func() []float64 {
	return func() []float64 {
		all := make([]float64, g.Cells())
		for i := range all {
			lat, lon := g.centre(i)
			all[i] = lon
			if ofLat {
				all[i] = lat
			}
		}
		return all
	}
}

// maskItems returns 1 for each cell that has items, and 0 for others.
func (g *Grid) maskItems() []int32 {
	all := make([]int32, g.Cells())
	for i := range all {
		if !g.isMasked(i) {
			all[i] = 1
		}
	}
	return all
}

// Areas returns the area of each cell on the unit sphere, as weights take it; nil if the corners of
// cells are not known. Masked cells have theirs too.
func (g *Grid) Areas() []float64 {
	if !g.hasCells() {
		return nil
	}
	all := make([]float64, g.Cells())
	var s shapes
	for i := range all {
		all[i] = s.take(g, i)
	}
	return all
}

// columns returns the cells that items are of, from 1.
func (w *Weights) columns() []int32 {
	all := make([]int32, len(w.column))
	for i, c := range w.column {
		all[i] = c + 1
	}
	return all
}

// rows returns the cells that results are of, from 1.
func (w *Weights) rows() []int32 {
	all := make([]int32, 0, len(w.column))
	for i := range len(w.start) - 1 {
		for range w.start[i+1] - w.start[i] {
			all = append(all, int32(i+1))
		}
	}
	return all
}

// fractions returns how much of the cell of each result items cover.
func (w *Weights) fractions() []float64 {
	all := make([]float64, len(w.start)-1)
	for i := range all {
		all[i] = w.coverage(i)
	}
	return all
}

// shares returns weights that sum to how much of a cell is covered.
func (w *Weights) shares() []float64 {
	if w.covered == nil {
		return w.weight
	}
	all := slices.Clone(w.weight)
	for i := range len(w.start) - 1 {
		for k := w.start[i]; k < w.start[i+1]; k++ {
			all[k] *= w.covered[i]
		}
	}
	return all
}

// sourceFractions returns how much of each cell of the items goes into results.
func (w *Weights) sourceFractions() []float64 {
	all := make([]float64, w.source.Cells())
	if w.area == nil {
		for _, c := range w.column {
			all[c] = 1
		}
		return all
	}

	areas := w.source.Areas()
	for i := range len(w.start) - 1 {
		for k := w.start[i]; k < w.start[i+1]; k++ {
			if a := areas[w.column[k]]; a > 0 {
				all[w.column[k]] += w.weight[k] * w.covered[i] * w.area[i] / a
			}
		}
	}
	return all
}
