package govalue

import (
	"fmt"
	"math"
	"reflect"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
)

// EncodeItem returns the stored form of an item of dtype d and size bytes. value is a Go number,
// bool or complex number that the dtype can represent (integers and bools exactly, floats rounded),
// another value that fits the dtype, such as a text, a time or what [Anys] returns, or a []byte of
// size bytes in stored form.
func EncodeItem(d meta.DType, size int, value any) ([]byte, error) {
	if raw, ok := value.([]byte); ok {
		if len(raw) != size {
			return nil, fmt.Errorf("value of %d bytes for items of %d: %w", len(raw), size, cairn.ErrType)
		}
		return raw, nil
	}

	v := reflect.ValueOf(value)
	misfit := func() error { return fmt.Errorf("value %v (%T) for dtype %q: %w", value, value, d, cairn.ErrType) }
	if d.Size() != size || !v.IsValid() {
		return nil, misfit()
	}

	if _, ok := value.(time.Duration); ok && d.Kind() == 'm' { // not a number of the dtype's units
		return encodeOther(d, size, value)
	}

	var ok bool
	switch d.Kind() {
	case 'i', 'm', 'M':
		var n int64
		n, ok = asInt(v)
		if shift := 64 - 8*size; ok && n<<shift>>shift == n {
			return putUint(d, size, uint64(n)), nil
		}
	case 'u':
		var n uint64
		n, ok = asUint(v)
		if shift := 64 - 8*size; ok && n<<shift>>shift == n {
			return putUint(d, size, n), nil
		}
	case 'b':
		if v.Kind() == reflect.Bool {
			n, _ := asUint(v)
			return putUint(d, size, n), nil
		}
	case 'f':
		if h, is := value.(float16); is && size == 2 {
			return putUint(d, size, uint64(h.Bits())), nil
		}
		var f complex128
		if f, ok = asComplex(v); ok && !v.CanComplex() && (size == 2 || size == 4 || size == 8) {
			return putFloat(d, size, real(f)), nil
		}
	case 'c':
		var c complex128
		if c, ok = asComplex(v); ok && (size == 8 || size == 16) {
			return append(putFloat(d, size/2, real(c)), putFloat(d, size/2, imag(c))...), nil
		}
	}

	// A number that came here does not fit; any other value is encoded by the layout of its type.
	if _, number := asComplex(v); !number && v.Kind() != reflect.Bool {
		return encodeOther(d, size, value)
	}
	return nil, misfit()
}

func asInt(v reflect.Value) (int64, bool) {
	switch {
	case v.CanInt():
		return v.Int(), true
	case v.CanUint():
		return int64(v.Uint()), v.Uint() <= math.MaxInt64
	}
	return 0, false
}

func asUint(v reflect.Value) (uint64, bool) {
	switch {
	case v.CanUint():
		return v.Uint(), true
	case v.CanInt():
		return uint64(v.Int()), v.Int() >= 0
	case v.Kind() == reflect.Bool && v.Bool():
		return 1, true
	}
	return 0, v.Kind() == reflect.Bool
}

func asComplex(v reflect.Value) (complex128, bool) {
	switch {
	case v.CanComplex():
		return v.Complex(), true
	case v.CanFloat():
		return complex(v.Float(), 0), true
	case v.CanInt():
		return complex(float64(v.Int()), 0), true
	case v.CanUint():
		return complex(float64(v.Uint()), 0), true
	}
	return 0, false
}

// putUint returns the low size bytes of n in the byte order of d.
func putUint(d meta.DType, size int, n uint64) []byte {
	raw := make([]byte, size)
	Number{'u', size, d.BigEndian()}.PutBits(raw, n)
	return raw
}

// putFloat returns f as a float of 2, 4 or 8 bytes in the byte order of d. Every NaN becomes the
// quiet NaN of special chunks.
func putFloat(d meta.DType, size int, f float64) []byte {
	if math.IsNaN(f) {
		f = math.Float64frombits(QuietNaN64)
	}
	raw := make([]byte, size)
	Number{'f', size, d.BigEndian()}.PutFloat(raw, f)
	return raw
}

// The NaNs of special chunks.
const (
	QuietNaN32 = 0x7fc0_0000
	QuietNaN64 = 0x7ff8_0000_0000_0000
)
