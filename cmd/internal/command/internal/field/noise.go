package field

import "math"

// noise is a smooth random function of space: gradients at the points of a unit lattice, blended in
// between. It is a pure function of its seed, so any part of it can be computed again at any time.
type noise uint64

// mix is a bijection of 64-bit numbers that spreads every input bit over all output bits.
func mix(h uint64) uint64 {
	h ^= h >> 31
	h *= 0x7fb5d329728ea185
	h ^= h >> 27
	h *= 0x81dadef4bc2dd44d
	return h ^ h>>33
}

// at returns the value at a point, within about ±1, with a mean of 0.
func (n noise) at(x, y, z float64) float64 {
	// The lattice point below, and where the point lies above it.
	fx := math.Floor(x)
	fy := math.Floor(y)
	fz := math.Floor(z)
	ix := int64(fx)
	iy := int64(fy)
	iz := int64(fz)
	x, y, z = x-fx, y-fy, z-fz

	u := fade(x)
	v := fade(y)
	w := fade(z)
	near := lerp(v,
		lerp(u, n.corner(ix, iy, iz, x, y, z), n.corner(ix+1, iy, iz, x-1, y, z)),
		lerp(u, n.corner(ix, iy+1, iz, x, y-1, z), n.corner(ix+1, iy+1, iz, x-1, y-1, z)))
	far := lerp(v,
		lerp(u, n.corner(ix, iy, iz+1, x, y, z-1), n.corner(ix+1, iy, iz+1, x-1, y, z-1)),
		lerp(u, n.corner(ix, iy+1, iz+1, x, y-1, z-1), n.corner(ix+1, iy+1, iz+1, x-1, y-1, z-1)))
	return 1.5 * lerp(w, near, far)
}

// corner returns what the gradient of one lattice point contributes at a distance from it.
func (n noise) corner(ix, iy, iz int64, dx, dy, dz float64) float64 {
	h := mix(uint64(n) ^ uint64(ix)*0x9e3779b97f4a7c15 ^ uint64(iy)*0xc2b2ae3d27d4eb4f ^ uint64(iz)*0x165667b19e3779f9)
	const unit = 1.0 / (1 << 20)
	gx := float64(int64(h&(1<<21-1))-1<<20) * unit
	gy := float64(int64(h>>21&(1<<21-1))-1<<20) * unit
	gz := float64(int64(h>>42&(1<<21-1))-1<<20) * unit
	return gx*dx + gy*dy + gz*dz
}

// fade is a step from 0 to 1 with two derivatives of zero at both ends.
func fade(t float64) float64 { return t * t * t * (t*(t*6-15) + 10) }

func lerp(t, a, b float64) float64 { return a + t*(b-a) }

// fractal adds octaves of the noise, each of twice the frequency and half the height.
func (n noise) fractal(octaves int, x, y, z float64) float64 {
	sum := 0.0
	height := 1.0
	for o := range octaves {
		sum += height * (n+noise(o)*0x51ed270b).at(x, y, z)
		x, y, z = 2*x+17.3, 2*y-5.1, 2*z+9.7
		height /= 2
	}
	return sum
}
