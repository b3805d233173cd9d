package diff

import (
	"bytes"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/meta"
)

// A comparer compares the items of a box, encoded as the dtypes say. Places are numbers of items.
type comparer func(a, b []byte) Counts

// A class is a kind of numbers that are compared as the same Go type.
type class uint8

const (
	opaque   class = iota // compared as bytes
	signed                // int64
	unsigned              // uint64, bools too
	float                 // float64
	complexes
	dates // int64, whose least value is NaT
)

func classOf(d meta.DType) class {
	size := d.Size()
	switch d.Kind() {
	case 'i':
		return signed
	case 'u', 'b':
		return unsigned
	case 'f':
		if size == 2 || size == 4 || size == 8 {
			return float
		}
	case 'c':
		if size == 8 || size == 16 {
			return complexes
		}
	case 'm', 'M':
		return dates
	}

	return opaque
}

// Comparable reports whether items of two dtypes can be compared: numbers with numbers, and
// anything with its like.
func Comparable(a, b meta.DType) bool {
	_, err := comparerOf(a, b, &Options{})
	return err == nil
}

// SameNumbers reports whether two dtypes are of the same numbers or times, in whatever byte order.
func SameNumbers(a, b meta.DType) bool {
	return classOf(a) != opaque && classOf(b) != opaque && a.String()[1:] == b.String()[1:]
}

func comparerOf(a, b meta.DType, o *Options) (comparer, error) {
	x := classOf(a)
	y := classOf(b)
	numbers := x != opaque && x != dates && y != opaque && y != dates

	switch {
	case x == y && x == signed:
		return itemsOf(a, b, o, decodeInt, decodeInt, o.ints), nil
	case x == y && x == unsigned:
		return itemsOf(a, b, o, decodeUint, decodeUint, o.uints), nil
	case numbers && (x == complexes || y == complexes):
		return itemsOf(a, b, o, decodeComplex, decodeComplex, o.complexes), nil
	case numbers:
		return itemsOf(a, b, o, decodeFloat, decodeFloat, o.floats), nil
	case x == y && x == dates && a.Kind() == b.Kind() && sameUnit(a, b):
		return itemsOf(a, b, o, decodeInt, decodeInt, o.dates), nil
	case a.Equal(b) || a.Size() == b.Size() && a.String() == b.String():
		return func(x, y []byte) Counts { return compareBytes(a.Size(), x, y) }, nil
	}
	return nil, fmt.Errorf("items of %s and %s cannot be compared: %w", a, b, cairn.ErrUnsupported)
}

func sameUnit(a, b meta.DType) bool {
	unitA, countA := a.Unit()
	unitB, countB := b.Unit()
	return unitA == unitB && countA == countB
}

// batch is the number of items that are decoded at a time.
const batch = 2048

// itemsOf returns a comparer of items that are decoded as values of type T.
func itemsOf[T any](a, b meta.DType, o *Options, decodeA, decodeB func(meta.DType, []T, []byte),
	compare func(c *Counts, at int64, x, y []T) (first, largest, relative int)) comparer {
	same := a.Equal(b)
	sizeA := a.Size()
	sizeB := b.Size()
	exact := !classOf(a).hasNaN()

	return func(rawA, rawB []byte) Counts {
		var c Counts
		x := make([]T, batch)
		y := make([]T, batch)
		for at := 0; at*sizeA < len(rawA); at += batch {
			n := min(batch, len(rawA)/sizeA-at)
			partA := rawA[at*sizeA:][:n*sizeA]
			partB := rawB[at*sizeB:][:n*sizeB]
			c.Items += int64(n)

			if same && exact && bytes.Equal(partA, partB) {
				c.numbers += int64(n)
				continue
			}

			decodeA(a, x[:n], partA)
			decodeB(b, y[:n], partB)
			first, largest, relative := compare(&c, int64(at), x[:n], y[:n])
			items := func(p *Place, i int) {
				if i >= 0 {
					p.A = bytes.Clone(partA[i*sizeA:][:sizeA])
					p.B = bytes.Clone(partB[i*sizeB:][:sizeB])
				}
			}
			items(c.First, first)
			items(c.Largest, largest)
			items(c.Relative, relative)
		}
		return c
	}
}

func (k class) hasNaN() bool { return k == float || k == complexes || k == dates }

// compareBytes counts items whose bytes differ.
func compareBytes(size int, a, b []byte) (c Counts) {
	if size == 0 {
		return c
	}

	c.Items = int64(len(a) / size)
	if bytes.Equal(a, b) {
		return c
	}

	for i := 0; i+size <= len(a); i += size {
		if !bytes.Equal(a[i:i+size], b[i:i+size]) {
			c.Differ++
			if c.First == nil {
				x := bytes.Clone(a[i : i+size])
				y := bytes.Clone(b[i : i+size])
				c.First = &Place{At: []int64{int64(i / size)}, A: x, B: y}
			}
		}
	}
	return c
}

func decodeInt(d meta.DType, dst []int64, raw []byte) {
	n, _ := govalue.NumberOf(d)
	for i := range dst {
		dst[i] = n.Int(raw[i*n.Size:])
	}
}

func decodeUint(d meta.DType, dst []uint64, raw []byte) {
	n, _ := govalue.NumberOf(d)
	for i := range dst {
		dst[i] = n.Bits(raw[i*n.Size:])
		if d.Kind() == 'b' {
			dst[i] = min(dst[i], 1)
		}
	}
}

// decodeFloat decodes integers too, which may round those of more than 53 bits.
func decodeFloat(d meta.DType, dst []float64, raw []byte) {
	if f, err := govalue.FloatsOf(d); err == nil { // always: see classOf
		f.Convert(dst, raw)
	}
}

func decodeComplex(d meta.DType, dst []complex128, raw []byte) {
	if d.Kind() != 'c' {
		floats := make([]float64, len(dst))
		decodeFloat(d, floats, raw)
		for i, f := range floats {
			dst[i] = complex(f, 0)
		}
		return
	}
	part := govalue.Number{Kind: 'f', Size: d.Size() / 2, BigEndian: d.BigEndian()}
	for i := range dst {
		item := raw[2*i*part.Size:]
		dst[i] = complex(part.Float(item), part.Float(item[part.Size:]))
	}
}
