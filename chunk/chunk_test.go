package chunk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// sample returns n bytes of a kind: a ramp of items, which compresses, noise, which does not, or
// data with constant and changing parts.
func sample(kind string, n, typeSize int, seed uint64) []byte {
	b := make([]byte, n)
	r := rand.New(rand.NewPCG(seed, 1))
	switch kind {
	case "noise":
		for i := range b {
			b[i] = byte(r.Uint32())
		}
	case "ramp":
		for i := 0; i+typeSize <= n; i += typeSize {
			v := uint64(i / typeSize * 3)
			for j := range min(typeSize, 8) {
				b[i+j] = byte(v >> (8 * j))
			}
		}
	case "patches":
		for i := 0; i < n; {
			run := min(n-i, 1+int(r.Uint32()%5000))
			if r.Uint32()%2 == 0 {
				for j := range run {
					b[i+j] = byte(r.Uint32() % 7)
				}
			}
			i += run
		}
	}
	return b
}

func encode(t testing.TB, o *Options, src []byte) []byte {
	t.Helper()
	e, err := NewEncoder(o)
	if err != nil {
		t.Fatal(err)
	}
	out, err := e.Append(nil, src)
	if err != nil {
		t.Fatalf("%+v: %v", *o, err)
	}
	return out
}

func decode(t testing.TB, c []byte) []byte {
	t.Helper()
	h, err := ParseHeader(c)
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]byte, h.NBytes)
	if _, err := NewDecoder(nil).Decode(dst, c); err != nil {
		t.Fatal(err)
	}
	return dst
}

var pipelines = map[string][]shuffle.Spec{
	"default":         nil,
	"none":            {shuffle.None},
	"bit":             {shuffle.Bit},
	"delta":           {shuffle.Delta},
	"delta+shuffle":   {shuffle.Delta, shuffle.Byte},
	"shuffle+delta":   {shuffle.Byte, shuffle.Delta},
	"delta+bit":       {shuffle.Delta, shuffle.Bit},
	"shuffle stride":  {{ID: shuffle.IDByte, Meta: 4}},
	"three":           {shuffle.Delta, shuffle.Byte, shuffle.Bit},
	"shuffle in slot": {shuffle.Byte, shuffle.None, shuffle.None},
}

func TestRoundTrip(t *testing.T) {
	sizes := []int{0, 1, 3, 31, 32, 33, 255, 4096, 65537, 200_000}
	for name, filters := range pipelines {
		for _, row := range plainCodecs() {
			t.Run(name+"/"+row.Name, func(t *testing.T) {
				t.Parallel()
				r := rand.New(rand.NewPCG(uint64(row.ID), uint64(len(name))))
				for i := range rounds(90) {
					typeSize := []int{1, 2, 3, 4, 7, 8, 12, 16, 17, 255, 300}[r.IntN(11)]
					n := sizes[r.IntN(len(sizes))]
					if r.IntN(2) == 0 {
						n -= n % typeSize
					}
					o := &Options{
						TypeSize: typeSize, Codec: codecs.ByID(row.ID, 0),
						Level: []int{Stored, 1, 3, 5, 6}[r.IntN(5)], Filters: filters,
						Split: SplitMode(r.IntN(4)), BlockSize: []int{0, 0, 100, 4096, 30_000}[r.IntN(5)], NoSpecial: r.IntN(2) == 0,
					}
					checkRoundTrip(t, o, sample([]string{"noise", "ramp", "patches", "zeros"}[i%4], n, typeSize, uint64(i)))
				}
			})
		}
	}
}

// rounds scales a number of random cases down in short mode, for emulated machines.
func rounds(n int) int {
	if testing.Short() {
		return n/8 + 1
	}
	return n
}

