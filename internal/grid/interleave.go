package grid

import (
	"encoding/binary"

	"github.com/cairn-go/cairn/internal/asm/byteshuffle"
)

// pickShare is how many items of planes can be interleaved by a kernel in the time in which one is
// picked.
const pickShare = 8

// interleave is copy from a block whose byte j of every item is in plane j. It reports false, and
// has done nothing, if the runs are not whole items of the planes, or if it would be slower.
func (m *mover) interleave(dst []byte, d int, planes [][]byte, s int) bool {
	size := len(planes)
	rows := byteshuffle.Rows{Items: m.run / size, Count: 1, Stream: m.stream}

	whole := m.run%size == 0 && s%size == 0
	items := rows.Items
	span := m.run
	for k := range m.levels {
		whole = whole && m.src[k]%size == 0
		items *= m.count[k]
		span += (m.count[k] - 1) * m.src[k]
	}

	few := rows.Items < byteshuffle.RowItems
	if !whole || !byteshuffle.HasRows(size) || few && items*pickShare > span/size {
		return false
	}

	if m.levels > 0 {
		rows.Count = m.count[0]
		rows.DstPitch = m.dst[0]
		rows.SrcPitch = m.src[0] / size
	}

	m.eachAt(1, d, s, func(d, s int) {
		if few {
			pick(dst, d, planes, s/size, rows)
		} else {
			byteshuffle.InterleaveRows(dst, d, planes, s/size, rows)
		}
	})
	return true
}

// pick is InterleaveRows for few items of 2, 4 or 8 bytes.
func pick(dst []byte, d int, planes [][]byte, s int, r byteshuffle.Rows) {
	for range r.Count {
		for i := range r.Items {
			switch at := s + i; len(planes) {
			case 2:
				binary.LittleEndian.PutUint16(dst[d+2*i:], uint16(planes[0][at])|uint16(planes[1][at])<<8)
			case 4:
				binary.LittleEndian.PutUint32(dst[d+4*i:], quad(planes, at))
			case 8:
				binary.LittleEndian.PutUint64(dst[d+8*i:], uint64(quad(planes, at))|uint64(quad(planes[4:], at))<<32)
			}
		}
		d, s = d+r.DstPitch, s+r.SrcPitch
	}
}

// quad returns the item at a place of four planes.
func quad(planes [][]byte, at int) uint32 {
	p := planes[:4]
	return uint32(p[0][at]) | uint32(p[1][at])<<8 | uint32(p[2][at])<<16 | uint32(p[3][at])<<24
}
