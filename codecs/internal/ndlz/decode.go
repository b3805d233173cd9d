package ndlz

import (
	"encoding/binary"

	cairn "github.com/cairn-go/cairn"
)

const layer = "ndlz stream"

// A reader decodes a stream.
type reader struct {
	src  []byte
	at   int // bytes read
	side int
	cell [maxSide * maxSide]byte
}

// Decode fills dst from src, a stream with cells of side × side bytes; side is 4 or 8. The shape
// in the stream must have len(dst) bytes.
func Decode(dst, src []byte, side int) error {
	if len(src) < headerSize {
		return cairn.Corruptf(layer, int64(len(src)), "the stream ends within its header")
	}

	height := int64(int32(binary.LittleEndian.Uint32(src[1:])))
	width := int64(int32(binary.LittleEndian.Uint32(src[5:])))
	if src[0] != dims || height < 0 || width < 0 || height*width != int64(len(dst)) {
		return cairn.Corruptf(layer, 0, "%d dimensions, %d × %d bytes; want 2 and %d bytes", src[0], height, width, len(dst))
	}

	r := reader{src: src, at: headerSize, side: side}
	for y := 0; y < int(height) && width > 0; y += side {
		for x := 0; x < int(width); x += side {
			rows := min(side, int(height)-y)
			columns := min(side, int(width)-x)
			cell, err := r.next(rows, columns)
			if err != nil {
				return err
			}
			for i := range rows {
				copy(dst[(y+i)*int(width)+x:][:columns], cell[i*columns:])
			}
		}
	}

	if r.at != len(src) {
		return cairn.Corruptf(layer, int64(r.at), "%d bytes behind the last cell", len(src)-r.at)
	}
	return nil
}

// next returns the bytes of the next cell.
func (r *reader) next(rows, columns int) ([]byte, error) {
	begin := r.at
	n := rows * columns

	token, err := r.take(1)
	if err != nil {
		return nil, err
	}

	switch token[0] {
	case tokenLiteral:
		return r.take(n)
	case tokenSame:
		b, err := r.take(1)
		if err != nil {
			return nil, err
		}

		for i := range r.cell[:n] {
			r.cell[i] = b[0]
		}
		return r.cell[:n], nil
	case tokenCell:
		return r.back(begin, n)
	}
	return r.cell[:n], r.rows(begin, token[0])
}

// take returns the next n bytes.
func (r *reader) take(n int) ([]byte, error) {
	if n > len(r.src)-r.at {
		return nil, cairn.Corruptf(layer, int64(r.at), "the stream ends within a cell")
	}
	r.at += n
	return r.src[r.at-n : r.at], nil
}

// back returns the n bytes at the next offset, relative to the token at begin.
func (r *reader) back(begin, n int) ([]byte, error) {
	b, err := r.take(2)
	if err != nil {
		return nil, err
	}

	from := begin - int(binary.LittleEndian.Uint16(b))
	if from < 0 || n > len(r.src)-from {
		return nil, cairn.Corruptf(layer, int64(begin), "a cell that begins %d bytes before its token", begin-from)
	}
	return r.src[from : from+n], nil
}

// rows fills the cell for a token that copies some of its rows.
func (r *reader) rows(begin int, token uint8) error {
	m := r.match(token)
	if m == nil {
		return cairn.Corruptf(layer, int64(begin), "token %#x", token)
	}

	var from [2][]byte
	for k := range m.pairs {
		var err error
		if from[k], err = r.back(begin, m.count*r.side); err != nil {
			return err
		}
	}

	var copied [maxSide]bool
	for i, row := range m.rows[:m.count*m.pairs] {
		copy(r.cell[int(row)*r.side:][:r.side], from[i/m.count][i%m.count*r.side:])
		copied[row] = true
	}

	for row := range r.side {
		if copied[row] {
			continue
		}
		b, err := r.take(r.side)
		if err != nil {
			return err
		}
		copy(r.cell[row*r.side:], b)
	}
	return nil
}

// match returns the meaning of a token, or nil. For cells of 4 × 4 the lowest bits of tokens are
// ignored, except in the last of the pairs.
func (r *reader) match(token uint8) *match {
	table := matchesOf(r.side)
	if r.side == 4 && token&^7 != 0x80 {
		token &^= 7
	}

	for i := range table {
		if table[i].token == token {
			return &table[i]
		}
	}
	return nil
}