func checkRoundTrip(t *testing.T, o *Options, src []byte) {
	t.Helper()
	c := encode(t, o, src)
	what := fmt.Sprintf("%+v of %d bytes", *o, len(src))
	if len(c) > len(src)+HeaderSize {
		t.Fatalf("%s: %d bytes", what, len(c))
	}
	h, err := ParseHeader(c)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if int(h.CBytes) != len(c) || int(h.NBytes) != len(src) {
		t.Fatalf("%s: header %+v", what, h)
	}
	if got := decode(t, c); !bytes.Equal(got, src) {
		t.Fatalf("%s: decoded data differs", what)
	}
	parallel := *o
	parallel.Workers = 4
	if again := encode(t, &parallel, src); !bytes.Equal(again, c) {
		t.Fatalf("%s: four workers write other bytes", what)
	}
	checkItems(t, c, src, o)
}

// checkItems compares random item ranges, and random block masks with four workers, with the whole
// data.
func checkItems(t *testing.T, c, src []byte, o *Options) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(len(src)), 2))
	size := o.resolvedTypeSize()
	d := NewDecoder(&DecodeOptions{FrameTypeSize: size, Workers: 1 + r.IntN(4)})
	for range 5 {
		items := len(src) / size
		from := r.IntN(items + 1)
		to := from + r.IntN(items-from+1)
		dst := make([]byte, (to-from)*size)
		n, err := d.DecodeItems(dst, c, from, to)
		if err != nil || n != len(dst) || !bytes.Equal(dst, src[from*size:to*size]) {
			t.Fatalf("%+v of %d bytes: items %d to %d: %d bytes, %v", *o, len(src), from, to, n, err)
		}
	}
	h, _ := ParseHeader(c)
	sink := collector{layout: h.Layout(), got: make([]byte, len(src)), seen: make([]int, h.Layout().NumBlocks)}
	want := make([]bool, r.IntN(sink.layout.NumBlocks+1))
	for i := range want {
		want[i] = r.IntN(2) == 0
	}
	if err := d.DecodeBlocks(h, c, want, &sink); err != nil {
		t.Fatal(err)
	}
	checkMask(t, &sink, want, src, o)
	sink.got, sink.seen = make([]byte, len(src)), make([]int, sink.layout.NumBlocks)
	file := counting{r: bytes.NewReader(append([]byte("before"), c...))}
	if err := d.DecodeBlocksAt(h, &file, 6, want, &sink); err != nil {
		t.Fatal(err)
	}
	checkMask(t, &sink, want, src, o)
	if file.bytes > 2*len(c)+HeaderSize {
		t.Fatalf("%+v of %d bytes: %d bytes read of a chunk of %d", *o, len(src), file.bytes, len(c))
	}
}

// checkMask checks that the sink received every wanted block once and correctly, and no other.
func checkMask(t *testing.T, sink *collector, want []bool, src []byte, o *Options) {
	t.Helper()
	for i, n := range sink.seen {
		from, to := sink.layout.Block(i)
		if wanted := i < len(want) && want[i]; (n == 1) != wanted || n > 1 || wanted && !bytes.Equal(sink.got[from:to], src[from:to]) {
			t.Fatalf("%+v of %d bytes: block %d delivered %d times or wrong", *o, len(src), i, n)
		}
	}
}

// counting counts the bytes read.
type counting struct {
	r     io.ReaderAt
	bytes int
}

func (c *counting) ReadAt(b []byte, off int64) (int, error) {
	c.bytes += len(b)
	return c.r.ReadAt(b, off)
}

func TestPartialDecodeReadsFewBytes(t *testing.T) {
	src := sample("noise", 1<<20, 4, 8)
	for _, filters := range [][]shuffle.Spec{nil, {shuffle.Delta}} {
		c := encode(t, &Options{TypeSize: 4, Codec: codecs.LZ4, Filters: filters, BlockSize: 8192}, append(src, make([]byte, 1<<20)...))
		h, err := ParseHeader(c)
		if err != nil {
			t.Fatal(err)
		}
		l := h.Layout()
		want := make([]bool, 101)
		want[100] = true
		sink := collector{layout: l, got: make([]byte, 2<<20), seen: make([]int, l.NumBlocks)}
		file := counting{r: bytes.NewReader(c)}
		if err := NewDecoder(nil).DecodeBlocksAt(h, &file, 0, want, &sink); err != nil {
			t.Fatal(err)
		}
		from, to := l.Block(100)
		if !bytes.Equal(sink.got[from:to], src[from:to]) {
			t.Error("block 100 differs")
		}
		if file.bytes > 30_000 {
			t.Errorf("%d bytes were read for one block of 8192", file.bytes)
		}
	}
}

