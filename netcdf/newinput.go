package netcdf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// An input is what the items of a variable of a new file come from.
type input struct {
	src    ndarray.UntypedView
	item   int64                       // bytes of an item of the source in the file
	same   bool                        // items stay as they are
	encode func(dst, src []byte) error // changes items into those of the file
}

// inputOf returns how the items of a source become those of a variable, whose numbers are
// big-endian or little-endian.
func inputOf(v *Variable, src ndarray.Source, bigEndian bool) (*input, error) {
	in := &input{src: ndarray.ViewOf(src)}
	if err := in.src.Err(); err != nil {
		return nil, err
	}

	shape := v.Shape()
	d := src.DType()
	size := d.Size()
	t, err := TypeOf(d)
	if err != nil {
		return nil, err
	}

	chars, isText := charsOf[d.Kind()]
	switch {
	case isText && v.Type == atomic[typeChar] && len(shape) == len(src.Shape())+1:
		width := int(shape[len(shape)-1])
		shape = shape[:len(shape)-1]
		in.item = int64(width)
		in.encode = func(dst, src []byte) error { return chars(dst, src, width, size, d.BigEndian()) }
	case t != v.Type:
		return nil, fmt.Errorf("items of dtype %v for a variable of type %s: %w", d, v.Type.Name, cairn.ErrType)
	case size != v.Type.Size:
		return nil, fmt.Errorf("items of %d bytes for a variable of chars: %w", size, cairn.ErrType)
	default:
		in.item = int64(size)
		swap := size > 1 && d.BigEndian() != bigEndian
		in.same = !swap
		in.encode = func(dst, src []byte) error {
			copy(dst, src)
			if swap {
				reverseItems(dst, size)
			}
			return nil
		}
	}

	if !slices.Equal(src.Shape(), shape) {
		return nil, fmt.Errorf("items of shape %v for a variable of shape %v: %w", src.Shape(), v.Shape(), cairn.ErrBounds)
	}
	return in, nil
}

// reverseItems reverses the bytes of each item.
func reverseItems(b []byte, size int) {
	switch size {
	case 2:
		for ; len(b) >= 2; b = b[2:] {
			binary.BigEndian.PutUint16(b, binary.LittleEndian.Uint16(b))
		}
	case 4:
		for ; len(b) >= 4; b = b[4:] {
			binary.BigEndian.PutUint32(b, binary.LittleEndian.Uint32(b))
		}
	case 8:
		for ; len(b) >= 8; b = b[8:] {
			binary.BigEndian.PutUint64(b, binary.LittleEndian.Uint64(b))
		}
	}
}

// charsOf make items of width bytes of texts of size bytes, by the kind of their dtype.
var charsOf = map[byte]func(dst, src []byte, width, size int, bigEndian bool) error{'S': encodeBytes, 'U': encodeTexts}

// encodeTexts makes UTF-8 of UTF-32.
func encodeTexts(dst, src []byte, width, size int, bigEndian bool) error {
	clear(dst)
	for ; len(src) > 0; src = src[size:] {
		to := dst[:0:width]
		for item := src[:size]; len(item) > 0; item = item[4:] {
			code := binary.LittleEndian.Uint32(item)
			if bigEndian {
				code = binary.BigEndian.Uint32(item)
			}
			if code == 0 && len(bytes.Trim(item, "\x00")) == 0 {
				break // what is behind the text
			}
			to = utf8.AppendRune(to, rune(code))
		}

		if len(to) > width {
			return fmt.Errorf("the text %.40q has %d bytes, more than %d: %w", to, len(to), width, cairn.ErrBounds)
		}
		dst = dst[width:]
	}
	return nil
}

func encodeBytes(dst, src []byte, width, size int, _ bool) error {
	clear(dst)
	for ; len(src) > 0; src = src[size:] {
		item := bytes.TrimRight(src[:size], "\x00")
		if len(item) > width {
			return fmt.Errorf("the text %.40q has %d bytes, more than %d: %w", item, len(item), width, cairn.ErrBounds)
		}
		copy(dst, item)
		dst = dst[width:]
	}
	return nil
}
