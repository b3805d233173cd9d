package regrid

import "math"

// Faces of HEALPix: in which ring, and how far east, the southern corner of each begins.
var (
	faceRing = [12]int{2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4}
	faceEast = [12]int{1, 3, 5, 7, 0, 2, 4, 6, 1, 3, 5, 7}
)

// healpix returns the grid of HEALPix with n × n cells in each face. Górski et al., HEALPix: A
// Framework for High-Resolution Discretization and Fast Analysis of Data Distributed on the Sphere,
// 2005.
func healpix(n int, nested bool) (*Grid, error) {
	cells := 12 * n * n
	lat := make([]float64, cells)
	lon := make([]float64, cells)
	cornerLat := make([]float64, 4*cells)
	cornerLon := make([]float64, 4*cells)

	for face := range 12 {
		for iy := range n {
			for ix := range n {
				i := ringIndex(n, face, ix, iy)
				if nested {
					i = face*n*n + spread(ix) + 2*spread(iy)
				}
				at := func(x, y float64) (lat, lon float64) {
					return facePlace(face, (float64(ix)+x)/float64(n), (float64(iy)+y)/float64(n))
				}
				lat[i], lon[i] = at(0.5, 0.5)
				cornerLat[4*i], cornerLon[4*i] = at(0, 0)
				cornerLat[4*i+1], cornerLon[4*i+1] = at(1, 0)
				cornerLat[4*i+2], cornerLon[4*i+2] = at(1, 1)
				cornerLat[4*i+3], cornerLon[4*i+3] = at(0, 1)
			}
		}
	}
	return newCells(lat, lon, 0, cornerLat, cornerLon)
}

// spread puts a zero bit in front of each bit.
func spread(n int) int {
	wide := 0
	for bit := 0; n>>bit > 0; bit++ {
		wide |= n >> bit & 1 << (2 * bit)
	}
	return wide
}

// ringIndex returns the number of a cell in the order of rings, from the north.
func ringIndex(n, face, ix, iy int) int {
	ring := faceRing[face]*n - ix - iy - 1
	length := n
	shift := 0
	before := 2*n*(n-1) + (ring-n)*4*n
	switch {
	case ring < n:
		length = ring
		before = 2 * ring * (ring - 1)
	case ring > 3*n:
		length = 4*n - ring
		before = 12*n*n - 2*(length+1)*length
	default:
		shift = (ring - n) & 1
	}

	east := (faceEast[face]*length + ix - iy + 1 + shift) / 2
	switch {
	case east > 4*n:
		east -= 4 * n
	case east < 1:
		east += 4 * n
	}
	return before + east - 1
}

// facePlace returns the place in a face at x to the north-east and y to the north-west of its
// southern corner, from 0 to 1.
func facePlace(face int, x, y float64) (lat, lon float64) {
	ring := float64(faceRing[face]) - x - y
	length := 1.0
	var z, cos float64
	switch {
	case ring < 1:
		length = ring
		t := length * length / 3
		z = 1 - t
		cos = math.Sqrt(t * (2 - t))
	case ring > 3:
		length = 4 - ring
		t := length * length / 3
		z = t - 1
		cos = math.Sqrt(t * (2 - t))
	default:
		z = (2 - ring) * 2 / 3
		cos = math.Sqrt((1 - z) * (1 + z))
	}

	east := float64(faceEast[face])*length + x - y
	switch {
	case east < 0 && length == 1:
		east += 8
	case east < 0: // by rounding
		east = 0
	}
	if length > 1e-15 {
		lon = 45 * east / length
	}
	if lon >= 360 {
		lon -= 360
	}
	return math.Atan2(z, cos) / radian, lon
}
