// Package npy reads and writes NumPy's files: .npy, which holds one array; .npz, a zip archive of
// such files; and raw binary, the items of an array without a header.
//
// [Open], [OpenReader] and [OpenStream] open an array as an [Array], which is an [ndarray.Source]:
// it can be viewed, copied, computed with and saved like any other. [Save] and [Write] write any
// Source as an .npy file, in bounded memory. [OpenArchive] and [SaveArchive] do the same for
// archives. [OpenOptions] and [SaveOptions] have a field Raw for files without a header.
//
// Items have any dtype with a fixed size, in either byte order: bool, integers, floats and complex
// numbers of all sizes, bytes, text, void, dates, durations and structures. Python objects are
// refused with [cairn.ErrUnsupported]. Files in Fortran order are transposed while they are read.
//
// The format is that of NEP 1 and of numpy.lib.format of NumPy 2.4:
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
package npy

// The bytes of a file:
//
//	offset  bytes   content
//	0       6       93 "NUMPY"
//	6       2       version: 1 0, 2 0 or 3 0
//	8       2 or 4  header length, little endian: 2 bytes in version 1, 4 in versions 2 and 3
//	10, 12  length  a Python dict literal with the keys descr, fortran_order and shape;
//	                Latin-1 in versions 1 and 2, UTF-8 in version 3; padded with spaces and a
//	                newline so that the items start at a multiple of 64
//	…               the items

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

const (
	magic     = "\x93NUMPY"
	layer     = "npy header"
	alignment = 64 // of the first item within the file

	// maxHeaderLength bounds the text of a header. NumPy itself refuses more than 10 000 bytes
	// unless told otherwise; dtypes of some thousand fields still fit into this.
	maxHeaderLength = 1 << 20
	maxDimensions   = 64 // of NumPy 2; its earlier releases had 32
)

// A Header is what an .npy file says about its array.
type Header struct {
	DType   meta.DType
	Shape   ndarray.Shape // no extent is negative, and the bytes of all items fit into an int64
	Fortran bool          // items are stored with the first index running fastest
}

// size returns the number of bytes of all items.
func (h *Header) size() int64 {
	size := int64(h.DType.Size())
	for _, n := range h.Shape {
		size *= n
	}
	return size
}

// readHeader reads a header of at most limit bytes from r and returns it with its length, which is
// the offset of the first item. It reads nothing beyond the header.
func readHeader(r io.Reader, limit int64) (Header, int64, error) {
	prefix := make([]byte, 12)
	if err := readPart(r, prefix[:8], 0); err != nil {
		return Header{}, 0, err
	}
	if string(prefix[:6]) != magic {
		return Header{}, 0, cairn.Corruptf(layer, 0, "starts with %x, want %x: not an .npy file", prefix[:6], magic)
	}

	major := prefix[6]
	minor := prefix[7]
	if major < 1 || major > 3 || minor != 0 {
		return Header{}, 0, fmt.Errorf("npy version %d.%d is %w", major, minor, cairn.ErrUnsupported)
	}

	start := 10
	if major > 1 {
		start = 12
	}
	if err := readPart(r, prefix[8:start], 8); err != nil {
		return Header{}, 0, err
	}

	length := int64(binary.LittleEndian.Uint16(prefix[8:]))
	if major > 1 {
		length = int64(binary.LittleEndian.Uint32(prefix[8:]))
	}
	if most := min(limit, maxHeaderLength); length > most {
		return Header{}, 0, cairn.Corruptf(layer, 8, "header of %d bytes, at most %d are accepted", length, most)
	}

	text := make([]byte, length)
	if err := readPart(r, text, start); err != nil {
		return Header{}, 0, err
	}

	h, err := parseHeader(decodeText(text, major), start)
	return h, int64(start) + length, err
}

// readPart fills dst from r; offset is where in the file that is, for the error.
func readPart(r io.Reader, dst []byte, offset int) error {
	n, err := io.ReadFull(r, dst)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return cairn.Corruptf(layer, int64(offset+n), "the file ends within its header")
	}
	return err
}

