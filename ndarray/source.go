package ndarray

import "context"

// A Source is what whole-array work reads from: an [Array] or a [View]. Only this package has implementations. All of its methods may be called by
// any number of goroutines.
type Source[T Element] interface {
	// Shape returns the number of items per dimension.
	Shape() Shape
	// ReadBox reads the items from start up to, not including, stop in each dimension into dst, in C order. The coordinates must be within
	// the shape, start nowhere beyond stop, and len(dst) must be the number of items of the box.
	ReadBox(ctx context.Context, dst []T, start, stop []int64) error

	source() // seals the interface
}

func (a Array[T]) source() {}

func (v View[T]) source() {}
