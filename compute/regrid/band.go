package regrid

import (
	"math"
	"slices"
)

// A patch is a cell between two meridians, less than half a globe apart, and two circles of
// latitude.
type patch struct {
	sin, cos   float64 // of the longitude in the middle
	half       vector  // sine and cosine, as x and y, of half the width
	low, high  float64 // sines of the latitudes
	radians    float64 // the width
	south, top float64 // degrees
	west, east float64
}

// patches returns a cell of a rectilinear grid in parts of at most 90 degrees.
func (g *Grid) patches(dst []patch, cell int) []patch {
	row := cell / len(g.lon)
	column := cell % len(g.lon)
	south, top := ordered(g.rows[2*row], g.rows[2*row+1])
	west, east := ordered(g.columns[2*column], g.columns[2*column+1])
	low, _ := sincos(south)
	high, _ := sincos(top)

	n := max(1, int(math.Ceil((east-west)/90)))
	for i := range n {
		from := west + (east-west)*float64(i)/float64(n)
		to := west + (east-west)*float64(i+1)/float64(n)
		p := patch{low: low, high: high, south: south, top: top, west: from, east: to, radians: (to - from) * radian}
		p.sin, p.cos = sincos((from + to) / 2)
		p.half.x, p.half.y = sincos((to - from) / 2)
		dst = append(dst, p)
	}
	return dst
}

func ordered(a, b float64) (low, high float64) { return min(a, b), max(a, b) }

// area returns the area of a patch.
func (p *patch) area() float64 { return p.radians * (p.high - p.low) }

// overlap returns the area that the patch shares with a polygon of great circles, which is convex
// and runs counterclockwise. The buffers are for its use.
//
// Within the meridians, the area is an integral along the edges of the polygon: of the height
// between the circles, as the sine of the latitude, over the longitude (Green's theorem). Circles
// of latitude need not be edges for that.
func (p *patch) overlap(polygon []vector, buffers *[2][]vector) float64 {
	turned := buffers[0][:0]
	for _, v := range polygon {
		turned = append(turned, v.turned(p.sin, p.cos))
	}
	buffers[0] = turned
	buffers[1] = clip(buffers[1][:0], turned, vector{p.half.x, p.half.y, 0})
	buffers[0] = clip(buffers[0][:0], buffers[1], vector{p.half.x, -p.half.y, 0})
	corners := buffers[0]
	if len(corners) < 3 {
		return 0
	}

	area := 0.0
	for i, a := range corners {
		b := corners[(i+1)%len(corners)]
		switch {
		case b.isPole():
			// The circle around a pole is one place, where the longitude turns.
			c := corners[(i+2)%len(corners)]
			area -= p.clamp(b.z) * turn(a, c)
		case !a.isPole():
			area -= p.along(a, b)
		}
	}
	return max(0, area)
}

func (v vector) isPole() bool { return v.x*v.x+v.y*v.y < 1e-20 }

// clamp returns the height of a place within the patch.
func (p *patch) clamp(z float64) float64 { return max(0, min(z, p.high)-p.low) }

// turn returns the difference of the longitudes of two places.
func turn(a, b vector) float64 { return math.Atan2(a.x*b.y-a.y*b.x, a.x*b.x+a.y*b.y) }

// along integrates the height over the longitude, along an arc.
func (p *patch) along(a, b vector) float64 {
	var cuts [6]float64
	at := p.crossings(cuts[:1], a, b, p.low)
	at = p.crossings(at, a, b, p.high)
	at = append(at, 1)
	slices.Sort(at)

	sum := 0.0
	d := b.minus(a)
	from := a
	for i := 1; i < len(at); i++ {
		to := b
		if i < len(at)-1 {
			to = a.plus(d.times(at[i])).unit()
		}
		middle := from.plus(to).unit().z
		angle := turn(from, to)
		switch {
		case middle >= p.high:
			sum += (p.high - p.low) * angle
		case middle > p.low:
			sum += arc(from, to, angle) - p.low*angle
		}
		from = to
	}
	return sum
}

// crossings appends where the chord of an arc is when the arc crosses a circle of latitude.
func (p *patch) crossings(at []float64, a, b vector, z float64) []float64 {
	d := b.minus(a)
	if z == 0 {
		if t := -a.z / d.z; t > 0 && t < 1 {
			at = append(at, t)
		}
		return at
	}

	qa := d.z*d.z - z*z*d.dot(d)
	qb := a.z*d.z - z*z*a.dot(d) // half of it
	qc := a.z*a.z - z*z*a.dot(a)
	root := qb*qb - qa*qc
	switch {
	case root < -1e-14*qb*qb:
		return at
	case root < 0: // but for rounding, the arc touches the circle
		root = 0
	}
	q := -(qb + math.Copysign(math.Sqrt(root), qb))
	for _, t := range [2]float64{q / qa, qc / q} {
		if t > 0 && t < 1 && (a.z+t*d.z)*z >= 0 {
			at = append(at, t)
		}
	}
	return at
}

// arc integrates the sine of the latitude over the longitude, along an arc of a great circle that
// spans an angle of longitudes: the area between the arc and the equator.
func arc(a, b vector, angle float64) float64 {
	ta := a.z / (1 + math.Hypot(a.x, a.y))
	tb := b.z / (1 + math.Hypot(b.x, b.y))
	return 2 * math.Atan2(math.Tan(angle/2)*(ta+tb), 1+ta*tb)
}
