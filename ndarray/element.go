package ndarray

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
)

// Element is the set of Go types that an [Array] can have. Each stands for the dtype of the same kind and size, in either byte order.
type Element interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 |
		~float32 | ~float64 | ~complex64 | ~complex128 | ~bool | Float16
}

// hostBigEndian reports whether the memory of this machine holds the most significant byte first.
func hostBigEndian() bool { return binary.NativeEndian.Uint16([]byte{0, 1}) == 1 }

// dtypeFor returns the dtype, little-endian where that matters, that T stands for.
func dtypeFor[T Element]() string {
	kind, size := elementKind[T]()
	order := byte('<')
	if size == 1 {
		order = '|'
	}
	return fmt.Sprintf("%c%c%d", order, kind, size)
}

// elementKind returns the NumPy kind and the size in bytes of T.
func elementKind[T Element]() (kind byte, size int) { return kindOf(reflect.TypeFor[T]()) }

// kindOf returns the NumPy kind and the size in bytes of a Go type, kind 0 if it is none that an [Element] can be.
func kindOf(t reflect.Type) (kind byte, size int) {
	if t == reflect.TypeFor[Float16]() {
		return 'f', 2
	}
	switch t.Kind() {
	case reflect.Bool:
		kind = 'b'
	case reflect.Float32, reflect.Float64:
		kind = 'f'
	case reflect.Complex64, reflect.Complex128:
		kind = 'c'
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		kind = 'u'
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		kind = 'i'
	}
	return kind, int(t.Size())
}

// checkElement reports whether items of typeSize bytes with the given dtype can be seen as T.
func checkElement[T Element](d meta.DType, text string, typeSize int) error {
	kind, size := elementKind[T]()
	if d.Kind() != kind || d.Size() != size {
		return fmt.Errorf("array of dtype %q, not of %q (%s): %w", text, dtypeFor[T](), reflect.TypeFor[T](), cairn.ErrType)
	}
	if typeSize != size {
		return fmt.Errorf("array of dtype %q with items of %d bytes, not of %q (%s): %w", text, typeSize, dtypeFor[T](), reflect.TypeFor[T](), cairn.ErrType)
	}
	return nil
}

// swapWidth returns how many bytes have to change their order between a file of dtype d and the memory of a machine: 0 for none.
func swapWidth(d meta.DType, bigEndianHost bool) int {
	width := d.Size()
	switch d.Kind() {
	case 'c':
		width /= 2
	case 'i', 'u', 'f':
	default:
		return 0
	}
	if width < 2 || width > 8 || d.BigEndian() == bigEndianHost {
		return 0
	}
	return width
}

// bytesOf returns the memory of s. It is in the order of the machine; who calls it accounts for that by swapWidth.
func bytesOf[T Element](s []T) []byte {
	var zero T
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(zero)))
}

// itemsOf is the reverse of bytesOf. b must be the beginning of an allocation of whole items, so that it lies as items must.
func itemsOf[T Element](b []byte) []T {
	var zero T
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(zero)))
}

// itemOf returns the item that a file stores as b; swap is the width of the numbers whose bytes change their order on the way.
func itemOf[T Element](b []byte, swap int) T {
	var item [1]T
	raw := bytesOf(item[:])
	copy(raw, b)
	if swap > 0 {
		for i := 0; i < len(raw); i += swap {
			slices.Reverse(raw[i : i+swap])
		}
	}
	normalizeBool(item[:])
	return item[0]
}

// normalizeBool makes every byte that is neither 0 nor 1 a 1 if T is bool: Go takes other values for granted not to exist, C does not.
func normalizeBool[T Element](s []T) {
	if reflect.TypeFor[T]().Kind() != reflect.Bool {
		return
	}
	for i, b := range bytesOf(s) {
		if b > 1 {
			bytesOf(s)[i] = 1
		}
	}
}
