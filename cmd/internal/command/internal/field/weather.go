package field

import "math"

const (
	octaves   = 3
	driftRate = 6.5 * math.Pi / 180 // eastwards, per day
)

// weather is noise on the sphere that drifts eastwards and changes while it does: the sphere moves
// through a solid block of noise, a little further every day. It is computed on a coarse grid,
// which still resolves its finest octave, and interpolated.
type weather struct {
	noise      noise
	f          *Field
	lats, lons int   // of the coarse grid
	columns    []tap // for each fine column
	rows       []tap // for each fine row
}

// tap says which four coarse values an interpolated one is made of.
type tap struct {
	index  [4]int32
	weight [4]float32
}

func newWeather(f *Field, seed uint64) weather {
	w := weather{noise: noise{seed}, f: f, lats: max(4, f.lats/3), lons: max(4, f.lons/3)}
	for col := range f.lons {
		at := (float64(col)+0.5)/float64(f.lons)*float64(w.lons) - 0.5
		w.columns = append(w.columns, newTap(at, func(i int) int { return (i + w.lons) % w.lons }))
	}
	for row := range f.lats {
		at := (float64(row)+0.5)/float64(f.lats)*float64(w.lats) - 0.5
		w.rows = append(w.rows, newTap(at, func(i int) int { return min(w.lats-1, max(0, i)) }))
	}
	return w
}

// newTap returns the weights of a cubic B-spline: smoother than the values it passes by, without
// overshoot.
func newTap(at float64, clamp func(int) int) tap {
	base := math.Floor(at)
	t := at - base
	weights := [4]float64{(1 - t) * (1 - t) * (1 - t) / 6, (4 - 6*t*t + 3*t*t*t) / 6, (1 + 3*t + 3*t*t - 3*t*t*t) / 6, t * t * t / 6}
	var p tap
	for k, weight := range weights {
		p.index[k] = int32(clamp(int(base) - 1 + k))
		p.weight[k] = float32(weight)
	}
	return p
}

// fill returns the weather of a day on the fine grid, of about unit variance; the result is in s.
func (w *weather) fill(day int, s *Scratch) []float32 {
	if len(s.fine) != w.f.lats*w.f.lons {
		*s = Scratch{make([]float32, w.lats*w.lons), make([]float32, w.lats*w.f.lons), make([]float32, w.f.lats*w.f.lons)}
	}
	w.fillCoarse(day, s.coarse)
	for row := range w.lats {
		line, out := s.coarse[row*w.lons:(row+1)*w.lons], s.rows[row*w.f.lons:(row+1)*w.f.lons]
		for col := range out {
			p := &w.columns[col]
			out[col] = p.weight[0]*line[p.index[0]] + p.weight[1]*line[p.index[1]] + p.weight[2]*line[p.index[2]] +
				p.weight[3]*line[p.index[3]]
		}
	}
	n := w.f.lons
	for row := range w.f.lats {
		p := &w.rows[row]
		a, b := s.rows[int(p.index[0])*n:][:n], s.rows[int(p.index[1])*n:][:n]
		c, d := s.rows[int(p.index[2])*n:][:n], s.rows[int(p.index[3])*n:][:n]
		out := s.fine[row*n:][:n]
		for col := range out {
			out[col] = p.weight[0]*a[col] + p.weight[1]*b[col] + p.weight[2]*c[col] + p.weight[3]*d[col]
		}
	}
	return s.fine
}

// fillCoarse computes the noise itself.
func (w *weather) fillCoarse(day int, dst []float32) {
	t := float64(day)
	for col := range w.lons {
		lon := ((float64(col)+0.5)/float64(w.lons)-0.5)*2*math.Pi - driftRate*t
		sin, cos := math.Sincos(lon)
		for row := range w.lats {
			lat := (0.5 - (float64(row)+0.5)/float64(w.lats)) * math.Pi
			z, r := math.Sincos(lat)
			x, y := r*cos, r*sin
			sum, scale, height := 0.0, 2.6, 2.2
			for o := range octaves {
				// Small systems live for a shorter time: each octave moves in proportion to its
				// size.
				shift := 0.16*t + 31.7*float64(o)
				sum += height * w.noise.at(scale*x+shift, scale*y+0.6*shift, scale*z-0.4*shift)
				scale *= 2
				height *= 0.65
			}
			dst[row*w.lons+col] = float32(sum)
		}
	}
}
