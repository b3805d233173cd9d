package tiles

import (
	"encoding/binary"
	"math"
	"sync"

	"github.com/cairn-go/cairn/internal/slab"
)

// A raster is a rectangle of cells of some levels, each with the sum and the number of the finite
// items in it.
type raster struct {
	levels Levels
	y, x   int64 // the first cell, counted from that of item 0
	ny, nx int
	sums   []float64
	counts []uint32
	// which infinities a cell has: bits of above and below; nil until there is one
	infinite []uint8
	once     *sync.Once // makes infinite, for workers with cells of their own
}

const (
	above = 1 << iota // +Inf
	below             // -Inf
)

func newRaster(levels Levels, y, x int64, ny, nx int) *raster {
	s := &raster{}
	s.reset(levels, y, x, ny, nx)
	return s
}

// reset makes the raster one of empty cells, in the same memory if possible.
func (s *raster) reset(levels Levels, y, x int64, ny, nx int) {
	s.levels = levels
	s.y = y
	s.x = x
	s.ny = ny
	s.nx = nx
	s.infinite = nil
	s.once = new(sync.Once)
	s.sums = slab.Resize(s.sums, ny*nx)
	s.counts = slab.Resize(s.counts, ny*nx)
	clear(s.sums)
	clear(s.counts)
}

func (s *raster) bytes() int64 { return int64(12*len(s.sums)+len(s.infinite)) + 256 }

// cell returns the number of the cell of an item.
func (s *raster) cell(y, x int64) int {
	return int((y>>s.levels.Y)-s.y)*s.nx + int((x>>s.levels.X)-s.x)
}

// addItem adds an item to a cell. NaN is none.
func (s *raster) addItem(at int, v float64) {
	switch {
	case v-v == 0:
		s.sums[at] += v
		s.counts[at]++
	case v > 0:
		s.mark(at, above)
	case v < 0:
		s.mark(at, below)
	}
}

// mark notes infinities of a cell.
func (s *raster) mark(at int, which uint8) {
	s.once.Do(func() { s.infinite = make([]uint8, len(s.sums)) })
	s.infinite[at] |= which
}

// addRow adds items that follow each other along x, or along y, from the item at y, x on.
func (s *raster) addRow(values []float64, y, x int64, alongY bool) {
	at := s.cell(y, x)
	step := 1
	level := s.levels.X
	from := x
	if alongY {
		step = s.nx
		level = s.levels.Y
		from = y
	}

	if level == 0 {
		for _, v := range values {
			s.addItem(at, v)
			at += step
		}
		return
	}

	run := int(int64(1)<<level - from&(int64(1)<<level-1))
	for len(values) > 0 {
		part := values[:min(run, len(values))]
		values = values[len(part):]
		s.addRun(at, part, total(part))
		at += step
		run = 1 << level
	}
}

// addRun adds items to a cell, of which the sum is known.
func (s *raster) addRun(at int, values []float64, sum float64) {
	if sum-sum == 0 {
		s.sums[at] += sum
		s.counts[at] += uint32(len(values))
		return
	}
	for _, v := range values { // some are not finite
		s.addItem(at, v)
	}
}

// addFloats is addRow for the bytes of little-endian float32 along x, which need no conversion.
func (s *raster) addFloats(raw []byte, y, x int64) {
	at := s.cell(y, x)
	run := int(int64(1)<<s.levels.X - x&(int64(1)<<s.levels.X-1))
	var values [64]float64
	for len(raw) > 0 {
		part := raw[:min(4*run, len(raw))]
		raw = raw[len(part):]
		if sum := sumFloats(part); sum-sum == 0 {
			s.sums[at] += sum
			s.counts[at] += uint32(len(part) / 4)
		} else {
			for len(part) > 0 { // some are not finite
				n := min(len(values), len(part)/4)
				for i := range n {
					values[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(part[4*i:])))
				}
				s.addRun(at, values[:n], total(values[:n]))
				part = part[4*n:]
			}
		}

		at++
		run = 1 << s.levels.X
	}
}

// sumFloats returns the sum of little-endian float32.
func sumFloats(raw []byte) float64 {
	var a, b, c, d float64 // four chains, so that additions overlap
	for ; len(raw) >= 16; raw = raw[16:] {
		a += float64(math.Float32frombits(binary.LittleEndian.Uint32(raw)))
		b += float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[4:])))
		c += float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[8:])))
		d += float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[12:])))
	}

	for ; len(raw) >= 4; raw = raw[4:] {
		a += float64(math.Float32frombits(binary.LittleEndian.Uint32(raw)))
	}
	return (a + b) + (c + d)
}

// total returns the sum of values.
func total(values []float64) float64 {
	var a, b, c, d float64 // four chains, so that additions overlap
	for ; len(values) >= 4; values = values[4:] {
		a += values[0]
		b += values[1]
		c += values[2]
		d += values[3]
	}

	for _, v := range values {
		a += v
	}
	return (a + b) + (c + d)
}

// addFiner adds the cells of a finer raster, which begins at cell 0, that lie within this one.
func (s *raster) addFiner(fine *raster) {
	dy := s.levels.Y - fine.levels.Y
	dx := s.levels.X - fine.levels.X
	y1 := min(int64(fine.ny), (s.y+int64(s.ny))<<dy)
	x1 := min(int64(fine.nx), (s.x+int64(s.nx))<<dx)
	for y := s.y << dy; y < y1; y++ {
		row := int(y>>dy-s.y) * s.nx
		from := int(y) * fine.nx
		for x := s.x << dx; x < x1; x++ {
			s.addCell(row+int(x>>dx-s.x), fine, from+int(x))
		}
	}
}

// addCell adds a cell of another raster to one of this.
func (s *raster) addCell(at int, o *raster, from int) {
	s.sums[at] += o.sums[from]
	s.counts[at] += o.counts[from]
	if o.infinite != nil && o.infinite[from] != 0 {
		s.mark(at, o.infinite[from])
	}
}

// values returns the mean of the finite items of each cell. Without any it is infinite if items
// are, and else NaN.
func (s *raster) values() []float64 {
	values := make([]float64, len(s.sums))
	for i, n := range s.counts {
		switch {
		case n == 1:
			values[i] = s.sums[i]
		case n > 0:
			values[i] = s.sums[i] / float64(n)
		case s.infinite == nil || s.infinite[i] == 0:
			values[i] = math.NaN()
		case s.infinite[i] == below:
			values[i] = math.Inf(-1)
		default:
			values[i] = math.Inf(1)
		}
	}
	return values
}
