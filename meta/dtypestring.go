package meta

import (
	"strconv"
)

// String returns what python-blosc2 writes into the b2nd metalayer: the short string for scalars, and the Python text for
// structures and sub-arrays: a list where fields follow each other without gaps, a dict with offsets elsewhere. There
// is one difference: NumPy drops the gaps of an aligned structure inside another one from the text, after which the text has a different
// size; String keeps them.
func (d DType) String() string {
	if d.form == scalarForm {
		return d.short()
	}
	return string(d.appendText(nil, true))
}

// NumPy returns the Python expression that numpy.save puts behind 'descr' in the header of a .npy file: a quoted short string, or for a
// structure the list of its fields, with padding as void fields without a name. Two kinds of types have no such
// expression: a sub-array that is not a field, for which numpy.save too falls back to raw bytes ('|V12'), and a structure whose fields overlap or
// are out of order, which numpy.save refuses and which is given as raw bytes here.
func (d DType) NumPy() string {
	if d.describable() {
		return string(d.appendDescr(nil))
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

// appendText appends the Python text of a type. Inside of structures NumPy leaves out orders that do not matter and
// lengths of 0, and has its own letter for bool. Only the outermost structure says that it is aligned.
func (d DType) appendText(dst []byte, outermost bool) []byte {
	switch d.form {
	case structForm:
		return d.appendStruct(dst, outermost)
	case arrayForm:
		dst = d.elem.appendText(append(dst, '('), false)
		dst = append(dst, ", "...)
		return append(appendShape(dst, d.shape), ')')
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

func appendShape(dst []byte, shape []int) []byte {
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

func (d DType) appendStruct(dst []byte, outermost bool) []byte {
	if d.record {
		dst = append(dst, "(numpy.record, "...)
	}
	aligned := outermost && d.aligned
	if d.packed() && !aligned {
		dst = d.appendList(dst)
	} else {
		dst = d.appendDict(dst, aligned)
	}
	if d.record {
		dst = append(dst, ')')
	}
	return dst
}

// packed reports whether the fields follow each other without gaps.
func (d DType) packed() bool {
	end := 0
	for _, f := range d.fields {
		if f.Offset != end {
			return false
		}
		end += f.Type.size
	}
	return end == d.size
}

func (d DType) appendList(dst []byte) []byte {
	dst = append(dst, '[')
	for i, f := range d.fields {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = f.appendName(append(dst, '('))
		dst = append(dst, ", "...)
		if f.Type.form == arrayForm {
			dst = f.Type.elem.appendText(dst, false)
			dst = append(dst, ", "...)
			dst = appendShape(dst, f.Type.shape)
		} else {
			dst = f.Type.appendText(dst, false)
		}
		dst = append(dst, ')')
	}
	return append(dst, ']')
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

func (d DType) appendDict(dst []byte, aligned bool) []byte {
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
	each(func(dst []byte, f Field) []byte { return f.Type.appendText(dst, false) })
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
	if aligned {
		dst = append(dst, ", 'aligned': True"...)
	}
	return append(dst, '}')
}

// describable reports whether appendDescr can say all of the type.
func (d DType) describable() bool {
	if d.form == arrayForm {
		return false
	}
	end := 0
	for _, f := range d.fields {
		if f.Offset < end {
			return false
		}
		end = f.Offset + f.Type.size
		t := f.Type
		if t.form == arrayForm {
			t = *t.elem
		}
		if !t.describable() {
			return false
		}
	}
	return true
}

func (d DType) appendDescr(dst []byte) []byte {
	if d.form == scalarForm {
		return appendPython(dst, d.short())
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
		dst = f.appendName(append(dst, '('))
		dst = append(dst, ", "...)
		if f.Type.form == arrayForm {
			dst = f.Type.elem.appendDescr(dst)
			dst = append(dst, ", "...)
			dst = appendShape(dst, f.Type.shape)
		} else {
			dst = f.Type.appendDescr(dst)
		}
		dst = append(dst, ')')
		end = f.Offset + f.Type.size
	}
	pad(d.size)
	return append(dst, ']')
}
