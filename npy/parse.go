package npy

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// parseHeader reads the dict literal of a header. base is the offset of the text in the file, for
// errors.
func parseHeader(text string, base int) (Header, error) {
	values, err := splitDict(text, base)
	if err != nil {
		return Header{}, err
	}

	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if _, ok := values[key]; !ok {
			return Header{}, cairn.Corruptf(layer, int64(base), "no key %q", key)
		}
	}

	var h Header
	switch order := values["fortran_order"]; order.text {
	case "True":
		h.Fortran = true
	case "False":
	default:
		return Header{}, cairn.Corruptf(layer, int64(order.offset), "fortran_order is %.20q, want True or False", order.text)
	}

	if h.Shape, err = parseShape(values["shape"]); err != nil {
		return Header{}, err
	}
	if h.DType, err = parseDescr(values["descr"]); err != nil {
		return Header{}, err
	}
	return h, checkSize(&h, values["shape"].offset)
}

// parseDescr turns the value of descr into a dtype.
func parseDescr(v value) (meta.DType, error) {
	d, err := meta.ParseDType(v.text)
	if errors.Is(err, cairn.ErrUnsupported) {
		return d, fmt.Errorf("dtype %.80s holds Python objects, which are not stored: %w", v.text, cairn.ErrUnsupported)
	}
	if err != nil {
		return d, fmt.Errorf("dtype %.80s of the .npy header: %w", v.text, err)
	}
	if _, _, ok := d.SubArray(); ok {
		return d, fmt.Errorf("dtype %.80s is a sub-array outside of a structure: %w", v.text, cairn.ErrUnsupported)
	}
	return d, nil
}

// parseShape reads a tuple of integers; Python 2 wrote some of them with a trailing L.
func parseShape(v value) (ndarray.Shape, error) {
	fail := func(format string, args ...any) (ndarray.Shape, error) {
		return nil, cairn.Corruptf(layer, int64(v.offset), "shape "+format, args...)
	}

	inner, ok := strings.CutPrefix(v.text, "(")
	if ok {
		inner, ok = strings.CutSuffix(inner, ")")
	}
	if !ok {
		return fail("is %.40q, want a tuple", v.text)
	}

	shape := ndarray.Shape{}
	for part := range strings.SplitSeq(inner, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue // after the last comma
		}
		n, err := strconv.ParseInt(strings.TrimSuffix(part, "L"), 10, 64)
		if err != nil || n < 0 {
			return fail("has a dimension %.40q", part)
		}
		if len(shape) == maxDimensions {
			return fail("has more than %d dimensions", maxDimensions)
		}
		shape = append(shape, n)
	}
	return shape, nil
}

// checkSize makes sure that the size of the array can be computed.
func checkSize(h *Header, offset int) error {
	size := int64(h.DType.Size())
	for _, n := range h.Shape {
		if n == 0 {
			return nil
		}
	}

	for _, n := range h.Shape {
		if size > 0 && n > math.MaxInt64/size {
			return cairn.Corruptf(layer, int64(offset), "shape %v of %d-byte items exceeds what an offset can say", h.Shape, h.DType.Size())
		}
		size *= n
	}
	return nil
}
