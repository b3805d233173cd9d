package meta

import (
	"strconv"

	"github.com/cairn-go/cairn/internal/wire"
)

// dtypeOf interprets a Python value as numpy.dtype does.
func dtypeOf(n pyNode) (DType, error) {
	switch n.kind {
	case pyString:
		return parseScalar(n.text, n.at)
	case pyName:
		return parseScalar(n.text, n.at)
	case pyList:
		return structOfList(n, false)
	case pyDict:
		return structOfDict(n)
	case pyTuple:
		return dtypeOfTuple(n)
	case pyCall:
		return dtypeOfCall(n)
	}
	return DType{}, dtypeErrorf(n.at, "%v is not a type", n.kind)
}

// dtypeOfCall reads dtype(X) and dtype(X, align=True), what Python's repr of a dtype gives.
func dtypeOfCall(n pyNode) (DType, error) {
	if n.text == "StringDType" && len(n.items) == 0 {
		return parseScalar("StringDType()", n.at)
	}
	if n.text != "dtype" && n.text != "numpy.dtype" && n.text != "np.dtype" || len(n.items) == 0 || n.items[0].kind == pyKeyword {
		return DType{}, dtypeErrorf(n.at, "%q is not a type", clip(n.text))
	}
	align := false
	for _, arg := range n.items[1:] {
		if arg.kind != pyKeyword || arg.text != "align" || arg.items[0].kind != pyBool {
			return DType{}, dtypeErrorf(arg.at, "argument other than align=True of a dtype")
		}
		align = arg.items[0].num != 0
	}
	if n.items[0].kind == pyList {
		return structOfList(n.items[0], align)
	}
	return dtypeOf(n.items[0])
}

// dtypeOfTuple reads (type, shape), ('S', length) and (numpy.record, structure).
func dtypeOfTuple(n pyNode) (DType, error) {
	if len(n.items) != 2 {
		return DType{}, dtypeErrorf(n.at, "a tuple of %d is not a type", len(n.items))
	}
	first, second := n.items[0], n.items[1]
	if first.kind == pyName && (first.text == "numpy.record" || first.text == "np.record" || first.text == "record") {
		d, err := dtypeOf(second)
		if err == nil && d.form != structForm {
			return DType{}, dtypeErrorf(second.at, "a record without fields")
		}
		d.record = true
		return d, err
	}
	base, err := dtypeOf(first)
	if err != nil {
		return DType{}, err
	}
	if second.kind == pyInt && base.form == scalarForm && base.size == 0 {
		return flexible(base, second)
	}
	return subArray(base, second)
}

// flexible gives a length, in characters, to one of the types that come without.
func flexible(base DType, length pyNode) (DType, error) {
	width := int64(1)
	if base.kind == 'U' {
		width = 4
	}
	size, ok := wire.MulInt64(width, length.num)
	if !ok || size < 0 || size > maxDTypeSize {
		return DType{}, dtypeErrorf(length.at, "length %d of a type", length.num)
	}
	base.size = int(size)
	return base, nil
}

// subArray makes an array type; shape is an integer or a tuple of them. An empty shape is the type itself.
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

// structBuilder collects fields and their layout.
type structBuilder struct {
	d     DType
	names map[string]struct{}
	align bool
	most  int   // largest alignment of a field
	end   int64 // of the last field, or of the furthest if offsets are given
}

func newStruct(align bool) *structBuilder {
	return &structBuilder{d: DType{form: structForm, aligned: align}, names: map[string]struct{}{}, align: align, most: 1}
}

// pad leaves n bytes without a name.
func (b *structBuilder) pad(n int) { b.end += int64(n) }

// add appends a field, at the next free place if offset is nil. index numbers fields without a name.
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
	place := b.end
	if b.align {
		alignment := int64(t.alignment())
		b.most = max(b.most, int(alignment))
		place, _ = wire.RoundUp(place, max(1, alignment))
	}
	if offset != nil {
		if offset.kind != pyInt || offset.num < 0 || offset.num > maxDTypeSize {
			return dtypeErrorf(offset.at, "offset of field %q is not an integer from 0 to %d", clip(name), maxDTypeSize)
		}
		place = offset.num
		if b.align && place%int64(max(1, t.alignment())) != 0 {
			return dtypeErrorf(offset.at, "offset %d of field %q is not aligned", place, clip(name))
		}
	}
	if b.end = max(b.end, place+int64(t.size)); b.end > maxDTypeSize {
		return dtypeErrorf(n.at, "structure is larger than %d bytes", maxDTypeSize)
	}
	b.d.fields = append(b.d.fields, Field{Name: name, Title: title, Offset: int(place), Type: t})
	return nil
}

// finish returns the structure; itemSize, if not nil, is the size that was given.
func (b *structBuilder) finish(at int, itemSize *pyNode) (DType, error) {
	size := b.end
	if b.align {
		size, _ = wire.RoundUp(size, int64(b.most))
	}
	if itemSize != nil {
		if itemSize.kind != pyInt || itemSize.num < b.end || itemSize.num > maxDTypeSize || b.align && itemSize.num%int64(b.most) != 0 {
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
