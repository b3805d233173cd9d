package shuffle

import (
	"bytes"
	"testing"
)

func TestChainRoundTrip(t *testing.T) {
	src := make([]byte, 4096+24)
	for i := range src {
		src[i] = byte(i * i >> 3)
	}
	for _, p := range []Pipeline{
		{}, {5: Byte}, {5: Bit}, {0: Delta, 5: Byte}, {Byte, Delta}, {Byte, Bit, Delta, Byte, Bit, Delta}, {5: {IDByte, 3}},
	} {
		for _, ref := range [][]byte{nil, bytes.Repeat([]byte{1, 2, 3}, len(src))} {
			for _, rows := range []int{1, 8, 5} {
				var c Chain
				var s Scratch
				if err := c.Set(p, nil); err != nil {
					t.Fatal(err)
				}
				ctx := &Context{TypeSize: 8, Ref: ref}
				out, pitch, err := c.Forward(&s, src, rows, ctx)
				if err != nil {
					t.Fatal(err)
				}
				var s2 Scratch
				dst := make([]byte, len(src))
				in, inPitch := c.Input(&s2, dst, rows)
				for k := range rows {
					copy(in[k*inPitch:][:len(src)/rows], out[k*pitch:])
				}
				if err := c.Backward(dst, &s2, in, inPitch, rows, ctx); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(dst, src) {
					t.Errorf("%v, ref %v, %d rows: does not round-trip", p, ref != nil, rows)
				}
			}
		}
	}
}
