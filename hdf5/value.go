package hdf5

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/internal/cf/labels"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A valueReader makes Go values of attributes.
type valueReader struct {
	ctx   context.Context
	file  *File
	heap  *heapReader
	items int   // that may still be read
	bytes int64 // of variable length that may still be read
}

// mostValues is the most numbers, strings and so on in the attributes of an object.
const mostValues = 1 << 20

// valueBytes is about how many bytes a value takes.
const valueBytes = 32

func (f *File) values(ctx context.Context) *valueReader {
	most := f.format.Limits.MaxMeta
	return &valueReader{
		ctx: ctx, file: f, heap: &heapReader{file: f}, items: int(min(mostValues, most/valueBytes)), bytes: most,
	}
}

// read sets the value of an attribute.
func (v *valueReader) read(a *Attribute, from *format.Attribute) error {
	v.items -= from.Type.Parts()
	if v.items < 0 {
		return tooManyValues()
	}

	a.Datatype = from.Type.String()
	a.Type = typeOf(from.Type)

	if from.Space.Null {
		return nil
	}

	shape := slices.Clone(from.Space.Shape)
	item := from.Type
	for item.Class == format.Array {
		shape = append(shape, item.Shape...)
		item = item.Base
	}

	a.Shape = append(ndarray.Shape{}, shape...)
	a.Variable = item.Class == format.Variable && item.Text

	rest := from.Data
	var err error
	if a.Value, err = v.list(&rest, item, shape); err != nil {
		a.Value = nil
		return err
	}

	v.setData(a, from.Data, item)
	return nil
}

// setData sets the items as those of a dataset, if that is possible.
func (v *valueReader) setData(a *Attribute, data []byte, item *format.Datatype) {
	w := widths{}
	if _, err := dtypeText(item, w); err != nil {
		return
	}
	c, err := newConversion(item, w)
	if err != nil {
		return
	}

	if c != nil && c.variable {
		for rest := data; len(rest) > 0; rest = rest[c.from:] {
			if c.widen(v.ctx, v.heap, w, rest) != nil {
				return
			}
		}
		if c, err = newConversion(item, w); err != nil || int64(len(data))/c.from > v.bytes/max(1, c.to) {
			return
		}
	}

	t, err := parsedDType(item, w)
	if err != nil {
		return
	}

	out := slices.Clone(data)
	if c != nil {
		out = make([]byte, int64(len(data))/c.from*c.to)
		if c.run(v.ctx, v.heap, out, data) != nil {
			return
		}
	}

	a.DType = t
	a.Data = out
}