// collector receives odd blocks in place and even ones by Put.
type collector struct {
	layout Layout
	got    []byte
	seen   []int
}

func (c *collector) Dst(i, size int) []byte {
	if i%2 == 0 {
		return nil
	}
	c.seen[i]++
	from, to := c.layout.Block(i)
	return c.got[from:to]
}

func (c *collector) Put(i int, data []byte) {
	c.seen[i]++
	from, _ := c.layout.Block(i)
	copy(c.got[from:], data)
}

func TestConstantChunksBecomeSpecial(t *testing.T) {
	repeat := func(item []byte, n int) []byte { return bytes.Repeat(item, n) }
	for _, c := range []struct {
		name     string
		data     []byte
		typeSize int
		kind     Special
		size     int
	}{
		{"zeros", make([]byte, 100_000), 4, SpecialZeros, 32},
		{"zeros, no whole items", make([]byte, 100_001), 4, SpecialNone, -1},
		{"one zero", make([]byte, 8), 8, SpecialZeros, 32},
		{"NaN 4", repeat(binary.LittleEndian.AppendUint32(nil, nan32), 50_000), 4, SpecialNaN, 32},
		{"NaN 8", repeat(binary.LittleEndian.AppendUint64(nil, nan64), 50_000), 8, SpecialNaN, 32},
		{"another NaN", repeat([]byte{1, 0, 0xc0, 0x7f}, 50_000), 4, SpecialValue, 36},
		{"value", repeat([]byte{1, 2, 3}, 70_000), 3, SpecialValue, 35},
		{"wide value", repeat(sample("noise", 300, 1, 1), 700), 300, SpecialValue, 332},
		{"one item", []byte{1, 2, 3, 4}, 4, SpecialNone, 36},
		{"value but the last", append(repeat([]byte{7}, 99_999), 8), 1, SpecialNone, -1},
	} {
		out := encode(t, &Options{TypeSize: c.typeSize}, c.data)
		h, err := ParseHeader(out)
		if err != nil {
			t.Fatal(err)
		}
		if h.Special() != c.kind || c.size >= 0 && len(out) != c.size {
			t.Errorf("%s: %v in %d bytes, want %v in %d", c.name, h.Special(), len(out), c.kind, c.size)
		}
		if !bytes.Equal(decode(t, out), c.data) {
			t.Errorf("%s: decoded data differs", c.name)
		}
	}
}

