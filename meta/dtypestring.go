package meta

import (
	"strconv"
)

// String returns the text that python-blosc2 writes into the b2nd metalayer: the short string for
// scalars, and Python text for structures and sub-arrays. Structures are lists if their fields are
// contiguous, otherwise dicts with offsets. There is one difference: if only one of an outer and an
// inner structure is aligned, NumPy's text loses the layout of the inner one. String keeps it.
func (d DType) String() string {
	switch d.form {
	case scalarForm:
		return d.short()
	case opaqueForm:
		return d.unit
	}
	return string(d.appendText(nil, textContext{outermost: true}))
}

// MarshalText returns the text of String, so that a DType is a string in JSON.
func (d DType) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText parses text as [ParseDType] does.
func (d *DType) UnmarshalText(text []byte) error {
	parsed, err := ParseDType(string(text))
	if err != nil {
		return err
	}

	*d = parsed
	return nil
}

// NumPy returns the Python expression that numpy.save writes as 'descr' in the header of a .npy
// file: a quoted short string, or for a structure the list of its fields, with padding as unnamed
// void fields. Two kinds of types have no such expression and are returned as raw bytes ('|V12'): a
// sub-array that is not a field, as by numpy.save, and a structure whose fields overlap or are out
// of order, which numpy.save refuses.
func (d DType) NumPy() string {
	if d.form != arrayForm && d.form != opaqueForm && d.describable() {
		return string(appendDescr(nil, d))
	}
	return "'|V" + strconv.Itoa(d.size) + "'"
}

// short returns the short string of a scalar, such as "<i4".
func (d DType) short() string {
	order := "|"
	if d.ordered() {
		order = "<"
		if d.bigEndian {
			order = ">"
		}
	}
	size := d.size
	if d.kind == 'U' {
		size /= 4
	}

	s := order + string(rune(d.Kind())) + strconv.Itoa(size)
	if d.unit == "" {
		return s
	}
	if d.count == 1 {
		return s + "[" + d.unit + "]"
	}
	return s + "[" + strconv.Itoa(d.count) + d.unit + "]"
}

// textContext is the context of a type within the text.
type textContext struct {
	outermost bool
	aligned   bool // readers align structures here, because an outer one is aligned
}

// appendText appends the Python text of a type. Within structures NumPy omits irrelevant byte
// orders and lengths of 0, and uses a different letter for bool.
func (d DType) appendText(dst []byte, in textContext) []byte {
	in.outermost = in.outermost && d.form == structForm
	switch d.form {
	case structForm:
		if d.record {
			dst = append(dst, "(numpy.record, "...)
		}
		switch {
		case in.outermost && d.aligned && d.inheritable():
			dst = d.appendDict(dst, textContext{aligned: true}, ", 'aligned': True")
		case d.packed(in.aligned):
			dst = d.appendList(dst, textContext{aligned: in.aligned})
		default:
			dst = d.appendDict(dst, textContext{aligned: in.aligned}, "")
		}

		if d.record {
			dst = append(dst, ')')
		}
		return dst
	case arrayForm:
		return append(d.appendParts(append(dst, '('), in.text), ')')
	}

	s := d.short()
	switch {
	case d.kind == 'b':
		s = "?"
	case d.size == 0 && d.ordered():
		s = s[:2]
	case d.size == 0:
		s = s[1:2]
	case !d.ordered():
		s = s[1:]
	}
	return appendPython(dst, s)
}

// text is appendText with the receiver and an argument swapped.
func (in textContext) text(dst []byte, d DType) []byte { return d.appendText(dst, in) }

// appendParts appends a type by calling text, followed for a sub-array by its shape.
func (d DType) appendParts(dst []byte, text func(dst []byte, d DType) []byte) []byte {
	if d.form != arrayForm {
		return text(dst, d)
	}
	dst = append(text(dst, *d.elem), ", "...)

	shape := d.shape
	dst = append(dst, '(')
	for i, n := range shape {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = strconv.AppendInt(dst, int64(n), 10)
	}
	if len(shape) == 1 {
		dst = append(dst, ',')
	}
	return append(dst, ')')
}

