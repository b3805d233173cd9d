package tiles

import (
	"encoding/binary"
	"math"
)

// A sheet is a rectangle of cells of one level, each with the sum and the number of the items in it
// that are numbers.
type sheet struct {
	level  int
	y, x   int64 // the first cell, counted from that of item 0
	ny, nx int
	sums   []float64
	counts []uint32
}

func newSheet(level int, y, x int64, ny, nx int) *sheet {
	s := &sheet{}
	s.reset(level, y, x, ny, nx)
	return s
}

// reset makes the sheet one of empty cells, in the same memory if possible.
func (s *sheet) reset(level int, y, x int64, ny, nx int) {
	s.level, s.y, s.x, s.ny, s.nx = level, y, x, ny, nx
	if n := ny * nx; cap(s.sums) < n {
		s.sums, s.counts = make([]float64, n), make([]uint32, n)
	} else {
		s.sums, s.counts = s.sums[:n], s.counts[:n]
		clear(s.sums)
		clear(s.counts)
	}
}

// addRow adds items that follow each other along x, or along y, from the item at y, x on.
func (s *sheet) addRow(values []float64, y, x int64, alongY bool) {
	at := int((y>>s.level)-s.y)*s.nx + int((x>>s.level)-s.x)
	step, from := 1, x
	if alongY {
		step, from = s.nx, y
	}
	if s.level == 0 {
		for _, v := range values {
			if v == v {
				s.sums[at], s.counts[at] = v, 1
			}
			at += step
		}
		return
	}
	run := int(int64(1)<<s.level - from&(int64(1)<<s.level-1))
	for len(values) > 0 {
		part := values[:min(run, len(values))]
		values = values[len(part):]
		sum, count := total(part)
		s.sums[at] += sum
		s.counts[at] += count
		at += step
		run = 1 << s.level
	}
}

// addFloats is addRow for the bytes of little-endian float32 along x, which need no conversion.
func (s *sheet) addFloats(raw []byte, y, x int64) {
	at := int((y>>s.level)-s.y)*s.nx + int((x>>s.level)-s.x)
	run := int(int64(1)<<s.level - x&(int64(1)<<s.level-1))
	var values [64]float64
	for len(raw) > 0 {
		part := raw[:min(4*run, len(raw))]
		raw = raw[len(part):]
		if sum := sumFloats(part); sum == sum {
			s.sums[at] += sum
			s.counts[at] += uint32(len(part) / 4)
		} else {
			for len(part) > 0 { // some are NaN
				n := min(len(values), len(part)/4)
				for i := range n {
					values[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(part[4*i:])))
				}
				sum, count := total(values[:n])
				s.sums[at] += sum
				s.counts[at] += count
				part = part[4*n:]
			}
		}
		at++
		run = 1 << s.level
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

// total returns the sum of the values that are numbers, and how many they are.
func total(values []float64) (sum float64, count uint32) {
	var a, b, c, d float64 // four chains, so that additions overlap
	rest := values
	for ; len(rest) >= 4; rest = rest[4:] {
		a += rest[0]
		b += rest[1]
		c += rest[2]
		d += rest[3]
	}
	for _, v := range rest {
		a += v
	}
	if sum = (a + b) + (c + d); sum == sum {
		return sum, uint32(len(values))
	}
	sum = 0
	for _, v := range values { // one of them is NaN, or there are infinities of both signs
		if v == v {
			sum += v
			count++
		}
	}
	return sum, count
}

// merge adds the cells of another sheet of the same level, which lies within this one.
func (s *sheet) merge(o *sheet) {
	for r := range o.ny {
		at := (int(o.y-s.y)+r)*s.nx + int(o.x-s.x)
		for i, sum := range o.sums[r*o.nx:][:o.nx] {
			s.sums[at+i] += sum
			s.counts[at+i] += o.counts[r*o.nx+i]
		}
	}
}

// coarser returns the sheet of the next level; this one must begin at cell 0.
func (s *sheet) coarser() *sheet {
	next := newSheet(s.level+1, 0, 0, (s.ny+1)/2, (s.nx+1)/2)
	for r := range s.ny {
		for i, sum := range s.sums[r*s.nx:][:s.nx] {
			at := r/2*next.nx + i/2
			next.sums[at] += sum
			next.counts[at] += s.counts[r*s.nx+i]
		}
	}
	return next
}

// means returns the mean of each cell, NaN where it has no numbers.
func (s *sheet) means() []float32 {
	means := make([]float32, len(s.sums))
	for i, n := range s.counts {
		switch n {
		case 0:
			means[i] = float32(math.NaN())
		case 1:
			means[i] = float32(s.sums[i])
		default:
			means[i] = float32(s.sums[i] / float64(n))
		}
	}
	return means
}
