package ndarray

import (
	"math"
	"reflect"
)

// Float is the set of Go types that have a NaN and fractions.
type Float interface{ ~float32 | ~float64 }

// Zeros creates an array of zeros at path, or in memory if path is "". It takes no room for items. Fill and Uninit of o do not count here, nor
// in the functions that follow.
func Zeros[T Element](path string, shape Shape, o *Options) (Array[T], error) {
	return createAt[T](path, shape, o.filled(nil, false))
}

// Ones creates an array of ones, or of true, at path, or in memory if path is "".
func Ones[T Element](path string, shape Shape, o *Options) (Array[T], error) {
	return Full(path, shape, one[T](), o)
}

// Full creates an array at path, or in memory if path is "", in which every item is value. Chunks take some 40 bytes each.
func Full[T Element](path string, shape Shape, value T, o *Options) (Array[T], error) {
	return createAt[T](path, shape, o.filled(value, false))
}

// NaNs creates an array of NaN at path, or in memory if path is "". It takes no room for items.
func NaNs[T Float](path string, shape Shape, o *Options) (Array[T], error) {
	return Full(path, shape, T(math.NaN()), o)
}

// Uninit creates an array at path, or in memory if path is "", whose chunks say that nothing was written yet. They read as zeros here, as anything
// in C-Blosc2, and take no room.
func Uninit[T Element](path string, shape Shape, o *Options) (Array[T], error) {
	return createAt[T](path, shape, o.filled(nil, true))
}

// filled returns a copy of the options with another fill value.
func (o *Options) filled(value any, uninit bool) *Options {
	var c Options
	if o != nil {
		c = *o
	}
	c.Fill, c.Uninit = value, uninit
	return &c
}

// one returns 1 of type T, which is true for bools.
func one[T Element]() T {
	var value T
	switch v := reflect.ValueOf(&value).Elem(); {
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.CanInt():
		v.SetInt(1)
	case v.CanUint():
		v.SetUint(1)
	case v.CanFloat():
		v.SetFloat(1)
	case v.Kind() == reflect.Struct:
		v.Set(reflect.ValueOf(Float16From(1)))
	default:
		v.SetComplex(1)
	}
	return value
}
