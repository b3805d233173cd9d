package regrid

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn"
)

// Names are forms of the names that [Named] knows.
func Names() []string {
	return []string{"r360x180", "global_0.5", "n32", "F32", "healpix:32", "healpix:32:nested"}
}

// ErrName is the error for a text that is no name of a grid.
var ErrName = fmt.Errorf("no grid has this name; names are such as %s: %w", strings.Join(Names(), ", "), cairn.ErrNotFound)

// mostGaussian bounds the rows of a Gaussian grid between a pole and the equator.
const mostGaussian = 1 << 13

// Named returns a global grid by its name, as CDO has it:
//
//   - r360x180 has 360 columns from 0° east, and 180 rows from the south; of an odd number of
//     rows, the first and the last are the poles
//   - global_0.5 has cells of 0.5 degrees from 180° west
//   - n32 and F32 are the Gaussian grid with 32 rows between a pole and the equator, from the north
//   - healpix:32 and hp32 are HEALPix with 32² cells in each of 12 faces, in rings, and
//     healpix:32:nested by faces; edges of cells are arcs of great circles
//
// The error for other names matches [ErrName].
func Named(name string) (*Grid, error) {
	g, err := named(name)
	if err != nil {
		return nil, fmt.Errorf("grid %q: %w", name, err)
	}
	g.name = name
	return g, nil
}

func named(name string) (*Grid, error) {
	if size, ok := strings.CutPrefix(name, "r"); ok {
		columns, rows, _ := strings.Cut(size, "x")
		if isCount(columns) && isCount(rows) {
			return regular(count(columns), count(rows))
		}
	}
	if step, ok := strings.CutPrefix(name, "global_"); ok && strings.Trim(step, "0123456789.") == "" {
		return global(step)
	}
	if name != "" && strings.ContainsRune("nNF", rune(name[0])) && isCount(name[1:]) {
		n := count(name[1:])
		if n < 1 || n > mostGaussian || 8*n*n > mostCells {
			return nil, tooMany(n)
		}
		return newRectilinear(gaussian(int(2*n)), spaced(0, 90/float64(n), 4*n), nil, nil)
	}

	for _, prefix := range []string{"healpix:", "hp"} {
		size, ok := strings.CutPrefix(name, prefix)
		size = strings.ReplaceAll(size, "_", ":")
		size, order, ordered := strings.Cut(size, ":")
		if ok && isCount(size) && (!ordered || order == "ring" || order == "nested") {
			return namedHealpix(count(size), order == "nested")
		}
	}
	return nil, ErrName
}

// regular returns the grid that a name such as r360x180 has.
func regular(nx, ny int64) (*Grid, error) {
	if nx*ny > mostCells || nx*ny < 1 {
		return nil, tooMany(nx * ny)
	}
	south := -90 + 90/float64(ny)
	step := 180 / float64(ny)
	if ny > 1 && ny%2 == 1 {
		south = -90
		step = 180 / float64(ny-1)
	}
	return newRectilinear(spaced(south, step, ny), spaced(0, 360/float64(nx), nx), nil, nil)
}

// global returns the grid that a name such as global_0.5 has.
func global(text string) (*Grid, error) {
	step, err := strconv.ParseFloat(text, 64)
	if err != nil || !(step > 0 && step <= 90) || math.Abs(math.Round(180/step)*step-180) > 1e-6 {
		return nil, fmt.Errorf("180 degrees are no whole number of cells: %w", cairn.ErrInvalid)
	}
	ny := math.Round(180 / step)
	if ny > 1<<20 || 2*ny*ny > mostCells {
		return nil, tooMany(int64(min(ny, 1<<20)))
	}
	return newRectilinear(spaced(-90+step/2, step, int64(ny)), spaced(-180+step/2, step, 2*int64(ny)), nil, nil)
}

func namedHealpix(n int64, nested bool) (*Grid, error) {
	if n < 1 || n > 1<<15 || 12*n*n*(4*8*2) > mostGridBytes {
		return nil, tooMany(n)
	}
	if nested && n&(n-1) != 0 {
		return nil, fmt.Errorf("%d is no power of 2, as nested cells need: %w", n, cairn.ErrInvalid)
	}
	return healpix(int(n), nested)
}

// isCount reports whether a text is digits.
func isCount(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// count parses a number of digits; it is large for those that are too large.
func count(digits string) int64 {
	n, err := strconv.ParseInt(digits, 10, 32)
	if err != nil {
		return math.MaxInt32
	}
	return n
}

func tooMany(n int64) error {
	return fmt.Errorf("%d is out of range, as grids have 1 to %d cells: %w", n, mostCells, cairn.ErrLimit)
}

// spaced returns numbers at equal distances.
func spaced(first, step float64, n int64) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = first + float64(i)*step
	}
	return all
}

// gaussian returns the latitudes of a Gaussian grid with n rows, from the north: the zeros of the
// Legendre polynomial of degree n, as sines.
func gaussian(n int) []float64 {
	lat := make([]float64, n)
	for i := range n / 2 {
		x := math.Cos(math.Pi * (float64(i) + 0.75) / (float64(n) + 0.5))
		for range 20 {
			before := 1.0
			p := x
			for k := 2; k <= n; k++ {
				before, p = p, (float64(2*k-1)*x*p-float64(k-1)*before)/float64(k)
			}

			slope := float64(n) * (before - x*p) / (1 - x*x)
			step := p / slope
			x -= step
			if math.Abs(step) < 1e-16 {
				break
			}
		}
		lat[i] = math.Asin(x) / radian
		lat[n-1-i] = -lat[i]
	}
	return lat
}
