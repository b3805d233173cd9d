package numeric

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// A block is items to encode.
type block struct {
	name  string
	size  int
	shape []int32
	items []byte
}

// fillBlock makes a block whose items are the lowest bytes of numbers of their indices.
func fillBlock(name string, size int, shape []int32, item func(index []int) uint64) block {
	b := block{name: name, size: size, shape: shape}
	lengths := make([]int, len(shape))
	for i, n := range shape {
		lengths[i] = int(n)
	}

	index := make([]int, len(shape))
	for at := range count(lengths) {
		rest := at
		for a := len(lengths) - 1; a >= 0; a-- {
			index[a] = rest % lengths[a]
			rest /= lengths[a]
		}
		b.items = binary.LittleEndian.AppendUint64(b.items, item(index))
		b.items = b.items[:(at+1)*size]
	}
	return b
}

// wave is a smooth field with some noise.
func wave(rng *rand.Rand, index []int, noise float64) float64 {
	v := 280.0
	for a, i := range index {
		v += 20 * math.Sin(float64(i)/float64(7+a))
	}
	return v + noise*rng.NormFloat64()
}

// blocks returns blocks that make the encoder use all that the format has.
func blocks() []block {
	rng := rand.New(rand.NewPCG(3, 4))
	var all []block
	add := func(b block) { all = append(all, b) }

	shapes := [][]int32{{1}, {7}, {300}, {4000}, {40, 50}, {1, 33, 1, 45}, {9, 10, 11}, {3, 4, 5, 6, 7},
		{2, 3, 2, 3, 2, 3, 8}}
	for _, shape := range shapes {
		for _, size := range []int{1, 2, 4, 8} {
			name := fmt.Sprint(shape, " of ", size)
			add(fillBlock("random "+name, size, shape, func([]int) uint64 { return rng.Uint64() }))
			add(fillBlock("smooth "+name, size, shape, func(i []int) uint64 { return uint64(int64(wave(rng, i, 2))) }))
			add(fillBlock("equal "+name, size, shape, func([]int) uint64 { return 77 }))
			add(fillBlock("zero "+name, size, shape, func([]int) uint64 { return 0 }))
			add(fillBlock("steps "+name, size, shape, func(i []int) uint64 { return uint64(6*int64(wave(rng, i, 2)) - 1683) }))
			add(fillBlock("patchy "+name, size, shape, func(i []int) uint64 {
				return uint64(int64(wave(rng, i, float64(i[0]%3*i[0]%5*4))))
			}))
			add(fillBlock("padded "+name, size, shape, func(i []int) uint64 {
				if i[0] > int(shape[0])*2/3 || i[len(i)-1] > int(shape[len(i)-1])/2 {
					return 0
				}
				return uint64(int64(wave(rng, i, 1)))
			}))
		}

		name := fmt.Sprint(shape)
		single := func(f float64) uint64 { return uint64(math.Float32bits(float32(f))) }
		add(fillBlock("float32 "+name, 4, shape, func(i []int) uint64 { return single(wave(rng, i, .1)) }))
		add(fillBlock("float64 "+name, 8, shape, func(i []int) uint64 { return math.Float64bits(wave(rng, i, .1) - 280) }))
		add(fillBlock("cents "+name, 4, shape, func(i []int) uint64 { return single(math.Round(wave(rng, i, .1)*100) / 100) }))
		add(fillBlock("tenths "+name, 8, shape, func(i []int) uint64 { return math.Float64bits(math.Round(wave(rng, i, 1)*10) / 10) }))
		add(fillBlock("thousands "+name, 8, shape, func(i []int) uint64 { return math.Float64bits(math.Round(wave(rng, i, 1)) * 1000) }))
		add(fillBlock("quarters of thousandths "+name, 8, shape, func(i []int) uint64 { return math.Float64bits(math.Round(wave(rng, i, 1)) * .00025) }))
		add(fillBlock("unpacked "+name, 8, shape, func(i []int) uint64 { return math.Float64bits(math.Round(wave(rng, i, 1))*.0012345 + 17.3) }))
		add(fillBlock("unpacked singles "+name, 4, shape, func(i []int) uint64 { return single(math.Round(wave(rng, i, 9))*.0012345 + 17.3) }))
		add(fillBlock("thirds in single precision "+name, 8, shape, func(i []int) uint64 {
			return math.Float64bits(float64(float32(math.Round(wave(rng, i, 1))/3) + float32(rng.IntN(2))*1e-5))
		}))
		add(fillBlock("sums "+name, 8, shape, func(i []int) uint64 {
			if rng.IntN(50) == 0 {
				return math.Float64bits(math.Inf(-1))
			}
			return math.Float64bits(math.Round(wave(rng, i, 1)*1e5)/1e5 + float64(rng.IntN(30))*1e-5)
		}))
		add(fillBlock("cut "+name, 4, shape, func(i []int) uint64 { return single(wave(rng, i, .1)-280) &^ 0x1fff }))
		add(fillBlock("missing "+name, 4, shape, func(i []int) uint64 {
			switch {
			case i[0]%4 > 1 && i[len(i)-1]%9 > 3:
				return single(1e20)
			case rng.IntN(100) == 0:
				return single(math.NaN()) + rng.Uint64()%1000
			case rng.IntN(100) == 0:
				return single(math.Copysign(0, -1))
			case rng.IntN(100) == 0:
				return rng.Uint64() % 1000
			}
			return single(math.Round(wave(rng, i, .1)*10) / 10)
		}))
	}
	return all
}

