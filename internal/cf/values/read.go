package values

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/asm/marks"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/osfile/fresh"
)

// ReadBytes reads items to the end of dst, so that values do not overwrite those that are still to
// be converted; to other memory if items are longer than values.
func (v *values) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	if v.convert == nil {
		return v.Source.ReadBytes(ctx, dst, start, stop)
	}

	size := v.Source.DType().Size()
	wide := v.dtype.Size()
	n := 1
	for d := range start {
		n *= int(stop[d] - start[d])
	}
	if len(dst) != n*wide {
		return fmt.Errorf("%d bytes for %d values: %w", len(dst), n, cairn.ErrBounds)
	}

	items := dst[max(0, len(dst)-n*size):]
	if size > wide {
		buf, ok := v.idle.Get().(*[]byte)
		if !ok {
			buf = new([]byte)
		}
		defer v.idle.Put(buf)
		*buf = fresh.Grow((*buf)[:0], n*size)[:n*size]
		items = *buf
	}

	if err := v.Source.ReadBytes(ctx, items, start, stop); err != nil {
		return err
	}
	v.fill(dst, items)
	return nil
}

// fill writes the values of items to dst, at whose end the items may be.
func (v *values) fill(dst, items []byte) {
	size := v.Source.DType().Size()
	wide := v.dtype.Size()
	switch {
	case v.marked: // so that items is dst
		v.replaceMarks(dst)
		return
	case v.hasTable(size, wide):
		v.once.Do(func() { v.table.make(size, wide, v.convert) })
		v.table.fill(dst, items, size)
		return
	}

	var part [1 << 10]float64
	for len(items) > 0 {
		n := min(len(part), len(items)/size)
		v.convert(part[:n], items[:n*size])
		items = items[n*size:]
		put(dst, wide, part[:n])
		dst = dst[n*wide:]
	}
}

// markBytes is how much is searched for one mark after the other, while it is in the cache.
const markBytes = 16 << 10

// replaceMarks makes floats that mark missing values NaN.
func (v *values) replaceMarks(b []byte) {
	d := v.Source.DType()
	for len(b) > 0 {
		part := b[:min(len(b), markBytes)]
		b = b[len(part):]

		if len(v.marks) == 0 {
			marks.Replace(part, d.Size(), d.BigEndian(), math.NaN())
		}
		for i, mark := range v.marks {
			marks.Replace(part, d.Size(), d.BigEndian() && i == 0, mark)
		}
	}
}

// A table has the values of all items of one or two bytes.
type table struct {
	short []uint32 // the bits of values of four bytes
	long  []uint64 // and of eight
}

// hasTable reports whether the array is so large that a table saves time.
func (v *values) hasTable(size, wide int) bool {
	if size > 2 || wide < 4 {
		return false
	}
	items := float64(1)
	for _, n := range v.Source.Shape() {
		items *= float64(n)
	}
	return items >= float64(int(2)<<(8*size))
}

func (t *table) make(size, wide int, convert func(dst []float64, items []byte)) {
	var item [2]byte
	var value [1]float64
	var bits [8]byte
	for i := range 1 << (8 * size) {
		binary.LittleEndian.PutUint16(item[:], uint16(i))
		convert(value[:], item[:size])
		put(bits[:], wide, value[:])
		if wide == 4 {
			t.short = append(t.short, binary.LittleEndian.Uint32(bits[:]))
		} else {
			t.long = append(t.long, binary.LittleEndian.Uint64(bits[:]))
		}
	}
}

// fill writes the values of items to dst, at whose end the items may be.
func (t *table) fill(dst, items []byte, size int) {
	if size == 1 {
		t.fillBytes(dst, items)
		return
	}

	if t.short != nil {
		short := (*[1 << 16]uint32)(t.short)
		for ; len(items) >= 2; items = items[2:] {
			binary.LittleEndian.PutUint32(dst, short[binary.LittleEndian.Uint16(items)])
			dst = dst[4:]
		}
		return
	}

	long := (*[1 << 16]uint64)(t.long)
	for ; len(items) >= 2; items = items[2:] {
		binary.LittleEndian.PutUint64(dst, long[binary.LittleEndian.Uint16(items)])
		dst = dst[8:]
	}
}

// fillBytes is fill for items of one byte.
func (t *table) fillBytes(dst, items []byte) {
	if t.short != nil {
		for i, item := range items {
			binary.LittleEndian.PutUint32(dst[4*i:], t.short[item])
		}
		return
	}

	for i, item := range items {
		binary.LittleEndian.PutUint64(dst[8*i:], t.long[item])
	}
}

// put encodes values as little-endian floats at the beginning of dst.
func put(dst []byte, size int, values []float64) {
	switch size {
	case 2:
		for i, v := range values {
			binary.LittleEndian.PutUint16(dst[2*i:], govalue.RoundFloat16(v))
		}
	case 4:
		for i, v := range values {
			binary.LittleEndian.PutUint32(dst[4*i:], math.Float32bits(float32(v)))
		}
	default:
		for i, v := range values {
			binary.LittleEndian.PutUint64(dst[8*i:], math.Float64bits(v))
		}
	}
}
