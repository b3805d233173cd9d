package zarr

import (
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/meta"
)

// numbersOf returns how the items of a dtype are read as numbers.
func numbersOf(what string, v any) (govalue.Number, error) {
	text, err := textOf(what, v)
	if err != nil {
		return govalue.Number{}, err
	}
	d, err := parseDType(text)
	if err != nil {
		return govalue.Number{}, err
	}
	return numbersIn(what, d)
}

func numbersIn(what string, d meta.DType) (govalue.Number, error) {
	n, ok := govalue.NumberOf(d)
	if !ok {
		return n, unsupported("%s %v: only integers and floats of at most 8 bytes", what, d)
	}
	return n, nil
}

// rounded returns a result of arithmetic in the type of n, which is a float.
func rounded(n govalue.Number, f float64) float64 {
	if n.Size == 2 {
		f = float64(float32(f)) // as NumPy computes them
	}
	var item [8]byte
	n.PutFloat(item[:], f)
	return n.Float(item[:])
}

// move converts an item to another type, as NumPy's astype does.
func move(dst []byte, to govalue.Number, src []byte, from govalue.Number) {
	if from.IsFloat() || to.IsFloat() {
		to.PutFloat(dst, from.Float(src))
		return
	}
	to.PutBits(dst, uint64(from.Int(src)))
}
