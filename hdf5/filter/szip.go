package filter

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Szip (filter 4) stores, behind the u32 number of bytes of the items, what the lossless coder of
// CCSDS 121.0-B makes of the samples of a chunk. Items of 32 and 64 bits are not samples, but their
// bytes are: all first bytes of items, then all second ones, and so on.
//
// Samples are coded line by line. A line is filled up to whole blocks with samples that are not of
// the chunk. Each block begins with the number of its code, and is in bits, the most significant
// one first:
//
//	all bits clear   bit 0: some blocks of zeros, as many as a unary number says
//	                 bit 1: pairs of samples, each a unary number
//	all bits set     the samples as they are
//	others, k+1      what is above the lowest k bits of each sample, in unary, then these bits
//
// A unary number n is n bits 0 and a bit 1. If neighbours predict samples, the first one of a line
// stands for itself, behind the number (and bit) of its block, and the others are differences from
// the one before: 0, -1, 1, -2 and so on, but beyond what both directions have room for the
// distance in the one that has. (Source: CCSDS 121.0-B-2; where HDF5 differs, behaviour of the HDF5
// library with libaec.)

// Parameters of szip.
const (
	szipOptions = iota
	szipBlock   // samples of a block
	szipBits    // of an item
	szipLine    // samples of a line
	szipParams
)

// Options of szip.
const (
	szipBigEndian = 1 << 4
	szipPredicted = 1 << 5
)

func szipCheck(f Filter) error {
	if len(f.Params) < szipParams {
		return corrupt(f.ID, "%d parameters, want %d", len(f.Params), szipParams)
	}
	const mostBlock, mostLine = 64, 1 << 24
	block := f.Params[szipBlock]
	line := f.Params[szipLine]
	if n := f.Params[szipBits]; n == 0 || n > 24 && n != 32 && n != 64 {
		return corrupt(f.ID, "items of %d bits", n)
	}
	if block < 2 || block > mostBlock || block%2 != 0 || line == 0 || line > mostLine {
		return corrupt(f.ID, "blocks of %d samples in lines of %d", block, line)
	}
	return nil
}

const szipHead = 4

func szipSize(f Filter, src []byte, _ int) (int, error) {
	if len(src) < szipHead {
		return 0, corrupt(f.ID, "%d bytes, less than a header", len(src))
	}
	return int(min(binary.LittleEndian.Uint32(src), math.MaxInt32)), nil
}

func szipDecode(_ *workspace, f Filter, dst, src []byte) ([]byte, error) {
	size, err := szipSize(f, src, 0)
	if err != nil {
		return nil, err
	}
	if size != len(dst) {
		return nil, corrupt(f.ID, "%d bytes, want %d", size, len(dst))
	}

	d := newSzip(f, dst, src[szipHead:])
	if size%d.unit != 0 {
		return nil, corrupt(f.ID, "%d bytes for items of %d", size, d.unit)
	}
	d.left = size / d.bytes
	for d.left > 0 && !d.failed {
		d.line()
	}
	if d.failed {
		return nil, corrupt(f.ID, "the samples are damaged, or end early")
	}
	return dst, nil
}

// A szip decodes the samples of a chunk.
type szip struct {
	bits bitReader
	have int64 // bits that are left in it

	width     uint // bits of a sample
	id        uint // bits of the number of a code
	block     int  // samples of a block
	blocks    int  // of a line
	samples   int  // of a line that are of the chunk
	predicted bool
	bigEndian bool
	unit      int // bytes of an item
	bytes     int // bytes of a sample
	planes    bool

	dst    []byte
	done   int // samples
	left   int // samples
	at     int // samples of the line
	last   uint64
	failed bool
}

func newSzip(f Filter, dst, src []byte) *szip {
	d := &szip{bits: bitReader{src: src}, have: 8 * int64(len(src)), dst: dst, width: uint(f.Params[szipBits]),
		block: int(f.Params[szipBlock]), samples: int(f.Params[szipLine])}
	d.blocks = (d.samples + d.block - 1) / d.block
	d.predicted = f.Params[szipOptions]&szipPredicted != 0
	d.bigEndian = f.Params[szipOptions]&szipBigEndian != 0

	d.planes = d.width >= 32
	switch {
	case d.planes:
		d.unit = int(d.width / 8)
		d.width = 8
	case d.width > 16:
		d.unit = 4
	default:
		d.unit = int(d.width+7) / 8
	}
	d.bytes = d.unit
	if d.planes {
		d.bytes = 1
	}

	d.id = 3
	if d.width > 8 {
		d.id = 4
	}
	if d.width > 16 {
		d.id = 5
	}
	return d
}

