package regrid

import "math"

// A vector is a place on the unit sphere, or a direction in space.
type vector struct{ x, y, z float64 }

const radian = math.Pi / 180

// vectorOf returns the place with a latitude and a longitude in degrees. Multiples of 90 degrees
// are exact, so that cells meet at the poles and on the equator.
func vectorOf(lat, lon float64) vector {
	sinLat, cosLat := sincos(lat)
	sinLon, cosLon := sincos(lon)
	return vector{cosLat * cosLon, cosLat * sinLon, sinLat}
}

// sincos returns the sine and the cosine of an angle in degrees.
func sincos(degrees float64) (sin, cos float64) {
	turns := math.Round(degrees / 90)
	sin, cos = math.Sincos((degrees - turns*90) * radian)
	switch int64(turns) & 3 {
	case 1:
		return cos, -sin
	case 2:
		return -sin, -cos
	case 3:
		return -cos, sin
	}
	return sin, cos
}

func (v vector) plus(w vector) vector       { return vector{v.x + w.x, v.y + w.y, v.z + w.z} }
func (v vector) minus(w vector) vector      { return vector{v.x - w.x, v.y - w.y, v.z - w.z} }
func (v vector) times(f float64) vector     { return vector{v.x * f, v.y * f, v.z * f} }
func (v vector) dot(w vector) float64       { return v.x*w.x + v.y*w.y + v.z*w.z }
func (v vector) length() float64            { return math.Sqrt(v.dot(v)) }
func (v vector) distance2(w vector) float64 { d := v.minus(w); return d.dot(d) }

func (v vector) cross(w vector) vector {
	return vector{v.y*w.z - v.z*w.y, v.z*w.x - v.x*w.z, v.x*w.y - v.y*w.x}
}

// unit returns the place in the direction of v.
func (v vector) unit() vector {
	if n := v.length(); n > 0 {
		return v.times(1 / n)
	}
	return v
}

// degrees returns the latitude and the longitude.
func (v vector) degrees() (lat, lon float64) {
	return math.Atan2(v.z, math.Hypot(v.x, v.y)) / radian, math.Atan2(v.y, v.x) / radian
}

// turned returns v turned about the axis of the poles by an angle with a sine and a cosine.
func (v vector) turned(sin, cos float64) vector {
	return vector{v.x*cos + v.y*sin, v.y*cos - v.x*sin, v.z}
}

// triangle returns the area of a triangle of great circles, negative if its corners run clockwise
// as seen from outside. Differences of corners keep small areas exact.
func triangle(a, b, c vector) float64 {
	det := a.dot(b.minus(a).cross(c.minus(a)))
	return 2 * math.Atan2(det, 1+a.dot(b)+b.dot(c)+c.dot(a))
}

// polygonArea returns the area of a polygon of great circles, negative if it runs clockwise.
func polygonArea(p []vector) float64 {
	area := 0.0
	for i := 2; i < len(p); i++ {
		area += triangle(p[0], p[i-1], p[i])
	}
	return area
}

// clip appends to dst the part of a polygon on the side of a great circle to which its normal
// points.
func clip(dst, p []vector, normal vector) []vector {
	if len(p) == 0 {
		return dst
	}
	last := p[len(p)-1]
	before := side(last, normal)
	for _, v := range p {
		at := side(v, normal)
		if before*at < 0 {
			// The arc crosses the circle, at the same place from either end.
			if before > 0 {
				dst = append(dst, last.times(-at).plus(v.times(before)).unit())
			} else {
				dst = append(dst, v.times(-before).plus(last.times(at)).unit())
			}
		}

		if at >= 0 {
			dst = append(dst, v)
		}
		last = v
		before = at
	}
	return dst
}

// side returns on which side of a great circle a place is, as its distance; 0 on it but for
// rounding.
func side(v, normal vector) float64 {
	d := v.dot(normal)
	if math.Abs(d) < 4e-16 {
		return 0
	}
	return d
}

// A convex is a convex polygon that runs counterclockwise, or one that is to be subtracted.
type convex struct {
	corners []vector
	sign    float64
}

// withoutRepeats appends the corners of a polygon to dst, without those that equal the one before.
func withoutRepeats(dst, p []vector) []vector {
	const near = 1e-26 // a square of a distance
	for i, v := range p {
		if len(dst) > 0 && v.distance2(dst[len(dst)-1]) < near {
			continue
		}
		if i == len(p)-1 && len(dst) > 0 && v.distance2(dst[0]) < near {
			continue
		}
		dst = append(dst, v)
	}
	return dst
}

// convexes appends a polygon to dst as convex ones: itself, or triangles with signs. Polygons
// without an area have none.
func convexes(dst []convex, p []vector) []convex {
	if len(p) < 3 {
		return dst
	}
	area := polygonArea(p)
	if area == 0 {
		return dst
	}
	if area < 0 {
		for i, j := 0, len(p)-1; i < j; i, j = i+1, j-1 {
			p[i], p[j] = p[j], p[i]
		}
	}

	n := len(p)
	flat := true
	for i := range p {
		turn := p[i].dot(p[(i+1)%n].minus(p[i]).cross(p[(i+2)%n].minus(p[i])))
		flat = flat && turn >= -1e-15
	}
	if flat {
		return append(dst, convex{p, 1})
	}

	for i := 2; i < n; i++ {
		switch t := triangle(p[0], p[i-1], p[i]); {
		case t > 0:
			dst = append(dst, convex{[]vector{p[0], p[i-1], p[i]}, 1})
		case t < 0:
			dst = append(dst, convex{[]vector{p[0], p[i], p[i-1]}, -1})
		}
	}
	return dst
}

// overlap returns the area that two convex polygons share. The buffers are for its use.
func overlap(a, b []vector, buffers *[2][]vector) float64 {
	p := a
	for i := range b {
		next := b[(i+1)%len(b)]
		normal := b[i].cross(next.minus(b[i])).unit()
		buffers[i&1] = clip(buffers[i&1][:0], p, normal)
		p = buffers[i&1]
		if len(p) < 3 {
			return 0
		}
	}
	return max(0, polygonArea(p))
}
