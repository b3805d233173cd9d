package grid

import (
	"encoding/binary"

	"github.com/cairn-go/cairn/internal/asm/byteshuffle"
)

// A mover is a nest of loops around a run of bytes that is contiguous on both sides. Level 0 is the
// innermost.
type mover struct {
	run      int
	levels   int
	count    [MaxDims]int
	dst, src [MaxDims]int // bytes from one iteration to the next
	stream   bool         // write around the cache where that is possible
	ahead    int          // how far behind what is copied memory should be fetched, in bytes
}

// add puts a loop of count iterations around the nest. A loop that continues where the inner one
// ends is merged with it, so a box with full trailing dimensions becomes few long runs. Set run to
// the item size first, and add from the last dimension to the first.
func (m *mover) add(count, dst, src int64) {
	if count == 1 {
		return
	}

	n := int(count)
	d := int(dst)
	s := int(src)

	// A loop that goes on where the one inside it ends is part of that.
	if m.levels == 0 {
		if d == m.run && s == m.run {
			m.run *= n
			return
		}
	} else if k := m.levels - 1; d == m.dst[k]*m.count[k] && s == m.src[k]*m.count[k] {
		m.count[k] *= n
		return
	}

	m.count[m.levels] = n
	m.dst[m.levels] = d
	m.src[m.levels] = s
	m.levels++
}

// flip exchanges the two sides.
func (m *mover) flip() { m.dst, m.src = m.src, m.dst }

// copy runs the nest from the offsets d in dst and s in src on. swap reverses every swap bytes; 0
// copies them unchanged.
func (m *mover) copy(dst []byte, d int, src []byte, s, swap int) {
	m.eachAt(1, d, s, func(d, s int) { m.inner(dst, d, src, s, swap) })
}

// inner copies the runs of the innermost loop. Runs of one item of a common size are loads and
// stores; others use memmove.
func (m *mover) inner(dst []byte, d int, src []byte, s, swap int) {
	n := 1
	dstStep := 0
	srcStep := 0
	if m.levels > 0 {
		n = m.count[0]
		dstStep = m.dst[0]
		srcStep = m.src[0]
	}

	switch {
	case swap > 1:
		for range n {
			copySwapped(dst[d:d+m.run], src[s:s+m.run], swap)
			d, s = d+dstStep, s+srcStep
		}
	case m.run == 1:
		for range n {
			dst[d] = src[s]
			d, s = d+dstStep, s+srcStep
		}
	case m.run == 2:
		for range n {
			binary.LittleEndian.PutUint16(dst[d:], binary.LittleEndian.Uint16(src[s:]))
			d, s = d+dstStep, s+srcStep
		}
	case m.run == 4:
		for range n {
			binary.LittleEndian.PutUint32(dst[d:], binary.LittleEndian.Uint32(src[s:]))
			d, s = d+dstStep, s+srcStep
		}
	case m.run == 8:
		for range n {
			binary.LittleEndian.PutUint64(dst[d:], binary.LittleEndian.Uint64(src[s:]))
			d, s = d+dstStep, s+srcStep
		}
	case m.run == 16:
		for range n {
			to := dst[d : d+16]
			from := src[s : s+16]
			binary.LittleEndian.PutUint64(to, binary.LittleEndian.Uint64(from))
			binary.LittleEndian.PutUint64(to[8:], binary.LittleEndian.Uint64(from[8:]))
			d, s = d+dstStep, s+srcStep
		}
	default:
		rows := byteshuffle.Rows{Items: m.run, Count: n, DstPitch: dstStep, SrcPitch: srcStep, Stream: m.stream}
		if (m.stream || m.ahead != 0) && byteshuffle.CopyRows(dst, d, src, s, m.ahead, rows) {
			return
		}
		for range n {
			copy(dst[d:d+m.run], src[s:s+m.run])
			d, s = d+dstStep, s+srcStep
		}
	}
}

// copySwapped copies src to dst, which have equal lengths, with every width bytes in reverse order.
func copySwapped(dst, src []byte, width int) {
	switch width {
	case 2:
		for i := 0; i+2 <= len(src); i += 2 {
			binary.BigEndian.PutUint16(dst[i:], binary.LittleEndian.Uint16(src[i:]))
		}
	case 4:
		for i := 0; i+4 <= len(src); i += 4 {
			binary.BigEndian.PutUint32(dst[i:], binary.LittleEndian.Uint32(src[i:]))
		}
	case 8:
		for i := 0; i+8 <= len(src); i += 8 {
			binary.BigEndian.PutUint64(dst[i:], binary.LittleEndian.Uint64(src[i:]))
		}
	}
}

// fill runs the nest over dst only, from offset d on, and writes item repeatedly, or zero bytes if
// item is nil. Each run is a whole number of items.
func (m *mover) fill(dst []byte, d int, item []byte, swap int) {
	m.eachAt(0, d, 0, func(d, _ int) {
		run := dst[d : d+m.run]
		switch {
		case item == nil:
			clear(run)
			return
		case swap > 1:
			copySwapped(run[:len(item)], item, swap)
		default:
			copy(run, item)
		}

		for done := len(item); done < len(run); done *= 2 {
			copy(run[done:], run[:done])
		}
	})
}

// eachAt calls do for every iteration of the levels from number from on, with the offsets that
// begin as d and s.
func (m *mover) eachAt(from, d, s int, do func(d, s int)) {
	var turn [MaxDims]int
	for {
		do(d, s)

		k := from
		for ; k < m.levels; k++ {
			turn[k]++
			d, s = d+m.dst[k], s+m.src[k]
			if turn[k] < m.count[k] {
				break
			}
			d, s = d-turn[k]*m.dst[k], s-turn[k]*m.src[k]
			turn[k] = 0
		}

		if k >= m.levels {
			return
		}
	}
}

// moveItem copies one item; swap reverses every swap bytes.
func moveItem(dst, src []byte, size, swap int) {
	switch {
	case swap > 1:
		copySwapped(dst[:size], src[:size], swap)
	case size == 4:
		binary.LittleEndian.PutUint32(dst, binary.LittleEndian.Uint32(src))
	case size == 8:
		binary.LittleEndian.PutUint64(dst, binary.LittleEndian.Uint64(src))
	case size == 1:
		dst[0] = src[0]
	default:
		copy(dst[:size], src[:size])
	}
}
