package shuffle_test

import (
	"bytes"
	"testing"

	"github.com/cairn-go/cairn/internal/filterchain"
	"github.com/cairn-go/cairn/internal/test/filtertest"
	"github.com/cairn-go/cairn/shuffle"
)

var reversible = []shuffle.ID{
	shuffle.IDNone, shuffle.IDByte, shuffle.IDBit, shuffle.IDDelta, shuffle.IDByteDelta, shuffle.IDByteDeltaBuggy,
}

// FuzzRoundTrip encodes a block with any chain of lossless filters, in any number of streams,
// decodes it, and compares the encoding with that of the references.
func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte{}, uint8(0), uint8(0), uint8(0), uint8(0), []byte{})
	f.Add(filtertest.Bytes(1000, 1), uint8(8), uint8(0), uint8(8), uint8(0), []byte{1})
	f.Add(filtertest.Bytes(1000, 1), uint8(4), uint8(0), uint8(4), uint8(2), []byte{3, 2})
	f.Add(filtertest.Bytes(1001, 1), uint8(7), uint8(3), uint8(1), uint8(6), []byte{1, 2, 3, 1, 2, 3})
	f.Add(filtertest.Bytes(1001, 1), uint8(8), uint8(0), uint8(1), uint8(0), []byte{1, 4, 5})
	f.Fuzz(func(t *testing.T, src []byte, typeSize, meta, rows, flags uint8, ids []byte) {
		ctx := &shuffle.Context{TypeSize: max(1, int(typeSize)), Version: flags & 2}
		if flags&4 != 0 {
			ctx.Ref = filtertest.Bytes(len(src), 2)
		}
		var p shuffle.Pipeline
		want := src
		for i := range min(len(ids), shuffle.Slots) {
			p[i] = shuffle.Spec{ID: reversible[int(ids[i])%len(reversible)], Meta: meta}
			if reference := filtertest.ReferenceOf(p[i].ID); reference != nil {
				want = reference(want, meta, ctx)
			}
		}
		c := mustChain(t, p)
		out, _, err := c.Forward(new(filterchain.Scratch), src, 1, ctx)
		if err != nil || !bytes.Equal(out, want) {
			t.Fatalf("%v differs from the references; error %v", p, err)
		}
		streams := max(1, int(rows))
		if len(src)%streams != 0 {
			streams = 1
		}
		if got := throughStreams(t, c, src, streams, ctx); !bytes.Equal(got, src) {
			t.Fatalf("%v in %d streams does not round-trip", p, streams)
		}
	})
}

// FuzzBitshuffleVersion2 decodes any block as in chunks of version 2. Decoding is one-to-one, so
// encoding must restore the block. The bytes behind the last whole item are stored unchanged.
func FuzzBitshuffleVersion2(f *testing.F) {
	f.Add([]byte{}, uint8(1))
	f.Add(filtertest.Bytes(64*3+2, 1), uint8(3))
	f.Add(filtertest.Bytes(63*8, 1), uint8(8))
	f.Add(filtertest.Bytes(5, 1), uint8(16))
	f.Fuzz(func(t *testing.T, stored []byte, typeSize uint8) {
		ctx := &shuffle.Context{TypeSize: max(1, int(typeSize)), Version: 2}
		c := mustChain(t, shuffle.Pipeline{shuffle.Bit})
		decoded := make([]byte, len(stored))
		if err := c.Backward(decoded, new(filterchain.Scratch), stored, len(stored), 1, ctx); err != nil {
			t.Fatal(err)
		}
		again, _, err := c.Forward(new(filterchain.Scratch), decoded, 1, ctx)
		if err != nil || !bytes.Equal(again, stored) {
			t.Fatalf("encoding does not give back what was decoded; error %v", err)
		}
		whole := len(stored) - len(stored)%ctx.TypeSize
		if whole/ctx.TypeSize%8 != 0 {
			whole = 0 // such blocks are stored unchanged
		}
		if !bytes.Equal(decoded[whole:], stored[whole:]) {
			t.Fatal("bytes that bitshuffle leaves alone are not as stored")
		}
	})
}

// FuzzTruncation tries any parameter. Validate and Forward must accept the same ones, and Forward
// must match the definition.
func FuzzTruncation(f *testing.F) {
	for _, bits := range []int8{0, 1, 22, 23, 24, 51, 52, 53, -1, -22, -23, -51, -52, 127, -128} {
		for _, size := range []uint8{1, 2, 4, 8} {
			f.Add(filtertest.Bytes(67, 1), uint8(bits), size, true)
			f.Add(filtertest.Bytes(167, 1), uint8(bits), size, false)
		}
	}
	f.Add([]byte{1, 2, 3}, uint8(10), uint8(2), true)
	f.Fuzz(func(t *testing.T, src []byte, meta, typeSize uint8, floats bool) {
		ctx := &shuffle.Context{TypeSize: max(1, int(typeSize))}
		id := shuffle.IDIntTrunc
		if floats {
			id = shuffle.IDTruncPrec
		}
		c := mustChain(t, shuffle.Pipeline{{ID: id, Meta: meta}})
		invalid := c.Validate(ctx)
		out, _, err := c.Forward(new(filterchain.Scratch), src, 1, ctx)
		if (invalid == nil) != (err == nil) {
			t.Fatalf("Validate gives %v, Forward %v", invalid, err)
		}
		if err != nil {
			return
		}
		if want := filtertest.ReferenceOf(id)(src, meta, ctx); !bytes.Equal(out, want) {
			t.Fatal("differs from the reference")
		}
	})
}

// FuzzParseSpec checks that a parsed specification prints as text that parses to the same value.
func FuzzParseSpec(f *testing.F) {
	for _, text := range []string{"none", "shuffle:4", "trunc_prec:-3", "bytedelta:8", "filter 200:3", "filter 1:1", "delta:", "x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		spec, err := shuffle.ParseSpec(text)
		if err != nil {
			return
		}
		if again, err := shuffle.ParseSpec(spec.String()); err != nil || again != spec {
			t.Fatalf("%q is %#v, which prints as %q and then is %#v, %v", text, spec, spec.String(), again, err)
		}
	})
}
