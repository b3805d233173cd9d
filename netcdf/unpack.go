package netcdf

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// packingAttributes are those that [Unpack] applies, after which they are gone.
var packingAttributes = []string{attrFactor, attrOffset, attrFill, attrMissing, attrUnsigned}

const (
	attrFactor   = "scale_factor"
	attrOffset   = "add_offset"
	attrFill     = "_FillValue"
	attrMissing  = "missing_value"
	attrUnsigned = "_Unsigned"
)

// Unpack returns the numbers that the items of an array of any format stand for, as attributes of
// the CF conventions say it: items × scale_factor + add_offset, and NaN for those that equal
// _FillValue or missing_value. Signed integers with _Unsigned of "true" are taken for unsigned
// ones. Without such attributes it returns src itself.
//
// Numbers are float32 if that is what scale_factor and add_offset are, or items without these, and
// items are float32 or integers of up to 16 bits; otherwise they are float64. They are calculated
// as float64. The attributes that have been applied are gone. The error matches cairn.ErrType if
// items are no numbers.
func Unpack(src ndarray.Labelled) (ndarray.Labelled, error) {
	l, err := src.Labels()
	if err != nil {
		return nil, err
	}
	u := &unpacked{src: src, factor: 1}
	if !u.packed(l.Attributes) {
		return src, nil
	}
	d := src.DType()
	if text, _ := l.Attributes.Get(attrUnsigned); text == "true" {
		d = unsignedOf(d)
	}
	if u.numbers, err = govalue.FloatsOf(d); err != nil || u.numbers.Absolute() || u.numbers.Dates() {
		return nil, fmt.Errorf("unpack items of dtype %s: they are no numbers: %w", d, cairn.ErrType)
	}
	narrow := u.numbers.Whole() && d.Size() <= 2 || !u.numbers.Whole() && d.Size() <= 4
	if u.setType(narrow && !u.wide); d.Size() > u.dtype.Size() {
		return nil, fmt.Errorf("unpack items of dtype %s: %w", d, cairn.ErrUnsupported)
	}
	if !u.numbers.Whole() && d.Size() == 4 {
		for i, v := range u.fills { // of another type than the items
			u.fills[i] = float64(float32(v))
		}
	}
	u.labels = ndarray.Labels{Dims: l.Dims}
	for _, p := range l.Attributes {
		if name, _ := p.Key.(string); !slices.Contains(packingAttributes, name) {
			u.labels.Attributes = append(u.labels.Attributes, p)
		}
	}
	return u, nil
}

// unsignedOf returns the type of unsigned integers of the size of others.
func unsignedOf(d meta.DType) meta.DType {
	order := "<"
	if d.BigEndian() {
		order = ">"
	}
	if u, err := meta.ParseDType(fmt.Sprintf("%su%d", order, d.Size())); err == nil {
		return u
	}
	return d
}

// unpacked is an array whose items have been unpacked.
type unpacked struct {
	src            ndarray.Source
	numbers        *govalue.Floats
	dtype          meta.DType
	factor, offset float64
	wide           bool // the attributes are not float32
	fills          []float64
	labels         ndarray.Labels
}

// packed sets what attributes say, and reports whether they say something.
func (u *unpacked) packed(attributes meta.Map) (found bool) {
	for _, a := range []struct {
		name string
		to   *float64
	}{{attrFactor, &u.factor}, {attrOffset, &u.offset}} {
		v, _ := attributes.Get(a.name)
		if numbers := numbersOf(v); len(numbers) == 1 {
			*a.to, found = numbers[0], true
			_, isFloat32 := v.(float32)
			u.wide = u.wide || !isFloat32
		}
	}
	for _, name := range []string{attrFill, attrMissing} {
		v, _ := attributes.Get(name)
		u.fills = append(u.fills, numbersOf(v)...)
	}
	text, _ := attributes.Get(attrUnsigned)
	return found || len(u.fills) > 0 || text == "true"
}

// numbersOf returns an attribute that is a number or a list of some.
func numbersOf(v any) (numbers []float64) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			numbers = append(numbers, numbersOf(e)...)
		}
	case int64:
		return []float64{float64(v)}
	case uint64:
		return []float64{float64(v)}
	case float32:
		return []float64{float64(v)}
	case float64:
		return []float64{v}
	}
	return numbers
}

func (u *unpacked) setType(narrow bool) {
	text := "<f8"
	if narrow {
		text = "<f4"
	}
	d, err := meta.ParseDType(text)
	if err != nil {
		panic(err) // which it is not
	}
	u.dtype = d
}

func (u *unpacked) Shape() ndarray.Shape { return u.src.Shape() }

func (u *unpacked) DType() meta.DType { return u.dtype }

func (u *unpacked) Grid() (chunks, blocks ndarray.Shape) { return u.src.Grid() }

func (u *unpacked) Labels() (ndarray.Labels, error) { return u.labels, nil }

func (u *unpacked) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	// An item is not larger than its number, so that items at the end of dst are read before they
	// are overwritten.
	size, wide := u.src.DType().Size(), u.dtype.Size()
	raw := dst[len(dst)-len(dst)/wide*size:]
	if err := u.src.ReadBytes(ctx, raw, start, stop); err != nil {
		return err
	}
	var values [1 << 10]float64
	for len(raw) > 0 {
		n := min(len(values), len(raw)/size)
		u.numbers.Convert(values[:n], raw[:n*size])
		raw = raw[n*size:]
		dst = u.put(dst, values[:n])
	}
	return nil
}

// put unpacks values to the beginning of dst, and returns the rest of it.
func (u *unpacked) put(dst []byte, values []float64) []byte {
	size := u.dtype.Size()
	for _, v := range values {
		if slices.Contains(u.fills, v) {
			v = math.NaN()
		}
		v = v*u.factor + u.offset
		if size == 4 {
			binary.LittleEndian.PutUint32(dst, math.Float32bits(float32(v)))
		} else {
			binary.LittleEndian.PutUint64(dst, math.Float64bits(v))
		}
		dst = dst[size:]
	}
	return dst
}
