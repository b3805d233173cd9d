package shuffle

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cairn-go/cairn/internal/asm/truncmask"
	"github.com/cairn-go/cairn/internal/exact"
)

// Numbers of mantissa bits in IEEE 754.
const (
	mantissaBits32 = 23
	mantissaBits64 = 52
)

var (
	errTruncPrecSize = errors.New("items must have 4 or 8 bytes")
	errIntTruncSize  = errors.New("items must have 1, 2, 4 or 8 bytes")
)

// A truncation zeroes low bits of items.
type truncation struct {
	width func(typeSize int) (bits int, err error) // how many bits it may zero, less one
	kept  func(typeSize int, values []uint64) exact.Items
}

var (
	mantissa  = truncation{mantissaBits, exact.Floats}    // format: filters, trunc_prec
	wholeItem = truncation{wholeItemBits, exact.Integers} // format: filters, int_trunc
)

func mantissaBits(typeSize int) (int, error) {
	switch typeSize {
	case 4:
		return mantissaBits32, nil
	case 8:
		return mantissaBits64, nil
	}
	return 0, errTruncPrecSize
}

func wholeItemBits(typeSize int) (int, error) {
	switch typeSize {
	case 1, 2, 4, 8:
		return 8 * typeSize, nil
	}
	return 0, errIntTruncSize
}

// zeroed returns the number of bits to zero; at least one bit stays.
func (t truncation) zeroed(meta uint8, ctx *Context) (bits int, err error) {
	all, err := t.width(ctx.TypeSize)
	if err != nil {
		return 0, err
	}

	keep := int(int8(meta))
	bits = -keep
	if keep >= 0 {
		bits = all - keep
	}

	if bits < 0 || bits >= all {
		return 0, fmt.Errorf("parameter %d does not keep 1 to %d bits", keep, all)
	}
	return bits, nil
}

func (t truncation) check(meta uint8, ctx *Context) error {
	_, err := t.zeroed(meta, ctx)
	return err
}

// forward zeroes the low bits of every item that is not kept, and copies the bytes after the last
// whole item.
func (t truncation) forward(dst, src []byte, meta uint8, ctx *Context) error {
	bits, err := t.zeroed(meta, ctx)
	if err != nil {
		return err
	}
	truncate(dst, src, ctx.TypeSize, bits)

	kept := t.kept(ctx.TypeSize, ctx.Exact)
	kept.Restore(dst, src)
	return nil
}

// truncate zeroes the lowest bits of every item, which must have 1, 2, 4 or 8 bytes and more than
// that many bits. The bytes after the last whole item are copied.
func truncate(dst, src []byte, typeSize, bits int) {
	mask := ^uint64(0) << bits
	for width := 8 * typeSize; width < 64; width *= 2 {
		mask = mask<<width | mask&(1<<width-1)
	}

	items := len(src) - len(src)%typeSize
	i := truncmask.And(dst[:items], src[:items], mask)
	i += andWords(dst[i:items], src[i:items], mask)
	for shift := 0; i < items; shift += 8 {
		dst[i] = src[i] & byte(mask>>shift)
		i++
	}

	copy(dst[items:], src[items:])
}

// andWords sets the words of eight bytes of dst to those of src and mask, and returns the number of
// bytes processed.
func andWords(dst, src []byte, mask uint64) int {
	le := binary.LittleEndian
	done := len(src) &^ 7
	// reslicing avoids bounds checks: three times as fast as an index
	for len(src) >= 32 && len(dst) >= 32 {
		a := le.Uint64(src[0:8]) & mask
		b := le.Uint64(src[8:16]) & mask
		c := le.Uint64(src[16:24]) & mask
		d := le.Uint64(src[24:32]) & mask

		le.PutUint64(dst[0:8], a)
		le.PutUint64(dst[8:16], b)
		le.PutUint64(dst[16:24], c)
		le.PutUint64(dst[24:32], d)
		dst = dst[32:]
		src = src[32:]
	}

	for len(src) >= 8 && len(dst) >= 8 {
		le.PutUint64(dst, le.Uint64(src)&mask)
		dst = dst[8:]
		src = src[8:]
	}
	return done
}