// TestRoundTrip encodes and decodes blocks of all kinds with one encoder of each shape.
func TestRoundTrip(t *testing.T) {
	d := &Decoder{}
	for _, b := range blocks() {
		for _, level := range []int{1, 5, 9} {
			e := NewEncoder(b.size, b.shape, level)
			stream := e.Append([]byte("in front"), b.items, nil)[len("in front"):]
			got := bytes.Repeat([]byte{0xaa}, len(b.items))
			if err := d.Decode(got, stream); err != nil {
				t.Fatalf("%s, level %d: %v", b.name, level, err)
			}
			if !bytes.Equal(got, b.items) {
				t.Fatalf("%s, level %d: items changed", b.name, level)
			}
			if again := e.Append(nil, b.items, nil); !bytes.Equal(again, stream) {
				t.Fatalf("%s, level %d: the same block is encoded differently", b.name, level)
			}
		}
	}
}

// TestOtherLengths encodes blocks that have not the shape of the encoder.
func TestOtherLengths(t *testing.T) {
	e := NewEncoder(4, []int32{10, 10}, 5)
	d := &Decoder{}
	for _, n := range []int{4, 40, 400, 404, 4000} {
		items := bytes.Repeat([]byte{1, 2, 3, 4}, n/4)
		got := make([]byte, n)
		if err := d.Decode(got, e.Append(nil, items, nil)); err != nil || !bytes.Equal(got, items) {
			t.Errorf("%d bytes: error %v, or items changed", n, err)
		}
	}
	for _, n := range []int{0, 3, 402} {
		if stream := e.Append(nil, make([]byte, n), nil); len(stream) > 0 {
			t.Errorf("%d bytes: a stream of %d bytes, want none", n, len(stream))
		}
	}
}

