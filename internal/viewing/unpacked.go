package viewing

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/sampling"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// Unpacked returns a source of the numbers that packed items stand for, as float64 with NaN where
// there is none, and what the attributes say of packing. It returns nothing if they do not, or if
// the items are no numbers.
func Unpacked(src ndarray.Source, attributes meta.Map) (ndarray.Source, *sampling.Packing) {
	p := packingOf(attributes)
	floats, err := govalue.FloatsOf(src.DType())
	if p == nil || err != nil || floats.Dates() || floats.Absolute() {
		return nil, nil
	}
	d, err := meta.ParseDType("<f8")
	if err != nil {
		return nil, nil
	}
	return &unpacked{Source: src, dtype: d, floats: floats, packing: p}, p
}

// unpacked is a source of unpacked numbers.
type unpacked struct {
	ndarray.Source
	dtype   meta.DType
	floats  *govalue.Floats
	packing *sampling.Packing
	idle    sync.Pool // of *[]byte
}

func (u *unpacked) DType() meta.DType { return u.dtype }

// ReadBytes reads items, which takes as much memory as they have packed.
func (u *unpacked) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	size := u.Source.DType().Size()
	n := 1
	for d := range start {
		n *= int(stop[d] - start[d])
	}
	if len(dst) != 8*n {
		return fmt.Errorf("%d bytes for %d numbers: %w", len(dst), n, cairn.ErrBounds)
	}
	buf, ok := u.idle.Get().(*[]byte)
	if !ok {
		buf = new([]byte)
	}
	defer u.idle.Put(buf)
	*buf = slices.Grow((*buf)[:0], n*size)[:n*size]
	if err := u.Source.ReadBytes(ctx, *buf, start, stop); err != nil {
		return err
	}
	var values [512]float64
	for raw := *buf; len(raw) > 0; {
		part := values[:min(len(values), len(raw)/size)]
		u.floats.Convert(part, raw[:len(part)*size])
		raw = raw[len(part)*size:]
		u.packing.Unpack(part)
		for i, v := range part {
			binary.LittleEndian.PutUint64(dst[8*i:], math.Float64bits(v))
		}
		dst = dst[8*len(part):]
	}
	return nil
}
