package npy

import "encoding/binary"

// tile is the edge of the squares that a transposition works in: two of them with 16-byte items fit
// into a first-level cache.
const tile = 32

// A transposition copies items whose last dimension runs fastest in src, and whose first one runs
// fastest in dst. There are two dimensions at least.
type transposition struct {
	dst, src         []byte
	itemSize         int
	extent           []int
	srcStep, dstStep []int // items between neighbours along each dimension
	srcAt, dstAt     int   // the first item
}

// run copies plane by plane: the first and the last dimension make planes in which one side or the
// other is contiguous, and the others select the plane.
func (t *transposition) run() {
	n := len(t.extent)
	p := plane{dst: t.dst, src: t.src, itemSize: t.itemSize,
		rows: t.extent[0], cols: t.extent[n-1], srcRow: t.srcStep[0], dstCol: t.dstStep[n-1]}
	at := make([]int, n)

	for {
		srcAt := t.srcAt
		dstAt := t.dstAt
		for d := 1; d < n-1; d++ {
			srcAt += at[d] * t.srcStep[d]
			dstAt += at[d] * t.dstStep[d]
		}

		// Copy the plane that begins at the given items.
		step := p.copyTile
		switch p.itemSize {
		case 1:
			step = p.copyTile1
		case 2:
			step = p.copyTile2
		case 4:
			step = p.copyTile4
		case 8:
			step = p.copyTile8
		}

		for r0 := 0; r0 < p.rows; r0 += tile {
			for c0 := 0; c0 < p.cols; c0 += tile {
				step(srcAt+c0+r0*p.srcRow, dstAt+r0+c0*p.dstCol, min(tile, p.rows-r0), min(tile, p.cols-c0))
			}
		}

		d := n - 2
		for ; d > 0; d-- {
			if at[d]++; at[d] < t.extent[d] {
				break
			}
			at[d] = 0
		}
		if d <= 0 {
			return
		}
	}
}

// A plane is a matrix within two arrays: item (r, c) is at r*srcRow + c in src and at r + c*dstCol
// in dst, from where the plane begins.
type plane struct {
	dst, src       []byte
	itemSize       int
	rows, cols     int
	srcRow, dstCol int
}

func (p *plane) copyTile(srcAt, dstAt, rows, cols int) {
	for c := range cols {
		for r := range rows {
			s := (srcAt + r*p.srcRow + c) * p.itemSize
			d := (dstAt + r + c*p.dstCol) * p.itemSize
			copy(p.dst[d:d+p.itemSize], p.src[s:s+p.itemSize])
		}
	}
}

func (p *plane) copyTile1(srcAt, dstAt, rows, cols int) {
	for c := range cols {
		for r := range rows {
			p.dst[dstAt+r+c*p.dstCol] = p.src[srcAt+r*p.srcRow+c]
		}
	}
}

// Loading and storing with one byte order moves items unchanged on any machine.

func (p *plane) copyTile2(srcAt, dstAt, rows, cols int) {
	for c := range cols {
		for r := range rows {
			item := binary.LittleEndian.Uint16(p.src[2*(srcAt+r*p.srcRow+c):])
			binary.LittleEndian.PutUint16(p.dst[2*(dstAt+r+c*p.dstCol):], item)
		}
	}
}

func (p *plane) copyTile4(srcAt, dstAt, rows, cols int) {
	for c := range cols {
		for r := range rows {
			item := binary.LittleEndian.Uint32(p.src[4*(srcAt+r*p.srcRow+c):])
			binary.LittleEndian.PutUint32(p.dst[4*(dstAt+r+c*p.dstCol):], item)
		}
	}
}

func (p *plane) copyTile8(srcAt, dstAt, rows, cols int) {
	for c := range cols {
		for r := range rows {
			item := binary.LittleEndian.Uint64(p.src[8*(srcAt+r*p.srcRow+c):])
			binary.LittleEndian.PutUint64(p.dst[8*(dstAt+r+c*p.dstCol):], item)
		}
	}
}
