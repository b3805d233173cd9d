// Package zstdhuff decodes the Huffman-coded literals of a Zstandard block (RFC 8878 §4.2.2): one
// bit stream or four, each read from its last bit towards its first.
//
// Tables are indexed by the next 11 bits, the length of the longest code. A [Single] yields one
// byte per look-up; a [Double] yields two if both codes fit into the 11 bits. A Double pays if the
// codes are short and there are enough bytes to make up for building it.
package zstdhuff

// MaxBits is the length of the longest code that a table can hold.
const MaxBits = 11

// Single maps the next 11 bits to a byte and the length of its code: the low 8 bits are the length,
// the high 8 bits the byte.
type Single [1 << MaxBits]uint16

// Double maps the next 11 bits to one byte or two. From the lowest bit on, it has 8 bits for the
// length of the codes, 8 for the number of bytes, and 16 for the bytes in the order of the output.
type Double [1 << MaxBits]uint32

// Fill sets d to yield the same bytes as s, two at a time where possible. s must be the table of a
// code, as built by [Builder.Fill].
func (d *Double) Fill(s *Single) { d.fill(s) }

const (
	// Lead is how many bytes must be readable in front of each stream.
	Lead = 8

	perRound = 5 // look-ups per stream between two loads
	// maximum bits used by these look-ups: 55 of the 56 bits of a load
	roundBits  = perRound * MaxBits
	singleRoom = perRound + 3 // how far ahead a round of each kind may write
	doubleRoom = 2 * perRound
)

// Streams are one or four streams and the positions up to which they are decoded.
type Streams struct {
	Src  []byte // bytes that hold the streams
	Dst  []byte // bytes that hold the parts of the output
	Part [4]Part
}

// Part is one stream and its part of the output.
type Part struct {
	From, To int // the stream in Src
	Out, End int // where the next byte goes, and where the part ends

	word int // where the next load of eight bytes begins
	used int // how many of their highest bits are used: 0 to 7
}

// start finds the first bit: the highest bit set in the last byte is the end mark. It fails if
// there is none.
func (p *Part) start(src []byte) bool {
	if p.From >= p.To || src[p.To-1] == 0 {
		return false
	}

	p.word = p.To - 8
	p.used = 1
	for last := src[p.To-1]; last < 0x80; last <<= 1 {
		p.used++
	}

	p.word -= p.used >> 3
	p.used &= 7
	return true
}

// left returns the number of unused bits of the stream.
func (p *Part) left() int { return (p.word+8-p.From)*8 - p.used }

// rounds returns how many rounds can safely run if each produces at most step bytes and writes at
// most room bytes from where it begins.
func (p *Part) rounds(room, step int) int {
	return min(p.left()/roundBits, (p.End-p.Out-room+step)/step)
}

// Decode decodes the first n parts, one or all four, and reports whether every stream ends exactly
// at the end of its part of the output. If d is not nil, it looks up bytes in d.
func (s *Streams) Decode(n int, t *Single, d *Double) bool {
	for i := range n {
		if !s.Part[i].start(s.Src) {
			return false
		}
	}

	if n == 4 {
		s.together(t, d)
	}

	for i := range n {
		p := &s.Part[i]
		s.alone(p, t, d)
		if !s.finish(p, t) || p.left() != 0 {
			return false
		}
	}
	return true
}

// DecodePart decodes part i up to end, which is in this part.
func (s *Streams) DecodePart(i, end int, t *Single) bool {
	p := &s.Part[i]
	p.End = end
	if !p.start(s.Src) {
		return false
	}

	s.alone(p, t, nil)
	return s.finish(p, t)
}

// together runs all four streams until one is near its end.
func (s *Streams) together(t *Single, d *Double) {
	for {
		room := singleRoom
		step := perRound
		if d != nil {
			room = doubleRoom
			step = doubleRoom
		}

		n := s.Part[0].rounds(room, step)
		for i := 1; i < 4; i++ {
			n = min(n, s.Part[i].rounds(room, step))
		}

		if n <= 0 {
			return
		}

		if d != nil {
			s.doubleRounds(d, n)
		} else {
			s.singleRounds(t, n)
		}
	}
}

// alone runs one stream until it is near its end.
func (s *Streams) alone(p *Part, t *Single, d *Double) {
	for d != nil && p.rounds(doubleRoom, doubleRoom) > 0 {
		for range p.rounds(doubleRoom, doubleRoom) {
			p.doubleRound(s.Src, s.Dst, d)
		}
	}

	for p.rounds(singleRoom, perRound) > 0 {
		for range p.rounds(singleRoom, perRound) {
			p.singleRound(s.Src, s.Dst, t)
		}
	}
}

// finish decodes the last bytes of a part one by one.
func (s *Streams) finish(p *Part, t *Single) bool {
	for p.Out < p.End {
		if p.word < 0 {
			return false
		}
		e := t[load(s.Src, p.word)<<(p.used&7)>>(64-MaxBits)]
		bits := int(e & 0xff)
		if bits > p.left() {
			return false
		}

		s.Dst[p.Out] = byte(e >> 8)
		p.Out++
		p.word -= (p.used + bits) >> 3
		p.used = (p.used + bits) & 7
	}
	return true
}
