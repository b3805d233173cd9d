package shuffle_test

import (
	"bytes"
	"testing"

	"github.com/cairn-go/cairn/internal/filterchain"
	"github.com/cairn-go/cairn/internal/test/filtertest"
	"github.com/cairn-go/cairn/shuffle"
)

// FuzzBackward undoes random pipelines of up to six filters on any bytes, as a reader does with a
// hostile file. Two readers must both fail or both return the same bytes, within the block.
func FuzzBackward(f *testing.F) {
	f.Add(filtertest.Bytes(960, 1), []byte{35, 8, 1, 0}, uint8(8), uint8(8), uint8(0), uint32(0), []byte{})
	f.Add(filtertest.Bytes(960, 1), []byte{34, 0, 35, 3, 2, 0, 1, 0}, uint8(4), uint8(1), uint8(1), uint32(12), []byte{})
	f.Add(filtertest.Bytes(96*4, 1), []byte{32, 3, 33, 2, 1, 0}, uint8(4), uint8(4), uint8(0), uint32(0), []byte{8, 12})
	f.Add(filtertest.Bytes(96*4, 1), []byte{36, 9, 4, 200, 3, 0, 2, 0, 35, 4, 1, 0}, uint8(4), uint8(1), uint8(3), uint32(1<<31-1), []byte{96})
	f.Add(filtertest.Bytes(100, 1), []byte{3, 0, 1, 17, 2, 200}, uint8(255), uint8(1), uint8(2), uint32(300), []byte{})
	f.Fuzz(func(t *testing.T, in, slots []byte, typeSize, rows, flags uint8, wide uint32, shape []byte) {
		var p shuffle.Pipeline
		for i := range min(len(slots)/2, shuffle.Slots) {
			p[i] = shuffle.Spec{ID: shuffle.ID(slots[2*i]), Meta: slots[2*i+1]}
		}
		var c filterchain.Chain
		if c.Set(p, nil) != nil {
			return
		}
		ctx := &shuffle.Context{TypeSize: max(1, int(typeSize)), Version: flags & 2, FrameTypeSize: int(wide >> 1)}
		if flags&1 != 0 {
			ctx.Ref = filtertest.Bytes(len(in), 2)
		}
		for _, n := range shape[:min(len(shape), 9)] {
			ctx.BlockShape = append(ctx.BlockShape, int32(n))
		}
		streams := max(1, int(rows))
		one, err := undo(&c, in, streams, ctx)
		two, again := undo(&c, in, streams, ctx)
		if (err == nil) != (again == nil) || err == nil && !bytes.Equal(one, two) {
			t.Fatalf("%v: %v, and then %v, or other bytes", p, err, again)
		}
	})
}

// undo decodes a block that came from a codec in a number of streams.
func undo(c *filterchain.Chain, in []byte, streams int, ctx *shuffle.Context) ([]byte, error) {
	const guard = 64
	memory := bytes.Repeat([]byte{0xa5}, len(in)+guard)
	dst, s := memory[:len(in):len(in)], new(filterchain.Scratch)
	to, pitch := c.Input(s, dst, streams)
	size := len(in) / streams
	for k := range streams {
		copy(to[k*pitch:][:size], in[k*size:])
	}
	err := c.Backward(dst, s, to, pitch, streams, ctx)
	for _, b := range memory[len(in):] {
		if b != 0xa5 {
			panic("bytes behind the block were written")
		}
	}
	return dst, err
}
