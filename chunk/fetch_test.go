package chunk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
)

// TestReadingOneBlockFindsDamageAtItsPlace damages one block, and compares what is said about it
// when only this block is read, and when the chunk is in memory.
func TestReadingOneBlockFindsDamageAtItsPlace(t *testing.T) {
	src := sample("patches", 1<<20, 4, 8)
	c := encode(t, &Options{TypeSize: 4, Codec: codecs.LZ4, BlockSize: 8192}, src)
	h, err := ParseHeader(c)
	if err != nil {
		t.Fatal(err)
	}
	const block = 100
	at := binary.LittleEndian.Uint32(c[HeaderSize+4*block:])
	binary.LittleEndian.PutUint32(c[at:], 1<<30) // the size of its first stream
	want := make([]bool, h.Layout().NumBlocks)
	want[block] = true
	var whole, part *cairn.CorruptError
	if err := NewDecoder(nil).DecodeBlocks(h, c, want, nil); !errors.As(err, &whole) {
		t.Fatal(err)
	}
	if err := NewDecoder(nil).DecodeBlocksAt(h, bytes.NewReader(c), 0, want, nil); !errors.As(err, &part) {
		t.Fatal(err)
	}
	if whole.Offset != part.Offset || whole.Offset < int64(at) {
		t.Errorf("offset %d, but %d when one block is read", whole.Offset, part.Offset)
	}
}

// TestReadingOneBlockTakesItsMemory checks that no memory is taken for the blocks that are not
// read, stored ones included.
func TestReadingOneBlockTakesItsMemory(t *testing.T) {
	src := sample("noise", 1<<20, 4, 8)
	for _, level := range []int{Stored, 5} {
		c := encode(t, &Options{TypeSize: 4, Codec: codecs.LZ4, Level: level, BlockSize: 8192}, src)
		h, err := ParseHeader(c)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]bool, h.Layout().NumBlocks)
		want[77] = true
		d := NewDecoder(nil)
		d.workers[0].private = true // so that it keeps its memory
		sink := collector{layout: h.Layout(), got: make([]byte, len(src)), seen: make([]int, len(want))}
		if err := d.DecodeBlocksAt(h, bytes.NewReader(c), 0, want, &sink); err != nil {
			t.Fatal(err)
		}
		checkMask(t, &sink, want, src, &Options{})
		if n := cap(d.workers[0].space.fetched); n > 64<<10 {
			t.Errorf("level %d: %d bytes for a block of 8192", level, n)
		}
	}
}
