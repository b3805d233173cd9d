package chunk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// piecesOf divides a sample into blocks of random sizes, from one byte up.
func piecesOf(kind string, n, typeSize int, seed uint64) [][]byte {
	src := sample(kind, n, typeSize, seed)
	r := rand.New(rand.NewPCG(seed, 2))
	var blocks [][]byte
	for len(src) > 0 {
		k := min(len(src), 1+r.IntN(1<<r.IntN(13)))
		blocks = append(blocks, src[:k])
		src = src[k:]
	}
	return blocks
}

func encodeVL(t testing.TB, o *Options, blocks [][]byte) []byte {
	t.Helper()
	e, err := NewEncoder(o)
	if err != nil {
		t.Fatal(err)
	}
	out, err := e.AppendVL([]byte("before"), blocks)
	if err != nil {
		t.Fatalf("%+v: %v", *o, err)
	}
	if string(out[:6]) != "before" {
		t.Fatal("what was in the destination is gone")
	}
	return out[6:]
}

// TestVL encodes blocks of variable length with every codec and decodes them in every way.
func TestVL(t *testing.T) {
	for _, row := range plainCodecs() {
		for i, kind := range []string{"ramp", "patches", "noise"} {
			for _, level := range []int{Stored, 1 + 4*i} {
				for _, filters := range [][]shuffle.Spec{{shuffle.None}, nil, {shuffle.Bit}} {
					blocks := piecesOf(kind, 30_000, 4, uint64(level+i+10))
					o := &Options{TypeSize: 4, Codec: codecs.ByID(row.ID, 0), Level: level, Filters: filters}
					c := encodeVL(t, o, blocks)
					checkVL(t, fmt.Sprintf("%s %s level %d %v", row.Name, kind, level, filters), c, blocks)
					o.Workers = 3
					if !bytes.Equal(encodeVL(t, o, blocks), c) {
						t.Fatalf("%s: three workers write other bytes than one", row.Name)
					}
				}
			}
		}
	}
}

func checkVL(t *testing.T, what string, c []byte, blocks [][]byte) {
	t.Helper()
	all := bytes.Join(blocks, nil)
	if got := decode(t, c); !bytes.Equal(got, all) {
		t.Fatalf("%s: the whole differs", what)
	}
	l, err := NewDecoder(nil).Layout(c)
	if err != nil || l.NumBlocks != len(blocks) || l.NBytes != len(all) {
		t.Fatalf("%s: layout %+v, %v", what, l, err)
	}
	d := NewDecoder(&DecodeOptions{Workers: 2})
	one := make([]byte, 1<<13)
	for k, b := range blocks {
		if from, to := l.Block(k); to-from != len(b) {
			t.Fatalf("%s: block %d from %d to %d, want %d bytes", what, k, from, to, len(b))
		}
		if k%7 == 0 {
			if n, err := d.DecodeBlock(one, c, k); err != nil || !bytes.Equal(one[:n], b) {
				t.Fatalf("%s: block %d: %v, or other bytes", what, k, err)
			}
		}
	}
	items := len(all) / 4
	for i := range 5 {
		from := i * items / 6
		to := from + items/7
		part := make([]byte, 4*(to-from))
		if n, err := d.DecodeItems(part, c, from, to); err != nil || !bytes.Equal(part[:n], all[4*from:4*to]) {
			t.Fatalf("%s: items %d to %d: %v, or other bytes", what, from, to, err)
		}
	}
}

// A countingReader counts the bytes read of a chunk.
type countingReader struct {
	r     io.ReaderAt
	bytes int
}

func (c *countingReader) ReadAt(b []byte, off int64) (int, error) {
	c.bytes += len(b)
	return c.r.ReadAt(b, off)
}