// list reads lists of items, one in another for each dimension.
func (v *valueReader) list(b *[]byte, d *format.Datatype, shape []int64) (any, error) {
	if len(shape) == 0 {
		item := (*b)[:d.Size]
		*b = (*b)[d.Size:]
		return v.value(item, d)
	}
	if shape[0] > int64(v.items) {
		return nil, tooManyValues()
	}

	list := make([]any, shape[0])
	v.items -= len(list)
	for i := range list {
		var err error
		if list[i], err = v.list(b, d, shape[1:]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func tooManyBytes() error {
	return fmt.Errorf("items of variable length have too many bytes: %w", cairn.ErrLimit)
}

func tooManyValues() error {
	return fmt.Errorf("more than %d values: %w", mostValues, cairn.ErrLimit)
}

// value reads an item.
func (v *valueReader) value(b []byte, d *format.Datatype) (any, error) {
	switch d.Class {
	case format.Time:
		if d.Size == 4 {
			return number(b, &format.Datatype{Class: format.Fixed, Size: 4, Signed: true, BigEndian: d.BigEndian}), nil
		}
		return slices.Clone(b), nil
	case format.Fixed, format.Bitfield:
		if d.Size == 16 {
			if v, ok := wide(b, d); ok {
				return v, nil
			}
		}

		if d.Size > 8 || d.Precision == 0 || int64(d.BitOffset)+int64(d.Precision) > 8*d.Size {
			break
		}

		var full [8]byte
		widen(full[:d.Size], b, d)
		return number(full[:d.Size], d), nil
	case format.Float:
		if d.FloatKind() != "" {
			return float(b, d), nil
		}
	case format.String:
		b = slices.Clone(b)
		endString(b, d.Padding)
		return labels.Readable(string(bytes.TrimRight(b, "\x00"))), nil
	case format.OpaqueBytes:
		return slices.Clone(b), nil
	case format.Reference:
		switch d.RefKind {
		case format.ObjectReference:
			return v.reference(b)
		case format.RegionReference:
			text, err := v.heap.textOf(v.ctx, d, b)
			if len(text) == 0 {
				return nil, err // it leads nowhere
			}
			return string(text), err
		}
	case format.Enum:
		if isBool(d) {
			return b[0] != 0, nil
		}
		return v.value(b, d.Base)
	case format.Variable:
		return v.variable(b, d)
	case format.Array:
		return v.list(&b, d.Base, d.Shape)
	case format.Compound:
		return v.compound(b, d)
	case format.Complex:
		if n := d.Base.Size; 2*n == d.Size {
			re, err := v.value(b[:n], d.Base)
			if err != nil {
				return nil, err
			}
			im, err := v.value(b[n:], d.Base)
			return meta.Map{{Key: "r", Value: re}, {Key: "i", Value: im}}, err
		}
	}
	return nil, unsupported("datatype: %v", d)
}

// number returns an integer of 8 bytes or fewer.
func number(b []byte, d *format.Datatype) any {
	var full [8]byte
	copy(full[:], b)
	v := binary.LittleEndian.Uint64(full[:])
	if d.BigEndian {
		v = bits.ReverseBytes64(v) >> (64 - 8*len(b))
	}

	shift := 64 - 8*len(b)
	switch {
	case d.Signed && d.Class == format.Fixed:
		return int64(v<<shift) >> shift
	case v > math.MaxInt64:
		return v
	}
	return int64(v)
}

// wide returns an integer of 16 bytes that 8 can hold.
func wide(b []byte, d *format.Datatype) (any, bool) {
	if d.BitOffset != 0 || d.Precision != 128 {
		return nil, false
	}
	b = slices.Clone(b)
	if d.BigEndian {
		slices.Reverse(b)
	}

	low := binary.LittleEndian.Uint64(b)
	high := binary.LittleEndian.Uint64(b[8:])
	switch signed := d.Signed && d.Class == format.Fixed; {
	case high == 0 && low <= math.MaxInt64, signed && high == math.MaxUint64 && low > math.MaxInt64:
		return int64(low), true
	case high == 0:
		return low, true
	}
	return nil, false
}

// float returns a floating-point number.
func float(b []byte, d *format.Datatype) float64 {
	if d.Size == 16 { // the extended type of x86: 64 bits of mantissa, then exponent and sign
		mantissa := binary.LittleEndian.Uint64(b)
		high := binary.LittleEndian.Uint16(b[8:])

		sign := 1.0
		exponent := int(high & 0x7fff)
		if high>>15 != 0 {
			sign = -1
		}

		switch {
		case exponent == 0x7fff && mantissa<<1 != 0:
			return math.NaN()
		case exponent == 0x7fff:
			return math.Inf(int(sign))
		}
		return math.Copysign(math.Ldexp(float64(mantissa), exponent-16383-63), sign)
	}
	return govalue.Number{Kind: 'f', Size: int(d.Size), BigEndian: d.BigEndian}.Float(b)
}

// reference returns the key of an object, nil if the reference leads nowhere.
func (v *valueReader) reference(b []byte) (any, error) {
	at, err := v.file.format.Address(b)
	if err != nil || at == format.None {
		return nil, err
	}

	key, err := v.file.resolve(v.ctx, at)
	if err != nil {
		return nil, v.ctx.Err()
	}
	return key, nil
}

// variable returns a string or a list of variable length.
func (v *valueReader) variable(b []byte, d *format.Datatype) (any, error) {
	if d.Text {
		text, err := v.heap.text(v.ctx, b)
		if v.bytes -= int64(len(text)); err == nil && v.bytes < 0 {
			err = tooManyBytes()
		}
		return labels.Readable(string(text)), err
	}

	ref := v.file.format.HeapRef(b)
	data, err := v.heap.object(v.ctx, ref, d.Base.Size)
	if v.bytes -= int64(len(data)); err == nil && v.bytes < 0 {
		err = tooManyBytes()
	}

	if err != nil {
		return nil, err
	}
	return v.list(&data, d.Base, []int64{int64(len(data)) / d.Base.Size})
}

func (v *valueReader) compound(b []byte, d *format.Datatype) (any, error) {
	fields := make(meta.Map, 0, len(d.Members))
	for _, m := range d.Members {
		value, err := v.value(b[m.Offset:][:m.Type.Size], m.Type)
		if err != nil {
			return nil, fmt.Errorf("member %q: %w", m.Name, err)
		}
		fields = append(fields, meta.Pair{Key: m.Name, Value: value})
	}
	return fields, nil
}
