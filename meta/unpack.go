package meta

import (
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/wire"
)

// Unpack decodes a single msgpack value into nil, bool, int64, uint64 (only for numbers above the
// largest int64), float32, float64, string, []byte, []any, [Tuple], [Map] or [Ext]. Bytes are
// copied. Sizes and integers need not be in their shortest form; strings must be valid UTF-8.
// Errors are [cairn.CorruptError]s of layer "msgpack" with offsets in b. If the value takes more
// memory than [ValueBytes] of the default limits, the error matches [cairn.ErrLimit]: an empty list
// is one byte of msgpack, but 40 bytes in memory.
func Unpack(b []byte) (any, error) {
	budget := ValueBytes(cairn.Limits{})
	return UnpackWithin(b, &budget)
}

// ValueBytes returns the maximum memory of all values of a frame's metalayers together: four times
// Limits.MaxMeta.
func ValueBytes(l cairn.Limits) int64 {
	return 4 * min(l.WithDefaults().MaxMeta, math.MaxInt64/4)
}

// UnpackWithin is [Unpack] with a memory limit of *budget bytes. It subtracts the memory used, also
// after an error, so that several values can share a budget.
func UnpackWithin(b []byte, budget *int64) (any, error) {
	u := unpacker{Reader: wire.NewReader("msgpack", b, 0), elements: int64(len(b)), budget: *budget}
	v := u.value(0)
	allowed := *budget
	*budget = max(0, u.budget)
	if u.budget < 0 {
		return nil, fmt.Errorf("msgpack of %d bytes: %w: its values take more than %d bytes of memory",
			len(b), cairn.ErrLimit, allowed)
	}
	if u.Err() == nil && u.Len() > 0 {
		u.Failf(u.Pos(), "%d bytes after the value", u.Len())
	}
	if err := u.Err(); err != nil {
		return nil, err
	}
	return v, nil
}

// unpacker holds the state of one Unpack. elements bounds the number of elements still to come:
// each takes at least one byte, so all arrays and maps together cannot have more elements than the
// value has bytes. budget is the remaining memory, negative if it was exceeded.
type unpacker struct {
	wire.Reader
	elements int64
	budget   int64
}

// Minimum memory of values, in addition to the bytes of strings and the like.
const (
	slotBytes   = 16 // an interface
	pairBytes   = 2 * slotBytes
	numberBytes = 8  // what the interface points to
	headBytes   = 24 // header of a string, list or map
)

// spend subtracts n bytes from the budget, and fails if that is exceeded.
func (u *unpacker) spend(n int64) bool {
	if u.budget -= n; u.budget < 0 {
		u.Failf(u.Pos(), "no memory left")
	}
	return u.Err() == nil
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

// marked decodes the values with markers 0xc0 to 0xdf.
func (u *unpacker) marked(at int, marker uint8, depth int) any {
	switch marker {
	case 0xc0:
		return nil
	case 0xc2, 0xc3:
		return marker == 0xc3
	case 0xc4, 0xc5, 0xc6:
		return u.bytes(u.size(marker - 0xc4))
	case 0xc7, 0xc8, 0xc9:
		return u.ext(u.size(marker - 0xc7))
	case 0xd4, 0xd5, 0xd6, 0xd7, 0xd8:
		return u.ext(1 << (marker - 0xd4))
	case 0xd9, 0xda, 0xdb:
		return u.str(at, u.size(marker-0xd9))
	case 0xdc, 0xdd:
		return u.array(at, u.size(marker-0xdc+1), depth)
	case 0xde, 0xdf:
		return u.mapOf(at, u.size(marker-0xde+1), depth)
	}
	if !u.spend(numberBytes) {
		return nil
	}
	return u.number(at, marker)
}

// number decodes numbers.
func (u *unpacker) number(at int, marker uint8) any {
	switch marker {
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
	if !u.spend(headBytes + int64(len(b))) {
		return ""
	}
	if !utf8.Valid(b) {
		u.Failf(at, "string is not valid UTF-8")
		return ""
	}
	return string(b)
}

func (u *unpacker) bytes(n int64) []byte {
	b := u.Bytes(n)
	if !u.spend(headBytes + int64(len(b))) {
		return nil
	}
	return append([]byte{}, b...)
}

func (u *unpacker) ext(n int64) any {
	return Ext{Type: int8(u.Uint8()), Data: u.bytes(n)}
}

// claim reports whether a list or map can have n elements, and subtracts their memory from the
// budget.
func (u *unpacker) claim(at int, n, each int64) bool {
	if n > u.elements {
		u.Failf(at, "%d elements in %d bytes", n, u.Len())
		return false
	}
	u.elements -= n
	return u.spend(headBytes + n*each)
}

func (u *unpacker) array(at int, n int64, depth int) any {
	if !u.claim(at, n, slotBytes) {
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
	if !u.claim(at, 2*n, pairBytes/2) {
		return nil
	}
	m := make(Map, 0, n)
	for i := int64(0); i < n && u.Err() == nil; i++ {
		key := u.value(depth + 1)
		m = append(m, Pair{key, u.value(depth + 1)})
	}
	return m
}