// TestChoices checks that the encoder finds what blocks are made of.
func TestChoices(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	shape := []int32{40, 60}
	tests := []struct {
		name  string
		size  int
		item  func(i []int) uint64
		right func(h *header) bool
	}{
		{"a step", 2, func(i []int) uint64 { return uint64(12*int(wave(rng, i, 3)) + 5) },
			func(h *header) bool { return h.mode == integers && h.step == 12 }},
		{"two axes", 4, func(i []int) uint64 { return uint64(i[0]*i[0]*i[0]*1000 + i[1]*i[1]*i[1]*1000 + rng.IntN(9)) },
			func(h *header) bool { return len(h.passes) == 2 }},
		{"noise", 4, func([]int) uint64 { return rng.Uint64() },
			func(h *header) bool { return len(h.passes) == 0 }},
		{"cents", 8, func(i []int) uint64 { return math.Float64bits(math.Round(wave(rng, i, 1)*100) / 100) },
			func(h *header) bool { return h.mode == decimals && h.places == 2 }},
		{"cents around zero, and missing ones", 8, func(i []int) uint64 {
			if rng.IntN(6) == 0 {
				return math.Float64bits(1e20)
			}
			return math.Float64bits(math.Round(wave(rng, i, 1)*100-28000) / 100)
		}, func(h *header) bool { return h.mode == decimals && h.places == 2 }},
		{"a third", 4, func(i []int) uint64 { return uint64(math.Float32bits(float32(math.Round(wave(rng, i, 1)) / 3))) },
			func(h *header) bool { return h.multiple == multiple{divided, 3, noOffset} }},
		{"a step from somewhere", 8, func(i []int) uint64 { return math.Float64bits(math.Round(wave(rng, i, 1))*.0012345 + 17) },
			func(h *header) bool {
				return h.multiple.making&^adjusted == moved && h.multiple.scale == .0012345
			}},
		{"sums of decimals", 8, func(i []int) uint64 {
			return math.Float64bits(math.Round(wave(rng, i, 1)*1e5)/1e5 + float64(rng.IntN(30))*1e-5)
		}, func(h *header) bool { return h.multiple == multiple{divided | adjusted, 1e5, noOffset} }},
		{"sevenths in single precision", 8, func(i []int) uint64 { return math.Float64bits(float64(float32(math.Round(wave(rng, i, 1)) / 7))) },
			func(h *header) bool { return h.multiple == multiple{divided | single, 7, noOffset} }},
		{"fewer bits", 4, func(i []int) uint64 { return uint64(math.Float32bits(float32(wave(rng, i, 1)-280)) &^ 0xfff) },
			func(h *header) bool { return h.mode == floats && h.shift == 12 }},
		{"padding", 2, func(i []int) uint64 {
			if i[0] >= 30 || i[1] >= 50 {
				return 0
			}
			return uint64(wave(rng, i, 1))
		}, func(h *header) bool { return h.used[0] == 30 && h.used[1] == 50 }},
	}

	for _, test := range tests {
		b := fillBlock(test.name, test.size, shape, test.item)
		e := NewEncoder(test.size, shape, 5)
		e.Append(nil, b.items, nil)
		if !test.right(&e.header) {
			t.Errorf("%s: the header is %+v", test.name, e.header)
		}
	}
}

// TestSpecialDifferences checks that missing values cost little.
func TestSpecialDifferences(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	make := func(missing bool) []byte {
		return fillBlock("", 4, []int32{64, 64}, func(i []int) uint64 {
			if missing && (i[0]-30)*(i[0]-30)+(i[1]-30)*(i[1]-30) < 100 {
				return uint64(math.Float32bits(1e20))
			}
			return uint64(math.Float32bits(float32(wave(rng, i, .01))))
		}).items
	}
	e := NewEncoder(4, []int32{64, 64}, 5)
	without := len(e.Append(nil, make(false), nil))
	with := len(e.Append(nil, make(true), nil))
	if with > without {
		t.Errorf("%d bytes with missing values, %d without", with, without)
	}
}

// TestDamaged decodes streams with changed bytes: the result must not matter, only that there is
// one or an error.
func TestDamaged(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	d := &Decoder{}
	for i, b := range blocks() {
		if i%7 != 0 {
			continue
		}
		stream := NewEncoder(b.size, b.shape, 5).Append(nil, b.items, nil)
		got := make([]byte, len(b.items))
		for range 30 {
			damaged := bytes.Clone(stream)
			damaged[rng.IntN(min(len(damaged), 60))] ^= byte(1 << rng.IntN(8))
			damaged[rng.IntN(len(damaged))] ^= byte(1 << rng.IntN(8))
			_ = d.Decode(got, damaged)
			if n := rng.IntN(len(stream)); d.Decode(got, stream[:n]) == nil {
				t.Fatalf("%s: decoded from %d of %d bytes", b.name, n, len(stream))
			}
		}
		if err := d.Decode(got, append(stream, 0)); err == nil {
			t.Fatalf("%s: decoded with a byte behind the end", b.name)
		}
		if err := d.Decode(make([]byte, len(got)+b.size), stream); err == nil {
			t.Fatalf("%s: decoded to more items", b.name)
		}
	}
}