// TestVLBlocksAreFetchedAlone decodes two blocks of a chunk and checks how much else is read.
func TestVLBlocksAreFetchedAlone(t *testing.T) {
	var blocks [][]byte
	for i := range 40 {
		blocks = append(blocks, sample("noise", 20_000+i, 1, uint64(i)))
	}
	c := encodeVL(t, &Options{}, blocks)
	h, err := ParseHeader(c)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]bool, 30)
	want[3], want[29] = true, true
	sink := &blockMap{blocks: map[int][]byte{}}
	r := &countingReader{r: bytes.NewReader(c)}
	if err := NewDecoder(nil).DecodeBlocksAt(h, r, 0, want, sink); err != nil {
		t.Fatal(err)
	}
	if len(sink.blocks) != 2 || !bytes.Equal(sink.blocks[3], blocks[3]) || !bytes.Equal(sink.blocks[29], blocks[29]) {
		t.Error("other blocks than wanted")
	}
	if most := 4*len(blocks) + 41_000; r.bytes > most {
		t.Errorf("%d bytes were read, %d are enough", r.bytes, most)
	}
}

// A blockMap receives blocks by number, from several workers.
type blockMap struct {
	mu     sync.Mutex
	blocks map[int][]byte
}

func (m *blockMap) Dst(int, int) []byte { return nil }

func (m *blockMap) Put(i int, data []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.blocks[i] = bytes.Clone(data)
}

// TestVLRefuses tests invalid lists of blocks and options.
func TestVLRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		o      Options
		blocks [][]byte
		want   error
	}{
		"no blocks":      {Options{}, nil, cairn.ErrBounds},
		"an empty block": {Options{}, [][]byte{{1}, {}}, cairn.ErrBounds},
		"delta":          {Options{Filters: []shuffle.Spec{shuffle.Delta}}, [][]byte{{1}}, cairn.ErrUnsupported},
		"Blosc1":         {Options{Blosc1: true}, [][]byte{{1}}, cairn.ErrUnsupported},
	} {
		e, err := NewEncoder(&c.o)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := e.AppendVL([]byte("x"), c.blocks); !errors.Is(err, c.want) || string(out) != "x" {
			t.Errorf("%s: %q, %v", name, out, err)
		}
	}
}

// TestVLDamage modifies what C-Blosc2 checks: every such chunk must be refused as corrupt, however
// it is decoded.
func TestVLDamage(t *testing.T) {
	sound := encodeVL(t, &Options{Level: Stored}, [][]byte{make([]byte, 10), make([]byte, 20), make([]byte, 30)})
	at := func(k int) int { return int(binary.LittleEndian.Uint32(sound[HeaderSize+4*k:])) }
	for name, change := range map[string]func(c []byte){
		"offsets that shrink":           func(c []byte) { binary.LittleEndian.PutUint32(c[HeaderSize+4:], uint32(at(2)+1)) },
		"two blocks at one place":       func(c []byte) { binary.LittleEndian.PutUint32(c[HeaderSize+4:], uint32(at(0))) },
		"an offset within the table":    func(c []byte) { binary.LittleEndian.PutUint32(c[HeaderSize:], HeaderSize+8) },
		"an offset behind the end":      func(c []byte) { binary.LittleEndian.PutUint32(c[HeaderSize+8:], uint32(len(c))) },
		"a block without a byte":        func(c []byte) { binary.LittleEndian.PutUint32(c[HeaderSize+8:], uint32(len(c)-4)) },
		"a size of nothing":             func(c []byte) { binary.LittleEndian.PutUint32(c[at(1):], 0) },
		"a negative size":               func(c []byte) { binary.LittleEndian.PutUint32(c[at(1):], 1<<31) },
		"sizes that are too much":       func(c []byte) { binary.LittleEndian.PutUint32(c[at(2):], 31) },
		"sizes that are too little":     func(c []byte) { binary.LittleEndian.PutUint32(c[at(2):], 29) },
		"more blocks than there is":     func(c []byte) { binary.LittleEndian.PutUint32(c[8:], 1000) },
		"no bytes at all in the header": func(c []byte) { binary.LittleEndian.PutUint32(c[4:], 0) },
	} {
		c := bytes.Clone(sound)
		change(c)
		if _, err := NewDecoder(nil).Decode(make([]byte, 60), c); !errors.Is(err, cairn.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := NewDecoder(nil).Layout(c); !errors.Is(err, cairn.ErrCorrupt) {
			t.Errorf("%s: layout: %v", name, err)
		}
	}
}
