package whole

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute/regrid"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/cf/joins"
	"github.com/cairn-go/cairn/internal/data"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/ndarray"
)

// A Regridding brings the arrays of a file that have a horizontal grid to another one.
type Regridding struct {
	To       *regrid.Grid
	Method   regrid.Method
	Coverage float64
	Workers  int
	// Read returns weights from a grid that were made before; nil means that they are made.
	Read func(ctx context.Context, from *regrid.Grid) (*regrid.Weights, error)

	grids []*sourceGrid
	pool  joins.Pool
}

// A sourceGrid is one that arrays of a file have.
type sourceGrid struct {
	group string
	found *regrid.Found
	gone  []string // names of the arrays that describe it
	w     *regrid.Weights
}

// Close closes what is open.
func (r *Regridding) Close() { r.pool.Close() }

// Weights returns those of the only grid that the arrays have.
func (r *Regridding) Weights() (*regrid.Weights, error) {
	if len(r.grids) != 1 {
		return nil, fmt.Errorf("the arrays have %d grids, and a file of weights is for one; name one array: %w",
			len(r.grids), cairn.ErrUnsupported)
	}
	return r.grids[0].w, nil
}

// Of returns an array on the other grid, computed when it is read. near finds what is near the
// array. The error matches [regrid.ErrNone] for one without a horizontal grid.
func (r *Regridding) Of(ctx context.Context, key string, open joins.Opener, near coords.Lookup) (ndarray.Source, error) {
	src, end, err := open(ctx)
	if err != nil {
		return nil, err
	}
	defer end()

	found, err := regrid.Find(ctx, src, regrid.Lookup(near))
	if err != nil {
		return nil, err
	}
	g, err := r.grid(ctx, path.Dir("/"+key), found, near)
	if err != nil {
		return nil, err
	}

	on := func(src ndarray.Source) (ndarray.Source, error) {
		out, err := g.w.Of(src, found.Axes, &regrid.ApplyOptions{Coverage: r.Coverage, Dims: r.To.Dims()})
		if err != nil {
			return nil, err
		}
		l, err := out.Labels()
		if err != nil {
			return nil, err
		}
		l.Attributes = cf.OnGrid(l.Attributes, r.To.Auxiliary(), func(name string) bool { return slices.Contains(g.gone, name) })
		return &relabelled{out, l}, nil
	}

	outline, err := on(src)
	if err != nil {
		return nil, err
	}
	return r.pool.Late(key, outline, func(ctx context.Context) (ndarray.Source, func(), error) {
		src, end, err := open(ctx)
		if err != nil {
			return nil, nil, err
		}
		out, err := on(src)
		if err != nil {
			end()
		}
		return out, end, err
	})
}

// grid returns a grid with its weights, which arrays share.
func (r *Regridding) grid(ctx context.Context, group string, f *regrid.Found, near coords.Lookup) (*sourceGrid, error) {
	for _, g := range r.grids {
		if g.group == group && g.found.Lat == f.Lat && g.found.Lon == f.Lon && slices.Equal(g.found.Dims, f.Dims) {
			return g, nil
		}
	}

	from, err := f.Grid(ctx)
	if err != nil {
		return nil, err
	}
	g := &sourceGrid{group: group, found: f}
	if r.Read != nil {
		g.w, err = r.Read(ctx, from)
	} else {
		g.w, err = regrid.New(ctx, from, r.To, r.Method, &regrid.Options{Workers: r.Workers})
	}
	if err != nil {
		return nil, err
	}

	for _, name := range []string{f.Lat, f.Lon} {
		g.gone = append(g.gone, name)
		c, err := near(ctx, name)
		if c == nil || err != nil {
			continue
		}
		l, err := ndarray.LabelsOf(c)
		if err != nil {
			return nil, err
		}
		g.gone = append(g.gone, cf.NamesOfMesh(l.Attributes)...)
		for _, ref := range cf.References(l.Attributes) {
			if ref.Role == cf.Bounds {
				g.gone = append(g.gone, ref.Name)
			}
		}
	}
	r.grids = append(r.grids, g)
	return g, nil
}

// A Place is what becomes of an array of the file.
type Place uint8

// Places.
const (
	Copied   Place = iota // it has no dimension of a grid
	Replaced              // it describes a grid, and there is another one
	Left                  // it has dimensions of a grid, and cannot be brought to another
)

// PlaceOf returns what becomes of an array that has no horizontal grid of its own, or is an array
// of coordinates.
func (r *Regridding) PlaceOf(a *data.Array) Place {
	at := Copied
	for _, g := range r.grids {
		if slices.Contains(g.gone, a.Name) {
			return Replaced
		}
		if slices.ContainsFunc(a.Dims, func(dim string) bool { return slices.Contains(g.found.Dims, dim) }) {
			at = Left
			if a.Role == cf.Coordinate || a.Role == cf.Bounds || cf.IsCellArea(a.Attributes) {
				at = Replaced
			}
		}
	}
	return at
}

// Groups returns the groups with arrays that have been brought to the other grid.
func (r *Regridding) Groups() (groups []string) {
	for _, g := range r.grids {
		if !slices.Contains(groups, g.group) {
			groups = append(groups, g.group)
		}
	}
	return groups
}

// Moves reports whether an array is one to bring to another grid, if it has one: it is data, and no
// areas of cells, which are others there.
func (r *Regridding) Moves(a *data.Array) bool {
	return (a.Role == cf.Data || a.Role == cf.Ancillary) && !cf.IsCellArea(a.Attributes)
}

// GridOf returns the grid that a file has: that of one of its arrays, or of a file of SCRIP. keys
// are those of the arrays to look at.
func GridOf(ctx context.Context, name string, keys []string, open coords.Opener) (*regrid.Grid, error) {
	var first *regrid.Found
	var owner string
	for _, key := range keys {
		src, err := open(ctx, key)
		if err != nil {
			return nil, err
		}
		f, err := regrid.Find(ctx, src, regrid.Lookup(coords.Near(key, open)))
		if errors.Is(err, regrid.ErrNone) {
			continue
		}
		if err != nil {
			return nil, naming.In(name, err)
		}
		if first != nil && (f.Lat != first.Lat || f.Lon != first.Lon) {
			return nil, fmt.Errorf("%s: the grids of %s and %s are different ones; name one array: %w", name, owner, key,
				cairn.ErrUnsupported)
		}
		if first == nil {
			first = f
			owner = key
		}
	}

	var g *regrid.Grid
	var err error
	if first != nil {
		g, err = first.Grid(ctx)
	} else {
		g, err = regrid.SCRIP(ctx, regrid.Lookup(coords.Near("/x", open)))
	}
	if err != nil {
		return nil, naming.In(name, err)
	}
	return g, nil
}

// mostText bounds the bytes of a description of a grid.
const mostText = 1 << 28

// Description reads a file with a description of a grid. It returns "" if there is no such file, or
// it is of another kind.
func Description(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", nil // which is reported where it is opened as another file
	}
	defer f.Close()

	head := make([]byte, 1<<16)
	n, err := io.ReadFull(f, head)
	if n == 0 || err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", nil
	}
	head = head[:n]
	if bytes.IndexByte(head, 0) >= 0 || !bytes.Contains(head, []byte("gridtype")) {
		return "", nil
	}
	rest, err := io.ReadAll(io.LimitReader(f, mostText))
	return string(head) + string(rest), err
}
