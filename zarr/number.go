package zarr

import (
	"math"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// numbers says how to read items as numbers: of kind 'i', 'u' or 'f', of up to 8 bytes.
type numbers struct {
	kind      byte
	size      int
	bigEndian bool
}

// numbersOf returns how the items of a dtype are read as numbers.
func numbersOf(what string, v any) (numbers, error) {
	text, err := textOf(what, v)
	if err != nil {
		return numbers{}, err
	}
	d, err := parseDType(text)
	if err != nil {
		return numbers{}, err
	}
	return numbersIn(what, d)
}

func numbersIn(what string, d meta.DType) (numbers, error) {
	n := numbers{d.Kind(), d.Size(), d.BigEndian()}
	switch n.kind {
	case 'b':
		n.kind = 'u'
	case 'M', 'm':
		n.kind = 'i'
	case 'i', 'u', 'f':
	default:
		return n, unsupported("%s %v: only integers and floats", what, d)
	}
	if n.size > 8 {
		return n, unsupported("%s %v: at most 8 bytes", what, d)
	}
	return n, nil
}

// integer returns an integer with its sign extended to 64 bits.
func (n numbers) integer(b []byte) int64 {
	u := getUint(b[:n.size], n.bigEndian)
	if shift := 64 - 8*n.size; n.kind == 'i' {
		return int64(u) << shift >> shift
	}
	return int64(u)
}

// float returns an item as a float.
func (n numbers) float(b []byte) float64 {
	switch {
	case n.kind == 'u':
		return float64(uint64(n.integer(b)))
	case n.kind == 'i':
		return float64(n.integer(b))
	}
	switch u := getUint(b[:n.size], n.bigEndian); n.size {
	case 2:
		return float64(ndarray.Float16FromBits(uint16(u)).Float32())
	case 4:
		return float64(math.Float32frombits(uint32(u)))
	default:
		return math.Float64frombits(u)
	}
}

func (n numbers) putInteger(b []byte, i int64) { putUint(b[:n.size], uint64(i), n.bigEndian) }

// putFloat converts a float as C does: to integers it rounds towards zero.
func (n numbers) putFloat(b []byte, f float64) {
	switch {
	case n.kind == 'u' && f >= 1<<63:
		n.putInteger(b, int64(uint64(f)))
		return
	case n.kind != 'f':
		n.putInteger(b, int64(f))
		return
	}
	switch n.size {
	case 2:
		putUint(b[:2], uint64(ndarray.Float16From(float32(f)).Bits()), n.bigEndian)
	case 4:
		putUint(b[:4], uint64(math.Float32bits(float32(f))), n.bigEndian)
	default:
		putUint(b[:8], math.Float64bits(f), n.bigEndian)
	}
}

// round returns a result of arithmetic in the type of n, which is a float.
func (n numbers) round(f float64) float64 {
	switch n.size {
	case 2:
		return float64(ndarray.Float16From(float32(f)).Float32())
	case 4:
		return float64(float32(f))
	}
	return f
}

// move converts an item to another type, as NumPy's astype does.
func (n numbers) move(dst []byte, to numbers, src []byte) {
	if n.kind == 'f' {
		to.putFloat(dst, n.float(src))
	} else if to.kind == 'f' {
		to.putFloat(dst, n.float(src))
	} else {
		to.putInteger(dst, n.integer(src))
	}
}
