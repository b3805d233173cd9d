package shuffle_test

import (
	"bytes"
	"testing"

	"github.com/cairn-go/cairn/internal/filterchain"
	"github.com/cairn-go/cairn/internal/test/filtertest"
	"github.com/cairn-go/cairn/shuffle"
)

// FuzzNDCell tries any shape of any block; see fuzzCells.
func FuzzNDCell(f *testing.F) { fuzzCells(f, shuffle.IDNDCell) }

// FuzzNDMean tries any shape of any block; see fuzzCells.
func FuzzNDMean(f *testing.F) { fuzzCells(f, shuffle.IDNDMean) }

// fuzzCells compares the encoded block with that of the reference, and decodes it. If the shape
// does not match the block, or is missing, both directions must fail. Successful decoding must fill
// the block with its items.
func fuzzCells(f *testing.F, id shuffle.ID) {
	f.Add(filtertest.Bytes(96*4, 1), uint8(3), uint8(4), uint8(0), []byte{8, 12})
	f.Add(filtertest.Bytes(210*8, 1), uint8(2), uint8(8), uint8(0), []byte{5, 6, 7})
	f.Add(filtertest.Bytes(24*3, 1), uint8(2), uint8(3), uint8(0), []byte{2, 3, 4})
	f.Add(filtertest.Bytes(300*2, 1), uint8(1), uint8(4), uint8(1), []byte{2})
	f.Add(filtertest.Bytes(7, 1), uint8(0), uint8(0), uint8(0), []byte{})
	f.Add(filtertest.Bytes(64*8, 1), uint8(2), uint8(8), uint8(0), []byte{2, 2, 2, 2, 2, 2, 1, 1})
	f.Fuzz(func(t *testing.T, src []byte, side, typeSize, wide uint8, dims []byte) {
		ctx := &shuffle.Context{TypeSize: max(1, int(typeSize))}
		if wide&1 != 0 {
			ctx.FrameTypeSize = ctx.TypeSize + int(wide)
		}
		size, items := max(ctx.TypeSize, ctx.FrameTypeSize), 1
		for _, n := range dims {
			items = min(items*int(n), 1<<20)
			ctx.BlockShape = append(ctx.BlockShape, int32(n))
		}
		fits := len(src) == items*size
		if block := items * size; !fits && len(src) > 0 && wide&2 == 0 && block > 0 && block <= 4096 {
			src, fits = bytes.Repeat(src, (block+len(src)-1)/len(src))[:block], true
		}
		c := mustChain(t, shuffle.Pipeline{{ID: id, Meta: side}})
		out, _, err := c.Forward(new(filterchain.Scratch), src, 1, ctx)
		back := make([]byte, len(src))
		backward := c.Backward(back, new(filterchain.Scratch), src, len(src), 1, ctx)
		if invalid := c.Validate(ctx); (invalid == nil && fits) != (err == nil) || err == nil && backward != nil || backward == nil && !fits {
			t.Fatalf("block of %d bytes, %+v, side %d: Validate gives %v, Forward %v, Backward %v", len(src), ctx, side, invalid, err, backward)
		}
		if err != nil {
			return
		}
		if want := filtertest.ReferenceOf(id)(src, side, ctx); !bytes.Equal(out, want) {
			t.Fatalf("%+v, side %d: differs from the reference", ctx, side)
		}
		once := throughStreams(t, c, src, 1, ctx)
		if id == shuffle.IDNDCell && !bytes.Equal(once, src) {
			t.Fatalf("%+v, side %d: does not round-trip", ctx, side)
		}
		// Cells of one item must not change the order of the items.
		ones := mustChain(t, shuffle.Pipeline{shuffle.NDCell(1)})
		again, _, err := ones.Forward(new(filterchain.Scratch), once, 1, ctx)
		if err != nil || !bytes.Equal(again, once) {
			t.Fatalf("%+v: cells of one item move items; %v", ctx, err)
		}
	})
}
