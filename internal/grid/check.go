package grid

import "github.com/cairn-go/cairn/internal/errkind"

// CheckBox returns an error unless start and stop are a box within a shape: in each dimension,
// 0 <= start <= stop <= shape. The error matches [cairn.ErrBounds], and [cairn.ErrInvalid] too if
// this is a box of no array with as many dimensions.
func CheckBox(shape, start, stop []int64) error {
	if len(start) != len(shape) || len(stop) != len(shape) {
		return errkind.Invalid(outside("box from %v to %v in %d dimensions", start, stop, len(shape)))
	}
	for i, n := range shape {
		if start[i] >= 0 && start[i] <= stop[i] && stop[i] <= n {
			continue
		}
		err := outside("box from %v to %v of shape %v", start, stop, shape)
		if start[i] < 0 || start[i] > stop[i] {
			err = errkind.Invalid(err)
		}
		return err
	}
	return nil
}

// CheckBuffer is [CheckBox] for a box whose items, of itemSize bytes each, are moved to or from a
// buffer, which must have their size. The bytes of the shape fit into 63 bits.
func CheckBuffer(shape, start, stop []int64, itemSize, buffer int) error {
	if err := CheckBox(shape, start, stop); err != nil {
		return err
	}

	size := int64(itemSize)
	for i := range start {
		size *= stop[i] - start[i]
	}

	if size != int64(buffer) {
		return outside("%d bytes for the box from %v to %v, want %d", buffer, start, stop, size)
	}
	return nil
}
