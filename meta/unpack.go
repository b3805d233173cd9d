package meta

import (
	"math"
	"unicode/utf8"

	"github.com/cairn-go/cairn/internal/wire"
)

// Unpack decodes one msgpack value, with nothing behind it, into nil, bool, int64, uint64 (only for numbers above the
// largest int64), float32, float64, string, []byte, []any, [Tuple], [Map] or [Ext]. Bytes are copied. It accepts sizes and
// integers that are not in their shortest form; strings must be valid UTF-8. What it allocates is bounded by a
// small multiple of len(b). Errors are [cairn.CorruptError]s of layer "msgpack" with offsets in b.
func Unpack(b []byte) (any, error) {
	u := unpacker{Reader: wire.NewReader("msgpack", b, 0), budget: int64(len(b))}
	v := u.value(0)
	if u.Err() == nil && u.Len() > 0 {
		u.Failf(u.Pos(), "%d bytes after the value", u.Len())
	}
	if err := u.Err(); err != nil {
		return nil, err
	}
	return v, nil
}

// unpacker holds the state of one Unpack. Every element of an array or map takes at least a byte of its own, so all
// the counts of a value together cannot be more than it has bytes: budget is what is left of them.
type unpacker struct {
	wire.Reader
	budget int64
}

func (u *unpacker) value(depth int) any {
	at := u.Pos()
	if depth > maxPackDepth {
		u.Failf(at, "nested more than %d deep", maxPackDepth)
		return nil
	}
	marker := u.Uint8()
	switch {
	case u.Err() != nil:
		return nil
	case marker < 0x80:
		return int64(marker)
	case marker < 0x90:
		return u.mapOf(at, int64(marker&0x0f), depth)
	case marker < 0xa0:
		return u.array(at, int64(marker&0x0f), depth)
	case marker < 0xc0:
		return u.str(at, int64(marker&0x1f))
	case marker >= 0xe0:
		return int64(int8(marker))
	}
	return u.marked(at, marker, depth)
}

// marked reads what follows the markers 0xc0 to 0xdf.
func (u *unpacker) marked(at int, marker uint8, depth int) any {
	switch marker {
	case 0xc0:
		return nil
	case 0xc2, 0xc3:
		return marker == 0xc3
	case 0xc4, 0xc5, 0xc6:
		return append([]byte{}, u.Bytes(u.size(marker-0xc4))...)
	case 0xc7, 0xc8, 0xc9:
		return u.ext(u.size(marker - 0xc7))
	case 0xca:
		return math.Float32frombits(u.Uint32BE())
	case 0xcb:
		return math.Float64frombits(u.Uint64BE())
	case 0xcc, 0xcd, 0xce:
		return u.size(marker - 0xcc)
	case 0xcf:
		if v := u.Uint64BE(); v > math.MaxInt64 {
			return v
		} else {
			return int64(v)
		}
	case 0xd0:
		return int64(int8(u.Uint8()))
	case 0xd1:
		return int64(u.Int16BE())
	case 0xd2:
		return int64(u.Int32BE())
	case 0xd3:
		return u.Int64BE()
	case 0xd4, 0xd5, 0xd6, 0xd7, 0xd8:
		return u.ext(1 << (marker - 0xd4))
	case 0xd9, 0xda, 0xdb:
		return u.str(at, u.size(marker-0xd9))
	case 0xdc, 0xdd:
		return u.array(at, u.size(marker-0xdc+1), depth)
	case 0xde, 0xdf:
		return u.mapOf(at, u.size(marker-0xde+1), depth)
	}
	u.Failf(at, "0x%02x is not a marker", marker)
	return nil
}

// size reads an unsigned integer of 1, 2 or 4 bytes, for width 0, 1 or 2.
func (u *unpacker) size(width uint8) int64 {
	switch width {
	case 0:
		return int64(u.Uint8())
	case 1:
		return int64(u.Uint16BE())
	}
	return int64(u.Uint32BE())
}

func (u *unpacker) str(at int, n int64) string {
	b := u.Bytes(n)
	if !utf8.Valid(b) {
		u.Failf(at, "string is not valid UTF-8")
		return ""
	}
	return string(b)
}

func (u *unpacker) ext(n int64) any {
	e := Ext{Type: int8(u.Uint8())}
	e.Data = append([]byte{}, u.Bytes(n)...)
	return e
}

// claim takes n elements from the budget and reports whether they can exist.
func (u *unpacker) claim(at int, n int64) bool {
	if n > u.budget {
		u.Failf(at, "%d elements in %d bytes", n, u.Len())
		return false
	}
	u.budget -= n
	return u.Err() == nil
}

func (u *unpacker) array(at int, n int64, depth int) any {
	if !u.claim(at, n) {
		return nil
	}
	list := make([]any, 0, n)
	for i := int64(0); i < n && u.Err() == nil; i++ {
		list = append(list, u.value(depth+1))
	}
	if len(list) > 0 && list[0] == any(tupleMarker) {
		return Tuple(list[1:])
	}
	return list
}

func (u *unpacker) mapOf(at int, n int64, depth int) any {
	if !u.claim(at, 2*n) {
		return nil
	}
	m := make(Map, 0, n)
	for i := int64(0); i < n && u.Err() == nil; i++ {
		key := u.value(depth + 1)
		m = append(m, Pair{key, u.value(depth + 1)})
	}
	return m
}
