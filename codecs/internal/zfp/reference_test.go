package zfp

import (
	"encoding/binary"
	"math"
	"slices"
)

// This file implements the format again as plainly as possible: one bit at a time, with numbers as
// int64.

// A refCodec is a reference for one shape.
type refCodec struct {
	shape    []int32
	typeSize int
	bounds   bounds
	bits     []bool
	at       int
}

func newReference(m Mode, parameter uint8, shape []int32, typeSize int) *refCodec {
	return &refCodec{shape: shape, typeSize: typeSize, bounds: boundsOf(m, parameter, len(shape), typeSize)}
}

// cells calls visit for each cell with the offsets of its numbers in the block, in items, or -1
// beyond the block.
func (c *refCodec) cells(visit func(at []int)) {
	d := len(c.shape)
	counts := make([]int, d) // cells along each dimension
	total := 1
	for i, n := range c.shape {
		counts[i] = (int(n) + 3) / 4
		total *= counts[i]
	}
	for cell := range total {
		at := make([]int, 1<<(2*d))
		for i := range at {
			// The last dimension of the shape is the first of a cell.
			rest, inner, pos, step := cell, i, 0, 1
			for k := d - 1; k >= 0; k-- {
				x := rest%counts[k]*4 + inner%4
				rest, inner = rest/counts[k], inner/4
				if x >= int(c.shape[k]) {
					pos = math.MinInt32
				}
				pos += x * step
				step *= int(c.shape[k])
			}
			at[i] = max(pos, -1)
		}
		visit(at)
	}
}

// pad fills the missing numbers of a cell line by line, fastest dimension first.
func pad(v []float64, at []int) {
	there := make([]bool, len(at))
	for i, p := range at {
		there[i] = p >= 0
	}
	for step := 1; step < len(v); step *= 4 {
		for i := range v {
			k := i / step % 4
			if k == 0 || there[i] || !there[i-k*step] {
				continue
			}
			from := i - step
			if k == 3 {
				from = i - 3*step
			}
			v[i], there[i] = v[from], true
		}
	}
}

func (c *refCodec) put(v uint64, n int) {
	for i := range n {
		c.bits = append(c.bits, v>>i&1 == 1)
	}
}

func (c *refCodec) get() uint64 {
	c.at++
	if c.at <= len(c.bits) && c.bits[c.at-1] {
		return 1
	}
	return 0
}

func (c *refCodec) width() int { return 8 * c.typeSize }
func (c *refCodec) bias() int  { return 1<<(exponentBits(c.typeSize)-1) - 1 }

// number rounds a float64 to the codec's type.
func (c *refCodec) number(v float64) float64 {
	if c.typeSize == 4 {
		return float64(float32(v))
	}
	return v
}

// wrap truncates an integer to the width of the codec's type.
func (c *refCodec) wrap(v int64) int64 {
	if c.typeSize == 4 {
		return int64(int32(v))
	}
	return v
}

func (c *refCodec) encode(src []byte) []byte {
	c.bits = nil
	c.cells(func(at []int) {
		v := make([]float64, len(at))
		for i, p := range at {
			switch {
			case p < 0:
			case c.typeSize == 4:
				v[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(src[4*p:])))
			default:
				v[i] = math.Float64frombits(binary.LittleEndian.Uint64(src[8*p:]))
			}
		}
		pad(v, at)
		begin := len(c.bits)
		c.encodeCell(v)
		if c.bounds.padded {
			c.put(0, begin+c.bounds.bits-len(c.bits))
		}
	})
	c.put(0, (64-len(c.bits)%64)%64)
	out := make([]byte, len(c.bits)/8)
	for i, b := range c.bits {
		if b {
			out[i/8] |= 1 << (i % 8)
		}
	}
	return out
}

func (c *refCodec) encodeCell(v []float64) {
	most := 0.0
	for _, x := range v {
		if math.Abs(x) > most {
			most = math.Abs(x)
		}
	}
	e := -c.bias()
	if most > 0 {
		_, e = math.Frexp(most)
		e = max(e, 1-c.bias())
	}
	d := len(c.shape)
	planes := c.bounds.planes(e, d)
	if planes == 0 || e == -c.bias() {
		c.put(0, 1)
		return
	}
	c.put(1, 1)
	c.put(uint64(e+c.bias()), exponentBits(c.typeSize))
	n := make([]int64, len(v))
	s := c.number(math.Ldexp(1, c.width()-2-e))
	for i, x := range v {
		if y := c.number(s * x); math.Abs(y) < math.Ldexp(1, c.width()-1) {
			n[i] = int64(y)
		} else {
			n[i] = -1 << (c.width() - 1)
		}
	}
	for step := 1; step < len(n); step *= 4 {
		for i := range n {
			if i/step%4 == 0 {
				c.lift(n[i:], step)
			}
		}
	}
	u := make([]uint64, len(n))
	for i := range u {
		u[i] = (uint64(n[orders[d][i]]) + 0xaaaaaaaaaaaaaaaa) ^ 0xaaaaaaaaaaaaaaaa
	}
	c.encodePlanes(u, planes, c.bounds.bits-1-exponentBits(c.typeSize))
}

