package regrid

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/ndarray"
)

// onMesh makes the grid that of the faces of a mesh, as UGRID has it. It reports false if there is
// no such mesh.
func (f *Found) onMesh(ctx context.Context, name string, dims []string) (bool, error) {
	m, err := f.find(ctx, name)
	if m == nil || err != nil {
		return false, err
	}
	l, err := ndarray.LabelsOf(m)
	if err != nil {
		return false, err
	}
	f.face = cf.Text(l.Attributes, "face_node_connectivity")
	c, err := f.find(ctx, f.face)
	if f.face == "" || c == nil || err != nil {
		return false, err
	}

	of, err := ndarray.LabelsOf(c)
	if err != nil {
		return false, err
	}
	dim := cf.Text(l.Attributes, "face_dimension")
	if dim == "" && len(of.Dims) > 0 {
		dim = of.Dims[0]
	}
	axis := slices.Index(dims, dim)
	if axis < 0 {
		return false, nil
	}
	f.mesh = name
	f.Lat = name
	f.Lon = name
	f.Axes = []int{axis}
	f.Dims = []string{dim}
	return true, nil
}

// meshGrid reads the grid of the faces of a mesh.
func (f *Found) meshGrid(ctx context.Context) (*Grid, error) {
	m, err := f.find(ctx, f.mesh)
	if err != nil {
		return nil, err
	}
	l, err := ndarray.LabelsOf(m)
	if err != nil {
		return nil, err
	}
	nodeLat, nodeLon, err := f.places(ctx, cf.Text(l.Attributes, "node_coordinates"))
	if err != nil {
		return nil, fmt.Errorf("mesh %s: %w", f.mesh, err)
	}

	nodes, corners, err := f.nodesOfFaces(ctx, len(nodeLat))
	if err != nil {
		return nil, fmt.Errorf("mesh %s: %s: %w", f.mesh, f.face, err)
	}

	// Corners are the nodes; a face with fewer than others repeats its last one.
	faces := len(nodes) / corners
	cornerLat := make([]float64, len(nodes))
	cornerLon := make([]float64, len(nodes))
	lat := make([]float64, faces)
	lon := make([]float64, faces)
	for i := range faces {
		var sum vector
		for k := i * corners; k < (i+1)*corners; k++ {
			n := nodes[k]
			if n < 0 && k > i*corners {
				n = nodes[k-1]
				nodes[k] = n
			}
			if n < 0 {
				return nil, fmt.Errorf("mesh %s: face %d has no first node: %w", f.mesh, i, cairn.ErrInvalid)
			}
			cornerLat[k] = nodeLat[n]
			cornerLon[k] = nodeLon[n]
			sum = sum.plus(vectorOf(nodeLat[n], nodeLon[n]))
		}
		lat[i], lon[i] = sum.degrees()
	}

	if names := cf.Text(l.Attributes, "face_coordinates"); names != "" {
		ownLat, ownLon, err := f.places(ctx, names)
		if err == nil && len(ownLat) == faces {
			lat = ownLat
			lon = ownLon
		}
	}
	g, err := newCells(lat, lon, 0, cornerLat, cornerLon)
	if err != nil {
		return nil, fmt.Errorf("mesh %s: %w", f.mesh, err)
	}
	g.dims = f.Dims
	return g, nil
}

// places reads the latitudes and longitudes that an attribute names, in either order.
func (f *Found) places(ctx context.Context, names string) (lat, lon []float64, err error) {
	for _, name := range strings.Fields(names) {
		c, err := f.find(ctx, name)
		if err != nil {
			return nil, nil, err
		}
		if c == nil {
			return nil, nil, fmt.Errorf("%s: %w", name, cairn.ErrNotFound)
		}

		l, err := ndarray.LabelsOf(c)
		if err != nil {
			return nil, nil, err
		}
		unit := cf.Text(l.Attributes, "units")
		all, err := readFloats(ctx, c, unit)
		if err != nil {
			return nil, nil, err
		}
		if cf.LatLon(c.DType(), l.Attributes) == cf.Y {
			lat = all
		} else {
			lon = all
		}
	}

	if len(lat) == 0 || len(lat) != len(lon) {
		return nil, nil, fmt.Errorf("%q are no latitudes and longitudes: %w", names, cairn.ErrInvalid)
	}
	return lat, lon, nil
}

// nodesOfFaces reads the nodes of each face, from 0; those that are missing are −1.
func (f *Found) nodesOfFaces(ctx context.Context, count int) (nodes []int, corners int, err error) {
	c, err := f.find(ctx, f.face)
	if err != nil {
		return nil, 0, err
	}
	shape := c.Shape()
	if len(shape) != 2 || shape[0] < 1 || shape[0] > mostCells || shape[1] < 3 || shape[1] > mostCorners {
		return nil, 0, fmt.Errorf("shape %v, want a row of 3 to %d nodes for each face: %w", shape, mostCorners,
			cairn.ErrUnsupported)
	}
	l, err := ndarray.LabelsOf(c)
	if err != nil {
		return nil, 0, err
	}
	all, err := readFloats(ctx, c, "")
	if err != nil {
		return nil, 0, err
	}

	first := 0.0
	if v, ok := l.Attributes.Get("start_index"); ok {
		if n, ok := cf.NumberOf(v); ok {
			first = n.Float
		}
	}
	nodes = make([]int, len(all))
	for i, v := range all {
		at := v - first
		switch {
		case math.IsNaN(v) || v < 0:
			nodes[i] = -1
		case at < 0 || at >= float64(count) || at != math.Trunc(at):
			return nil, 0, fmt.Errorf("there is no node %g: %w", v, cairn.ErrCorrupt)
		default:
			nodes[i] = int(at)
		}
	}
	return nodes, int(shape[1]), nil
}
