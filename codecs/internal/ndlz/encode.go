package ndlz

import (
	"bytes"
	"encoding/binary"
	"math"
)

const tableBits = 12

// An Encoder encodes blocks of one shape. It owns its scratch memory and must not be used
// concurrently.
type Encoder struct {
	side, height, width int

	// Last offset in the stream of a sequence of bytes, by its hash: of 2 rows, 3 rows, and whole
	// cells.
	pairs, triples, cells [1 << tableBits]int32
}

// NewEncoder returns an encoder for blocks of height × width bytes and cells of side × side; side
// is 4 or 8. Encode returns 0 for blocks of any other size.
func NewEncoder(side, height, width int) *Encoder {
	return &Encoder{side: side, height: height, width: width}
}

// A writer writes a stream.
type writer struct {
	*Encoder
	out []byte
	at  int
}

// Encode encodes src into dst and returns the number of bytes written, or 0 if src does not have
// the size of a block or the stream does not fit.
func (e *Encoder) Encode(dst, src []byte) int {
	if len(src) == 0 || int64(len(src)) != int64(e.height)*int64(e.width) || len(dst) < headerSize || len(src) > math.MaxInt32 {
		return 0
	}

	clear(e.pairs[:])
	clear(e.triples[:])
	clear(e.cells[:])

	dst[0] = dims
	binary.LittleEndian.PutUint32(dst[1:], uint32(e.height))
	binary.LittleEndian.PutUint32(dst[5:], uint32(e.width))
	w := writer{Encoder: e, out: dst, at: headerSize}

	var cell [maxSide * maxSide]byte
	for y := 0; y < e.height; y += e.side {
		for x := 0; x < e.width; x += e.side {
			rows := min(e.side, e.height-y)
			columns := min(e.side, e.width-x)
			for i := range rows {
				copy(cell[i*columns:(i+1)*columns], src[(y+i)*e.width+x:])
			}

			if len(dst)-w.at < 1+rows*columns {
				return 0
			}
			if rows*columns == e.side*e.side {
				w.whole(cell[:rows*columns])
			} else {
				w.put(tokenLiteral, cell[:rows*columns])
			}
		}
	}

	return w.at
}

// put appends a token and the bytes that follow it.
func (w *writer) put(token uint8, b []byte) {
	w.out[w.at] = token
	w.at += 1 + copy(w.out[w.at+1:], b)
}

// putOffset appends the distance from from to the token at begin.
func (w *writer) putOffset(begin, from int) {
	binary.LittleEndian.PutUint16(w.out[w.at:], uint16(begin-from))
	w.at += 2
}

// whole appends a complete cell.
func (w *writer) whole(cell []byte) {
	begin := w.at
	if bytes.Count(cell, cell[:1]) == len(cell) {
		w.put(tokenSame, cell[:1])
		return
	}

	slot := &w.cells[hash(cell)]
	if w.holds(*slot, cell) {
		w.put(tokenCell, nil)
		w.putOffset(begin, int(*slot))
		return
	}

	if w.rows(begin, cell) {
		return
	}

	w.put(tokenLiteral, cell)
	at := begin + 1
	*slot = int32(at)

	for row := 0; row+2 <= w.side; row++ {
		from := row * w.side
		w.pairs[hash(cell[from:from+2*w.side])] = int32(at + from)
		if row+3 <= w.side {
			w.triples[hash(cell[from:from+3*w.side])] = int32(at + from)
		}
	}
}

// rows appends a cell with some rows copied from the stream, and reports whether that is possible.
func (w *writer) rows(begin int, cell []byte) bool {
	var seq [4 * maxSide]byte
search:
	for i, table := 0, matchesOf(w.side); i < len(table); i++ {
		m := &table[i]
		var from [2]int
		var copied [maxSide]bool

		for k := range m.pairs {
			n := 0
			for _, row := range m.rows[k*m.count : (k+1)*m.count] {
				n += copy(seq[n:n+w.side], cell[int(row)*w.side:])
				copied[row] = true
			}
			slot := w.pairs[hash(seq[:n])]
			if m.count == 3 {
				slot = w.triples[hash(seq[:n])]
			}
			if !w.holds(slot, seq[:n]) {
				continue search
			}
			from[k] = int(slot)
		}

		w.put(m.token, nil)
		for _, at := range from[:m.pairs] {
			w.putOffset(begin, at)
		}

		for row := range w.side {
			if !copied[row] {
				w.at += copy(w.out[w.at:], cell[row*w.side:(row+1)*w.side])
			}
		}
		return true
	}
	return false
}

// holds reports whether the stream contains b at offset at, within the maximum distance.
func (w *writer) holds(at int32, b []byte) bool {
	return at > 0 && w.at-int(at) <= maxOffset && bytes.Equal(w.out[at:int(at)+len(b)], b)
}

// hash returns a hash of b, whose length is a multiple of 4.
func hash(b []byte) uint32 {
	h := uint32(len(b))
	for ; len(b) >= 4; b = b[4:] {
		h = (h ^ binary.LittleEndian.Uint32(b)) * 0x9e3779b1
		h ^= h >> 15
	}
	return h * 0x85ebca6b >> (32 - tableBits)
}