// decodeText returns the header text as UTF-8.
func decodeText(text []byte, major byte) string {
	if major >= 3 {
		return string(text)
	}
	var b strings.Builder
	for _, c := range text {
		b.WriteRune(rune(c))
	}
	return b.String()
}

// Append appends the header to dst and returns it, byte for byte as NumPy writes it: in the lowest
// version that can represent it, with space for 21 digits of the growing dimension.
func (h *Header) Append(dst []byte) []byte {
	var b strings.Builder
	order := "False"
	if h.Fortran {
		order = "True"
	}
	fmt.Fprintf(&b, "{'descr': %s, 'fortran_order': %s, 'shape': %s, }", h.DType.NumPy(), order, shapeText(h.Shape))

	if n := len(h.Shape); n > 0 {
		growing := h.Shape[0]
		if h.Fortran {
			growing = h.Shape[n-1]
		}
		b.WriteString(strings.Repeat(" ", 21-len(fmt.Sprint(growing))))
	}

	text, major := encodeText(b.String())
	prefix := 10
	if major == 1 && padded(prefix, len(text))-prefix > 0xffff {
		major = 2
	}
	if major > 1 {
		prefix = 12
	}

	total := padded(prefix, len(text))
	dst = append(dst, magic...)
	dst = append(dst, major, 0)
	if major == 1 {
		dst = binary.LittleEndian.AppendUint16(dst, uint16(total-prefix))
	} else {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(total-prefix))
	}

	dst = append(dst, text...)
	for range total - prefix - len(text) - 1 {
		dst = append(dst, ' ')
	}
	return append(dst, '\n')
}

// padded returns the length of a whole header whose text has n bytes before the padding, which is
// one space at least, and the newline: NumPy pads a text of the right length too.
func padded(prefix, n int) int {
	return ((prefix+n+1)/alignment + 1) * alignment
}

// encodeText returns the text as Latin-1 for version 1 or 2, or as UTF-8 for version 3 if it has to
// be.
func encodeText(s string) ([]byte, byte) {
	latin := make([]byte, 0, len(s))
	for _, r := range s {
		if r > 0xff || r == utf8.RuneError {
			return []byte(s), 3
		}
		latin = append(latin, byte(r))
	}
	return latin, 1
}

// shapeText returns a shape as a Python tuple.
func shapeText(shape []int64) string {
	if len(shape) == 1 {
		return fmt.Sprintf("(%d,)", shape[0])
	}
	parts := make([]string, len(shape))
	for i, n := range shape {
		parts[i] = fmt.Sprint(n)
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// ordered reports whether the order of items matters: not for an array without items, or with
// several along one dimension at most, which NumPy describes as one in C order.
func ordered(shape []int64) bool {
	long := 0
	for _, n := range shape {
		if n == 0 {
			return false
		}
		if n > 1 {
			long++
		}
	}
	return long > 1
}

// headerFor returns the header of the file of a source. The shape of a sub-array that is not a
// field becomes part of the array's, as in NumPy, whose arrays never have such a dtype.
func headerFor(src ndarray.Source, o *SaveOptions) (Header, error) {
	h := Header{DType: src.DType(), Shape: src.Shape()}
	h.Fortran = o.Fortran && ordered(h.Shape)
	if h.DType.Size() == 0 {
		return h, fmt.Errorf("items of 0 bytes (dtype %s): %w", h.DType, cairn.ErrUnsupported)
	}

	for {
		elem, shape, ok := h.DType.SubArray()
		if !ok {
			break
		}
		if h.Fortran {
			return h, fmt.Errorf("dtype %s in Fortran order: %w", h.DType, cairn.ErrUnsupported)
		}

		h.DType = elem
		for _, n := range shape {
			h.Shape = append(h.Shape, int64(n))
		}
	}
	return h, checkSize(&h, -1)
}
