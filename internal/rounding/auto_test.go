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
