package regrid

import (
	"fmt"
	"math"

	"github.com/cairn-go/cairn"
)

// bilinear makes weights between the centres of four cells.
func bilinear(from, to *Grid) (rowMaker, error) {
	switch {
	case from.kind == rectilinear:
		s := newRowSearch(from)
		poles := from.poles(s)
		return func() func(dst []link, cell int) ([]link, float64) {
			return func(dst []link, cell int) ([]link, float64) {
				lat, lon := to.centre(cell)
				return s.between(dst, lat, lon, poles), 0
			}
		}, nil
	case from.kind == unstructured:
		return nil, fmt.Errorf("%s are in no rows, which %s needs; use %s or %s: %w", from, Bilinear, Nearest,
			Conservative, cairn.ErrUnsupported)
	}

	q := &quads{g: from, nx: from.width, ny: len(from.lat) / from.width}
	q.across = q.nx - 1
	if from.closes() {
		q.across = q.nx
	}
	if q.across < 1 || q.ny < 2 {
		return nil, fmt.Errorf("%s have no four neighbours, which %s needs: %w", from, Bilinear, cairn.ErrUnsupported)
	}

	var places [4]vector
	index := newBins(q.across*(q.ny-1), func(i int) box {
		for k, cell := range q.cells(i) {
			places[k] = vectorOf(from.centre(cell))
		}
		return capBox(places[:])
	})
	if index == nil {
		return nil, fmt.Errorf("the cells of %s overlap too much: %w", from, cairn.ErrLimit)
	}

	return func() func(dst []link, cell int) ([]link, float64) {
		var near []int32
		return func(dst []link, cell int) ([]link, float64) {
			lat, lon := to.centre(cell)
			near = index.within(near[:0], box{south: lat, north: lat, west: lon, width: 1e-12})
			for _, i := range near {
				if s, t, ok := q.find(int(i), lat, lon); ok {
					return q.links(dst, int(i), s, t), 0
				}
			}
			return dst, 0
		}
	}, nil
}

// poles reports whether the cells of a rectilinear grid reach the poles: at the lower and the upper
// end of the ascending latitudes.
func (g *Grid) poles(s *rowSearch) [2]bool {
	reach := func(i int, pole float64) bool {
		i = s.lat.index(i)
		return math.Abs(g.rows[2*i]-pole) < 1e-4 || math.Abs(g.rows[2*i+1]-pole) < 1e-4
	}
	return [2]bool{reach(0, -90), reach(len(g.lat)-1, 90)}
}

// between appends the links of a place between rows and columns to dst.
func (s *rowSearch) between(dst []link, lat, lon float64, poles [2]bool) []link {
	rows, ok := between(&s.lat, lat, 1e-10)
	if !ok && !(lat < s.lat.values[0] && poles[0]) && !(lat > s.lat.values[0] && poles[1]) {
		return dst
	}

	lon = s.lon.nearLon(lon)
	columns, ok := between(&s.lon, lon, 1e-10)
	if last := len(s.lon.values) - 1; !ok {
		// It may be before the first, by rounding, or between the last one and the first.
		first := s.lon.values[0]
		gap := first + 360 - s.lon.values[last]
		switch {
		case lon-360 > first-1e-10:
			columns = [2]share{{s.lon.index(0), 1}, {}}
		case s.g.isCyclic():
			f := (lon - s.lon.values[last]) / gap
			columns = [2]share{{s.lon.index(last), 1 - f}, {s.lon.index(0), f}}
		default:
			return dst
		}
	}

	for _, r := range rows {
		for _, c := range columns {
			at := r.index*len(s.g.lon) + c.index
			if weight := r.size * c.size; weight > 0 && !s.g.isMasked(at) {
				dst = append(dst, link{int32(at), weight})
			}
		}
	}
	return dst
}

// A share is that of a row or column in a place.
type share = span

