package zarr

import "encoding/binary"

// A transposition stores the dimensions of a chunk in another order: the codec transpose, and order
// F of version 2.
type transposition struct {
	shape []int64 // before the transposition
	order []int   // dimension i of the transposed chunk is dimension order[i]
	item  int64
}

// reversed returns the order that makes C order of Fortran order.
func reversed(dims int) []int {
	order := make([]int, dims)
	for i := range order {
		order[i] = dims - 1 - i
	}
	return order
}

// plain reports whether the order of the items stays the same.
func (t *transposition) plain() bool {
	last := -1
	for _, d := range t.order {
		if t.shape[d] == 1 {
			continue
		}
		if d < last {
			return false
		}
		last = d
	}
	return true
}

func (t *transposition) encodedSize(n int64) int64 { return n }

func (t *transposition) decoder() (decoder, error) { return t, nil }

func (t *transposition) decode(dst, src []byte) ([]byte, error) {
	if len(src) != len(dst) {
		return nil, corruptChunk("%d bytes, want %d", len(src), len(dst))
	}
	if t.plain() {
		return src, nil
	}
	t.permute(dst, src, false)
	return dst, nil
}

// permute copies the transposed chunk src to dst, or, if forth is set, the chunk src to the
// transposed one.
func (t *transposition) permute(dst, src []byte, forth bool) {
	// steps of both sides, along the dimensions of the transposed chunk; those of length 1 are left
	// out
	var count, plain, moved []int
	step := make([]int64, len(t.shape))
	for n, d := t.item, len(t.shape)-1; d >= 0; d-- {
		step[d] = n
		n *= t.shape[d]
	}

	packed := t.item
	for i := len(t.order) - 1; i >= 0; i-- {
		d := t.order[i]
		n := t.shape[d]
		if n == 0 {
			return
		}

		if k := len(count) - 1; n > 1 && k >= 0 && step[d] == int64(plain[k]*count[k]) {
			count[k] *= int(n) // continues the inner dimension on both sides
		} else if n > 1 {
			count = append(count, int(n))
			plain = append(plain, int(step[d]))
			moved = append(moved, int(packed))
		}
		packed *= n
	}

	if forth {
		plain, moved = moved, plain
	}

	m := nest{count: count, dst: plain, src: moved, item: int(t.item)}
	m.run(dst, src)
}

// A nest is loops over items on two sides, with steps in bytes. Loop 0 is contiguous on one side.
type nest struct {
	count, dst, src []int
	item            int
}

// run copies the items. The two loops in which one side is contiguous are done in tiles, so that
// the cache lines of both sides are used as a whole.
func (m *nest) run(dst, src []byte) {
	switch len(m.count) {
	case 0:
		copy(dst, src[:m.item])
		return
	case 1:
		m.count = append(m.count, 1)
		m.dst = append(m.dst, 0)
		m.src = append(m.src, 0)
	}

	// loop 0 is contiguous on one side; put next to it the one that is on the other
	other := 1
	for k := range m.count {
		if k > 0 && (m.dst[k] == m.item || m.src[k] == m.item) {
			other = k
		}
	}

	for _, s := range [][]int{m.count, m.dst, m.src} {
		s[1], s[other] = s[other], s[1]
	}

	m.level(len(m.count)-1, dst, src, 0, 0)
}

func (m *nest) level(k int, dst, src []byte, d, s int) {
	if k == 1 {
		m.plane(dst, src, d, s)
		return
	}

	for range m.count[k] {
		m.level(k-1, dst, src, d, s)
		d += m.dst[k]
		s += m.src[k]
	}
}

const tile = 32 // items along both edges of a tile

// plane copies the items of the two innermost loops.
func (m *nest) plane(dst, src []byte, d, s int) {
	for j := 0; j < m.count[1]; j += tile {
		for i := 0; i < m.count[0]; i += tile {
			for jj := range min(tile, m.count[1]-j) {
				m.row(dst, src, d+(j+jj)*m.dst[1]+i*m.dst[0], s+(j+jj)*m.src[1]+i*m.src[0], min(tile, m.count[0]-i))
			}
		}
	}
}

// row copies n items of loop 0.
func (m *nest) row(dst, src []byte, d, s, n int) {
	to := m.dst[0]
	from := m.src[0]

	switch m.item {
	case 1:
		for range n {
			dst[d] = src[s]
			d += to
			s += from
		}
	case 2:
		for range n {
			binary.LittleEndian.PutUint16(dst[d:], binary.LittleEndian.Uint16(src[s:]))
			d += to
			s += from
		}
	case 4:
		for range n {
			binary.LittleEndian.PutUint32(dst[d:], binary.LittleEndian.Uint32(src[s:]))
			d += to
			s += from
		}
	case 8:
		for range n {
			binary.LittleEndian.PutUint64(dst[d:], binary.LittleEndian.Uint64(src[s:]))
			d += to
			s += from
		}
	default:
		for range n {
			copy(dst[d:d+m.item], src[s:])
			d += to
			s += from
		}
	}
}
