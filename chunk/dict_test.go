package chunk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

var dictCodecs = []codecs.Codec{codecs.Zstd, codecs.LZ4, codecs.LZ4HC}

// alike returns n bytes that consist of a few hundred different pieces in random order: small
// blocks of it are hardly compressible on their own but similar to each other.
func alike(n int, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 8))
	pieces := make([][]byte, 300)
	for i := range pieces {
		pieces[i] = make([]byte, 16+r.IntN(30))
		for j := range pieces[i] {
			pieces[i][j] = byte(r.IntN(40))
		}
	}
	var b []byte
	for len(b) < n {
		b = append(b, pieces[r.IntN(len(pieces))]...)
	}
	return b[:n]
}

// encodeDict encodes with one and with three workers, and checks that there is a dictionary.
func encodeDict(t testing.TB, o Options, src []byte) []byte {
	t.Helper()
	o.Dict = true
	c := encode(t, &o, src)
	if h, err := ParseHeader(c); err != nil || !h.HasDict() {
		t.Fatalf("%+v: no dictionary, %v", o, err)
	}
	o.Workers = 3
	if !bytes.Equal(encode(t, &o, src), c) {
		t.Fatalf("%+v: three workers write other bytes than one", o)
	}
	return c
}

// TestDict encodes chunks with dictionaries and decodes them in every way.
func TestDict(t *testing.T) {
	for _, codec := range dictCodecs {
		for _, filters := range [][]shuffle.Spec{{shuffle.None}, {shuffle.Byte}, {shuffle.Delta}} {
			for i, level := range []int{1, 4, 5, 9} {
				src := alike(60_000, uint64(i))
				// so that delta, which refers to block 0, leaves the others unchanged
				clear(src[:1000])
				o := Options{TypeSize: 1 + i%2, Codec: codec, Level: level, Filters: filters, BlockSize: 1000}
				plain := encode(t, &o, src)
				what := fmt.Sprintf("%v level %d %v", codec, level, filters)
				c := encodeDict(t, o, src)
				if len(c) >= len(plain) {
					t.Errorf("%s: %d bytes, without a dictionary %d", what, len(c), len(plain))
				}
				checkDictReads(t, what, c, src)
			}
		}
	}
}

func checkDictReads(t *testing.T, what string, c, src []byte) {
	t.Helper()
	h, err := ParseHeader(c)
	if err != nil {
		t.Fatal(err)
	}
	ts := int(h.TypeSize)
	for _, workers := range []int{1, 3} {
		d := NewDecoder(&DecodeOptions{Workers: workers})
		back := make([]byte, len(src))
		if _, err := d.Decode(back, c); err != nil || !bytes.Equal(back, src) {
			t.Fatalf("%s: %v, or other bytes", what, err)
		}
		from, to := len(src)/ts/3, len(src)/ts/3+1777
		if n, err := d.DecodeItems(back, c, from, to); err != nil || !bytes.Equal(back[:n], src[from*ts:to*ts]) {
			t.Fatalf("%s: items %d to %d: %v, or other bytes", what, from, to, err)
		}
		l := h.Layout()
		want := make([]bool, l.NumBlocks)
		want[7], want[l.NumBlocks-1] = true, true
		sink := &blockMap{blocks: map[int][]byte{}}
		if err := d.DecodeBlocksAt(h, bytes.NewReader(c), 0, want, sink); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		for k, block := range sink.blocks {
			from, to := l.Block(k)
			if n, err := d.DecodeBlock(back, c, k); err != nil || !bytes.Equal(back[:n], src[from:to]) || !bytes.Equal(block, src[from:to]) {
				t.Fatalf("%s: block %d: %v, or other bytes", what, k, err)
			}
		}
	}
}

// TestDictIsFetchedOnce decodes two blocks of a large chunk, which must read only these, the
// offsets and the dictionary.
func TestDictIsFetchedOnce(t *testing.T) {
	src := alike(2_000_000, 4)
	c := encodeDict(t, Options{Codec: codecs.LZ4, Filters: []shuffle.Spec{shuffle.None}, BlockSize: 4000}, src)
	h, err := ParseHeader(c)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]bool, 450)
	want[300], want[449] = true, true
	r := &countingReader{r: bytes.NewReader(c)}
	sink := &blockMap{blocks: map[int][]byte{}}
	if err := NewDecoder(nil).DecodeBlocksAt(h, r, 0, want, sink); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(sink.blocks[300], src[300*4000:301*4000]) || !bytes.Equal(sink.blocks[449], src[449*4000:450*4000]) {
		t.Error("other blocks than wanted")
	}
	if most := HeaderSize + 4*500 + 4 + maxDictSize + 2*4008; r.bytes > most {
		t.Errorf("%d bytes were read, %d are enough", r.bytes, most)
	}
}

