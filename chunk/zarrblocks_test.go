package chunk

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// zarrBlockOptions are combinations of codecs and filters that Blosc1 has.
func zarrBlockOptions() []Options {
	var all []Options
	for _, c := range []codecs.Codec{codecs.BloscLZ, codecs.LZ4, codecs.LZ4HC, codecs.Zlib, codecs.Zstd} {
		for _, f := range []shuffle.Spec{shuffle.None, shuffle.Byte, shuffle.Bit} {
			for _, level := range []int{Stored, 1, 5, 9} {
				for _, workers := range []int{1, 3} {
					all = append(all, Options{Codec: c, Filters: []shuffle.Spec{f}, Level: level, TypeSize: 4,
						BlockSize: 1 << 10, Workers: workers, ZarrBlocks: true})
				}
			}
		}
	}
	return all
}

// zarrBlockData are contents that Blosc2 has special forms for, and ordinary ones.
func zarrBlockData() map[string][]byte {
	random := rand.New(rand.NewPCG(1, 2))
	noise, small, steps := make([]byte, 9<<10), make([]byte, 9<<10), make([]byte, 9<<10+96)
	for i := range noise {
		noise[i] = byte(random.Uint32())
		if i%4 == 0 {
			small[i] = byte(random.Uint32()) >> 4 // three of four bytes of an item are zero
		}
	}
	for i := range steps {
		steps[i] = byte(i / 700)
	}
	half := append(make([]byte, 4<<10), noise...)
	return map[string][]byte{"noise": noise, "small": small, "steps": steps, "half": half, "short": noise[:32]}
}

// Each block of a chunk with ZarrBlocks, with the bytes before it, is a chunk of Blosc1.
func TestZarrBlocksAreChunks(t *testing.T) {
	for _, o := range zarrBlockOptions() {
		for name, data := range zarrBlockData() {
			t.Run(fmt.Sprintf("%v/%v/%d/%d/%s", o.Codec, o.Filters[0], o.Level, o.Workers, name), func(t *testing.T) {
				e, err := NewEncoder(&o)
				if err != nil {
					t.Fatal(err)
				}
				encoded, err := e.Append(nil, data)
				if err != nil {
					t.Fatal(err)
				}
				checkZarrBlocks(t, encoded, data)
			})
		}
	}
}

// checkZarrBlocks checks a whole chunk, and each of its blocks as a chunk.
func checkZarrBlocks(t *testing.T, encoded, data []byte) {
	t.Helper()
	d := NewDecoder(nil)
	got := make([]byte, len(data))
	if _, err := d.Decode(got, encoded); err != nil || !bytes.Equal(got, data) {
		t.Fatalf("the chunk is not the data: %v", err)
	}
	h, err := ParseHeader(encoded)
	if err != nil {
		t.Fatal(err)
	}
	l := h.Layout()
	blocks, ok, err := ZarrBlocks(encoded)
	if err != nil || !ok {
		t.Fatalf("the blocks are not chunks: %v", err)
	}
	for i := range l.NumBlocks {
		block := blocks[i]
		from, to := l.Block(i)
		got := make([]byte, to-from)
		_, err := d.Decode(got, encoded[block.Offset:block.Offset+block.Size])
		if err != nil || !bytes.Equal(got, data[from:to]) {
			t.Fatalf("block %d is not the data: %v", i, err)
		}
	}
}

func TestZarrBlocksRefuse(t *testing.T) {
	for name, o := range map[string]Options{
		"a dictionary": {Dict: true}, "delta": {Filters: []shuffle.Spec{shuffle.Delta, shuffle.Byte}},
		"two filters":       {Filters: []shuffle.Spec{shuffle.Byte, shuffle.Bit}},
		"a codec of Blosc2": {Codec: codecs.ZFPRate(50)}, "Blosc1": {Blosc1: true},
		"bits of 25 items": {Filters: []shuffle.Spec{shuffle.Bit}, TypeSize: 4, BlockSize: 100},
	} {
		o.ZarrBlocks = true
		if _, err := NewEncoder(&o); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	e, err := NewEncoder(&Options{Filters: []shuffle.Spec{shuffle.Bit}, TypeSize: 4, ZarrBlocks: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Append(nil, make([]byte, 1000)); err == nil {
		t.Error("bitshuffle of a block of 250 items is accepted")
	}
}

// A rewritten chunk keeps the form, and copies the blocks that did not change.
func TestZarrBlocksSurviveRewriting(t *testing.T) {
	rewritten := 0
	defer func() {
		if rewritten == 0 || rewritten > 400 {
			t.Errorf("%d chunks were encoded as a whole", rewritten)
		}
	}()
	for _, o := range zarrBlockOptions() {
		for name, data := range zarrBlockData() {
			e, err := NewEncoder(&o)
			if err != nil {
				t.Fatal(err)
			}
			old, err := e.Append(nil, data)
			if err != nil {
				t.Fatal(err)
			}
			l := e.Layout(len(data))
			changed, fresh := make([]bool, l.NumBlocks), bytes.Clone(data)
			for i := 1; i < l.NumBlocks; i += 2 {
				changed[i] = true
				from, to := l.Block(i)
				clear(fresh[from:to])
			}
			encoded, ok, err := rewriteOf(t, e, old, changed, &wholeSource{data: fresh, blockSize: l.BlockSize})
			if err != nil {
				t.Fatalf("%v, %s: %v", o, name, err)
			}
			if !ok { // blocks behind the offsets are encoded again
				rewritten++
				if encoded, err = e.Append(nil, fresh); err != nil {
					t.Fatal(err)
				}
			}
			checkZarrBlocks(t, encoded, fresh)
			o.ZarrBlocks = false
			if plain, err := NewEncoder(&o); err != nil {
				t.Fatal(err)
			} else if old, err = plain.Append(nil, data); err != nil {
				t.Fatal(err)
			}
			o.ZarrBlocks = true
			_, ok, err = rewriteOf(t, e, old, changed, &wholeSource{data: fresh, blockSize: l.BlockSize})
			if ok || err != nil {
				t.Fatalf("%v, %s: blocks without headers were copied: %v", o, name, err)
			}
		}
	}
}