func (c *refCodec) lift(p []int64, s int) {
	x, y, z, w := p[0], p[s], p[2*s], p[3*s]
	mean := func(a, b *int64) {
		*a = c.wrap(*a+*b) >> 1
		*b = c.wrap(*b - *a)
	}
	mean(&x, &w)
	mean(&z, &y)
	mean(&x, &z)
	mean(&w, &y)
	w = c.wrap(w + y>>1)
	y = c.wrap(y - w>>1)
	p[0], p[s], p[2*s], p[3*s] = x, y, z, w
}

func (c *refCodec) encodePlanes(u []uint64, planes, limit int) {
	end := len(c.bits) + limit
	known := 0
	for k := c.width() - 1; k >= max(0, c.width()-planes); k-- {
		bit := func(i int) uint64 { return u[i] >> k & 1 }
		for i := range known {
			c.put(bit(i), 1)
		}
		for known < len(u) {
			some := slices.ContainsFunc(u[known:], func(v uint64) bool { return v>>k&1 == 1 })
			if !some {
				c.put(0, 1)
				break
			}
			c.put(1, 1)
			for ; known < len(u)-1 && bit(known) == 0; known++ {
				c.put(0, 1)
			}
			if known < len(u)-1 {
				c.put(1, 1)
			}
			known++
		}
	}
	c.bits = c.bits[:min(end, len(c.bits))]
}

// decode decodes a stream and returns the number of bits used.
func (c *refCodec) decode(stream []byte) ([]byte, int) {
	c.bits, c.at = make([]bool, 8*len(stream)), 0
	for i := range c.bits {
		c.bits[i] = stream[i/8]>>(i%8)&1 == 1
	}
	items := 1
	for _, n := range c.shape {
		items *= int(n)
	}
	out := make([]byte, items*c.typeSize)
	c.cells(func(at []int) {
		v, begin := make([]float64, len(at)), c.at
		if c.at > len(c.bits) {
			return
		}
		c.decodeCell(v)
		if c.bounds.padded {
			c.at = begin + c.bounds.bits
		}
		for i, p := range at {
			switch {
			case p < 0:
			case c.typeSize == 4:
				binary.LittleEndian.PutUint32(out[4*p:], math.Float32bits(float32(v[i])))
			default:
				binary.LittleEndian.PutUint64(out[8*p:], math.Float64bits(v[i]))
			}
		}
	})
	return out, c.at
}

func (c *refCodec) decodeCell(v []float64) {
	if c.get() == 0 {
		return
	}
	e := -c.bias()
	for i := range exponentBits(c.typeSize) {
		e += int(c.get()) << i
	}
	d := len(c.shape)
	u := make([]uint64, len(v))
	c.decodePlanes(u, c.bounds.planes(e, d), c.bounds.bits-1-exponentBits(c.typeSize))
	n := make([]int64, len(v))
	for i := range u {
		n[orders[d][i]] = c.wrap(int64((u[i] ^ 0xaaaaaaaaaaaaaaaa) - 0xaaaaaaaaaaaaaaaa))
	}
	for step := len(n) / 4; step > 0; step /= 4 {
		for i := range n {
			if i/step%4 == 0 {
				c.drop(n[i:], step)
			}
		}
	}
	s := c.number(math.Ldexp(1, e-c.width()+2))
	for i := range v {
		v[i] = c.number(s * c.number(float64(n[i])))
	}
}

func (c *refCodec) drop(p []int64, s int) {
	x, y, z, w := p[0], p[s], p[2*s], p[3*s]
	apart := func(a, b *int64) {
		*b = c.wrap(*a + *b)
		*a = c.wrap(2**a - *b)
	}
	y = c.wrap(y + w>>1)
	w = c.wrap(w - y>>1)
	apart(&w, &y)
	apart(&x, &z)
	apart(&z, &y)
	apart(&x, &w)
	p[0], p[s], p[2*s], p[3*s] = x, y, z, w
}

func (c *refCodec) decodePlanes(u []uint64, planes, limit int) {
	end, known := c.at+limit, 0
	for k := c.width() - 1; k >= max(0, c.width()-planes) && c.at < end; k-- {
		for i := 0; i < known && c.at < end; i++ {
			u[i] |= c.get() << k
		}
		for known < len(u) && c.at < end && c.get() == 1 {
			for known < len(u)-1 && c.at < end && c.get() == 0 {
				known++
			}
			u[known] |= 1 << k
			known++
		}
	}
}
