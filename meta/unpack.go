package meta

import (
	"fmt"
	"math"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/msgpack"
)

// Unpack decodes a single msgpack value into nil, bool, int64, uint64 (only for numbers above the
// largest int64), float32, float64, string, []byte, []any, [Tuple], [Map] or [Ext]. Bytes are
// copied. Sizes and integers need not be in their shortest form; strings must be valid UTF-8.
// Errors are [cairn.CorruptError]s of layer "msgpack" with offsets in b.
//
// The value takes at most 40 times as many bytes of memory as b has, and 16 times for a list of
// small numbers: each interface is 16 bytes, and each list 24 more. If it takes more than
// [ValueBytes] of the default limits, the error matches [cairn.ErrLimit].
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
	u := unpacker{Reader: msgpack.NewReader(b), budget: *budget}
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

// unpacker holds the state of one Unpack. budget is the remaining memory, negative if it was
// exceeded.
type unpacker struct {
	msgpack.Reader
	budget int64
}

// Minimum memory of values, in addition to the bytes of strings and the like.
const (
	slotBytes   = 16 // an interface
	pairBytes   = 2 * slotBytes
	numberBytes = 8  // what the interface points to
	headBytes   = 24 // header of a string, list or map
)

// What all empty lists, maps and bytes are: an interface for each would take memory.
var (
	emptyList  any = []any{}
	emptyMap   any = Map{}
	emptyBytes any = []byte{}
)

// smallest is the smallest number that msgpack has in the byte of the marker.
const smallest = -32

// negatives are the interfaces of negative numbers of one byte. Go has those of 0 to 255.
var negatives = func() (list [-smallest]any) {
	for i := range list {
		list[i] = int64(smallest + i)
	}
	return list
}()

// spend subtracts n bytes from the budget, and fails if that is exceeded.
func (u *unpacker) spend(n int64) bool {
	if u.budget -= n; u.budget < 0 {
		u.Failf(u.Pos(), "no memory left")
	}
	return u.Err() == nil
}

func (u *unpacker) value(depth int) any {
	if !u.Shallow(depth) {
		return nil
	}
	t := u.Next()
	if u.Err() != nil {
		return nil
	}

	switch t.Kind {
	case msgpack.Nil:
		return nil
	case msgpack.Bool:
		return t.Bool
	case msgpack.Array:
		return u.array(t.Len, depth)
	case msgpack.Map:
		return u.mapOf(t.Len, depth)
	case msgpack.String, msgpack.Bytes, msgpack.Ext:
		if len(t.Data) == 0 && t.Kind == msgpack.Bytes {
			return emptyBytes
		}
		if !u.spend(headBytes + int64(len(t.Data))) {
			return nil
		}
	case msgpack.Int:
		if t.Small && t.Int < 0 {
			return negatives[t.Int-smallest]
		}
		if t.Int >= 0 && t.Int < 256 {
			return t.Int // Go has an interface of it
		}
		fallthrough
	default:
		if !u.spend(numberBytes) {
			return nil
		}
	}

	// The value of a token that has all of it.
	switch t.Kind {
	case msgpack.Int:
		return t.Int
	case msgpack.Uint:
		return t.Uint
	case msgpack.Float32:
		return math.Float32frombits(uint32(t.Uint))
	case msgpack.Float64:
		return t.Float
	case msgpack.String:
		return string(t.Data)
	case msgpack.Ext:
		return Ext{Type: t.Type, Data: append([]byte{}, t.Data...)}
	}
	return append([]byte{}, t.Data...)
}

func (u *unpacker) array(n int64, depth int) any {
	if n == 0 {
		return emptyList
	}
	if !u.spend(headBytes + n*slotBytes) {
		return nil
	}

	list := make([]any, 0, n)
	for i := int64(0); i < n && u.Err() == nil; i++ {
		list = append(list, u.value(depth+1))
	}

	if list[0] == any(tupleMarker) {
		return Tuple(list[1:])
	}
	return list
}

func (u *unpacker) mapOf(n int64, depth int) any {
	if n == 0 {
		return emptyMap
	}
	if !u.spend(headBytes + n*pairBytes) {
		return nil
	}

	m := make(Map, 0, n)
	for i := int64(0); i < n && u.Err() == nil; i++ {
		key := u.value(depth + 1)
		m = append(m, Pair{key, u.value(depth + 1)})
	}
	return m
}
