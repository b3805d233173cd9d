package shuffle

import (
	"errors"
	"fmt"
)

var errIntTruncSize = errors.New("items must have 1, 2, 4 or 8 bytes")

// intTruncCheck accepts the parameters that leave at least one bit (format: filters, int_trunc).
func intTruncCheck(meta uint8, ctx *Context) error {
	_, err := intTruncZeroed(meta, ctx)
	return err
}

func intTruncZeroed(meta uint8, ctx *Context) (bits int, err error) {
	switch ctx.TypeSize {
	case 1, 2, 4, 8:
	default:
		return 0, errIntTruncSize
	}
	width, keep := 8*ctx.TypeSize, int(int8(meta))
	bits = -keep
	if keep >= 0 {
		bits = width - keep
	}
	if bits < 0 || bits >= width {
		return 0, fmt.Errorf("parameter %d does not keep 1 to %d bits", keep, width)
	}
	return bits, nil
}

// intTruncForward zeroes the low bits of every item and copies what is left over behind the last
// one.
func intTruncForward(dst, src []byte, meta uint8, ctx *Context) error {
	bits, err := intTruncZeroed(meta, ctx)
	if err != nil {
		return err
	}
	truncate(dst, src, ctx.TypeSize, bits)
	return nil
}
