package rounding

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cairn-go/cairn"
)

// smooth returns a field whose last bits are noise: so many bits of the mantissa are not.
func smooth(rows, columns, bits int) []byte {
	random := rand.New(rand.NewPCG(5, 5))
	var items []byte
	for r := range rows {
		for c := range columns {
			v := float32(1.5 + 0.4*math.Sin(float64(r)/30)*math.Cos(float64(c)/50))
			raw := math.Float32bits(v)&^(1<<(23-bits)-1) | random.Uint32()>>(9+bits)
			items = binary.LittleEndian.AppendUint32(items, raw)
		}
	}
	return items
}

// TestSigned codes exponents on both sides of 1, in each format.
func TestSigned(t *testing.T) {
	for _, size := range []int{2, 4, 8} {
		f := floatsOf(size)
		one := uint64(f.bias) << f.mantissa
		sign := uint64(1) << (f.mantissa + f.exponent)
		for e, want := range map[int]uint64{0: 0, 1: 1, 5: 5, -1: 1<<(f.exponent-1) | 1, -6: 1<<(f.exponent-1) | 6} {
			bits := one + uint64(e)<<f.mantissa + 3
			if got := f.signed(sign | bits); got != sign|want<<f.mantissa|3 {
				t.Errorf("%d bytes, exponent %d: %x", size, e, got)
			}
		}
	}
}

// TestKeepBitsOfExtremes looks at items without information, and at others whose last bits have as
// much as any.
func TestKeepBitsOfExtremes(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	for what, c := range map[string]struct {
		item func(i int) uint16
		want int
	}{
		"noise": {func(int) uint16 { return uint16(random.Uint32()) &^ 0x4000 }, 0},
		"steps": {func(i int) uint16 { return uint16(0x5c00 + i/32) }, 10},
	} {
		var items []byte
		for i := range 1 << 14 {
			items = binary.LittleEndian.AppendUint16(items, c.item(i))
		}
		got, err := KeepBits(t.Context(), dtypeOf(t, "<f2"), nil, []int64{1 << 14}, nil,
			func(_ context.Context, dst []byte, start, _ []int64) error {
				copy(dst, items[2*start[0]:])
				return nil
			})
		if got != c.want || (got == 0) != errors.Is(err, cairn.ErrInvalid) {
			t.Errorf("%s: %d bits, want %d (%v)", what, got, c.want, err)
		}
	}
}

// TestKeepBits finds where noise begins, and that what is missing does not matter.
func TestKeepBits(t *testing.T) {
	const rows, columns = 300, 400
	for _, bits := range []int{3, 5, 7} {
		items := smooth(rows, columns, bits)
		binary.LittleEndian.PutUint32(items[400:], 0x7fc00000)
		read := func(_ context.Context, dst []byte, start, stop []int64) error {
			for r := start[0]; r < stop[0]; r++ {
				n := copy(dst, items[4*(r*columns+start[1]):4*(r*columns+stop[1])])
				dst = dst[n:]
			}
			return nil
		}
		for _, box := range [][]int64{nil, {7, 9}, {1, 400}} {
			got, err := KeepBits(t.Context(), dtypeOf(t, "<f4"), nil, []int64{rows, columns}, box, read)
			if err != nil || got < bits-1 || got > bits {
				t.Errorf("%d bits, boxes of %v: %d are kept (%v)", bits, box, got, err)
			}
		}
	}

	single := func(context.Context, []byte, []int64, []int64) error { return nil }
	if _, err := KeepBits(t.Context(), dtypeOf(t, "<f4"), nil, []int64{1}, nil, single); !errors.Is(err, cairn.ErrInvalid) {
		t.Errorf("a single item: %v", err)
	}
}