// TestDictOfVL encodes blocks of variable length with a dictionary.
func TestDictOfVL(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, codec := range dictCodecs {
		src := alike(40_000, 9)
		var blocks [][]byte
		for len(src) > 0 {
			n := min(len(src), 1+r.IntN(900))
			blocks, src = append(blocks, src[:n]), src[n:]
		}
		o := &Options{TypeSize: 4, Codec: codec, Filters: []shuffle.Spec{shuffle.None}}
		plain := encodeVL(t, o, blocks)
		o.Dict = true
		c := encodeVL(t, o, blocks)
		h, err := ParseHeader(c)
		if err != nil || !h.HasDict() || len(c) >= len(plain) {
			t.Fatalf("%v: dictionary %v, %d bytes, without %d: %v", codec, h.HasDict(), len(c), len(plain), err)
		}
		checkVL(t, codec.String(), c, blocks)
		o.Workers = 3
		if !bytes.Equal(encodeVL(t, o, blocks), c) {
			t.Errorf("%v: three workers write other bytes than one", codec)
		}
	}
}

// TestDictThatDoesNotPay checks that data for which a dictionary saves nothing is encoded without
// one, and is readable by C-Blosc2 (whose own encoder makes two such chunks that it cannot read).
func TestDictThatDoesNotPay(t *testing.T) {
	for name, src := range map[string][]byte{
		"noise":     sample("noise", 50_000, 1, 1),
		"zeros":     make([]byte, 50_000),
		"small":     alike(31, 1),
		"one block": sample("ramp", 900, 4, 1),
		"nothing":   nil,
	} {
		for _, codec := range dictCodecs {
			o := &Options{TypeSize: 4, Codec: codec, BlockSize: 2000}
			plain := encode(t, o, src)
			o.Dict = true
			if c := encode(t, o, src); !bytes.Equal(c, plain) {
				t.Errorf("%s, %v: another chunk than without", name, codec)
			}
		}
	}
}

// TestDictRefused tests codecs and options that do not support a dictionary.
func TestDictRefused(t *testing.T) {
	for _, codec := range []codecs.Codec{codecs.BloscLZ, codecs.Zlib, codecs.Snappy} {
		if _, err := NewEncoder(&Options{Codec: codec, Dict: true}); !errors.Is(err, cairn.ErrUnsupported) {
			t.Errorf("%v: %v", codec, err)
		}
	}
	if _, err := NewEncoder(&Options{Blosc1: true, Dict: true}); err == nil {
		t.Error("Blosc1: no error")
	}
}

// TestDictDamage modifies the dictionary and its size.
func TestDictDamage(t *testing.T) {
	src := alike(30_000, 2)
	for _, codec := range dictCodecs {
		sound := encodeDict(t, Options{Codec: codec, Filters: []shuffle.Spec{shuffle.None}, BlockSize: 1000}, src)
		at := HeaderSize + 4*30
		for name, size := range map[string]uint32{
			"no bytes": 0, "negative": 1 << 31, "too many": maxDictSize + 1,
			"more than there are": uint32(len(sound)), "those of a block": 5000,
		} {
			c := bytes.Clone(sound)
			binary.LittleEndian.PutUint32(c[at:], size)
			if _, err := NewDecoder(nil).Decode(make([]byte, len(src)), c); !errors.Is(err, cairn.ErrCorrupt) {
				t.Errorf("%v, %s: %v", codec, name, err)
			}
		}
		if codec == codecs.Zstd {
			c := bytes.Clone(sound)
			clear(c[at+12 : at+60]) // its entropy tables
			if _, err := NewDecoder(nil).Decode(make([]byte, len(src)), c); !errors.Is(err, cairn.ErrCorrupt) {
				t.Errorf("broken tables: %v", err)
			}
		}
	}
}

// TestDictAllocations encodes and decodes chunk after chunk. Blocks and dictionaries must not
// allocate. A few allocations per chunk are allowed, since the garbage collector may empty the pool
// of workspaces.
func TestDictAllocations(t *testing.T) {
	src := alike(60_000, 3)
	for _, codec := range dictCodecs {
		e := aloneEncoder(t, &Options{Codec: codec, Filters: []shuffle.Spec{shuffle.None}, BlockSize: 1000, Dict: true})
		out, err := e.Append(nil, src)
		if err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(4, func() { out, _ = e.Append(out[:0], src) }); n > 1 {
			t.Errorf("%v: a chunk encoded allocates %v times", codec, n)
		}
		d, back := NewDecoder(nil), make([]byte, len(src))
		d.workers[0].private = true
		if n := testing.AllocsPerRun(4, func() { _, _ = d.Decode(back, out) }); n > 0 || !bytes.Equal(back, src) {
			t.Errorf("%v: a chunk decoded allocates %v times", codec, n)
		}
	}
}

// TestDictRewrite checks that Rewrite refuses chunks with a dictionary, and chunks that should have
// one.
func TestDictRewrite(t *testing.T) {
	src := alike(30_000, 2)
	plain := Options{Codec: codecs.LZ4, Filters: []shuffle.Spec{shuffle.None}, BlockSize: 1000}
	with := plain
	with.Dict = true
	changed := make([]bool, 30)
	changed[3] = true
	for name, c := range map[string]struct {
		encoder Options
		old     []byte
	}{"an old chunk with one": {plain, encodeDict(t, plain, src)}, "an encoder with one": {with, encode(t, &plain, src)}} {
		e, err := NewEncoder(&c.encoder)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok, err := rewriteOf(t, e, c.old, changed, &wholeSource{data: src, blockSize: 1000}); ok || err != nil {
			t.Errorf("%s: %v, %v", name, ok, err)
		}
	}
}