// between returns the values around another one, and false if it is outside by more than a little.
// The nearest value is then the only one.
func between(s *sorted, v, little float64) ([2]share, bool) {
	n := len(s.values)
	k := s.below(v)
	switch {
	case k < 0:
		return [2]share{{s.index(0), 1}, {}}, v > s.values[0]-little
	case k == n-1:
		return [2]share{{s.index(n - 1), 1}, {}}, v < s.values[n-1]+little
	}
	f := (v - s.values[k]) / (s.values[k+1] - s.values[k])
	return [2]share{{s.index(k), 1 - f}, {s.index(k + 1), f}}, true
}

// quads are what the centres of four neighbouring cells of a curvilinear grid span.
type quads struct {
	g              *Grid
	nx, ny, across int
}

// cells returns the cells of a quad: two of a row, and those of the next one in the other order.
func (q *quads) cells(i int) [4]int {
	row := i / q.across * q.nx
	column := i % q.across
	next := (column + 1) % q.nx
	return [4]int{row + column, row + next, row + q.nx + next, row + q.nx + column}
}

func (q *quads) links(dst []link, i int, s, t float64) []link {
	cells := q.cells(i)
	for k, weight := range [4]float64{(1 - s) * (1 - t), s * (1 - t), s * t, (1 - s) * t} {
		if weight > 0 && !q.g.isMasked(cells[k]) {
			dst = append(dst, link{int32(cells[k]), weight})
		}
	}
	return dst
}

// find returns where a place is in a quad, and false if it is outside. Latitudes and longitudes are
// taken for a plane, and near the poles the plane that touches the globe at the place.
func (q *quads) find(i int, lat, lon float64) (s, t float64, ok bool) {
	var x, y [4]float64
	low := math.Inf(1)
	high := math.Inf(-1)
	polar := math.Abs(lat) > 80
	for k, cell := range q.cells(i) {
		cellLat, cellLon := q.g.centre(cell)
		x[k] = math.Remainder(cellLon-lon, 360)
		y[k] = cellLat - lat
		low = min(low, x[k])
		high = max(high, x[k])
		polar = polar || math.Abs(cellLat) > 80
	}

	if !polar && high-low > 180 {
		return 0, 0, false // it is on the other side of the globe
	}

	if polar {
		at := vectorOf(lat, lon)
		sin, cos := sincos(lon)
		east := vector{-sin, cos, 0}
		north := at.cross(east)
		for k, cell := range q.cells(i) {
			v := vectorOf(q.g.centre(cell))
			depth := v.dot(at)
			if depth < 0.1 {
				return 0, 0, false
			}
			x[k] = v.dot(east) / depth
			y[k] = v.dot(north) / depth
		}
	}
	return inQuad(x, y)
}

// inQuad solves for where the origin is in a quad: s along its first edge, t along the second.
func inQuad(x, y [4]float64) (s, t float64, ok bool) {
	// Leave early if all corners are on one side.
	for _, v := range [2][4]float64{x, y} {
		if min(v[0], v[1], v[2], v[3]) > 0 || max(v[0], v[1], v[2], v[3]) < 0 {
			return 0, 0, false
		}
	}

	const little = 1e-10
	s = 0.5
	t = 0.5
	for range 30 {
		fx := (1-t)*((1-s)*x[0]+s*x[1]) + t*((1-s)*x[3]+s*x[2])
		fy := (1-t)*((1-s)*y[0]+s*y[1]) + t*((1-s)*y[3]+s*y[2])
		xs := (1-t)*(x[1]-x[0]) + t*(x[2]-x[3])
		ys := (1-t)*(y[1]-y[0]) + t*(y[2]-y[3])
		xt := (1-s)*(x[3]-x[0]) + s*(x[2]-x[1])
		yt := (1-s)*(y[3]-y[0]) + s*(y[2]-y[1])
		det := xs*yt - xt*ys
		if det == 0 {
			return 0, 0, false
		}
		ds := (xt*fy - yt*fx) / det
		dt := (ys*fx - xs*fy) / det
		s += ds
		t += dt
		if math.Abs(ds)+math.Abs(dt) < 1e-14 {
			break
		}
	}
	ok = s >= -little && s <= 1+little && t >= -little && t <= 1+little
	return max(0, min(s, 1)), max(0, min(t, 1)), ok
}
