package ndarray

import (
	"reflect"

	"github.com/cairn-go/cairn/internal/govalue"
)

// Element is the set of Go types that are numbers or bools, and stand for the dtype of the same kind
// and size, in either byte order.
type Element interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 |
		~float32 | ~float64 | ~complex64 | ~complex128 | ~bool | Float16
}

// dtypeFor returns the dtype that T stands for.
func dtypeFor[T any]() (string, error) { return govalue.DType(reflect.TypeFor[T]()) }
