package chunk

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/cairn-go/cairn/codecs"
)

// The tests in this file damage parts that an operation should not use. That it succeeds shows that
// it does not use them.

// TestFewItemsDecodeTheBeginOfStreams decodes items at the beginning of a chunk of one split block,
// all of whose streams are damaged at their ends.
func TestFewItemsDecodeTheBeginOfStreams(t *testing.T) {
	for _, codec := range []codecs.Codec{codecs.BloscLZ, codecs.LZ4} {
		src := whole("patches", 64_000, 4)
		c := encode(t, &Options{TypeSize: 4, Codec: codec, BlockSize: len(src)}, src)
		damageStreamEnds(t, c, 4, len(src)/4)
		dst := make([]byte, len(src))
		if _, err := NewDecoder(nil).Decode(dst, c); err == nil {
			t.Fatalf("%v: the damage is not noticed by anybody", codec)
		}
		n, err := NewDecoder(nil).DecodeItems(dst, c, 3, 50)
		if err != nil || !bytes.Equal(dst[:n], src[3*4:50*4]) {
			t.Errorf("%v: 47 items of %d: %v, or other bytes", codec, len(src)/4, err)
		}
	}
}

// damageStreamEnds zeroes the last 40 bytes of each compressed stream of block 0; plane is the
// decoded size of a stream.
func damageStreamEnds(t *testing.T, c []byte, streams, plane int) {
	t.Helper()
	at, damaged := int(binary.LittleEndian.Uint32(c[HeaderSize:])), 0
	for range streams {
		size := int(int32(binary.LittleEndian.Uint32(c[at:])))
		at += 4
		switch {
		case size < 0:
			at++
			continue
		case size > 100 && size < plane:
			clear(c[at+size-40 : at+size])
			damaged++
		}
		at += size
	}
	if damaged == 0 {
		t.Fatal("no stream is compressed")
	}
}

// TestRewriteCarriesStreamsOver changes one block of a chunk in which another is damaged. The bytes
// of that block must stay unchanged.
func TestRewriteCarriesStreamsOver(t *testing.T) {
	src := whole("patches", 40_000, 4)
	o := Options{TypeSize: 4, Codec: codecs.LZ4, BlockSize: 4000}
	c := encode(t, &o, src)
	at := int(binary.LittleEndian.Uint32(c[HeaderSize+4*5:]))
	end := int(binary.LittleEndian.Uint32(c[HeaderSize+4*6:]))
	for i := at + 4; i < end; i++ {
		c[i] ^= 0xff
	}
	e, err := NewEncoder(&o)
	if err != nil {
		t.Fatal(err)
	}
	changed := make([]bool, 10)
	changed[2] = true
	out, ok, err := rewriteOf(t, e, c, changed, &wholeSource{data: make([]byte, len(src)), blockSize: 4000})
	if err != nil || !ok {
		t.Fatalf("%v, %v", ok, err)
	}
	to := int(binary.LittleEndian.Uint32(out[HeaderSize+4*5:]))
	if !bytes.Equal(out[to:to+end-at], c[at:end]) {
		t.Error("the streams of a block that does not change are others now")
	}
}

// TestWorkersCopyStoredChunks decodes stored chunks with lengths around multiples of copyPiece,
// whole and in part.
func TestWorkersCopyStoredChunks(t *testing.T) {
	for _, n := range []int{2*copyPiece - 1, 2 * copyPiece, 2*copyPiece + 1, 5*copyPiece + 77} {
		src := sample("noise", n, 1, 5)
		c := encode(t, &Options{TypeSize: 1, Level: Stored}, src)
		d := NewDecoder(&DecodeOptions{Workers: 3})
		dst := make([]byte, n)
		if _, err := d.Decode(dst, c); err != nil || !bytes.Equal(dst, src) {
			t.Errorf("%d bytes: %v, or other bytes", n, err)
		}
		clear(dst)
		if got, err := d.DecodeItems(dst, c, 11, n-7); err != nil || !bytes.Equal(dst[:got], src[11:n-7]) {
			t.Errorf("part of %d bytes: %v, or other bytes", n, err)
		}
	}
}