func TestSpecialHeaderBytes(t *testing.T) {
	c, err := AppendSpecial(nil, SpecialZeros, nil, 4000, 4, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := append([]byte{5, 1, 5, 4, 0xa0, 0x0f, 0, 0, 0xa0, 0x0f, 0, 0, 0x20, 0, 0, 0}, make([]byte, 15)...)
	if want = append(want, 0x10); !bytes.Equal(c, want) {
		t.Errorf("got % x\nwant % x", c, want)
	}
	for name, call := range map[string]func() ([]byte, error){
		"none":        func() ([]byte, error) { return AppendSpecial(nil, SpecialNone, nil, 8, 8, 0) },
		"unknown":     func() ([]byte, error) { return AppendSpecial(nil, 5, nil, 8, 8, 0) },
		"no value":    func() ([]byte, error) { return AppendSpecial(nil, SpecialValue, nil, 8, 8, 0) },
		"value width": func() ([]byte, error) { return AppendSpecial(nil, SpecialValue, []byte{1, 2, 3}, 8, 8, 0) },
		"NaN width":   func() ([]byte, error) { return AppendSpecial(nil, SpecialNaN, nil, 8, 2, 0) },
		"NaN tail":    func() ([]byte, error) { return AppendSpecial(nil, SpecialNaN, nil, 9, 4, 0) },
		"size":        func() ([]byte, error) { return AppendSpecial(nil, SpecialZeros, nil, MaxSize+1, 4, 0) },
	} {
		if c, err := call(); err == nil || c != nil {
			t.Errorf("%s: %d bytes, no error", name, len(c))
		}
	}
}

func TestSmallDestinationIsRefused(t *testing.T) {
	c := encode(t, &Options{}, sample("ramp", 1000, 4, 0))
	for _, n := range []int{0, 999} {
		if _, err := NewDecoder(nil).Decode(make([]byte, n), c); !errors.Is(err, cairn.ErrBounds) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	for _, r := range [][2]int{{-1, 0}, {0, 1001}, {5, 4}} {
		if _, err := NewDecoder(nil).DecodeItems(make([]byte, 2000), c, r[0], r[1]); !errors.Is(err, cairn.ErrBounds) {
			t.Errorf("items %v: %v", r, err)
		}
	}
}

// TestLossyReference checks that with trunc_prec before delta all blocks decode to the truncated
// values, including those that refer to block 0.
func TestLossyReference(t *testing.T) {
	src := sample("noise", 100_000, 4, 3)
	o := &Options{TypeSize: 4, Filters: []shuffle.Spec{shuffle.TruncPrec(8), shuffle.Delta, shuffle.Byte}, BlockSize: 10_000}
	got := decode(t, encode(t, o, src))
	for i := 0; i < len(src); i += 4 {
		want := binary.LittleEndian.Uint32(src[i:])
		if want>>23&0xff < 0xff { // NaN stays
			want &^= 1<<15 - 1
		}
		if v := binary.LittleEndian.Uint32(got[i:]); v != want {
			t.Fatalf("item %d: %08x, want %08x", i/4, v, want)
		}
	}
}

func TestBlosc1Chunks(t *testing.T) {
	for _, row := range plainCodecs() {
		for _, filters := range [][]shuffle.Spec{nil, {shuffle.None}, {shuffle.Bit}, {shuffle.Delta, shuffle.Byte}} {
			for _, typeSize := range []int{1, 4, 12} {
				src := sample("patches", 300_000, typeSize, 9)
				o := &Options{Blosc1: true, TypeSize: typeSize, Codec: codecs.ByID(row.ID, 0), Filters: filters}
				c := encode(t, o, src)
				if c[0] != 2 || headerFlags(c[2]).extended() {
					t.Fatalf("header % x", c[:16])
				}
				if !bytes.Equal(decode(t, c), src) {
					t.Errorf("%s %v typesize %d: decoded data differs", row.Name, filters, typeSize)
				}
			}
		}
	}
	for _, bad := range [][]shuffle.Spec{{shuffle.Byte, shuffle.Bit}, {shuffle.TruncPrec(3)}, {shuffle.Byte, shuffle.Delta}, {{ID: 1, Meta: 4}}} {
		if _, err := NewEncoder(&Options{Blosc1: true, Filters: bad}); err == nil {
			t.Errorf("filters %v fit into a Blosc1 header?", bad)
		}
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	for _, row := range plainCodecs() {
		for name, filters := range pipelines {
			src := sample("patches", 1<<18, 4, 5)
			e, err := NewEncoder(&Options{TypeSize: 4, Codec: codecs.ByID(row.ID, 0), Filters: filters,
				BlockSize: 1 << 15})
			if err != nil {
				t.Fatal(err)
			}
			d, dst := NewDecoder(nil), make([]byte, len(src))
			var c []byte
			run := func() {
				if c, err = e.Append(c[:0], src); err != nil {
					t.Fatal(err)
				}
				if _, err = d.Decode(dst, c); err != nil {
					t.Fatal(err)
				}
				if _, err = d.DecodeItems(dst, c, 20_000, 30_000); err != nil {
					t.Fatal(err)
				}
			}
			if n := testing.AllocsPerRun(5, run); n != 0 {
				t.Errorf("%s, %s: %v allocations per chunk", row.Name, name, n)
			}
		}
	}
}

// plainCodecs returns the codecs that accept any bytes: all but the shaped ones.
func plainCodecs() []codecs.Row {
	return slices.DeleteFunc(codecs.Rows(), func(r codecs.Row) bool { return r.Shaped })
}