// packed reports whether the fields have the offsets that readers compute if none are given.
func (d DType) packed(aligned bool) bool {
	b := newStruct(aligned)
	for _, f := range d.fields {
		if b.place(f.Type) != int64(f.Offset) {
			return false
		}
		b.end = int64(f.Offset + f.Type.size)
	}
	return b.size() == int64(d.size)
}

// inheritable reports whether no structure in the type changes if a reader assumes it to be
// aligned.
func (d DType) inheritable() bool {
	if d.form == arrayForm {
		return d.elem.inheritable()
	}
	for _, f := range d.fields {
		if !f.Type.inheritable() || !d.aligned && f.Type.alignment() != 1 {
			return false
		}
	}
	return true
}

func (d DType) appendList(dst []byte, in textContext) []byte {
	dst = append(dst, '[')
	for i, f := range d.fields {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = f.appendTuple(dst, in.text)
	}
	return append(dst, ']')
}

// appendTuple appends a field's name and type.
func (f Field) appendTuple(dst []byte, text func(dst []byte, d DType) []byte) []byte {
	dst = append(f.appendName(append(dst, '(')), ", "...)
	return append(f.Type.appendParts(dst, text), ')')
}

// appendName appends 'name' or ('title', 'name').
func (f Field) appendName(dst []byte) []byte {
	if f.Title == "" {
		return appendPython(dst, f.Name)
	}
	dst = appendPython(append(dst, '('), f.Title)
	dst = appendPython(append(dst, ", "...), f.Name)
	return append(dst, ')')
}

// appendDict appends the form with offsets; last follows the item size.
func (d DType) appendDict(dst []byte, in textContext, last string) []byte {
	each := func(part func(dst []byte, f Field) []byte) {
		for i, f := range d.fields {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = part(dst, f)
		}
	}

	titled := false
	dst = append(dst, "{'names': ["...)
	each(func(dst []byte, f Field) []byte { return appendPython(dst, f.Name) })
	dst = append(dst, "], 'formats': ["...)
	each(func(dst []byte, f Field) []byte { return f.Type.appendText(dst, in) })
	dst = append(dst, "], 'offsets': ["...)
	each(func(dst []byte, f Field) []byte {
		titled = titled || f.Title != ""
		return strconv.AppendInt(dst, int64(f.Offset), 10)
	})
	if titled {
		dst = append(dst, "], 'titles': ["...)
		each(func(dst []byte, f Field) []byte {
			if f.Title == "" {
				return append(dst, "None"...)
			}
			return appendPython(dst, f.Title)
		})
	}

	dst = append(dst, "], 'itemsize': "...)
	dst = strconv.AppendInt(dst, int64(d.size), 10)
	dst = append(dst, last...)
	return append(dst, '}')
}

// describable reports whether appendDescr can represent the type.
func (d DType) describable() bool {
	if d.form == arrayForm {
		return d.elem.describable()
	}
	end := 0
	for _, f := range d.fields {
		if f.Offset < end || !f.Type.describable() {
			return false
		}
		end = f.Offset + f.Type.size
	}
	return true
}

func appendDescr(dst []byte, d DType) []byte {
	switch d.form {
	case scalarForm:
		return appendPython(dst, d.short())
	case arrayForm:
		return append(d.appendParts(append(dst, '('), appendDescr), ')')
	}

	dst = append(dst, '[')
	end := 0
	separate := func() {
		if dst[len(dst)-1] != '[' {
			dst = append(dst, ", "...)
		}
	}
	pad := func(to int) {
		if to > end {
			separate()
			dst = append(dst, "('', '|V"...)
			dst = append(strconv.AppendInt(dst, int64(to-end), 10), "')"...)
		}
	}

	for _, f := range d.fields {
		pad(f.Offset)
		separate()
		dst = f.appendTuple(dst, appendDescr)
		end = f.Offset + f.Type.size
	}
	pad(d.size)
	return append(dst, ']')
}