// take returns the next n bits.
func (d *szip) take(n uint) uint64 {
	if d.have -= int64(n); d.have < 0 {
		d.failed = true
		return 0
	}
	return d.bits.take(n)
}

// unary returns the next unary number.
func (d *szip) unary() (n uint64) {
	for {
		if d.bits.have == 0 {
			if len(d.bits.src) == 0 {
				d.failed = true
				return 0
			}
			d.bits.fill()
		}

		zeros := uint(bits.LeadingZeros64(d.bits.next))
		if zeros < d.bits.have {
			d.bits.take(zeros + 1)
			d.have -= int64(zeros) + 1
			d.failed = d.failed || d.have < 0
			return n + uint64(zeros)
		}
		n += uint64(d.bits.have)
		d.have -= int64(d.bits.have)
		d.bits.next = 0
		d.bits.have = 0
	}
}

// line decodes the blocks of a line.
func (d *szip) line() {
	d.at = 0
	for b := 0; b < d.blocks && d.left > 0 && !d.failed; {
		b += d.codedBlock(b)
	}
}

// codedBlock decodes a block, the b-th of a line, or several of zeros, and returns how many.
func (d *szip) codedBlock(b int) int {
	code := d.take(d.id)
	first := d.predicted && b == 0
	pairs := code == 0 && d.take(1) == 1
	n := d.block
	if first && code != 1<<d.id-1 {
		d.last = d.take(d.width)
		d.put(d.last)
		n--
	}

	switch {
	case code == 1<<d.id-1:
		for i := range n {
			v := d.take(d.width)
			if first && i == 0 {
				d.last = v
				d.put(v)
				continue
			}
			d.sample(v)
		}
	case pairs:
		d.pairs(n)
	case code == 0:
		blocks := d.zeros(b)
		for range n + (blocks-1)*d.block {
			if d.left == 0 {
				break
			}
			d.sample(0)
		}
		return blocks
	default:
		d.split(n, uint(code-1))
	}
	return 1
}

// zeros returns the number of blocks of zeros from the b-th block of a line on: 5 stands for all
// that are left of a segment of 64 blocks or of the line, and more for one less.
func (d *szip) zeros(b int) int {
	const rest, segment = 5, 64
	left := d.blocks - b
	n := int(min(d.unary()+1, 1<<20))
	switch {
	case n == rest:
		n = min(left, segment-b%segment)
	case n > rest:
		n--
	}
	if n > left {
		d.failed = true
		return 1
	}
	return n
}

// pairs decodes n samples two by two; of an odd number, the first one stands alone.
func (d *szip) pairs(n int) {
	for n > 0 && !d.failed {
		const most = 90
		m := d.unary()
		if m > most {
			d.failed = true
			return
		}

		sum := uint64(0) // of the two
		for (sum+1)*(sum+2)/2 <= m {
			sum++
		}
		second := m - sum*(sum+1)/2
		if n%2 == 0 {
			d.sample(sum - second)
			n--
		}
		d.sample(second)
		n--
	}
}

// split decodes n samples with k bits that are stored as they are.
func (d *szip) split(n int, k uint) {
	var high [64]uint64
	for i := range n {
		high[i] = d.unary() << k
	}
	for i := range n {
		v := high[i]
		if k > 0 {
			v |= d.take(k)
		}
		d.sample(v)
	}
}

// sample puts what stands for a sample.
func (d *szip) sample(v uint64) {
	if !d.predicted {
		d.put(v)
		return
	}

	most := uint64(1)<<d.width - 1
	room := min(d.last, most-d.last)
	switch {
	case v > most:
		d.failed = true
	case v > 2*room && room == d.last:
		d.last = v
	case v > 2*room:
		d.last = most - v
	case v%2 == 0:
		d.last += v / 2
	default:
		d.last -= (v + 1) / 2
	}
	d.put(d.last)
}

// put puts a sample in its place, unless it only fills the line.
func (d *szip) put(v uint64) {
	d.at++
	if d.at > d.samples || d.left == 0 {
		return
	}
	d.left--
	i := d.done
	d.done++

	switch {
	case d.planes:
		items := len(d.dst) / d.unit
		d.dst[i%items*d.unit+i/items] = byte(v)
	case d.bytes == 1:
		d.dst[i] = byte(v)
	case d.bytes == 2 && d.bigEndian:
		binary.BigEndian.PutUint16(d.dst[2*i:], uint16(v))
	case d.bytes == 2:
		binary.LittleEndian.PutUint16(d.dst[2*i:], uint16(v))
	case d.bigEndian:
		binary.BigEndian.PutUint32(d.dst[4*i:], uint32(v))
	default:
		binary.LittleEndian.PutUint32(d.dst[4*i:], uint32(v))
	}
}
