// Package npy reads and writes NumPy's .npy files: a short text header and the items of one array.
// It reads boxes of an array in bounded memory, from files in any order and from streams front to
// back, whatever the item order of the file.
//
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
package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
)

const (
	magic     = "\x93NUMPY"
	layer     = "npy header"
	alignment = 64 // of the first item within the file

	// maxHeaderLength bounds the text of a header. NumPy itself refuses more than 10 000 bytes
	// unless told otherwise; dtypes of some thousand fields still fit into this.
	maxHeaderLength = 1 << 20
	// maxDimensions is one more than any NumPy release has supported.
	maxDimensions = 64
)

// Header is what an .npy file says about its array.
type Header struct {
	DType   meta.DType
	Fortran bool    // items are stored with the first index running fastest
	Shape   []int64 // no dimension is negative, and DataSize fits into an int64
}

// DataSize returns the number of bytes that the items take.
func (h *Header) DataSize() int64 {
	size := int64(h.DType.Size())
	for _, n := range h.Shape {
		size *= n
	}
	return size
}

// ReadHeader reads a header from r and returns it with its length, which is the offset of the first
// item. It reads nothing beyond the header. An invalid header is an error that matches
// [cairn.ErrCorrupt]; a dtype with Python objects, or an unknown one, matches
// [cairn.ErrUnsupported].
func ReadHeader(r io.Reader) (Header, int64, error) {
	prefix := make([]byte, 12)
	if err := readAt(r, prefix[:8], 0); err != nil {
		return Header{}, 0, err
	}
	if string(prefix[:6]) != magic {
		return Header{}, 0, cairn.Corruptf(layer, 0, "starts with %x, want %x: not an .npy file", prefix[:6], magic)
	}
	major, minor := prefix[6], prefix[7]
	if major < 1 || major > 3 || minor != 0 {
		return Header{}, 0, fmt.Errorf("npy version %d.%d is %w", major, minor, cairn.ErrUnsupported)
	}
	start, length := 10, int64(0)
	if major == 1 {
		if err := readAt(r, prefix[8:10], 8); err != nil {
			return Header{}, 0, err
		}
		length = int64(binary.LittleEndian.Uint16(prefix[8:]))
	} else {
		start = 12
		if err := readAt(r, prefix[8:12], 8); err != nil {
			return Header{}, 0, err
		}
		length = int64(binary.LittleEndian.Uint32(prefix[8:]))
	}
	if length > maxHeaderLength {
		return Header{}, 0, cairn.Corruptf(layer, 8, "header of %d bytes, at most %d are accepted", length, maxHeaderLength)
	}
	text := make([]byte, length)
	if err := readAt(r, text, start); err != nil {
		return Header{}, 0, err
	}
	h, err := parseHeader(decodeText(text, major), start)
	return h, int64(start) + length, err
}

// readAt fills dst from r; offset is where in the file that is, for the error.
func readAt(r io.Reader, dst []byte, offset int) error {
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

// Append appends the header to dst, byte for byte as NumPy writes it: in the lowest version that
// can represent it, with space for 21 digits of the growing dimension.
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

// padded returns the length of a whole header whose text has n bytes before the padding: there is
// always a newline.
func padded(prefix, n int) int {
	return (prefix + n + 1 + alignment - 1) / alignment * alignment
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
