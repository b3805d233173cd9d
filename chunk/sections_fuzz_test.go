package chunk

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// FuzzVL decodes chunks with blocks of variable length and arbitrary contents. The header is
// adjusted to the flag and the length of such a chunk.
func FuzzVL(f *testing.F) {
	for i, row := range plainCodecs() {
		for _, o := range []*Options{{TypeSize: 4, Codec: codecs.ByID(row.ID, 0)},
			{TypeSize: 1 + i, Codec: codecs.ByID(row.ID, 0), Level: Stored}} {
			f.Add(encodeVL(f, o, piecesOf("patches", 700, o.TypeSize, uint64(i))))
		}
	}
	f.Add(encodeVL(f, &Options{TypeSize: 2, Filters: []shuffle.Spec{shuffle.Bit}}, [][]byte{{1}, {2, 3}, make([]byte, 100)}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < HeaderSize {
			return
		}
		b = bytes.Clone(b)
		b[0], b[2], b[0x1e] = versionVL, b[2]&^byte(flagMemcpyed)|byte(flagsExtended), byte(flag2VLBlocks)
		b[0x1f] &= byte(bloscFlagDict)
		tryBlocks(t, stated(b))
	})
}

// FuzzDict decodes chunks with an arbitrary dictionary of arbitrary stated size, and arbitrary
// bytes around it.
func FuzzDict(f *testing.F) {
	for _, codec := range dictCodecs {
		o := Options{Codec: codec, Filters: []shuffle.Spec{shuffle.None}, BlockSize: 300}
		c := encodeDict(f, o, alike(24_000, 1))
		h, err := ParseHeader(c)
		if err != nil {
			f.Fatal(err)
		}
		at := h.Size() + 4*h.Layout().NumBlocks
		dict, err := dictAt(c, at)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(c[:at], int32(len(dict)), dict[:min(len(dict), 4000)], c[at+4+len(dict):][:2000])
		f.Add(c[:HeaderSize+8], int32(16), dict[:16], c[at+4+len(dict):][:100])
	}
	f.Fuzz(func(t *testing.T, head []byte, size int32, dict, streams []byte) {
		if len(head) < HeaderSize {
			return
		}
		b := binary.LittleEndian.AppendUint32(bytes.Clone(head), uint32(size))
		b = append(append(b, dict...), streams...)
		b[2] = b[2]&^byte(flagMemcpyed) | byte(flagsExtended)
		b[0x1f] = byte(bloscFlagDict)
		tryBlocks(t, stated(b))
	})
}

// stated sets the length of the chunk in the header.
func stated(b []byte) []byte {
	binary.LittleEndian.PutUint32(b[12:], uint32(len(b)))
	return b
}

// tryBlocks is tryChunk, and also decodes the first blocks individually, which must agree with the
// whole.
func tryBlocks(t *testing.T, b []byte) {
	tryChunk(t, b)
	h, err := ParseHeader(b)
	if err != nil || int64(h.NBytes) > fuzzLimits.MaxChunk {
		return
	}
	d := NewDecoder(&DecodeOptions{Engine: Engine{Limits: fuzzLimits}})
	whole, one := make([]byte, h.NBytes), make([]byte, h.NBytes)
	_, wholeErr := d.Decode(whole, b)
	l, err := NewDecoder(nil).Layout(b)
	if err != nil {
		return
	}
	for k := range min(l.NumBlocks, 8) {
		from, to := l.Block(k)
		n, err := d.DecodeBlock(one, b, k)
		if wholeErr == nil && (err != nil || n != to-from || !bytes.Equal(one[:n], whole[from:to])) {
			t.Fatalf("block %d: %d bytes, %v; it has %d", k, n, err, to-from)
		}
	}
}
