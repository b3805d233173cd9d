package zfp

import (
	"fmt"

	cairn "github.com/cairn-go/cairn"
)

// integer is the type to which numbers are converted: it has as many bits.
type integer interface{ int32 | int64 }

// A machine is a codec for one type of numbers.
type machine[I integer] struct {
	field  field
	bounds bounds

	cell    [maxCell]I // the current numbers, fastest dimension first
	coder   coder
	scratch []byte
}

// room is the size of the scratch memory beyond a stream: a cell, so that space is checked only
// once per cell.
func (m *machine[I]) room() int { return max(mostBits, m.bounds.bits)/8 + 2*wordBits/8 }

func (m *machine[I]) reserve(n int) []byte {
	n += m.room()
	if cap(m.scratch) < n {
		m.scratch = make([]byte, n)
	}
	return m.scratch[:n]
}

func (m *machine[I]) encode(dst, src []byte) int {
	if len(src) != m.field.size {
		return 0
	}

	w := bitWriter{out: m.reserve(len(dst))}
	for p, more := m.field.first(), true; more; more = m.field.next(&p) {
		m.gather(src, &p)
		m.encodeCell(&w)
		if w.at > len(dst) {
			return 0
		}
	}

	n := w.close()
	if n > len(dst) {
		return 0
	}
	return copy(dst, w.out[:n])
}

// encodeCell appends the current cell.
func (m *machine[I]) encodeCell(w *bitWriter) {
	begin := w.bits()
	dims := m.field.dims
	ebits := uint(exponentBits(m.field.typeSize))
	numbers := m.cell[:1<<(2*dims)]

	e, odd := exponent(numbers)
	bias := 1<<(ebits-1) - 1
	planes := 0
	if e > -bias {
		planes = m.bounds.planes(e, dims)
	}

	if planes == 0 {
		w.put(0, 1)
	} else {
		w.put(1|uint64(e+bias)<<1, 1+ebits)
		toIntegers(numbers, e, odd)
		forward(numbers)
		m.coder.encode(w, m.load(numbers, dims), dims, planes, m.bounds.bits-1-int(ebits))
	}

	if m.bounds.padded {
		w.zeros(begin + m.bounds.bits - w.bits())
	}
}

// load passes the coefficients to the coder and returns the number of their planes.
func (m *machine[I]) load(numbers []I, dims int) int {
	order := orders[dims]
	if wide[I]() {
		const mask = 0xaaaaaaaaaaaaaaaa
		for i := range numbers {
			m.coder.values[i] = (uint64(numbers[order[i]]) + mask) ^ mask
		}
		return 64
	}
	const mask = 0xaaaaaaaa
	for i := range numbers {
		m.coder.values[i] = uint64((uint32(numbers[order[i]]) + mask) ^ mask)
	}
	return 32
}

// store takes the coefficients from the coder.
func (m *machine[I]) store(numbers []I, dims int) {
	order := orders[dims]
	if wide[I]() {
		const mask = 0xaaaaaaaaaaaaaaaa
		for i := range numbers {
			numbers[order[i]] = I((m.coder.values[i] ^ mask) - mask)
		}
		return
	}
	const mask = 0xaaaaaaaa
	for i := range numbers {
		numbers[order[i]] = I((uint32(m.coder.values[i]) ^ mask) - mask)
	}
}

// decode fills dst, which is a block or its beginning.
func (m *machine[I]) decode(dst, src []byte) error {
	if len(src) > mostBytes {
		return fmt.Errorf("zfp: a stream of %d bytes: %w: %d are possible on this machine", len(src), cairn.ErrLimit, mostBytes)
	}

	in := m.reserve(len(src))
	clear(in[copy(in, src):])
	r := bitReader{in: in}
	limit := 8 * uint(len(src))
	top := m.field.dims - 1
	part := len(dst) < m.field.size

	for p, more := m.field.first(), true; more; more = m.field.next(&p) {
		if part && p.start[top]*m.field.stride[top] >= len(dst) {
			return nil
		}
		m.decodeCell(&r)
		if r.at > limit {
			return cairn.Corruptf(layer, int64(len(src)), "the stream ends within a cell")
		}
		m.scatter(dst, &p)
	}

	if surplus := limit - r.at; surplus >= wordBits && !part {
		return cairn.Corruptf(layer, int64(r.at/8), "%d bits behind the last cell", surplus)
	}
	return nil
}

// decodeCell reads the next cell.
func (m *machine[I]) decodeCell(r *bitReader) {
	begin := r.at
	dims := m.field.dims
	ebits := uint(exponentBits(m.field.typeSize))
	numbers := m.cell[:1<<(2*dims)]

	if r.take(1) == 0 {
		clear(numbers)
	} else {
		e := int(r.take(ebits)) - (1<<(ebits-1) - 1)
		m.coder.decode(r, 8*m.field.typeSize, dims, m.bounds.planes(e, dims), m.bounds.bits-1-int(ebits))
		m.store(numbers, dims)
		backward(numbers)
		toNumbers(numbers, e)
	}

	if m.bounds.padded {
		r.at = begin + uint(m.bounds.bits)
	}
}
