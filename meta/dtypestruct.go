package meta

import (
	"strconv"

	"github.com/cairn-go/cairn/internal/wire"
)

// dtypeOf converts a Python value like numpy.dtype. align means that structures are aligned like C
// structs; inner structures inherit it.
func dtypeOf(n pyNode, align bool) (DType, error) {
	switch n.kind {
	case pyString:
		return parseScalar(n.text, n.at)
	case pyName:
		return parseScalar(n.text, n.at)
	case pyList:
		return structOfList(n, align)
	case pyDict:
		return structOfDict(n, align)
	case pyTuple:
		return dtypeOfTuple(n, align)
	case pyCall:
		return dtypeOfCall(n)
	}
	return DType{}, dtypeErrorf(n.at, "%v is not a type", n.kind)
}

// dtypeOfCall converts dtype(X) and dtype(X, align=True), the form of Python's repr of a dtype.
func dtypeOfCall(n pyNode) (DType, error) {
	if n.text == "StringDType" && len(n.items) == 0 {
		return parseScalar("StringDType()", n.at)
	}
	if n.text != "dtype" && n.text != "numpy.dtype" && n.text != "np.dtype" || len(n.items) == 0 || n.items[0].kind == pyKeyword {
		return DType{}, dtypeErrorf(n.at, "%q is not a type", clip(n.text))
	}

	align := false // an explicit dtype inherits nothing
	for _, arg := range n.items[1:] {
		if arg.kind != pyKeyword || arg.text != "align" || arg.items[0].kind != pyBool {
			return DType{}, dtypeErrorf(arg.at, "argument other than align=True of a dtype")
		}
		align = arg.items[0].num != 0
	}
	return dtypeOf(n.items[0], align)
}

// dtypeOfTuple converts (type, shape), ('S', length) and (numpy.record, structure).
func dtypeOfTuple(n pyNode, align bool) (DType, error) {
	if len(n.items) != 2 {
		return DType{}, dtypeErrorf(n.at, "a tuple of %d is not a type", len(n.items))
	}
	first := n.items[0]
	second := n.items[1]
	if first.kind == pyName && (first.text == "numpy.record" || first.text == "np.record" || first.text == "record") {
		d, err := dtypeOf(second, align)
		if err == nil && d.form != structForm {
			return DType{}, dtypeErrorf(second.at, "a record without fields")
		}
		d.record = true
		return d, err
	}

	base, err := dtypeOf(first, align)
	if err != nil {
		return DType{}, err
	}
	if second.kind == pyInt && base.form == scalarForm && base.size == 0 {
		// Set the length, in characters, of a type without one.
		width := int64(1)
		if base.kind == 'U' {
			width = 4
		}
		size, ok := wire.MulInt64(width, second.num)
		if !ok || size < 0 || size > maxDTypeSize {
			return DType{}, dtypeErrorf(second.at, "length %d of a type", second.num)
		}
		base.size = int(size)
		return base, nil
	}
	return subArray(base, second)
}

// subArray returns an array type; shape is an integer or a tuple of integers. With an empty shape
// the result is base.
func subArray(base DType, shape pyNode) (DType, error) {
	extents := shape.items
	if shape.kind == pyInt {
		extents = []pyNode{shape}
	} else if shape.kind != pyTuple && shape.kind != pyList {
		return DType{}, dtypeErrorf(shape.at, "%v is not the shape of a sub-array", shape.kind)
	}

	if len(extents) == 0 {
		return base, nil
	}

	d := DType{form: arrayForm, elem: &base, shape: make([]int, len(extents))}
	size := int64(base.size)
	for i, e := range extents {
		if e.kind != pyInt || e.num < 0 || e.num > maxDTypeSize {
			return DType{}, dtypeErrorf(e.at, "extent of a sub-array is not an integer from 0 to %d", maxDTypeSize)
		}
		d.shape[i] = int(e.num)
		// Both factors fit in 31 bits.
		if size *= e.num; size > maxDTypeSize {
			return DType{}, dtypeErrorf(shape.at, "sub-array is larger than %d bytes", maxDTypeSize)
		}
	}

	d.size = int(size)
	return d, nil
}

// structBuilder collects fields and computes their layout.
type structBuilder struct {
	d     DType
	names map[string]struct{}
	align bool
	most  int64 // largest alignment of a field
	end   int64 // end of the furthest field
}

func newStruct(align bool) *structBuilder {
	return &structBuilder{d: DType{form: structForm, aligned: align}, names: map[string]struct{}{}, align: align, most: 1}
}

// place returns the offset of a following field of type t and records its alignment.
func (b *structBuilder) place(t DType) int64 {
	if !b.align {
		return b.end
	}
	alignment := int64(t.alignment())
	b.most = max(b.most, alignment)
	// Neither this nor size below overflows: both arguments are below 2^31.
	place, _ := wire.RoundUp(b.end, alignment)
	return place
}

// size returns the size of the structure if none is given.
func (b *structBuilder) size() int64 {
	if !b.align {
		return b.end
	}
	size, _ := wire.RoundUp(b.end, b.most)
	return size
}

// add appends a field, at the next free offset if offset is nil. index is used to name unnamed
// fields.
func (b *structBuilder) add(n pyNode, name, title string, index int, t DType, offset *pyNode) error {
	if name == "" {
		if name = title; name == "" {
			name = "f" + strconv.Itoa(index)
		}
		if name == title {
			title = ""
		}
	}

	for _, s := range []string{name, title} {
		if _, twice := b.names[s]; twice && s != "" {
			return dtypeErrorf(n.at, "field %q occurs twice", clip(s))
		}
		b.names[s] = struct{}{}
	}

	place := b.place(t)
	if offset != nil {
		if offset.kind != pyInt || offset.num < 0 || offset.num > maxDTypeSize {
			return dtypeErrorf(offset.at, "offset of field %q is not an integer from 0 to %d", clip(name), maxDTypeSize)
		}
		place = offset.num
		if b.align && place%int64(t.alignment()) != 0 {
			return dtypeErrorf(offset.at, "offset %d of field %q is not aligned", place, clip(name))
		}
	}

	if b.end = max(b.end, place+int64(t.size)); b.end > maxDTypeSize {
		return dtypeErrorf(n.at, "structure is larger than %d bytes", maxDTypeSize)
	}
	b.d.fields = append(b.d.fields, Field{Name: name, Title: title, Offset: int(place), Type: t})
	return nil
}

// finish returns the structure. itemSize, if not nil, is its explicit size.
func (b *structBuilder) finish(at int, itemSize *pyNode) (DType, error) {
	size := b.size()
	if itemSize != nil {
		if itemSize.kind != pyInt || itemSize.num < b.end || itemSize.num > maxDTypeSize || b.align && itemSize.num%b.most != 0 {
			return DType{}, dtypeErrorf(itemSize.at, "item size does not fit fields of %d bytes", b.end)
		}
		size = itemSize.num
	}

	if size > maxDTypeSize {
		return DType{}, dtypeErrorf(at, "structure is larger than %d bytes", maxDTypeSize)
	}
	b.d.size = int(size)
	return b.d, nil
}
