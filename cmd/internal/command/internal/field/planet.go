package field

import (
	"math"
	"slices"
)

// landShare is the part of the planet's surface above the sea.
const landShare = 0.33

// relief returns the elevation of every cell in kilometres, below zero in the sea.
func (f *Field) relief(seed uint64) []float32 {
	continents, warp, mountains := noise{seed}, noise{seed + 1}, noise{seed + 2}
	raw := make([]float64, f.lats*f.lons)
	ridge := make([]float64, len(raw))
	f.eachCell(func(i int, x, y, z float64) {
		// Displacing the point before looking up its height gives capes and bays instead of round
		// blobs.
		wx, wy, wz := x+0.35*warp.fractal(3, 2*x, 2*y, 2*z), y+0.35*warp.fractal(3, 2*y+7, 2*z, 2*x),
			z+0.35*warp.fractal(3, 2*z-9, 2*x, 2*y)
		raw[i] = continents.fractal(6, 1.35*wx, 1.35*wy, 1.35*wz)
		// Mountain ranges follow the zeros of one noise, where another noise allows them.
		crest := max(0, 1-3*math.Abs(mountains.fractal(4, 1.6*wx, 1.6*wy, 1.6*wz)))
		ridge[i] = crest * min(1, max(0, 0.35+2.2*mountains.fractal(2, 1.1*z-3, 1.1*x, 1.1*y)))
	})
	sea := f.quantile(raw, 1-landShare)
	elevation := make([]float32, len(raw))
	for i, h := range raw {
		h -= sea
		if h > 0 {
			// Mountains rise inland, not at the coast.
			inland := min(1, h/0.25)
			h = 0.9*h + 4.5*inland*ridge[i]*math.Sqrt(ridge[i])
		} else {
			h *= 6
		}
		elevation[i] = float32(h)
	}
	return elevation
}

// quantile returns the value that the given share of the surface lies below.
func (f *Field) quantile(values []float64, share float64) float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case values[a] < values[b]:
			return -1
		case values[a] > values[b]:
			return 1
		}
		return a - b
	})
	total := 0.0
	for row := range f.lats {
		total += f.cosLat[row] * float64(f.lons)
	}
	below := 0.0
	for _, i := range order {
		if below += f.cosLat[i/f.lons]; below >= share*total {
			return values[i]
		}
	}
	return values[order[len(order)-1]]
}

// continentality returns how far from the sea's influence each cell is, from 0 in the open ocean to
// 1 deep inland: the share of land around it, averaged three times over a window of some degrees.
func (f *Field) continentality() []float64 {
	share := make([]float64, len(f.elevation))
	for i, h := range f.elevation {
		if h > 0 {
			share[i] = 1
		}
	}
	tmp := make([]float64, len(share))
	for range 3 {
		for row := range f.lats {
			// A window of about 5° of arc is wider in longitude the closer the pole is.
			reach := int(min(float64(f.lons)/4, 2.5*float64(f.lons)/360/max(0.05, f.cosLat[row])))
			f.averageRow(tmp[row*f.lons:], share[row*f.lons:], reach)
		}
		f.averageColumns(share, tmp, max(1, f.lats*5/360))
	}
	return share
}

// averageRow writes the mean of 2*reach+1 neighbours around the globe.
func (f *Field) averageRow(dst, src []float64, reach int) {
	n := f.lons
	sum := 0.0
	for d := -reach; d <= reach; d++ {
		sum += src[(d+n)%n]
	}
	for i := range n {
		dst[i] = sum / float64(2*reach+1)
		sum += src[(i+reach+1)%n] - src[(i-reach+n)%n]
	}
}

// averageColumns writes the mean of up to 2*reach+1 rows.
func (f *Field) averageColumns(dst, src []float64, reach int) {
	for row := range f.lats {
		from, to := max(0, row-reach), min(f.lats, row+reach+1)
		for col := range f.lons {
			sum := 0.0
			for r := from; r < to; r++ {
				sum += src[r*f.lons+col]
			}
			dst[row*f.lons+col] = sum / float64(to-from)
		}
	}
}
