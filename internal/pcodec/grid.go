package pcodec

import "math/bits"

// A grid sorts latents into cells that are in their order: of one latent each if all are near to
// each other, and otherwise of ranges that are the wider, the farther they are from the middle,
// like those of floating-point numbers. Latents that occur often in the latter have a cell of their
// own.
type grid[L latent] struct {
	low, high L
	even      bool     // a cell is of one latent
	cells     []uint16 // of latents
	counts    [gridCells]uint32
	others    [gridCells]uint32
	symbols   [gridCells]uint16
	frequent  frequent[L]
	spans     []run
}

// A run is adjacent cells, or one of a latent that occurs often.
type run struct{ first, last uint16 }

const (
	gridCells = 1 << 12 // at most
	cellsLog  = 4       // the logarithm of the cells between a power of two and the next one
	midCell   = gridCells / 2
	ownCell   = midCell + 64<<cellsLog // the first one of a latent that occurs often
)

// sort finds the cells of latents, which are from low to high.
func (g *grid[L]) sort(latents []L, low, high L) {
	g.low = low
	g.high = high
	g.frequent.values = g.frequent.values[:0]
	g.cells = sized(g.cells, len(latents))
	cells := g.cells[:len(latents)]

	g.even = uint64(g.high-g.low) < gridCells
	if g.even {
		for i, l := range latents {
			cells[i] = uint16(l - low)
		}
		return
	}

	for i, l := range latents {
		cells[i] = cellOf(l)
	}
	if g.frequent.likely(latents, cells) {
		g.frequent.find(latents)
		g.frequent.mark(cells, latents)
	}
}

// distance returns how far a latent is from the middle, and as sign all bits if it is below.
func distance[L latent](l L) (size uint64, sign int64) {
	unused := uint(64 - latentBits[L]())
	d := int64(uint64(l^middle[L]())<<unused) >> unused
	sign = d >> 63
	return uint64(d ^ sign), sign
}

// cellOf returns the cell of a latent that is not near to all others.
func cellOf[L latent](l L) uint16 {
	size, sign := distance(l)
	shift := uint(bits.Len64(size|1<<cellsLog) - (cellsLog + 1))
	cell := int64(shift)<<cellsLog + int64(size>>(shift&63))
	return uint16(midCell + (cell ^ sign))
}

// shiftOf returns the logarithm of the latents of a cell.
func shiftOf(cell int) int {
	cell -= midCell
	return max(0, (cell^cell>>(bits.UintSize-1))>>cellsLog-1)
}

// bounds returns the first and the last latent of a cell.
func (g *grid[L]) bounds(cell int) (lower, upper L) {
	if g.even {
		return g.low + L(cell), g.low + L(cell)
	}

	mid := middle[L]()
	shift := shiftOf(cell)
	cell -= midCell
	sign := cell >> (bits.UintSize - 1)
	first := L((cell^sign)-shift<<cellsLog) << shift
	last := first + (L(1)<<shift - 1)
	if sign != 0 {
		first, last = ^last, ^first
	}
	return max(g.low, mid+first), min(g.high, mid+last)
}

// cell returns the cell of a latent.
func (g *grid[L]) cell(l L) int {
	if g.even {
		return int(l - g.low)
	}
	return int(cellOf(l))
}

// octave returns a number that changes where the distance from the middle doubles.
func (g *grid[L]) octave(cell int) int {
	if g.even {
		size, sign := distance(g.low + L(cell))
		return bits.Len64(size) ^ int(sign)
	}
	return (cell - midCell) >> cellsLog
}

// count counts the latents in each cell.
func (g *grid[L]) count() (first, last int) {
	first = g.cell(g.low)
	last = g.cell(g.high)
	counts := &g.counts
	others := &g.others
	clear(counts[first : last+1])
	clear(others[first : last+1])
	clear(counts[ownCell:][:len(g.frequent.values)])
	clear(others[ownCell:][:len(g.frequent.values)])

	// Equal latents often follow each other, so that there are two counts.
	cells := g.cells
	for ; len(cells) >= 2; cells = cells[2:] {
		v := (*[2]uint16)(cells)
		counts[v[0]%gridCells]++
		others[v[1]%gridCells]++
	}
	for _, c := range cells {
		counts[c%gridCells]++
	}
	for i := first; i <= last; i++ {
		counts[i] += others[i]
	}
	for i := range g.frequent.values {
		counts[ownCell+i] += others[ownCell+i]
	}
	return first, last
}

// divide divides the latents that were sorted into spans of one in 1<<log of them or more, in the
// memory of spans. Spans are shorter where the distance from the middle doubles.
func (g *grid[L]) divide(spans []span[L], log int) []span[L] {
	first, last := g.count()
	n := len(g.cells)
	enough := max(1, n>>log)
	few := max(1, n>>(log+3))

	spans = spans[:0]
	g.spans = g.spans[:0]
	count := 0
	begin := first
	end := first
	octave := 0
	add := func() {
		lower, _ := g.bounds(begin)
		_, upper := g.bounds(end)
		spans = append(spans, span[L]{lower, upper, count})
		g.spans = append(g.spans, run{uint16(begin), uint16(end)})
		count = 0
	}

	own := 0
	values := g.frequent.values
	for c := first; c <= last; c++ {
		if here := int(g.counts[c]); here > 0 {
			next := g.octave(c)
			if count > 0 && (next != octave && count >= few || 2*here >= enough) {
				add()
			}
			if count == 0 {
				begin = c
				octave = next
			}
			count += here
			end = c
			if count >= enough || 2*here >= enough {
				add()
			}
		}

		for own < len(values) && int(cellOf(values[own])) == c {
			if count > 0 {
				add()
			}
			id := ownCell + own
			if n := int(g.counts[id]); n > 0 {
				spans = append(spans, span[L]{values[own], values[own], n})
				g.spans = append(g.spans, run{uint16(id), uint16(id)})
			}
			own++
		}
	}
	if count > 0 {
		add()
	}
	return spans
}

// find writes the numbers of the bins that have the latents, of bins that end with these spans.
func (g *grid[L]) find(into []uint16, ends []int32) {
	symbols := &g.symbols
	at := int32(0)
	for i, end := range ends {
		for ; at < end; at++ {
			r := g.spans[at]
			for c := r.first; c <= r.last; c++ {
				symbols[c] = uint16(i)
			}
		}
	}

	into = into[:len(g.cells)]
	for i, c := range g.cells {
		into[i] = symbols[c%gridCells]
	}
}