// FuzzDecode decodes anything.
func FuzzDecode(f *testing.F) {
	for i, b := range blocks() {
		if i%11 == 0 && len(b.items) < 10000 {
			f.Add(NewEncoder(b.size, b.shape, 5).Append(nil, b.items, nil), len(b.items))
		}
	}
	f.Fuzz(func(t *testing.T, stream []byte, n int) {
		n = int(uint(n) % (1 << 16))
		got := bytes.Repeat([]byte{0xaa}, n+8)
		err := new(Decoder).Decode(got[:n], stream)
		if !bytes.Equal(got[n:], bytes.Repeat([]byte{0xaa}, 8)) {
			t.Fatal("wrote behind the end")
		}

		part := bytes.Repeat([]byte{0xaa}, n+8)
		lo := n / 3
		hi := min(n, lo+n/5+1)
		errPart := new(Decoder).DecodeRange(part[:n-n%3], stream, lo, min(hi, n-n%3))
		if !bytes.Equal(part[n-n%3:], bytes.Repeat([]byte{0xaa}, 8+n%3)) {
			t.Fatal("wrote behind a part")
		}
		if err != nil || n == 0 {
			return
		}
		if hi = min(hi, n-n%3); errPart != nil || !bytes.Equal(part[lo:hi], got[lo:hi]) {
			t.Fatalf("bytes %d to %d: error %v, or others", lo, hi, errPart)
		}

		// What was decoded can be encoded.
		size := sizeOf(stream)
		again := make([]byte, n)
		if err := new(Decoder).Decode(again, NewEncoder(size, nil, 5).Append(nil, got[:n], nil)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(again, got[:n]) {
			t.Fatal("items changed")
		}
	})
}

// FuzzRoundTrip encodes any items in any shape.
func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte("some items that are bytes, in rows"), uint8(2), uint8(3), uint8(1))
	f.Fuzz(func(t *testing.T, items []byte, rows, columns, log uint8) {
		size := 1 << (log % 4)
		items = items[:len(items)/size*size]
		if len(items) == 0 {
			return
		}
		e := NewEncoder(size, []int32{int32(rows), int32(columns)}, int(log)%10)
		got := make([]byte, len(items))
		if err := new(Decoder).Decode(got, e.Append(nil, items, nil)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, items) {
			t.Fatal("items changed")
		}
	})
}

// TestVectors decodes the streams in docs/format/numeric.md.
func TestVectors(t *testing.T) {
	page, err := os.ReadFile("../../docs/format/numeric.md")
	if err != nil {
		t.Fatal(err)
	}

	found := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 5 || !strings.HasPrefix(cells[2], " `") {
			continue
		}
		found++
		want, err1 := hex.DecodeString(strings.Trim(cells[2], " `"))
		stream, err2 := hex.DecodeString(strings.Trim(cells[3], " `"))
		if err1 != nil || err2 != nil {
			t.Fatalf("%s: %v, %v", cells[1], err1, err2)
		}
		got := make([]byte, len(want))
		if err := new(Decoder).Decode(got, stream); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: decoded to %x, error %v; want %x", cells[1], got, err, want)
		}
	}
	if found < 8 {
		t.Errorf("%d test vectors", found)
	}
}

// TestManySegments sorts more segments of a kind into classes than 16 bits can count.
func TestManySegments(t *testing.T) {
	s := &sorter{}
	for i := range 1 << 18 {
		s.sums = append(s.sums, uint32(5+45*(i>>17)))
	}
	s.divide()
	if low, high := s.classes[0], s.classes[len(s.classes)-1]; low != 1<<mostLog/4 || high != 1<<mostLog*3/4 {
		t.Errorf("classes %d and %d of %d, want the middle of each half", low, high, 1<<mostLog)
	}
}

// TestTinyNegative encodes a number that is nearly zero among multiples that are not exact, of
// which the integer is zero, without a sign.
func TestTinyNegative(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 9))
	b := fillBlock("tiny", 8, []int32{4000}, func(i []int) uint64 {
		if i[0] == 1234 {
			return 1<<63 | 5
		}
		return math.Float64bits(0.37*float64(1+rng.IntN(500))) + rng.Uint64N(3)
	})
	stream := NewEncoder(8, b.shape, 5).Append(nil, b.items, nil)
	if len(stream) > len(b.items)/3 {
		t.Errorf("%d bytes: these are not multiples", len(stream))
	}

	got := make([]byte, len(b.items))
	var d Decoder
	if err := d.Decode(got, stream); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, b.items) {
		t.Error("other items")
	}
}
