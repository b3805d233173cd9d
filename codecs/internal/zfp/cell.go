package zfp

import "encoding/binary"

// gather copies the numbers of a cell from a block, as bits. Positions of the cell outside of the
// block are filled with its numbers.
func (m *machine[I]) gather(src []byte, p *place) {
	f := &m.field
	if p.whole {
		for i, at := range f.rows[:1<<(2*f.dims-2)] {
			gatherFour((*[side]I)(m.cell[side*i:]), src[p.at+at:])
		}
		return
	}

	for l := range p.count[3] {
		for k := range p.count[2] {
			for j := range p.count[1] {
				at := p.at + l*f.stride[3] + k*f.stride[2] + j*f.stride[1]
				i := l<<6 + k<<4 + j<<2
				gatherRow(m.cell[i:i+side], src[at:], p.count[0])
			}
		}
	}
	m.fill(p)
}

// gatherFour copies a whole row.
func gatherFour[I integer](row *[side]I, src []byte) {
	if wide[I]() {
		src = src[:8*side]
		for i := range row {
			row[i] = I(binary.LittleEndian.Uint64(src[8*i:]))
		}
		return
	}
	src = src[:4*side]
	for i := range row {
		row[i] = I(binary.LittleEndian.Uint32(src[4*i:]))
	}
}

// gatherRow copies n numbers.
func gatherRow[I integer](row []I, src []byte, n int) {
	row = row[:n]
	if wide[I]() {
		for i := range row {
			row[i] = I(binary.LittleEndian.Uint64(src[8*i:]))
		}
		return
	}
	for i := range row {
		row[i] = I(binary.LittleEndian.Uint32(src[4*i:]))
	}
}

// fill completes a partial cell along each dimension, the fastest first.
func (m *machine[I]) fill(p *place) {
	count := p.count
	for i := range m.field.dims {
		if n := count[i]; n < side {
			m.fillAlong(i, n, count)
			count[i] = side
		}
	}
}

// fillAlong completes a cell with n numbers along one dimension.
func (m *machine[I]) fillAlong(dim, n int, count [maxDims]int) {
	count[dim] = 1
	step := 1 << (2 * dim)
	for l := range count[3] {
		for k := range count[2] {
			for j := range count[1] {
				for i := range count[0] {
					row := m.cell[l<<6+k<<4+j<<2+i:]
					for at := n; at < side; at++ {
						from := at - 1 // repeat the last one
						if at == side-1 {
							from = 0 // but the first one at the end
						}
						row[at*step] = row[from*step]
					}
				}
			}
		}
	}
}

// scatter copies the numbers of a cell to its block. dst may be only the beginning of the block.
func (m *machine[I]) scatter(dst []byte, p *place) {
	f := &m.field
	if p.whole && len(dst) == f.size {
		for i, at := range f.rows[:1<<(2*f.dims-2)] {
			scatterFour(dst[p.at+at:], (*[side]I)(m.cell[side*i:]))
		}
		return
	}

	for l := range p.count[3] {
		for k := range p.count[2] {
			for j := range p.count[1] {
				at := p.at + l*f.stride[3] + k*f.stride[2] + j*f.stride[1]
				i := l<<6 + k<<4 + j<<2
				row := m.cell[i : i+p.count[0]]
				if at+len(row)*f.typeSize <= len(dst) {
					scatterRow(dst[at:], row)
				} else if at < len(dst) {
					var whole [side * 8]byte
					scatterRow(whole[:], row)
					copy(dst[at:], whole[:])
				}
			}
		}
	}
}

// scatterFour writes a whole row.
func scatterFour[I integer](dst []byte, row *[side]I) {
	if wide[I]() {
		dst = dst[:8*side]
		for i, v := range row {
			binary.LittleEndian.PutUint64(dst[8*i:], uint64(v))
		}
		return
	}
	dst = dst[:4*side]
	for i, v := range row {
		binary.LittleEndian.PutUint32(dst[4*i:], uint32(v))
	}
}

// scatterRow writes numbers.
func scatterRow[I integer](dst []byte, row []I) {
	if wide[I]() {
		for i, v := range row {
			binary.LittleEndian.PutUint64(dst[8*i:], uint64(v))
		}
		return
	}
	for i, v := range row {
		binary.LittleEndian.PutUint32(dst[4*i:], uint32(v))
	}
}
