package npy

import "encoding/binary"

// tile is the edge of the squares that transpose works in: two of them with 16-byte items fit into
// a first-level cache.
const tile = 32

// transpose writes the array src of the given extent (C order) into dst with its dimensions
// reversed, also in C order. The extent is that of src and has two dimensions at least.
func transpose(dst, src []byte, extent []int64, itemSize int) {
	n := len(extent)
	// Steps in items: walking dimension d of src moves by srcStep[d] there and by dstStep[d] in
	// dst.
	srcStep, dstStep := make([]int, n), make([]int, n)
	size := 1
	for d := n - 1; d >= 0; d-- {
		srcStep[d] = size
		size *= int(extent[d])
	}
	size = 1
	for d := range n {
		dstStep[d] = size
		size *= int(extent[d])
	}
	// The outermost and the innermost dimension make planes in which one side or the other is
	// contiguous; the others only select the plane.
	p := plane{dst: dst, src: src, itemSize: itemSize,
		rows: int(extent[0]), cols: int(extent[n-1]), srcRow: srcStep[0], dstCol: dstStep[n-1]}
	at := make([]int, n)
	for {
		srcAt, dstAt := 0, 0
		for d := 1; d < n-1; d++ {
			srcAt += at[d] * srcStep[d]
			dstAt += at[d] * dstStep[d]
		}
		p.copy(srcAt, dstAt)
		d := n - 2
		for ; d > 0; d-- {
			if at[d]++; at[d] < int(extent[d]) {
				break
			}
			at[d] = 0
		}
		if d <= 0 {
			return
		}
	}
}

// plane is a matrix within two arrays: item (r, c) is at r*srcRow + c in src and at r + c*dstCol in
// dst, from where the plane begins.
type plane struct {
	dst, src       []byte
	itemSize       int
	rows, cols     int
	srcRow, dstCol int
}

// copy copies the plane that begins at the given items.
func (p *plane) copy(srcAt, dstAt int) {
	for r0 := 0; r0 < p.rows; r0 += tile {
		for c0 := 0; c0 < p.cols; c0 += tile {
			r1, c1 := min(r0+tile, p.rows), min(c0+tile, p.cols)
			switch p.itemSize {
			case 1:
				p.copyTile1(srcAt, dstAt, r0, r1, c0, c1)
			case 4:
				p.copyTile4(srcAt, dstAt, r0, r1, c0, c1)
			case 8:
				p.copyTile8(srcAt, dstAt, r0, r1, c0, c1)
			default:
				p.copyTile(srcAt, dstAt, r0, r1, c0, c1)
			}
		}
	}
}

func (p *plane) copyTile(srcAt, dstAt, r0, r1, c0, c1 int) {
	for c := c0; c < c1; c++ {
		for r := r0; r < r1; r++ {
			s, d := (srcAt+r*p.srcRow+c)*p.itemSize, (dstAt+r+c*p.dstCol)*p.itemSize
			copy(p.dst[d:d+p.itemSize], p.src[s:s+p.itemSize])
		}
	}
}

func (p *plane) copyTile1(srcAt, dstAt, r0, r1, c0, c1 int) {
	for c := c0; c < c1; c++ {
		for r := r0; r < r1; r++ {
			p.dst[dstAt+r+c*p.dstCol] = p.src[srcAt+r*p.srcRow+c]
		}
	}
}

// Loading and storing with one byte order moves items unchanged on any machine.

func (p *plane) copyTile4(srcAt, dstAt, r0, r1, c0, c1 int) {
	for c := c0; c < c1; c++ {
		for r := r0; r < r1; r++ {
			item := binary.LittleEndian.Uint32(p.src[4*(srcAt+r*p.srcRow+c):])
			binary.LittleEndian.PutUint32(p.dst[4*(dstAt+r+c*p.dstCol):], item)
		}
	}
}

func (p *plane) copyTile8(srcAt, dstAt, r0, r1, c0, c1 int) {
	for c := c0; c < c1; c++ {
		for r := r0; r < r1; r++ {
			item := binary.LittleEndian.Uint64(p.src[8*(srcAt+r*p.srcRow+c):])
			binary.LittleEndian.PutUint64(p.dst[8*(dstAt+r+c*p.dstCol):], item)
		}
	}
}
